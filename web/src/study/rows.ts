// The rows of a study, which of them are picked, and which one is shown.

import {Arrays, Study} from '../header';
import {commandOf} from './commands';

/** A parameter, or a result of the runs that came to their end. */
export interface Column {
  name: string;
  unit: string;
  /** With its unit. */
  label: string;
  kind: 'parameter' | 'result';
  /** NaN: none, or none that counts. */
  values: Float64Array;
  low: number;
  high: number;
  logarithmic: boolean;
}

/** Statuses of runs that came to their end, by index into Study.statuses.names. */
const ended = 2;

export class Rows {
  readonly count: number;
  readonly parameters: Column[];
  readonly results: Column[];
  readonly columns: Column[];
  readonly run: Uint32Array;
  readonly status: Uint32Array;
  readonly reason: Uint32Array;
  readonly time: Float32Array;
  /** 1: within all ranges. */
  readonly picked: Uint8Array;
  pickedCount: number;
  /** Ranges of columns that rows are picked by. */
  readonly ranges = new Map<Column, [number, number]>();
  /** Only rows of this reason, if it is not 0. */
  onlyReason = 0;
  /** The row that is shown; −1: none. */
  selected = -1;
  /** What gives rows their colours. */
  color: Column;
  /** Whether a range is being dragged: pictures may be simpler. */
  dragging = false;

  /** Results as they are in the table, of failed runs, too. */
  private readonly raw: Float64Array[];
  private readonly numbers: string[];
  private readonly numbersOf: Uint32Array;
  private readonly listeners: (() => void)[] = [];
  private due = false;

  constructor(
    readonly study: Study,
    arrays: Arrays,
  ) {
    this.count = study.rows;
    this.run = arrays.indices(study.run);
    this.status = arrays.indices(study.statuses.of_rows);
    this.reason = arrays.indices(study.reasons.of_rows);
    this.time = arrays.read(study.time);
    this.numbers = study.reasons.numbers.split('\n');
    this.numbersOf = new Uint32Array(this.count);
    for (let row = 0, next = 0; row < this.count; ++row) if (this.reason[row]) this.numbersOf[row] = next++;
    this.parameters = study.parameters.map((p) => column(p, 'parameter', arrays.doubles(p.values), p.scale === 'logarithmic'));
    this.raw = study.results.map((r) => arrays.doubles(r.values));
    this.results = study.results.map((r, k) => column(r, 'result', (this.raw[k] as Float64Array).map((v, row) => (this.hasEnded(row) ? v : NaN)), false));
    this.columns = [...this.parameters, ...this.results];
    this.picked = new Uint8Array(this.count).fill(1);
    this.pickedCount = this.count;
    this.color = (this.results.find((r) => r.high > r.low) ?? this.columns[0]) as Column;
  }

  hasEnded(row: number): boolean {
    return (this.status[row] ?? 0) < ended;
  }
  /** Calls back at every change, once a frame. */
  follow(listener: () => void): void {
    this.listeners.push(listener);
  }
  changed(): void {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      for (const listener of this.listeners) listener();
    });
  }

  /** Picks the rows within a range of a column; null: whatever it is. */
  setRange(of: Column, range: [number, number] | null): void {
    if (range) this.ranges.set(of, range);
    else if (!this.ranges.delete(of)) return;
    this.pick();
  }
  setReason(reason: number): void {
    this.onlyReason = reason;
    this.pick();
  }
  pickAll(): void {
    this.ranges.clear();
    this.onlyReason = 0;
    this.pick();
  }
  get isNarrowed(): boolean {
    return this.ranges.size > 0 || this.onlyReason > 0;
  }
  private pick(): void {
    const {picked} = this;
    picked.fill(1);
    for (const [{values}, [low, high]] of this.ranges)
      for (let row = 0; row < this.count; ++row) {
        const v = values[row] as number;
        if (!(v >= low && v <= high)) picked[row] = 0;
      }
    if (this.onlyReason > 0) for (let row = 0; row < this.count; ++row) if (this.reason[row] !== this.onlyReason) picked[row] = 0;
    this.pickedCount = 0;
    for (let row = 0; row < this.count; ++row) this.pickedCount += picked[row] as number;
    this.changed();
  }

  select(row: number): void {
    this.selected = row;
    this.changed();
  }
  /** The row of a run; −1 if the table does not have it. Rows are in the order of runs. */
  rowOf(run: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.run[middle] as number) < run) low = middle + 1;
      else high = middle;
    }
    return this.run[low] === run ? low : -1;
  }

  statusName(row: number): string {
    return this.study.statuses.names[this.status[row] ?? 0]?.name ?? '';
  }
  /** Why the run did not pass, word by word; empty if it did. */
  reasonOf(row: number): string {
    const which = this.reason[row] ?? 0;
    if (which === 0) return '';
    const text = this.study.reasons.texts[which - 1] ?? [];
    const numbers = (this.numbers[this.numbersOf[row] ?? 0] ?? '').split(' ');
    return text.map((piece, k) => (k === 0 ? piece : (numbers[k - 1] ?? '') + piece)).join('');
  }
  /** The value in the table, of a run that failed, too. */
  valueOf(of: Column, row: number): number {
    const result = this.results.indexOf(of);
    return (result < 0 ? of.values[row] : this.raw[result]?.[row]) ?? NaN;
  }

  /** Empty where `sinew simulate` cannot repeat it. */
  simulateCommand(row: number): string {
    const template = this.study.commands.simulate;
    return !template ? '' : commandOf(template, this.parameters.map((p) => p.values[row] ?? NaN));
  }
  sweepCommand(row: number): string {
    return commandOf(this.study.commands.sweep, [this.run[row] ?? 0]);
  }
}

function column(of: {name: string; unit: string}, kind: Column['kind'], values: Float64Array, logarithmic: boolean): Column {
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) {
    if (!Number.isFinite(v)) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (!(low <= high)) [low, high] = [0, 0];
  return {name: of.name, unit: of.unit, label: of.unit ? `${of.name} [${of.unit}]` : of.name, kind, values, low, high, logarithmic: logarithmic && low > 0};
}
