// Parallel axes: a line for each run, from its parameters to its results. A drag along an axis picks the runs within that
// range, a click on the axis lets them go; a click on a line shows its run.

import {el} from '../dom';
import {Axis, fitted, ink, Ink, prepare, ratio, rgb, shadeRgb, shades, tickTexts} from './axis';
import {Density} from './density';
import {Column, Rows} from './rows';

const height = 330;
const top = 50, bottom = 34; // the names of axes; the place of runs without a value
const side = 46, narrowest = 76;
/** Lines that are drawn; while a range is being dragged. */
const mostLines = 10000, mostMoving = 2000, mostFaded = 4000;
const grip = 13, reach = 7; // [px]

export class Parallel {
  readonly element: HTMLElement;
  readonly canvas = el('canvas', {class: 'axes', role: 'img', tabindex: 0});
  private readonly lines = el('canvas', {class: 'lines', 'aria-hidden': 'true'});
  private readonly stage: HTMLElement;
  private readonly columns: Column[];
  private readonly axes: Axis[];
  /** Whether some run has no value there. */
  private readonly lacks: boolean[];
  private width = 0;
  private drawn: number[] = [];

  constructor(
    private readonly rows: Rows,
    private readonly shade: () => Uint8Array,
    private readonly onSample: (drawn: number) => void,
  ) {
    this.columns = rows.columns;
    this.axes = this.columns.map((column) => new Axis(column));
    this.lacks = this.columns.map(({values}) => values.some((v) => Number.isNaN(v)));
    this.canvas.setAttribute('aria-label', `Parallel axes: ${this.columns.map((c) => c.label).join(', ')}`);
    this.stage = el('div', {class: 'parallel-stage', style: `height: ${height}px`}, this.lines, this.canvas);
    this.element = el('div', {class: 'scroll'}, this.stage);
    this.listen();
    new ResizeObserver(() => {
      this.width = Math.max(this.element.clientWidth, 2 * side + narrowest * (this.columns.length - 1));
      this.stage.style.width = `${this.width}px`;
      this.draw();
    }).observe(this.element);
  }

  private xOf(axis: number): number {
    return this.columns.length < 2 ? this.width / 2 : side + (axis * (this.width - 2 * side)) / (this.columns.length - 1);
  }
  private yAt(axis: number, value: number): number {
    if (Number.isNaN(value)) return height - 12;
    return top + (height - top - bottom) * (1 - (this.axes[axis] as Axis).part(value));
  }
  private yOf(axis: number, row: number): number {
    return this.yAt(axis, (this.columns[axis] as Column).values[row] as number);
  }
  private valueAt(axis: number, y: number): number {
    const part = 1 - (y - top) / (height - top - bottom);
    return (this.axes[axis] as Axis).value(Math.min(1, Math.max(0, part)));
  }

  draw(): void {
    if (this.width === 0) return;
    const colors = ink();
    this.drawLines(colors);
    this.drawAxes(colors);
  }

  private drawLines(colors: Ink): void {
    const {rows} = this;
    const per = ratio();
    const others = rows.isNarrowed ? this.sample(0, rows.dragging ? mostMoving : mostFaded) : [];
    this.drawn = this.sample(1, rows.dragging ? mostMoving : mostLines);
    this.onSample(this.drawn.length);
    const shade = this.shade();
    const faded = new Density(this.width * per, height * per), shaded = faded.another(), failed = faded.another();
    const draw = (layer: Density, row: number, value: number, wide: boolean): void => {
      for (let axis = 0; axis + 1 < this.axes.length; ++axis) {
        const [x0, y0, x1, y1] = [this.xOf(axis) * per, this.yOf(axis, row) * per, this.xOf(axis + 1) * per, this.yOf(axis + 1, row) * per];
        layer.addLine(x0, y0, x1, y1, value);
        if (wide) layer.addLine(x0, y0 + 0.7 * per, x1, y1 + 0.7 * per, value);
      }
    };
    for (const row of others) draw(faded, row, 0, false);
    const wide = this.drawn.length <= 300;
    for (const row of this.drawn) {
      const which = shade[row] as number;
      draw(rows.hasEnded(row) && which < shades ? shaded : failed, row, which, wide);
    }
    const image = new ImageData(faded.width, faded.height);
    const [gray, bad] = [rgb(colors.muted), rgb(colors.bad)];
    faded.paint(image, () => gray, Math.max(0.06, Math.min(0.22, 40 / Math.max(1, others.length))), 0.45);
    const base = Math.max(0.16, Math.min(0.85, 150 / Math.max(1, this.drawn.length)));
    failed.paint(image, () => bad, 0.8 * base, 0.8);
    shaded.paint(image, shadeRgb, base, 1);
    const {lines} = this;
    if (lines.width !== image.width || lines.height !== image.height) [lines.width, lines.height] = [image.width, image.height];
    lines.getContext('2d')?.putImageData(image, 0, 0);
  }

