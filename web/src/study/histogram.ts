// How the values of a column are spread: all runs pale, those that are picked in colour. A drag picks a range.

import {el} from '../dom';
import {Axis, fitted, fittingTicks, ink, prepare} from './axis';
import {Column, Rows} from './rows';

const margin = {left: 8, right: 8, top: 8, bottom: 34};

export class Histogram {
  readonly canvas: HTMLCanvasElement;
  readonly element: HTMLElement;
  private readonly axis: Axis;
  private readonly bins: number;
  /** The bin of each row; −1: none. */
  private readonly binOf: Int16Array;
  private readonly all: Float64Array;
  private width = 0;

  constructor(
    private readonly rows: Rows,
    readonly of: Column,
    private readonly height = 120,
  ) {
    this.axis = new Axis(of);
    this.bins = Math.min(40, Math.max(8, Math.round(Math.sqrt(rows.count))));
    this.all = new Float64Array(this.bins);
    this.binOf = Int16Array.from(of.values, (v) => (Number.isNaN(v) ? -1 : Math.min(this.bins - 1, Math.max(0, Math.floor(this.axis.part(v) * this.bins)))));
    for (const bin of this.binOf) if (bin >= 0) (this.all[bin] as number) += 1;
    this.canvas = el('canvas', {class: 'histogram', role: 'img', 'aria-label': `Histogram of ${of.label}`});
    this.element = el('figure', {}, this.canvas);
    this.listen();
    new ResizeObserver(() => {
      this.width = this.element.clientWidth;
      this.draw();
    }).observe(this.element);
  }

  /** Numbers of runs in the bins, of all and of those that are picked. */
  counts(): {all: number[]; picked: number[]} {
    const picked = new Array<number>(this.bins).fill(0);
    for (let row = 0; row < this.rows.count; ++row) {
      const bin = this.binOf[row] as number;
      if (bin >= 0 && this.rows.picked[row]) (picked[bin] as number) += 1;
    }
    return {all: [...this.all], picked};
  }

  draw(): void {
    const {width, height, rows} = this;
    if (width === 0) return;
    const context = prepare(this.canvas, width, height);
    this.canvas.style.height = `${height}px`;
    const colors = ink();
    const [w, h] = [width - margin.left - margin.right, height - margin.top - margin.bottom];
    const {all, picked} = this.counts();
    const most = Math.max(1, ...all);
    const bar = (bin: number, count: number): void => {
      const x0 = Math.round(margin.left + (bin * w) / this.bins), x1 = Math.round(margin.left + ((bin + 1) * w) / this.bins);
      const tall = (h * count) / most;
      context.fillRect(x0, margin.top + h - tall, Math.max(1, x1 - x0 - 1), tall);
    };
    if (rows.isNarrowed) {
      context.fillStyle = colors.rule;
      all.forEach((count, bin) => bar(bin, count));
    }
    context.fillStyle = colors.accent;
    picked.forEach((count, bin) => bar(bin, count));
    context.strokeStyle = colors.rule;
    context.beginPath();
    context.moveTo(margin.left, margin.top + h + 0.5);
    context.lineTo(margin.left + w, margin.top + h + 0.5);
    context.stroke();
    const at = (v: number): number => margin.left + w * this.axis.part(v);
    const range = rows.ranges.get(this.of);
    if (range) {
      const [a, b] = [Math.max(margin.left, at(range[0])), Math.min(margin.left + w, at(range[1]))];
      context.globalAlpha = 0.14;
      context.fillStyle = colors.accent;
      context.fillRect(a, margin.top, b - a, h);
      context.globalAlpha = 1;
      context.strokeStyle = colors.accent;
      context.strokeRect(a, margin.top - 0.5, b - a, h + 1);
    }
    context.fillStyle = colors.muted;
    context.font = context.font.replace('12px', '11px');
    context.textAlign = 'center';
    const {values, texts} = fittingTicks(context, this.axis, w);
    texts.forEach((text, k) => {
      const half = context.measureText(text).width / 2;
      context.fillText(text, Math.min(width - half, Math.max(half, at(values[k] as number))), margin.top + h + 14);
    });
    context.font = context.font.replace('11px', '12px');
    context.fillStyle = colors.ink;
    context.fillText(fitted(context, this.of.label, w), margin.left + w / 2, height - 5);
    const selected = rows.selected >= 0 ? (this.of.values[rows.selected] as number) : NaN;
    if (Number.isNaN(selected)) return;
    context.fillStyle = colors.ink;
    const x = at(selected);
    context.beginPath();
    context.moveTo(x, margin.top + h);
    context.lineTo(x - 5, margin.top + h + 7);
    context.lineTo(x + 5, margin.top + h + 7);
    context.fill();
  }

  private listen(): void {
    const {canvas, rows} = this;
    const part = (x: number): number => Math.min(1, Math.max(0, (x - margin.left) / (this.width - margin.left - margin.right)));
    let from = NaN;
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      from = event.offsetX;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (Number.isNaN(from) || (Math.abs(event.offsetX - from) < 4 && !rows.dragging)) return;
      rows.dragging = true;
      const [a, b] = [part(Math.min(from, event.offsetX)), part(Math.max(from, event.offsetX))];
      rows.setRange(this.of, [this.axis.value(a), this.axis.value(b)]);
    });
    const end = (): void => {
      if (Number.isNaN(from)) return;
      if (!rows.dragging) rows.setRange(this.of, null);
      from = NaN;
      rows.dragging = false;
      rows.changed();
    };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
  }
}
