// One run: its parameters, its results, and the commands that compute it.

import {el} from '../dom';
import {table} from '../tables';
import {format} from '../units';
import {statusWords} from './failures';
import {Column, Rows} from './rows';

export class RunCard {
  readonly element: HTMLElement;
  private readonly body = el('div', {'aria-live': 'polite'});
  private readonly field: HTMLInputElement;
  private shown = -2;

  constructor(private readonly rows: Rows) {
    const step = (by: number): void => {
      const from = rows.selected < 0 ? (by > 0 ? -1 : rows.count) : rows.selected;
      rows.select((from + by + rows.count) % rows.count);
    };
    this.field = el('input', {class: 'find', type: 'number', min: 0, 'aria-label': 'Number of the run', change: () => this.find()});
    this.element = el('section', {class: 'card run-card', 'aria-label': 'Run'},
      el('header', {}, el('h2', {}, 'Run'), this.field,
        el('button', {type: 'button', 'aria-label': 'The run before', click: () => step(-1)}, '‹'),
        el('button', {type: 'button', 'aria-label': 'The next run', click: () => step(1)}, '›')),
      this.body);
    this.update();
  }

  private find(): void {
    const row = this.rows.rowOf(Number(this.field.value));
    this.rows.select(row);
    if (row < 0) this.body.replaceChildren(el('p', {class: 'bad-text'}, `The table has no run ${this.field.value}.`));
  }

  update(): void {
    const {rows} = this, row = rows.selected;
    if (row === this.shown) return;
    this.shown = row;
    if (row < 0) {
      this.body.replaceChildren(el('p', {class: 'muted'}, 'A click on a point or a line shows its run here.'));
      return;
    }
    this.field.value = String(rows.run[row]);
    const good = rows.status[row] === 0;
    const value = (of: Column): HTMLElement => {
      const v = rows.valueOf(of, row);
      return el('span', {title: String(v)}, `${format(v, 6)}${of.unit && !Number.isNaN(v) ? ` ${of.unit}` : ''}`);
    };
    const list = (columns: Column[]): (string | HTMLElement)[][] => columns.map((of) => [of.name, value(of)]);
    const ended = rows.hasEnded(row);
    this.body.replaceChildren(
      el('p', {}, el('span', {class: `badge ${good ? 'good' : 'bad'}`}, statusWords(rows.statusName(row))), ` at ${format(rows.time[row] ?? NaN, 4)} s`),
      rows.reason[row] ? el('p', {class: 'bad-text'}, rows.reasonOf(row)) : '',
      table(['Parameter', 'Value'], list(rows.parameters), 'Parameters of the run'),
      table([ended ? 'Result' : 'Result, as far as it came', 'Value'], list(rows.results), 'Results of the run'),
      rows.study.commands.simulate ? command('Simulate it', rows.simulateCommand(row)) : '',
      command('Compute it as the study does', rows.sweepCommand(row)),
    );
  }
}

/** A command, and a button that copies it. */
function command(title: string, text: string): HTMLElement {
  // Lines break between words, not behind the dashes of options.
  const code = el('code', {}, ...text.split(' ').flatMap((word, k) => [k > 0 ? ' ' : '', el('span', {}, word)]));
  const copy = el('button', {
    type: 'button', 'aria-label': `Copy: ${title}`,
    click: () => {
      const range = document.createRange();
      range.selectNodeContents(code);
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(range);
      void navigator.clipboard?.writeText(text).catch(() => undefined);
    },
  }, 'Copy');
  return el('div', {class: 'command'}, el('header', {}, el('span', {class: 'muted'}, title), copy), code);
}
