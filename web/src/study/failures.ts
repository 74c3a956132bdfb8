// Runs that did not pass, by how and why: reasons that differ in their numbers only are one.

import {el} from '../dom';
import {format} from '../units';
import {Rows} from './rows';

interface Failure {
  reason: number;
  status: string;
  count: number;
  from: number;
  to: number;
  first: number;
}

const most = 40; // rows of the table

/** Reasons with their statuses, the most frequent first. */
export function failures(rows: Rows): Failure[] {
  const found = new Map<string, Failure>();
  for (let row = 0; row < rows.count; ++row) {
    const reason = rows.reason[row] as number;
    if (reason === 0 && rows.status[row] === 0) continue;
    const key = `${rows.status[row]} ${reason}`, time = rows.time[row] as number;
    const known = found.get(key);
    if (!known) {
      found.set(key, {reason, status: rows.statusName(row), count: 1, from: time, to: time, first: row});
      continue;
    }
    ++known.count;
    known.from = Math.min(known.from, time);
    known.to = Math.max(known.to, time);
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

export const statusWords = (name: string): string => name.replace('_', ' ');

export function failureCard(rows: Rows): HTMLElement | null {
  const all = failures(rows);
  if (all.length === 0) return null;
  const count = all.reduce((sum, f) => sum + f.count, 0);
  const lines = all.slice(0, most).map((f) => {
    const text = f.reason === 0 ? '–' : (rows.study.reasons.texts[f.reason - 1] ?? []).join('…');
    const time = f.to > f.from ? `${format(f.from, 3)} to ${format(f.to, 3)}` : format(f.from, 3);
    const only = el('button', {
      type: 'button', class: 'link', 'aria-pressed': 'false', disabled: f.reason === 0,
      title: 'Picks these runs in all plots', click: () => rows.setReason(rows.onlyReason === f.reason ? 0 : f.reason),
    }, f.count.toLocaleString('en'));
    rows.follow(() => only.setAttribute('aria-pressed', String(f.reason > 0 && rows.onlyReason === f.reason)));
    const first = el('button', {type: 'button', class: 'link', click: () => rows.select(f.first)}, String(rows.run[f.first]));
    return el('tr', {}, el('th', {scope: 'row'}, statusWords(f.status)), el('td', {class: 'reason'}, text), el('td', {class: 'number'}, only), el('td', {class: 'number'}, time), el('td', {class: 'number'}, first));
  });
  return el('section', {class: 'card', 'aria-label': 'Runs that did not pass'},
    el('h2', {}, `${count.toLocaleString('en')} ${count === 1 ? 'run' : 'runs'} of ${rows.count.toLocaleString('en')} did not pass`),
    el('div', {class: 'scroll'}, el('table', {class: 'failures'},
      el('caption', {}, 'Reasons, and how many runs have them'),
      el('thead', {}, el('tr', {}, ...['End', 'Reason', 'Runs', 'Time [s]', 'First'].map((text) => el('th', {scope: 'col'}, text)))),
      el('tbody', {}, ...lines))),
    el('p', {class: 'muted'}, `… stands for numbers that differ. ${all.length > most ? `The ${most} most frequent of ${all.length} reasons. ` : ''}A click on a number of runs picks them in all plots.`));
}
