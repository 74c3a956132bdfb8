// A result against a parameter: discs while there are few runs, their density when there are many. A drag picks the runs
// within a box, a click shows the nearest one.

import {el} from '../dom';
import {Axis, fitted, fittingTicks, ink, Ink, prepare, ratio, rgb, shadeRgb, shades, tickTexts} from './axis';
import {Density} from './density';
import {Column, Rows} from './rows';

const height = 176;
const margin = {left: 50, right: 10, top: 8, bottom: 34};
/** More runs than that are drawn as density. */
const mostDiscs = 4000;
const reach = 10; // of a click [px]

export class Scatter {
  readonly canvas: HTMLCanvasElement;
  readonly element: HTMLElement;
  private readonly x: Axis;
  private readonly y: Axis;
  private width = 0;
  private visible = false;
  private stale = true;
  private box: {x0: number; y0: number; x1: number; y1: number} | null = null;

  constructor(
    private readonly rows: Rows,
    readonly of: Column,
    readonly against: Column,
    private readonly shade: () => Uint8Array,
  ) {
    this.x = new Axis(against, 0.03);
    this.y = new Axis(of, 0.06);
    this.canvas = el('canvas', {class: 'scatter', role: 'img', 'aria-label': `${of.label} against ${against.label}`});
    this.element = el('figure', {}, this.canvas);
    this.listen();
    new ResizeObserver(() => {
      this.width = this.element.clientWidth;
      this.refresh();
    }).observe(this.element);
    addEventListener('beforeprint', () => this.draw());
    new IntersectionObserver((entries) => {
      this.visible = entries.some((entry) => entry.isIntersecting);
      if (this.visible && this.stale) this.draw();
    }, {rootMargin: '200px'}).observe(this.element);
  }

  /** Draws anew; when it is on the screen. */
  refresh(): void {
    this.stale = true;
    if (this.visible) this.draw();
  }

  private get plot(): {left: number; top: number; width: number; height: number} {
    return {left: margin.left, top: margin.top, width: Math.max(10, this.width - margin.left - margin.right), height: height - margin.top - margin.bottom};
  }
  private px(row: number): number {
    const {left, width} = this.plot;
    return left + width * this.x.part(this.against.values[row] as number);
  }
  private py(row: number): number {
    const {top, height: tall} = this.plot;
    return top + tall * (1 - this.y.part(this.of.values[row] as number));
  }

  private draw(): void {
    if (this.width === 0) return;
    this.stale = false;
    const {plot} = this;
    const context = prepare(this.canvas, this.width, height);
    this.canvas.style.height = `${height}px`;
    const colors = ink();
    this.drawAxes(context, colors);
    context.save();
    context.beginPath();
    context.rect(plot.left, plot.top, plot.width, plot.height);
    context.clip();
    this.drawRuns(context, colors);
    this.drawFailures(context, colors);
    context.restore();
    this.drawRanges(context, colors);
    this.drawSelected(context, colors);
  }

  private drawAxes(context: CanvasRenderingContext2D, colors: Ink): void {
    const {plot} = this;
    context.lineWidth = 1;
    context.strokeStyle = colors.rule;
    context.fillStyle = colors.muted;
    context.font = context.font.replace('12px', '11px');
    const {values: xs, texts} = fittingTicks(context, this.x, plot.width), ys = this.y.ticks(5);
    context.beginPath();
    for (const v of xs) {
      const at = Math.round(plot.left + plot.width * this.x.part(v)) + 0.5;
      context.moveTo(at, plot.top);
      context.lineTo(at, plot.top + plot.height);
    }
    for (const v of ys) {
      const at = Math.round(plot.top + plot.height * (1 - this.y.part(v))) + 0.5;
      context.moveTo(plot.left, at);
      context.lineTo(plot.left + plot.width, at);
    }
    context.stroke();
    context.textAlign = 'center';
    texts.forEach((text, k) => context.fillText(text, plot.left + plot.width * this.x.part(xs[k] as number), plot.top + plot.height + 13));
    context.textAlign = 'right';
    tickTexts(ys).forEach((text, k) => context.fillText(fitted(context, text, margin.left - 6), plot.left - 5, plot.top + plot.height * (1 - this.y.part(ys[k] as number)) + 4));
    context.textAlign = 'center';
    context.fillStyle = colors.ink;
    context.font = context.font.replace('11px', '12px');
    context.fillText(fitted(context, this.against.label, plot.width), plot.left + plot.width / 2, height - 5);
  }

