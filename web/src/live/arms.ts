// The moment arm of a muscle over the range of a coordinate, requested from the server.

import uPlot from 'uplot';

import {drawCursor} from '../cursor';
import {choice, el} from '../dom';
import {LiveInfo} from '../header';
import {format, unitOf} from '../units';
import {Connection} from './connection';

const height = 210; // [px]
const pause = 200; // between two requests [ms]

export class ArmPlot {
  readonly element: HTMLElement;
  /** The curve drawn: values of the coordinate and moment arms, in the units shown. */
  x: number[] = [];
  y: (number | null)[] = [];
  private readonly holder = el('div', {class: 'plot', role: 'img'});
  private readonly muscles: HTMLSelectElement;
  private readonly coordinates: HTMLSelectElement;
  private plot: uPlot | null = null;
  private value = NaN;
  private asking = false;
  private stale = false;
  onMuscle: (index: number) => void = () => {};
  onCoordinate: (index: number) => void = () => {};

  constructor(
    private readonly live: LiveInfo,
    private readonly connection: Connection,
  ) {
    const names = live.drives.map((d) => d.muscle);
    const muscle = choice('Muscle', names.map((name) => [name, name]), names[0] ?? '', (name) => {
      this.select(live.drives.findIndex((d) => d.muscle === name));
      this.onMuscle(live.drives.findIndex((d) => d.muscle === name));
    });
    const about = choice('about', [], '', () => {
      this.onCoordinate(this.coordinate);
      this.refresh();
    });
    this.muscles = muscle.querySelector('select') as HTMLSelectElement;
    this.coordinates = about.querySelector('select') as HTMLSelectElement;
    this.element = el(
      'section', {class: 'card arm-card'},
      el('header', {}, el('h2', {}, 'Moment arm'), el('div', {class: 'bar wrap'}, muscle, about)), this.holder,
    );
    this.fill();
    new ResizeObserver(() => this.plot?.setSize({width: Math.max(200, this.holder.clientWidth), height})).observe(this.holder);
  }

  get muscle(): number {
    return this.live.drives.findIndex((d) => d.muscle === this.muscles.value);
  }
  get coordinate(): number {
    return this.live.coordinates.findIndex((c) => c.name === this.coordinates.value);
  }

  /** Shows another muscle, about a coordinate that it moves. */
  select(muscle: number): void {
    const drive = this.live.drives[muscle];
    if (!drive) return;
    const before = this.coordinates.value;
    this.muscles.value = drive.muscle;
    this.fill();
    if (drive.spans.includes(before)) this.coordinates.value = before;
    this.onCoordinate(this.coordinate);
    this.refresh();
  }

  /** Shows the same muscle about another coordinate, if it moves that one. */
  about(coordinate: number): void {
    const name = this.live.coordinates[coordinate]?.name ?? '';
    if (name === this.coordinates.value || !this.live.drives[this.muscle]?.spans.includes(name)) return;
    this.coordinates.value = name;
    this.onCoordinate(coordinate);
    this.refresh();
  }

  /** The model's present value of the coordinate. */
  follow(values: ArrayLike<number>): void {
    const value = values[this.coordinate] ?? NaN;
    if (value === this.value) return;
    this.value = value;
    this.plot?.redraw(false);
  }

  /** Requests again; requests made while one is under way become a single one. */
  refresh(): void {
    if (this.asking) {
      this.stale = true;
      return;
    }
    this.asking = true;
    this.stale = false;
    void this.ask().finally(() =>
      setTimeout(() => {
        this.asking = false;
        if (this.stale) this.refresh();
      }, pause),
    );
  }

  /** Draws anew, e.g. in other colours. */
  paint(): void {
    this.plot?.destroy();
    this.plot = null;
    if (this.x.length > 0) this.draw();
  }

