// Does muscle mass matter, and for which joint? The answer in a sentence, in bars and in a table.

import {Run} from './data';
import {el} from './dom';
import {MomentChange} from './header';
import {format, unitOf} from './units';

/** Smaller changes of a peak are ignored. */
const threshold = 0.1;
/** Moments below this part of the largest one are too small for meaningful percentages. */
const negligible = 0.005;

const peak = (m: MomentChange): number => Math.max(Math.abs(m.highest), Math.abs(m.lowest));

/** The larger change of the two peaks, for moments that are large enough. */
export function peakChange(m: MomentChange, all: MomentChange[]): number | null {
  const largest = Math.max(...all.filter((o) => o.quantity === m.quantity).map(peak));
  if (!(peak(m) > negligible * largest)) return null;
  // A peak much smaller than the other one changes by a large percentage of almost nothing.
  const [high, low] = [
    Math.abs(m.highest) > 0.1 * peak(m) ? m.highest_change : 0,
    Math.abs(m.lowest) > 0.1 * peak(m) ? m.lowest_change : 0,
  ];
  return Math.abs(high) > Math.abs(low) ? high : low;
}

const percent = (x: number): string => `${x > 0 ? '+' : x < 0 ? '−' : ''}${format(Math.abs(100 * x), Math.abs(x) < 0.1 ? 2 : 3)} %`;
/** "ankle_angle_r" as spoken text. */
const spoken = (coordinate: string): string => coordinate.replaceAll('_', ' ');

interface Verdict {
  mattered: boolean;
  sentence: string;
  detail: string;
}

export function verdict(moments: MomentChange[]): Verdict {
  const joints = moments.filter((m) => !m.root);
  const changes = joints
    .map((m) => ({m, change: peakChange(m, joints)}))
    .filter((c): c is {m: MomentChange; change: number} => c.change !== null)
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  const first = changes[0];
  if (!first || Math.abs(first.change) < threshold)
    return {
      mattered: false,
      sentence: 'Muscle mass hardly mattered.',
      detail: first
        ? `The largest change of a joint's peak moment is ${percent(first.change)}, of ${spoken(first.m.coordinate)}.`
        : 'No joint has a significant moment.',
    };
  const rest = changes.slice(1).filter((c) => Math.abs(c.change) >= threshold);
  const cause = first.m.causes[0];
  const less = changes[1 + rest.length];
  const others =
    (rest.length > 0 ? ` Also: ${rest.map((c) => `${spoken(c.m.coordinate)} ${percent(c.change)}`).join(', ')}.` : '') +
    (less ? ` For the other joints it did not: the most affected of them is ${spoken(less.m.coordinate)}, ${percent(less.change)}.` : '');
  return {
    mattered: true,
    sentence: `Muscle mass mattered, most for ${spoken(first.m.coordinate)}: its peak moment changes by ${percent(first.change)}.`,
    detail: `${cause ? `Most of it is due to ${cause.muscle}.` : ''}${others}`,
  };
}

function bar(change: number | null, largest: number): HTMLElement {
  const width = change === null ? 0 : (50 * Math.abs(change)) / largest;
  const style = `width:${width}%;${(change ?? 0) >= 0 ? 'left:50%' : `left:${50 - width}%`}`;
  return el('div', {class: 'bar-track', 'aria-hidden': 'true'}, el('div', {class: `bar-fill ${(change ?? 0) >= 0 ? 'more' : 'less'}`, style}));
}

function tableOf(moments: MomentChange[], open: (coordinate: string) => void): HTMLElement {
  const changes = moments.map((m) => peakChange(m, moments));
  const largest = Math.max(0.01, ...changes.map((change) => Math.abs(change ?? 0)));
  const head = ['Coordinate', 'Peak changes by', '', 'Highest', '', 'Lowest', '', 'RMS difference', 'Largest', 'Most by'];
  const row = (m: MomentChange): HTMLElement => {
    const change = peakChange(m, moments);
    const symbol = unitOf(m.quantity).symbol;
    const button = el('button', {type: 'button', class: 'link', click: () => open(m.coordinate), title: 'Show its curves'}, spoken(m.coordinate));
    const cells = [
      change === null ? '–' : percent(change), bar(change, largest),
      `${format(m.highest, 3)} ${symbol}`, percent(m.highest_change), `${format(m.lowest, 3)} ${symbol}`, percent(m.lowest_change),
      `${format(m.rms_difference, 3)} ${symbol}`, `${format(m.largest_difference, 3)} ${symbol}`, m.causes[0]?.muscle ?? '',
    ];
    return el('tr', {}, el('th', {scope: 'row'}, button), ...cells.map((cell) => el('td', {}, cell)));
  };
  const sorted = [...moments].sort((a, b) => Math.abs(peakChange(b, moments) ?? 0) - Math.abs(peakChange(a, moments) ?? 0));
  return el(
    'div', {class: 'scroll'},
    el('table', {class: 'moments'}, el('caption', {}, 'Moments with all mass on the bones, and how they change with mass in the muscles'),
      el('thead', {}, el('tr', {}, ...head.map((text) => el('th', {scope: 'col'}, text)))), el('tbody', {}, ...sorted.map(row))),
  );
}

/** The summary at the top of a comparison. */
export function comparisonCard(
  moments: MomentChange[],
  run: Run,
  open: (coordinate: string) => void,
): HTMLElement {
  const {mattered, sentence, detail} = verdict(moments);
  const massive = run.info.model.muscles.filter((m) => m.mass > 0);
  const mass = massive.reduce((sum, m) => sum + m.mass, 0);
  const [joints, roots] = [moments.filter((m) => !m.root), moments.filter((m) => m.root)];
  const firstJoint = [...joints].sort((a, b) => Math.abs(peakChange(b, joints) ?? 0) - Math.abs(peakChange(a, joints) ?? 0))[0];
  // The plots open with the joint that the sentence names.
  if (firstJoint) queueMicrotask(() => open(firstJoint.coordinate));
  return el(
    'section', {class: 'card verdict'},
    el('p', {class: `answer ${mattered ? 'yes' : 'no'}`}, sentence),
    el('p', {}, detail),
    el(
      'p', {class: 'muted'},
      `${format(mass, 3)} kg of ${format(run.info.model.mass, 3)} kg move with ${massive.length} muscles (${massive.map((m) => m.name).join(', ')}) instead of being fixed to the bones. `,
      'This mass was an input of this study; the changes are nearly proportional to it. ',
      `Changes below ${100 * threshold} % of a peak, peaks below a tenth of the other one, and moments below ${100 * negligible} % of the largest are ignored.`,
    ),
    tableOf(joints, open),
    roots.length > 0
      ? el('details', {}, el('summary', {}, 'Where the model is held in space: no moments of joints'), tableOf(roots, open))
      : null,
  );
}
