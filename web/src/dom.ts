// Short ways to make elements.

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

/** An element with attributes (functions become listeners) and children. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const out = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') out.addEventListener(key, value);
    else if (value === true) out.setAttribute(key, '');
    else if (value !== false) out.setAttribute(key, String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) out.append(child);
  return out;
}

/** Offers a file to the reader. */
export function download(name: string, content: Blob | string, type = 'text/plain'): void {
  const blob = typeof content === 'string' ? new Blob([content], {type}) : content;
  const link = el('a', {href: URL.createObjectURL(blob), download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A choice with a label. */
export function choice(
  label: string,
  options: [value: string, text: string, section?: string][],
  chosen: string,
  onChange: (value: string) => void,
): HTMLLabelElement {
  const select = el('select', {change: () => onChange(select.value)});
  const sections = new Map<string, HTMLElement>([['', select]]);
  for (const [value, text, section = ''] of options) {
    let into = sections.get(section);
    if (!into) {
      into = el('optgroup', {label: section});
      sections.set(section, into);
      select.append(into);
    }
    into.append(el('option', {value, selected: value === chosen}, text));
  }
  return el('label', {class: 'choice'}, el('span', {}, label), select);
}

/** A switch with a label. */
export function toggle(label: string, on: boolean, onChange: (on: boolean) => void): HTMLLabelElement {
  const box = el('input', {type: 'checkbox', checked: on, change: () => onChange(box.checked)});
  return el('label', {class: 'toggle'}, box, el('span', {}, label));
}
