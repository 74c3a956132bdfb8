// Places of values along an axis, its round numbers, and how canvases are drawn.

import {stopColor} from '../colors';
import {ticks} from '../svg';
import {format} from '../units';
import {Column, Rows} from './rows';

/** Ranges of larger numbers are none. */
const largest = 1e300;

/** From values to parts of an axis, 0 to 1, and back. */
export class Axis {
  readonly low: number;
  readonly high: number;
  private readonly from: number;
  private readonly per: number;

  /** `pad`: part of the range that is left free on either side. */
  constructor(
    readonly of: Column,
    pad = 0,
  ) {
    const at = (v: number): number => (of.logarithmic ? Math.log10(v) : Math.min(largest, Math.max(-largest, v)));
    // Of one value only, a range around it.
    const same = of.high - of.low <= 1e-12 * Math.max(Math.abs(of.low), Math.abs(of.high));
    const half = same ? 0.5 * (of.logarithmic ? 1 : Math.abs(of.low) || 1) : 0;
    const [a, b] = [at(of.low) - half, at(of.high) + half];
    this.from = a - pad * (b - a);
    this.per = (b - a) * (1 + 2 * pad);
    this.low = Math.max(-largest, this.value(0));
    this.high = Math.min(largest, this.value(1));
  }

  part(value: number): number {
    return ((this.of.logarithmic ? Math.log10(value) : value) - this.from) / this.per;
  }
  value(part: number): number {
    const at = this.from + part * this.per;
    const v = this.of.logarithmic ? Math.pow(10, at) : at;
    // The ends hold all values, whatever rounding says.
    return part >= 1 ? Math.max(v, this.of.high) : part <= 0 ? Math.min(v, this.of.low) : v;
  }
  /** Round numbers on it, about so many. */
  ticks(count: number): number[] {
    if (!this.of.logarithmic || this.high / this.low < 10) return ticks(this.low, this.high, count);
    const out: number[] = [];
    const decades = Math.log10(this.high / this.low);
    const digits = decades < 0.4 * count ? [1, 2, 5] : [1];
    const step = Math.max(1, Math.ceil(decades / count));
    for (let power = Math.floor(Math.log10(this.low)); power <= Math.log10(this.high); ++power)
      for (const digit of digits) {
        const v = digit * Math.pow(10, power);
        if (v >= this.low && v <= this.high && power % step === 0) out.push(v);
      }
    return out;
  }
}

/** As many round numbers as have room side by side. */
export function fittingTicks(context: CanvasRenderingContext2D, axis: Axis, width: number): {values: number[]; texts: string[]} {
  for (let count = Math.max(3, Math.floor(width / 32)); ; --count) {
    const values = axis.ticks(count), texts = tickTexts(values);
    const wide = texts.reduce((sum, text) => sum + context.measureText(text).width + 12, 0);
    if (wide <= width || count <= 1) return {values, texts};
  }
}

/** Numbers on axes: as many digits as tell neighbours apart. */
export function tickTexts(values: number[]): string[] {
  for (const digits of [4, 6, 8, 10]) {
    const texts = values.map((v) => format(v, digits).replaceAll('\u2060', '').replace(/\.?0+e/, 'e'));
    if (new Set(texts).size === new Set(values).size) return texts;
  }
  return values.map(String);
}

export interface Ink {
  ink: string;
  muted: string;
  rule: string;
  card: string;
  accent: string;
  bad: string;
}

export function ink(): Ink {
  const css = getComputedStyle(document.documentElement);
  const of = (name: string): string => css.getPropertyValue(`--${name}`).trim();
  return {ink: of('ink'), muted: of('muted'), rule: of('rule'), card: of('card'), accent: of('accent'), bad: of('bad')};
}

/** Pixels of a canvas for one of the page. */
export const ratio = (): number => Math.min(2, Math.max(1, window.devicePixelRatio));

/** A canvas that is as sharp as the screen, cleared. */
export function prepare(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const per = ratio();
  const [w, h] = [Math.round(width * per), Math.round(height * per)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.setTransform(per, 0, 0, per, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
  return context;
}

/** Colours of rows are divided into so many. */
export const shades = 32;
const shadeColors = Array.from({length: shades}, (_, k) => stopColor('tension', k / (shades - 1)).map((v) => 255 * v));
/** Red, green and blue of a shade, from 0 to 255. */
export const shadeRgb = (shade: number): number[] => shadeColors[Math.min(shades - 1, Math.round(shade))] as number[];

/** What colours range over: all but the lowest and the highest 2 %, so that a few runs do not decide. */
export function colorRange(of: Column): [number, number] {
  const sorted = of.values.filter((v) => !Number.isNaN(v)).sort();
  const at = (part: number): number => sorted[Math.round(part * (sorted.length - 1))] ?? 0;
  const [low, high] = [at(0.02), at(0.98)];
  return high > low ? [low, high] : [of.low, of.high];
}

/** The shade of each row; `shades` for those without a value. */
export function shadesOf(rows: Rows): Uint8Array {
  const [low, high] = colorRange(rows.color);
  const axis = new Axis({...rows.color, low, high});
  const out = new Uint8Array(rows.count);
  for (let row = 0; row < rows.count; ++row) {
    const part = axis.part(rows.color.values[row] as number);
    out[row] = Number.isNaN(part) ? shades : Math.min(shades - 1, Math.max(0, Math.floor(part * shades)));
  }
  return out;
}

/** A text that is cut in its middle where it has no room: names often differ at their ends. */
export function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  for (let length = text.length - 1; length > 2; --length) {
    const out = `${text.slice(0, Math.ceil(length / 2))}…${text.slice(text.length - Math.floor(length / 2))}`;
    if (context.measureText(out).width <= width) return out;
  }
  return '…';
}

/** #rrggbb as numbers from 0 to 255. */
export function rgb(css: string): number[] {
  return [1, 3, 5].map((at) => parseInt(css.slice(at, at + 2), 16));
}
