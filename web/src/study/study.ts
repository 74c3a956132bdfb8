// The page of a study: what its runs found, which parameter decides, and every run of it.

import {scaleGradient} from '../colors';
import {choice, el} from '../dom';
import {Arrays, Header, Study} from '../header';
import {card, table} from '../tables';
import {themeButton} from '../theme';
import {colorRange, shadesOf, tickTexts} from './axis';
import {failureCard, statusWords} from './failures';
import {Histogram} from './histogram';
import {byInfluence, influenceTable, spreadOf} from './influence';
import {Parallel} from './parallel';
import {Column, Rows} from './rows';
import {RunCard} from './runcard';
import {Scatter} from './scatter';

const number = (n: number): string => n.toLocaleString('en');

function statusBadges(study: Study): HTMLElement[] {
  const missing = study.count - study.rows;
  const badges = study.statuses.names.filter((s) => s.count > 0).map((s) => el('span', {class: `badge ${s.name === 'passed' ? 'good' : 'bad'}`}, `${number(s.count)} ${statusWords(s.name)}`));
  return missing > 0 ? [...badges, el('span', {class: 'badge idle'}, `${number(missing)} missing`)] : badges;
}

/** The design in words. */
function designOf({design, model, task, count, results}: Study): string {
  const points = results[0]?.indices ? ` of ${number(design.runs)} base points` : '';
  return `${number(count)} runs of ${model ?? `the task ${task}`}, ${design.type} design${points}, seed ${design.seed}`;
}

/** What the colours mean: a choice of the column, and its scale. */
function colorBar(rows: Rows): HTMLElement {
  const [low, high] = [el('span', {}), el('span', {})];
  const gradient = el('span', {class: 'gradient'});
  gradient.style.background = scaleGradient({low: 0, high: 1, colors: 'tension'});
  const show = (): void => {
    const [from, to] = tickTexts(colorRange(rows.color)) as [string, string];
    low.textContent = from;
    high.textContent = rows.color.unit ? `${to} ${rows.color.unit}` : to;
  };
  const columns: [string, string, string][] = [
    ...rows.results.map((c, k): [string, string, string] => [`${rows.parameters.length + k}`, c.name, 'Results']),
    ...rows.parameters.map((c, k): [string, string, string] => [`${k}`, c.name, 'Parameters'])];
  const pick = choice('Colour', columns, String(rows.columns.indexOf(rows.color)), (k) => {
    rows.color = rows.columns[Number(k)] as Column;
    show();
    rows.changed();
  });
  show();
  return el('div', {class: 'bar wrap'}, pick, el('span', {class: 'legend', title: 'From the lowest to the highest value, but for 2 % of the runs at either end'}, low, gradient, high));
}

