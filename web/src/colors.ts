// Colours of values and of curves.

import {Color} from 'three';

export type Stop = [number, number, number];

// Dark red over orange to pale yellow: reads on light and on dark, and in grey.
const heat: Stop[] = [
  [0.42, 0.09, 0.16],
  [0.72, 0.17, 0.17],
  [0.92, 0.38, 0.16],
  [0.98, 0.65, 0.22],
  [0.99, 0.91, 0.55],
];
// Blue to red, as OpenSim shows activation. The stops are at the squares of equal parts: half of all change of colour
// is below 0.25, where muscles at rest and in slow motions differ.
const activation: Stop[] = [
  [0.1, 0.25, 0.72],
  [0.36, 0.36, 0.8],
  [0.62, 0.36, 0.66],
  [0.8, 0.27, 0.33],
  [0.88, 0.06, 0.05],
];
// Blue (shorter) over grey to red (longer).
const diverging: Stop[] = [
  [0.16, 0.38, 0.75],
  [0.5, 0.66, 0.85],
  [0.8, 0.78, 0.77],
  [0.9, 0.53, 0.42],
  [0.75, 0.15, 0.16],
];

// Purple over red to yellow (a part of matplotlib's plasma): lighter all the way, for the colour-blind, too, and never
// as dark as a dark page or as pale as a light one.
const tension: Stop[] = [
  [0.52, 0.24, 0.8],
  [0.73, 0.24, 0.58],
  [0.88, 0.39, 0.38],
  [0.97, 0.59, 0.25],
  [0.99, 0.81, 0.14],
];

function mix(stops: Stop[], at: number): Stop {
  const x = Math.min(1, Math.max(0, at)) * (stops.length - 1);
  const k = Math.min(stops.length - 2, Math.floor(x));
  const a = stops[k] as Stop;
  const b = stops[k + 1] as Stop;
  const part = x - k;
  return [a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2])];
}

export interface Scale {
  low: number;
  high: number;
  colors: 'heat' | 'diverging' | 'activation' | 'tension';
}

const stopsOf = {heat, diverging, activation, tension};

export function scaleColor(scale: Scale, value: number, out: Color): Color {
  const range = scale.high - scale.low;
  const at = range > 0 ? (value - scale.low) / range : 0.5;
  const [r, g, b] = mix(stopsOf[scale.colors], scale.colors === 'activation' ? Math.sqrt(Math.max(0, at)) : at);
  return out.setRGB(r, g, b, 'srgb');
}

/** Red, green and blue from 0 to 1 of a part of a scale. */
export const stopColor = (colors: Scale['colors'], at: number): Stop => mix(stopsOf[colors], at);

export function scaleGradient(scale: Scale): string {
  const stops = stopsOf[scale.colors];
  const place = (k: number): number => Math.pow(k / (stops.length - 1), scale.colors === 'activation' ? 2 : 1);
  const text = stops.map((s, k) => `rgb(${s.map((v) => Math.round(255 * v)).join(' ')}) ${(100 * place(k)).toFixed(1)}%`);
  return `linear-gradient(to right, ${text.join(', ')})`;
}

// Okabe and Ito's palette without its yellow, distinguishable to the colour-blind; then repeats.
const palette = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#8c6bb1', '#7f7f7f'];

// Dashes and gaps [px]. Even dashes are those of a second run, whose colours are those of the first.
const dashes = [[], [2, 3], [9, 3, 2, 3], [15, 4]];
export const secondRunDash = [6, 4];
export const curvesInOneDash = palette.length;

/** Solid as long as colours last. */
export function curveDash(index: number): number[] {
  return dashes[Math.floor(index / palette.length) % dashes.length] as number[];
}

export function curveColor(index: number): string {
  return palette[index % palette.length] as string;
}