  /** Discs while there are few runs, pixels when there are many: every run counts. */
  private drawRuns(context: CanvasRenderingContext2D, colors: Ink): void {
    const {rows, plot} = this, per = ratio();
    const shade = this.shade();
    const faded = new Density(plot.width * per, plot.height * per), shaded = faded.another(), plain = faded.another();
    const radius = per * (rows.count > mostDiscs ? 0 : rows.count > 1000 ? 1.8 : 2.7);
    const [xs, ys] = [this.against.values, this.of.values];
    for (let row = 0; row < rows.count; ++row) {
      const y = ys[row] as number;
      if (Number.isNaN(y)) continue;
      const which = shade[row] as number;
      const layer = !rows.picked[row] ? faded : which < shades ? shaded : plain;
      layer.addDot(faded.width * this.x.part(xs[row] as number), faded.height * (1 - this.y.part(y)), radius, which);
    }
    const gray = rgb(colors.muted);
    const image = new ImageData(faded.width, faded.height);
    const many = radius === 0;
    faded.paint(image, () => gray, many ? 0.08 : 0.22, 0.3);
    plain.paint(image, () => gray, many ? 0.45 : 0.85, 1);
    shaded.paint(image, shadeRgb, many ? 0.45 : 0.85, 1);
    const small = el('canvas', {width: image.width, height: image.height});
    small.getContext('2d')?.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(small, plot.left, plot.top, plot.width, plot.height);
  }

  /** Marks at the lower edge: where runs have no such result. */
  private drawFailures(context: CanvasRenderingContext2D, colors: Ink): void {
    const {rows, plot} = this;
    const marks = new Map<number, boolean>();
    for (let row = 0; row < rows.count; ++row)
      if (Number.isNaN(this.of.values[row])) {
        const x = Math.round(this.px(row));
        marks.set(x, (marks.get(x) ?? false) || rows.picked[row] === 1);
      }
    context.fillStyle = colors.bad;
    for (const [x, picked] of marks) {
      context.globalAlpha = picked ? 0.9 : 0.25;
      context.fillRect(x - 0.5, plot.top + plot.height - 7, 1.5, 7);
    }
    context.globalAlpha = 1;
  }

  private drawRanges(context: CanvasRenderingContext2D, colors: Ink): void {
    const {box} = this;
    if (!box) return;
    context.strokeStyle = colors.accent;
    context.fillStyle = colors.accent;
    context.globalAlpha = 0.12;
    context.fillRect(box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0);
    context.globalAlpha = 1;
    context.strokeRect(box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0);
  }

  private drawSelected(context: CanvasRenderingContext2D, colors: Ink): void {
    const {plot} = this, row = this.rows.selected;
    if (row < 0) return;
    const x = this.px(row), y = this.py(row);
    context.lineWidth = 2;
    context.strokeStyle = colors.ink;
    context.beginPath();
    if (Number.isNaN(y)) context.rect(x - 3, plot.top + plot.height - 10, 6, 12);
    else context.arc(x, y, 5.5, 0, 2 * Math.PI);
    context.stroke();
    context.lineWidth = 1;
  }

  /** The picked run nearest to a place of the canvas; −1 if none is near. */
  nearest(x: number, y: number): number {
    const {rows, plot} = this;
    let best = -1, least = reach * reach;
    for (let row = 0; row < rows.count; ++row) {
      if (!rows.picked[row]) continue;
      const py = this.py(row);
      const [dx, dy] = [this.px(row) - x, (Number.isNaN(py) ? plot.top + plot.height - 3 : py) - y];
      const distance = dx * dx + dy * dy;
      if (distance < least) [best, least] = [row, distance];
    }
    return best;
  }
  /** Where a run is on the canvas. */
  placeOf(row: number): {x: number; y: number} {
    return {x: this.px(row), y: this.py(row)};
  }

  private listen(): void {
    const {canvas, rows} = this;
    let from: {x: number; y: number} | null = null;
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      from = {x: event.offsetX, y: event.offsetY};
      canvas.setPointerCapture(event.pointerId);
    });
    const boxTo = (x: number, y: number): NonNullable<Scatter['box']> => {
      const {plot} = this, start = from as {x: number; y: number};
      const inX = (v: number): number => Math.min(plot.left + plot.width, Math.max(plot.left, v));
      const inY = (v: number): number => Math.min(plot.top + plot.height, Math.max(plot.top, v));
      return {x0: Math.min(inX(start.x), inX(x)), x1: Math.max(inX(start.x), inX(x)), y0: Math.min(inY(start.y), inY(y)), y1: Math.max(inY(start.y), inY(y))};
    };
    canvas.addEventListener('pointermove', (event) => {
      if (!from || Math.hypot(event.offsetX - from.x, event.offsetY - from.y) < 5) return;
      this.box = boxTo(event.offsetX, event.offsetY);
      this.refresh();
    });
    const end = (event: PointerEvent): void => {
      if (!from) return;
      const {box, plot} = this;
      if (!box) {
        const row = this.nearest(event.offsetX, event.offsetY);
        if (row >= 0) rows.select(row);
      } else {
        const x = (at: number): number => this.x.value((at - plot.left) / plot.width);
        const y = (at: number): number => this.y.value(1 - (at - plot.top) / plot.height);
        rows.setRange(this.against, [x(box.x0), x(box.x1)]);
        rows.setRange(this.of, [y(box.y1), y(box.y0)]);
      }
      from = this.box = null;
      this.refresh();
    };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', () => {
      from = this.box = null;
      this.refresh();
    });
  }
}
