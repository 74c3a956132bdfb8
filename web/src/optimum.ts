// What an optimisation found: its convergence, objectives before and after, parameters and limits that hold.

import {Arrays, Optimum} from './header';
import {el} from './dom';
import {table} from './tables';
import {format} from './units';

/** Tables of more parameters are folded. */
const few = 12;
const width = 560, height = 200, left = 50, bottom = 40, top = 10;

const svg = <K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, string | number>, text = ''): SVGElementTagNameMap[K] => {
  const out = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, String(value));
  out.textContent = text;
  return out;
};

/** The objective over the runs on a logarithmic scale: every run as a dot, the best so far as a line. */
function convergence({evaluation, value, best}: Record<'evaluation' | 'value' | 'best', ArrayLike<number>>, unit: string): SVGElement {
  const logs = (list: ArrayLike<number>): number[] => Array.from(list, (v) => Math.log10(Math.max(v, 1e-300)));
  const values = logs(value), bests = logs(best), runs = Array.from(evaluation);
  const low = Math.floor(Math.min(...bests)), high = Math.max(low + 1, Math.ceil(Math.max(...values)));
  const last = Math.max(2, ...runs);
  const x = (run: number): number => left + ((run - 1) / (last - 1)) * (width - left - 10);
  const y = (log: number): number => top + ((high - log) / (high - low)) * (height - top - bottom);
  const picture = svg('svg', {viewBox: `0 0 ${width} ${height}`, class: 'convergence', role: 'img',
    'aria-label': `The objective falls from ${format(value[0] ?? 0)} to ${format(best[best.length - 1] ?? 0)} in ${runs.length} runs`});
  const step = Math.max(1, Math.ceil((high - low) / 6));
  for (let log = low; log <= high; log += step) {
    picture.append(svg('line', {x1: left, x2: width - 10, y1: y(log), y2: y(log), class: 'rule'}));
    picture.append(svg('text', {x: left - 6, y: y(log) + 4, 'text-anchor': 'end'}, log === 0 ? '1' : `1e${log}`.replace('-', '−')));
  }
  for (const run of new Set([1, Math.round((1 + last) / 2), last]))
    picture.append(svg('text', {x: x(run), y: height - 24, 'text-anchor': 'middle'}, String(run)));
  picture.append(svg('text', {x: (left + width) / 2, y: height - 6, 'text-anchor': 'middle'}, unit));
  picture.append(svg('path', {d: bests.map((log, k) => `${k ? 'L' : 'M'}${x(runs[k] ?? 1)} ${y(log)}`).join(''), class: 'best'}));
  for (let k = 0; k < values.length; ++k) picture.append(svg('circle', {cx: x(runs[k] ?? 1), cy: y(values[k] ?? 0), r: 2.5}));
  return picture;
}

/** How many, and of which kind: an evolution strategy takes no gradients. */
const runsOf = (optimum: Optimum): string => (optimum.method === 'cma-es' ? 'runs' : 'runs with gradients');

const amount = (value: number | undefined, unit?: string): string => (value === undefined ? '–' : unit ? `${format(value)} ${unit}` : format(value));

export function optimumCard(optimum: Optimum, arrays: Arrays): HTMLElement {
  const held = optimum.parameters.filter((p) => p.at);
  const objectives = optimum.objectives.map((after, k) => {
    const before = optimum.first_objectives[k], half = optimum.half_step.objectives?.[k];
    const unit = after.unit;
    return [after.name, format(before?.value ?? NaN), format(after.value), amount(before?.miss, unit), amount(after.miss, unit), amount(half?.miss, unit)];
  });
  const told = optimum.identification;
  const deviation = (name: string): string => {
    const value = told?.deviations[name];
    return value === null || value === undefined ? 'not told' : `± ${format(value, 2)}`;
  };
  const parameters = optimum.parameters.map((p, k) => [p.name, format(optimum.first_parameters[k] ?? NaN), format(p.value),
    ...(told ? [deviation(p.name)] : []), p.at ? `at its ${p.at} limit` : '']);
  const curves = optimum.convergence;
  return el(
    'section', {class: 'card optimum', 'aria-label': 'Result of the optimisation'},
    el('h2', {}, `${optimum.task}: ${format(optimum.first_value)} became ${format(optimum.value)}`),
    el('p', {}, `${optimum.end} after ${optimum.iterations} iterations and ${optimum.evaluations} ${runsOf(optimum)} (${optimum.method}). `
      + (optimum.gap === undefined ? '' : `The largest gap between its intervals is ${format(optimum.gap, 2)}. `)
      + (optimum.failed_runs > 0 ? `${optimum.failed_runs} runs failed and were backed away from. ` : '')
      + (held.length > 0 ? `${held.length} of ${optimum.parameters.length} parameters are held by a limit. ` : 'No limit holds a parameter. ')
      + `What Newton’s method left changes the objective by ${format(optimum.newton_error, 2)} at most.`
      + (optimum.half_step.value === undefined ? '' : ` With half the step the objective is ${format(optimum.half_step.value)}.`)),
    el('div', {class: 'optimum-columns'},
      convergence({evaluation: arrays.read(curves.evaluation), value: arrays.read(curves.value), best: arrays.read(curves.best)}, runsOf(optimum)) as unknown as HTMLElement,
      table(['Objective', 'First', 'Best', 'Missed first', 'Missed now', 'At half the step'], objectives, 'The objective, before and after')),
    el('details', {open: parameters.length <= few}, el('summary', {}, `${parameters.length} parameters`),
      table(['Parameter', 'First', 'Best', ...(told ? ['Deviation'] : []), 'Limit'], parameters, 'What changed')),
    ...(told && told.unresolved.length > 0
      ? [el('p', {}, `${told.data} data, with a noise of ${format(told.noise, 2)}, cannot tell these combinations of parameters, in their scales:`),
        el('ul', {}, ...told.unresolved.map((combination) => el('li', {}, combination)))]
      : []),
    optimum.kinks.length === 0 ? null
      : el('p', {}, `The objective has corners, which the best run passes where laws bend: ${optimum.kinks.map((k) => `${k.element} (${k.count})`).join(', ')}.`),
    el('p', {class: 'muted'}, 'The solid figure is the best run, the ghost the first one.'),
  );
}
