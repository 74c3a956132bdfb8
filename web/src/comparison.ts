// Does muscle mass matter, and for which joint? The answer in words, in bars and in tables.

import {Run} from './data';
import {el} from './dom';
import {Comparison, MomentChange} from './header';
import {format, unitOf} from './units';

const percent = (x: number): string => `${format(100 * x, Math.abs(x) < 0.1 ? 2 : 3)} %`;
const signed = (x: number): string => `${x > 0 ? '+' : x < 0 ? '−' : ''}${percent(Math.abs(x))}`;
/** "ankle_angle_r" as spoken text. */
const spoken = (coordinate: string): string => coordinate.replaceAll('_', ' ');

const verdicts: Record<MomentChange['verdict'], string> = {
  'no effect': 'no effect',
  'small moment': 'moment too small to judge',
  below: 'below filter or inertias',
  'may matter': 'may matter',
  matters: 'matters',
};

/** The part of a peak by which it changes; peaks far smaller than the other one change by much of nearly nothing. */
function peakChange(m: MomentChange, peak: 'highest' | 'lowest'): string {
  const larger = Math.max(Math.abs(m.highest), Math.abs(m.lowest));
  return Math.abs(m[peak]) <= 0.1 * larger ? '–' : signed(m[`${peak}_change`]);
}

const isJudged = (m: MomentChange): boolean => m.verdict !== 'no effect' && m.verdict !== 'small moment';

/** What muscle mass changes, with its range, over what filter and inertias may change. */
function bar(m: MomentChange, largest: number): HTMLElement {
  const share = (x: number): string => `${(100 * Math.min(x, largest)) / largest}%`;
  const other = Math.max(m.change_by_filter, m.change_by_inertia);
  return el(
    'div', {class: 'bar-track', 'aria-hidden': 'true'},
    el('div', {class: 'bar-other', style: `width:${share(other)}`}),
    el('div', {class: `bar-fill ${m.verdict.replace(' ', '-')}`, style: `width:${share(m.change)}`}),
    el('div', {class: 'bar-range', style: `left:${share(m.least_change)};right:calc(100% - ${share(m.most_change)})`}),
  );
}

type Cell = string | HTMLElement;

function table(caption: string, head: string[], rows: {m: MomentChange; cells: Cell[]}[], open: (coordinate: string) => void): HTMLElement {
  const row = ({m, cells}: {m: MomentChange; cells: Cell[]}): HTMLElement => {
    const button = el('button', {type: 'button', class: 'link', click: () => open(m.coordinate), title: 'Show its curves'}, spoken(m.coordinate));
    return el('tr', {}, el('th', {scope: 'row'}, button), ...cells.map((cell) => el('td', {}, cell)));
  };
  return el(
    'div', {class: 'scroll'},
    el('table', {class: 'moments'}, el('caption', {}, caption),
      el('thead', {}, el('tr', {}, ...['Coordinate', ...head].map((text) => el('th', {scope: 'col'}, text)))),
      el('tbody', {}, ...rows.map(row))),
  );
}

function verdictTable(joints: MomentChange[], open: (coordinate: string) => void): HTMLElement {
  const judged = joints.filter(isJudged);
  const largest = Math.max(0.01, ...judged.map((m) => Math.max(m.most_change, m.change_by_filter, m.change_by_inertia)));
  const rows = joints.map((m) => ({
    m,
    cells: [
      `${format(m.largest_moment, 3)} ${unitOf(m.quantity).symbol}`,
      ...(isJudged(m)
        ? [percent(m.change), bar(m, largest), `${percent(m.least_change)} to ${percent(m.most_change)}`, percent(m.change_by_filter), percent(m.change_by_inertia)]
        : ['–', '', '–', '–', '–']),
      verdicts[m.verdict],
      m.causes[0]?.muscle ?? '',
    ],
  }));
  return table(
    'Largest change of the moment over the motion, as a part of the largest moment. ' +
      'Grey: what the filter or the inertias of segments alone may change.',
    ['Largest moment', 'Muscle mass', '', 'Range', 'Filter', 'Inertias', '', 'Most by'], rows, open,
  );
}

function peakTable(moments: MomentChange[], open: (coordinate: string) => void): HTMLElement {
  const rows = moments.map((m) => {
    const value = (x: number): string => `${format(x, 3)} ${unitOf(m.quantity).symbol}`;
    return {
      m,
      cells: [value(m.highest), peakChange(m, 'highest'), value(m.lowest), peakChange(m, 'lowest'), value(m.rms_difference), value(m.largest_difference)],
    };
  });
  return table('Peaks with all mass on the bones, and their change', ['Highest', '', 'Lowest', '', 'RMS difference', 'Largest'], rows, open);
}

/** The summary at the top of a comparison. */
export function comparisonCard({answer, range, doubts, moments}: Comparison, run: Run, open: (coordinate: string) => void): HTMLElement {
  const massive = run.info.model.muscles.filter((m) => m.mass > 0);
  const mass = massive.reduce((sum, m) => sum + m.mass, 0);
  const joints = moments.filter((m) => !m.root && m.verdict !== 'no effect');
  joints.sort((a, b) => Number(isJudged(b)) - Number(isJudged(a)) || b.change - a.change);
  const roots = moments.filter((m) => m.root);
  // The plots open with the joint that changes most.
  const first = joints[0];
  if (first) queueMicrotask(() => open(first.coordinate));
  const names = massive.length > 8 ? '' : ` (${massive.map((m) => m.name).join(', ')})`;
  return el(
    'section', {class: 'card verdict'},
    el('p', {class: `answer ${answer.stands_out ? 'yes' : 'no'}`}, answer.sentence),
    ...answer.details.map((text) => el('p', {}, text)),
    el(
      'p', {class: 'muted'},
      `${format(mass, 3)} kg of ${format(run.info.model.mass, 3)} kg move with ${massive.length} muscles${names} `,
      'instead of being fixed to the bones. ',
      'This mass was an input of this study; the changes are nearly proportional to it. ',
      `Range: ${range}. Filter: cut-off from 6 to 20 Hz. Inertias: those of every segment wrong by 10 %.`,
    ),
    ...doubts.map((text) => el('p', {class: 'muted'}, `${text[0]!.toUpperCase()}${text.slice(1)}.`)),
    joints.length > 0 ? verdictTable(joints, open) : null,
    joints.length > 0 ? el('details', {}, el('summary', {}, 'Peaks'), peakTable(joints, open)) : null,
    roots.length > 0 ? el('details', {}, el('summary', {}, 'Where the model is held in space: no moments of joints'), peakTable(roots, open)) : null,
  );
}
