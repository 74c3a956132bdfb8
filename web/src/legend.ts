// The legend of a plot: an entry for every curve, which shows its dash and colour and switches it on and off.

import {el} from './dom';
import {Line} from './svg';

/** Entries that a legend shows at once; the others unfold. */
const most = 24;

function svg(tag: string, attributes: Record<string, string | number>): SVGElement {
  const out = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, String(value));
  return out;
}

/** A short piece of the curve as it is drawn. */
function sample(line: Line): SVGElement {
  const out = svg('svg', {class: 'sample', width: 30, height: 10, 'aria-hidden': 'true'});
  out.append(
    line.points
      ? svg('circle', {cx: 15, cy: 5, r: 3, fill: line.color})
      : svg('line', {x1: 1, x2: 29, y1: 5, y2: 5, stroke: line.color, 'stroke-width': 2.4, 'stroke-dasharray': line.dash.join(' ') || 'none'}),
  );
  return out;
}

/** Entries in the order of the lines; `toggle` is called with the line's number. */
export function legend(lines: Line[], isShown: (line: Line) => boolean, toggle: (k: number) => void): HTMLElement {
  const entries = lines.map((line, k) => {
    const entry = el('button', {type: 'button', class: 'entry', 'aria-pressed': String(isShown(line)), title: 'Show or hide this curve'});
    entry.addEventListener('click', () => {
      toggle(k);
      entry.setAttribute('aria-pressed', String(isShown(line)));
    });
    entry.append(sample(line), el('span', {}, line.name));
    return entry;
  });
  const out = el('div', {class: 'curve-legend', role: 'group', 'aria-label': 'Curves'}, ...entries.slice(0, most));
  const rest = entries.slice(most);
  if (rest.length > 0) out.append(el('details', {}, el('summary', {}, `${rest.length} more curves`), ...rest));
  return out;
}
