// Audit, provenance, masses, and limits of the page.

import {Run} from './data';
import {el} from './dom';
import {Figure, thinnest} from './scene/figure';
import {format, withUnit} from './units';

/** Tables of more muscles are folded. */
const few = 6;

export function table(head: string[], rows: (string | HTMLElement)[][], caption: string): HTMLTableElement {
  return el(
    'table', {},
    el('caption', {}, caption),
    el('thead', {}, el('tr', {}, ...head.map((text) => el('th', {scope: 'col'}, text)))),
    el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map((cell, k) => (k === 0 ? el('th', {scope: 'row'}, cell) : el('td', {}, cell)))))),
  );
}

export function card(title: string, ...children: (Node | string | null)[]): HTMLElement {
  return el('section', {class: 'card'}, el('h2', {}, title), ...children);
}

/** The same card with its contents behind its title, until somebody opens it. */
export function folded(of: HTMLElement): HTMLElement {
  const [title, ...rest] = of.childNodes;
  return el('details', {class: 'card'}, el('summary', {}, title?.textContent ?? ''), ...(rest as HTMLElement[]));
}

/** "Audit passed", in words and colour. */
export function badge(run: Run): HTMLElement | null {
  const {audit, status} = run.info;
  if (!audit) return null;
  const good = audit.passed && status === 'finished';
  const text = good ? 'Audit passed' : status !== 'finished' ? `Run ${status}` : 'Audit failed';
  return el('span', {class: `badge ${good ? 'good' : 'bad'}`}, text);
}

export function auditCard(run: Run): HTMLElement | null {
  const {audit, failure} = run.info;
  if (!audit) return null;
  const rows: [string, string, string][] = [
    ['Energy error', format(audit.energy_error, 3), 'largest |E − E₀ − W| over the largest kinetic energy'],
    ['Constraint error', withUnit(audit.constraint_error, 'number', 3), 'largest violation [m, rad]'],
    ['Newton residual', format(audit.newton_residual, 3), 'largest of all steps, relative'],
    ['Contact residual', format(audit.contact_residual, 3), 'limits and contacts, relative'],
    ['Steps without path', String(audit.steps_without_path), 'after which some muscle had none'],
  ];
  return card(
    `Audit${run.info.folder ? ` of ${run.info.folder}` : ''}`,
    el('p', {class: audit.passed ? 'good-text' : 'bad-text'}, failure ?? audit.verdict),
    table(['Check', 'Value', 'Meaning'], rows, 'What the audit of the run found'),
  );
}

export function provenanceCard(run: Run): HTMLElement {
  const rows = run.info.provenance.map(([label, value]) => [label, el('code', {}, value)] as (string | HTMLElement)[]);
  return card(`Provenance${run.info.folder ? ` of ${run.info.folder}` : ''}`, table(['What', 'Value'], rows, 'How this run came about'));
}

/** `switched`: the mass may be elsewhere at present. */
export function massCard(run: Run, switched = false): HTMLElement | null {
  const {model, moved} = run.info;
  const massive = model.muscles.filter((m) => m.mass > 0);
  if (massive.length === 0) return null;
  const total = massive.reduce((sum, m) => sum + m.mass, 0);
  const sentence = `${switched ? 'With mass in the muscles, ' : ''}${withUnit(total, 'mass')} of ${withUnit(model.mass, 'mass')} (${format((100 * total) / model.mass, 3)} %) are in muscles and move with them.`;
  const moves = moved.map((m) => [m.muscle, m.body, withUnit(m.mass, 'mass'), `${format(100 * m.share, 3)} %`]);
  const masses = massive.map((m) => [m.name, withUnit(m.mass, 'mass')]);
  const all = moves.length > 0
    ? table(['Muscle', 'From body', 'Mass', 'Share of the body'], moves, 'What bodies gave to muscles')
    : table(['Muscle', 'Mass'], masses, 'Muscles with mass');
  return card('Mass', el('p', {}, sentence), el('details', {open: massive.length <= few}, el('summary', {}, `${massive.length} muscles`), all));
}

/** Warnings of the run, and parts that are not drawn. */
export function notesCard({run, thickens}: Figure, thinned = true): HTMLElement {
  const thick = thickens ? [`Bodies thinner than 1/${thinnest} of the model are drawn that thick.`] : [];
  const own = !thinned ? [] : [
    'Bodies, muscles and curves are thinned to the resolution of a screen; the tables in the run’s folder hold all rows.',
    'Positions are rounded to 1/65535 of the range of the motion.',
  ];
  return card(
    'Notes',
    run.info.warnings.length > 0 ? el('ul', {class: 'bad-text'}, ...run.info.warnings.map((w) => el('li', {}, w))) : null,
    el('ul', {}, ...[...run.info.notes, ...own, ...thick].map((note) => el('li', {}, note))),
  );
}

export function keysCard(): HTMLElement {
  const rows = [
    ['Space', 'play, pause'], ['← →', 'frame by frame; ten with Shift'], ['Home, End', 'start, end'], ['R', 'reset the view'],
    ['Drag', 'turn; right button moves, wheel zooms'], ['Click', 'select in the picture, set the time in a plot'],
    ['Drag in a plot', 'zoom; double click shows all'],
  ];
  return card('Keys and mouse', table(['Key', 'Does'], rows, 'Keys and mouse'));
}