  private stroke(context: CanvasRenderingContext2D, row: number): void {
    context.beginPath();
    for (let axis = 0; axis < this.axes.length; ++axis) context.lineTo(this.xOf(axis), this.yOf(axis, row));
    context.stroke();
  }

  /** Runs that are picked (1) or not (0), evenly spread over the table if there are too many. */
  private sample(picked: 0 | 1, most: number): number[] {
    const {rows} = this;
    const count = picked ? rows.pickedCount : rows.count - rows.pickedCount;
    const out: number[] = [];
    for (let row = 0, seen = 0; row < rows.count; ++row) {
      if (rows.picked[row] !== picked) continue;
      if (count <= most || Math.floor((seen * most) / count) > Math.floor(((seen - 1) * most) / count)) out.push(row);
      ++seen;
    }
    return out;
  }

  private drawAxes(colors: Ink): void {
    const {rows} = this;
    const context = prepare(this.canvas, this.width, height);
    const gap = this.columns.length < 2 ? this.width : this.xOf(1) - this.xOf(0);
    // Names that do not fit beside each other stand in two rows.
    const widest = Math.max(...this.columns.map((c) => context.measureText(c.label).width));
    const staggered = widest > gap - 10 && this.columns.length > 2;
    const room = staggered ? 2 * gap - 12 : gap - 8;
    if (rows.selected >= 0) {
      context.lineJoin = 'round';
      for (const [width, color] of [[5, colors.card], [2.4, colors.ink]] as [number, string][]) {
        context.lineWidth = width;
        context.strokeStyle = color;
        this.stroke(context, rows.selected);
      }
    }
    this.columns.forEach((column, axis) => {
      const x = Math.round(this.xOf(axis)) + 0.5;
      context.lineWidth = 1;
      context.strokeStyle = column.kind === 'result' ? colors.ink : colors.muted;
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, height - bottom);
      context.stroke();
      const range = rows.ranges.get(column);
      if (range) {
        const [y1, y0] = [Math.min(height - bottom, this.yAt(axis, range[0])), Math.max(top, this.yAt(axis, range[1]))];
        context.fillStyle = colors.accent;
        context.globalAlpha = 0.3;
        context.fillRect(x - 6, y0, 12, y1 - y0);
        context.globalAlpha = 1;
        context.strokeStyle = colors.accent;
        context.strokeRect(x - 6, y0, 12, y1 - y0);
      }
      this.drawTicks(context, axis, x, colors);
      const high = staggered && axis % 2 === 0;
      context.fillStyle = column.kind === 'result' ? colors.ink : colors.muted;
      context.font = context.font.replace(/^(bold |600 )?/, column.kind === 'result' ? '600 ' : '');
      const outer = axis === 0 || axis === this.columns.length - 1; // beside the edge
      const text = fitted(context, column.label, outer ? Math.min(room, side + (staggered ? gap : gap / 2) - 6) : room);
      const half = context.measureText(text).width / 2;
      context.textAlign = 'center';
      context.fillText(text, Math.min(this.width - half - 2, Math.max(half + 2, x)), high ? 16 : 34);
      if (!high || !staggered) return;
      context.lineWidth = 1;
      context.strokeStyle = colors.rule;
      context.beginPath();
      context.moveTo(x, 21);
      context.lineTo(x, top - 4);
      context.stroke();
    });
    context.font = context.font.replace('600 ', '');
  }

  private drawTicks(context: CanvasRenderingContext2D, axis: number, x: number, colors: Ink): void {
    context.font = context.font.replace('600 ', '').replace('12px', '11px');
    context.textAlign = 'left';
    context.lineWidth = 4;
    const values = (this.axes[axis] as Axis).ticks(5);
    const write = (text: string, y: number): void => {
      context.strokeStyle = colors.card;
      context.globalAlpha = 0.9;
      context.strokeText(text, x + 8, y + 4);
      context.globalAlpha = 1;
      context.fillStyle = colors.muted;
      context.fillText(text, x + 8, y + 4);
    };
    tickTexts(values).forEach((text, k) => {
      const y = this.yAt(axis, values[k] as number);
      context.fillRect(x - 3, y - 0.5, 6, 1);
      write(text, y);
    });
    if (this.lacks[axis]) write('none', height - 12);
    context.font = context.font.replace('11px', '12px');
  }

  /** The run whose line is nearest to a place, among those that are drawn; −1 if none is near. */
  nearest(x: number, y: number): number {
    const last = this.columns.length - 1;
    let left = 0;
    while (left < last - 1 && this.xOf(left + 1) <= x) ++left;
    const right = Math.min(last, left + 1);
    const part = right > left ? (x - this.xOf(left)) / (this.xOf(right) - this.xOf(left)) : 0;
    let best = -1, least = reach;
    for (const row of this.drawn) {
      const [a, b] = [this.yOf(left, row), this.yOf(right, row)];
      const slope = right > left ? (b - a) / (this.xOf(right) - this.xOf(left)) : 0;
      const distance = Math.abs(a + part * (b - a) - y) / Math.hypot(1, slope);
      if (distance < least) [best, least] = [row, distance];
    }
    return best;
  }
  /** Where a value is on an axis. */
  placeOf(column: string, value: number): {x: number; y: number} {
    const axis = this.columns.findIndex((c) => c.name === column);
    return {x: this.xOf(axis), y: this.yAt(axis, value)};
  }

  private axisAt(x: number): number {
    const axis = this.columns.findIndex((_, k) => Math.abs(this.xOf(k) - x) <= grip);
    return axis;
  }

  private listen(): void {
    const {canvas, rows} = this;
    let drag: {axis: number; from: number; moved: [number, number] | null} | null = null;
    canvas.addEventListener('pointerdown', (event) => {
      const axis = this.axisAt(event.offsetX);
      if (event.button !== 0) return;
      if (axis < 0) {
        const row = this.nearest(event.offsetX, event.offsetY);
        if (row >= 0) rows.select(row);
        return;
      }
      const range = rows.ranges.get(this.columns[axis] as Column);
      const at = this.valueAt(axis, event.offsetY);
      drag = {axis, from: event.offsetY, moved: range && at >= range[0] && at <= range[1] ? range : null};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!drag) {
        canvas.style.cursor = this.axisAt(event.offsetX) >= 0 ? 'ns-resize' : 'pointer';
        return;
      }
      if (Math.abs(event.offsetY - drag.from) < 3 && !rows.dragging) return;
      rows.dragging = true;
      const {axis, from, moved} = drag;
      if (moved) {
        // A range that is there moves as a whole, along its axis.
        const by = event.offsetY - from;
        rows.setRange(this.columns[axis] as Column, [this.valueAt(axis, this.yAt(axis, moved[0]) + by), this.valueAt(axis, this.yAt(axis, moved[1]) + by)]);
        return;
      }
      const [y0, y1] = [Math.min(from, event.offsetY), Math.max(from, event.offsetY)];
      rows.setRange(this.columns[axis] as Column, [this.valueAt(axis, y1), this.valueAt(axis, y0)]);
    });
    const end = (): void => {
      if (!drag) return;
      if (!rows.dragging) rows.setRange(this.columns[drag.axis] as Column, null);
      drag = null;
      rows.dragging = false;
      rows.changed();
    };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
  }
}