  private fill(): void {
    const spans = this.live.drives[this.muscle]?.spans ?? [];
    const rest = this.live.coordinates.map((c) => c.name).filter((name) => !spans.includes(name));
    const option = (name: string): HTMLElement => el('option', {value: name}, name);
    this.coordinates.replaceChildren(
      ...spans.map(option),
      ...(rest.length > 0 ? [el('optgroup', {label: 'Not moved by it in this pose'}, ...rest.map(option))] : []),
    );
  }

  private async ask(): Promise<void> {
    const [muscle, coordinate] = [this.muscles.value, this.coordinates.value];
    const info = this.live.coordinates[this.coordinate];
    if (!muscle || !info) return;
    const answer = await this.connection.send({do: 'arms', muscle, coordinate});
    // Something else may have been chosen meanwhile.
    if (!answer || muscle !== this.muscles.value || coordinate !== this.coordinates.value) return;
    const xUnit = unitOf(info.quantity);
    const yFactor = info.quantity === 'angle' ? unitOf('arm').factor : 1;
    this.x = (answer['value'] as number[]).map((v) => v * xUnit.factor);
    this.y = (answer['arm'] as (number | null)[]).map((v) => (v === null ? null : v * yFactor));
    this.draw();
    this.holder.setAttribute('aria-label', `Moment arm of ${muscle} about ${coordinate}, from ${this.extremes()}`);
  }

  private extremes(): string {
    const known = this.y.filter((v): v is number => v !== null);
    const symbol = this.live.coordinates[this.coordinate]?.quantity === 'angle' ? ' cm' : '';
    return known.length > 0 ? `${format(Math.min(...known), 3)} to ${format(Math.max(...known), 3)}${symbol}` : 'nowhere';
  }

  private draw(): void {
    const info = this.live.coordinates[this.coordinate];
    if (!info) return;
    const label = `${info.name} [${unitOf(info.quantity).symbol || '1'}]`;
    const data = [this.x, this.y] as uPlot.AlignedData;
    if (this.plot && this.plot.axes[0]?.label === label) {
      this.plot.setData(data);
      return;
    }
    this.plot?.destroy();
    const style = getComputedStyle(document.documentElement);
    const [ink, rule, line] = ['--muted', '--rule', '--curve'].map((name) => style.getPropertyValue(name).trim()) as [string, string, string];
    const axis = {stroke: ink, grid: {stroke: rule, width: 1}, ticks: {stroke: rule, width: 1}, font: '12px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif'};
    this.plot = new uPlot(
      {
        width: Math.max(200, this.holder.clientWidth),
        height,
        scales: {x: {time: false}},
        cursor: {show: false},
        legend: {show: false},
        series: [{}, {stroke: line, width: 2, points: {show: false}}],
        axes: [
          {...axis, label, labelSize: 18, size: 34},
          {...axis, label: info.quantity === 'angle' ? 'moment arm [cm]' : 'moment arm [1]', labelSize: 16, size: 58, values: (_, ticks) => ticks.map((v) => format(v))},
        ],
        hooks: {draw: [(u) => this.drawHere(u)]},
      },
      data, this.holder,
    );
  }

  private drawHere(u: uPlot): void {
    const info = this.live.coordinates[this.coordinate];
    if (!info || !Number.isFinite(this.value)) return;
    const x = this.value * unitOf(info.quantity).factor;
    const y = this.here(x);
    const color = getComputedStyle(document.documentElement).getPropertyValue('--curve').trim();
    drawCursor(u, x, y === null ? [] : [{y, color}]);
  }

  /** The moment arm at a value of the coordinate, both as shown. */
  here(x: number): number | null {
    const k = this.x.findIndex((v) => v >= x);
    if (k < 0) return null;
    const [a, b] = [this.y[Math.max(0, k - 1)] ?? null, this.y[k] ?? null];
    const [xa, xb] = [this.x[Math.max(0, k - 1)] ?? 0, this.x[k] ?? 0];
    if (a === null || b === null) return b;
    return xb > xa ? a + ((b - a) * (x - xa)) / (xb - xa) : b;
  }
}