export function startStudy(app: HTMLElement, header: Header, study: Study, arrays: Arrays): void {
  const rows = new Rows(study, arrays);
  // Shades are those of the chosen column, until another is chosen.
  let shadedBy: Column | null = null;
  let shadeList: Uint8Array = new Uint8Array();
  const shade = (): Uint8Array => {
    if (shadedBy !== rows.color) [shadedBy, shadeList] = [rows.color, shadesOf(rows)];
    return shadeList;
  };
  const sampled = el('span', {class: 'muted said'});
  const parallel = new Parallel(rows, shade, (drawn) => {
    const all = rows.isNarrowed ? `${number(rows.pickedCount)} of ${number(rows.count)} runs picked` : `${number(rows.count)} runs`;
    sampled.textContent = drawn < rows.pickedCount ? `${all}, ${number(drawn)} of them drawn as lines` : all;
  });
  const all = el('button', {type: 'button', click: () => rows.pickAll()}, 'Pick all');
  const parallelCard = el('section', {class: 'card', 'aria-label': 'All runs'},
    el('div', {class: 'bar wrap'}, el('h2', {}, 'All runs'), sampled, all, el('span', {class: 'spring'}), colorBar(rows)),
    parallel.element,
    el('p', {class: 'muted'}, 'Every line is a run. Drag along an axis to pick a range, click the axis to release it; a click on a line or a point shows its run.'));
  const failed = failureCard(rows);

  const histograms: Histogram[] = [], scatters: Scatter[] = [];
  const histogram = (of: Column, height?: number): HTMLElement => {
    const out = new Histogram(rows, of, height);
    histograms.push(out);
    return out.element;
  };
  const names = study.parameters.map((p) => p.name);
  const resultCards = study.results.map((result, k) => {
    const of = rows.results[k] as Column;
    const title = [el('h2', {}, of.label), el('p', {class: 'muted'}, spreadOf(result, of.unit))];
    if (result.mean === null) return el('section', {class: 'card', 'aria-label': `Result ${result.name}`}, ...title);
    const plots = byInfluence(result, names).map((name) => new Scatter(rows, of, rows.parameters[names.indexOf(name)] as Column, shade));
    scatters.push(...plots);
    const influence = influenceTable(result, names);
    const key = result.indices
      ? el('p', {class: 'muted key'}, el('span', {class: 'swatch'}, el('span', {class: 'alone'}), 'alone'), el('span', {class: 'swatch'}, el('span', {class: 'with-others'}), 'with others'), `shares of the variance, with their 95 % intervals from ${number(result.indices.base_points)} base points`)
      : null;
    return el('section', {class: 'card', 'aria-label': `Result ${result.name}`},
      ...title,
      el('div', {class: 'result-columns'}, histogram(of, 190), el('div', {class: 'scroll'}, influence ?? el('p', {class: 'muted'}, 'Too few runs to tell which parameter decides.'), influence ? key : null)),
      el('div', {class: 'plots'}, ...plots.map((plot) => plot.element)));
  });
  const run = new RunCard(rows);
  const theme = themeButton(() => rows.changed());
  app.append(
    el('header', {class: 'top study-top'},
      el('div', {}, el('h1', {}, study.title || study.name), study.description ? el('p', {class: 'muted'}, study.description) : null, el('p', {class: 'muted'}, designOf(study))),
      el('div', {class: 'top-right'}, ...statusBadges(study), theme)),
    el('div', {class: 'study-columns'},
      el('div', {class: 'side'}, parallelCard, ...resultCards,
        el('section', {class: 'card', 'aria-label': 'Parameters'}, el('h2', {}, 'Parameters'), el('div', {class: 'plots'}, ...rows.parameters.map((p) => histogram(p)))),
        failed),
      el('div', {class: 'run-side'}, run.element)),
    el('div', {class: 'cards'},
      card('Notes', el('ul', {}, ...[...study.notes, ...notesOf(rows)].map((note) => el('li', {}, note)))),
      card('Provenance', table(['What', 'Value'], study.provenance.map(([label, value]) => [label, el('code', {}, value)]), 'How this study came about'))),
    el('footer', {class: 'muted'}, `Made by sinew ${header.sinew} (${header.commit})`),
  );
  const update = (): void => {
    all.hidden = !rows.isNarrowed;
    parallel.draw();
    for (const one of histograms) one.draw();
    for (const one of scatters) one.refresh();
    run.update();
  };
  rows.follow(update);
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') rows.pickAll();
  });
  all.hidden = true;
  // The state of the screen for tests, without looking at pixels.
  Object.assign(window, {sinew: {study, rows, parallel, histograms, scatters}});
}

function notesOf(rows: Rows): string[] {
  const ended = rows.study.statuses.names.slice(0, 2).reduce((sum, s) => sum + s.count, 0);
  const out = ['Numbers have the units of the study and of table.csv: SI and radians.'];
  if (ended < rows.count) out.push(`Results, means and influences are those of the ${number(ended)} runs that came to their end; others are red, and marks at the lower edge of plots.`);
  return out;
}
