// Light and dark.

import {el} from './dom';

/** Light or dark: the system's setting until the reader chooses. */
export function themeButton(onChange: () => void): HTMLElement {
  const root = document.documentElement;
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  root.dataset['theme'] = dark.matches ? 'dark' : 'light';
  dark.addEventListener('change', () => {
    root.dataset['theme'] = dark.matches ? 'dark' : 'light';
    onChange();
  });
  return el(
    'button',
    {
      type: 'button', title: 'Light or dark', 'aria-label': 'Switch between light and dark',
      click: () => {
        root.dataset['theme'] = root.dataset['theme'] === 'dark' ? 'light' : 'dark';
        onChange();
      },
    },
    '◐',
  );
}
