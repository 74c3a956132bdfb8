// Options of all plots: per body mass, in per cent of the motion or of its cycles.

import {Cycles, findStarts} from './cycles';
import {Run} from './data';
import {choice, el, toggle} from './dom';
import {style} from './plots';

/** Coordinates that repeat themselves, the widest swing first. */
export function cyclesOf(run: Run): Cycles[] {
  const group = run.groups.find((g) => g.id === 'coordinates');
  const found = (group?.curves ?? []).flatMap((curve) => {
    const starts = findStarts(group?.x.values ?? [], curve.values);
    let [low, high] = [Infinity, -Infinity];
    for (const v of curve.values) [low, high] = [Math.min(low, v), Math.max(high, v)];
    return starts ? [{cycles: {coordinate: curve.name, starts}, angle: curve.quantity === 'angle', range: high - low}] : [];
  });
  found.sort((a, b) => Number(b.angle) - Number(a.angle) || b.range - a.range);
  return found.map((one) => one.cycles);
}

/** Null if there is nothing to choose. */
export function plotBar(run: Run, refresh: () => void): HTMLElement | null {
  const bar = el('div', {class: 'bar wrap plot-bar', role: 'group', 'aria-label': 'Plots'});
  if (run.groups.some((g) => g.curves.some((c) => c.quantity === 'moment')))
    bar.append(
      toggle('Plots per body mass [N·m/kg]', style.perMass, (on) => {
        style.perMass = on;
        refresh();
      }),
    );
  const percent = toggle('Plots in per cent of the motion', style.percent, (on) => {
    style.percent = on;
    refresh();
  });
  bar.append(percent);
  const cycles = cyclesOf(run);
  if (cycles.length > 0)
    bar.append(
      choice(
        'Cycles', [['', 'not used'], ...cycles.map((c): [string, string] => [c.coordinate, `of ${c.coordinate} (${c.starts.length - 1})`])], '',
        (coordinate) => {
          style.cycles = cycles.find((c) => c.coordinate === coordinate) ?? null;
          (percent.querySelector('input') as HTMLInputElement).disabled = style.cycles !== null;
          refresh();
        },
      ),
    );
  return bar.children.length > 0 ? bar : null;
}
