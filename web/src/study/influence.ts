// Which parameter decides a result: shares of its variance with their intervals, or correlations of ranks.

import {Share, Study} from '../header';
import {el} from '../dom';
import {format} from '../units';

type Result = Study['results'][number];

const share = (v: number | null): string => (v === null ? '–' : (Math.abs(v) < 0.005 ? 0 : v).toFixed(2).replace('-', '−'));
const size = (v: number | null | undefined): number => Math.abs(v ?? 0);

/** Names of parameters, the one that matters most first. */
export function byInfluence(result: Result, names: string[]): string[] {
  const of = (name: string): number => {
    if (result.indices) return size(result.indices.parameters[name]?.total.value);
    return size(result.rank_correlations?.[name]);
  };
  return [...names].sort((a, b) => of(b) - of(a));
}

/** A bar from zero and its interval on a track from `low` to `high`. */
function bar(value: Share, low: number, high: number, kind: string): HTMLElement {
  const at = (v: number): number => 100 * Math.min(1, Math.max(0, (v - low) / (high - low)));
  const track = el('div', {class: 'share-track'}, el('div', {class: 'share-zero', style: `left: ${at(0)}%`}));
  if (value.value !== null) {
    const [from, to] = [at(Math.min(0, value.value)), at(Math.max(0, value.value))];
    track.append(el('div', {class: `share-bar ${kind}`, style: `left: ${from}%; width: ${to - from}%`}));
  }
  if (value.lower !== null && value.upper !== null)
    track.append(el('div', {class: 'share-range', style: `left: ${at(value.lower)}%; width: ${at(value.upper) - at(value.lower)}%`}));
  return track;
}

const interval = (s: Share): string => (s.lower === null || s.upper === null ? '' : `${share(s.lower)} to ${share(s.upper)}`);

/** A table with bars; null where nothing is known. */
export function influenceTable(result: Result, names: string[]): HTMLElement | null {
  const sorted = byInfluence(result, names);
  const head = (...texts: string[]): HTMLElement => el('thead', {}, el('tr', {}, ...texts.map((text) => el('th', {scope: 'col'}, text))));
  const {indices, rank_correlations: ranks} = result;
  if (indices) {
    const all = sorted.flatMap((name) => {
      const one = indices.parameters[name];
      return one ? [one.first.lower, one.first.upper, one.total.upper, one.first.value, one.total.value] : [];
    });
    const known = all.filter((v): v is number => v !== null);
    if (known.length === 0) return null;
    const low = Math.max(-0.25, Math.min(0, ...known)), high = Math.min(1.25, Math.max(1, ...known));
    return el('table', {class: 'influence'},
      el('caption', {}, `Shares of the variance of ${result.name}`),
      head('Parameter', 'Alone, with others', 'Alone', 'With others'),
      el('tbody', {}, ...sorted.map((name) => {
        const one = indices.parameters[name];
        if (!one) return el('tr', {}, el('th', {scope: 'row'}, name));
        const number = (s: Share): HTMLElement => el('td', {class: 'number'}, `${share(s.value)} `, el('span', {class: 'muted'}, interval(s)));
        return el('tr', {}, el('th', {scope: 'row'}, name),
          el('td', {class: 'bars'}, bar(one.first, low, high, 'alone'), bar(one.total, low, high, 'with-others')), number(one.first), number(one.total));
      })));
  }
  if (!ranks || sorted.every((name) => (ranks[name] ?? null) === null)) return null;
  return el('table', {class: 'influence'},
    el('caption', {}, `Correlations of ranks with ${result.name}`),
    head('Parameter', 'Rank correlation, −1 to 1', ''),
    el('tbody', {}, ...sorted.map((name) => {
      const value = ranks[name] ?? null;
      return el('tr', {}, el('th', {scope: 'row'}, name),
        el('td', {class: 'bars one'}, bar({value, lower: null, upper: null}, -1, 1, value !== null && value < 0 ? 'falls' : 'grows')),
        el('td', {class: 'number'}, share(value)));
    })));
}

/** How a result is spread, in words. */
export function spreadOf(result: Result, unit: string): string {
  const n = (v: number | null): string => (v === null ? '–' : format(v, 5));
  if (result.mean === null) return 'No run came to its end with a value.';
  const gap = unit ? ` ${unit}` : '';
  const what = result.objective ? `objective ${result.objective}` : result.gradient ? `gradient by ${result.gradient}` : `${result.measure} of ${result.output}`;
  return `${what}: mean ${n(result.mean)}${gap}, deviation ${n(result.deviation)}, ${n(result.least)} to ${n(result.largest)}`;
}
