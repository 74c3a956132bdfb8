// Cycles of a motion, and curves over them: docs/report.md describes how they are found.

import {valueAt} from './timeline';

/** Times at which a motion begins anew: at least two, one whole cycle. */
export interface Cycles {
  coordinate: string;
  starts: number[];
}

/** Part of its range that a curve must go below and above its middle to count as having passed it. */
const hysteresis = 0.2;
/** Periods of one motion differ by less than this from their mean. */
const regular = 0.2;
/** A period later a curve differs by less than this part of its range, rms. */
const alike = 0.25;
/** Periods that a motion must last. */
const least = 1.9;

/**
 * Times at which a curve that repeats itself passes the middle of its range upwards; null if it
 * does not repeat itself, or has less than two periods. Times before the first and after the last
 * belong to no cycle.
 */
export function findStarts(times: ArrayLike<number>, values: ArrayLike<number>): number[] | null {
  let [low, high] = [Infinity, -Infinity];
  for (let k = 0; k < values.length; ++k) {
    low = Math.min(low, values[k] ?? NaN);
    high = Math.max(high, values[k] ?? NaN);
  }
  const range = high - low;
  if (!(range > 1e-6)) return null;
  const middle = 0.5 * (low + high);
  const starts: number[] = [];
  let below = false;
  let crossing = NaN;
  for (let k = 1; k < values.length; ++k) {
    const [a, b] = [(values[k - 1] ?? 0) - middle, (values[k] ?? 0) - middle];
    if (a < -hysteresis * range) below = true;
    if (below && a < 0 && b >= 0) {
      const [t0, t1] = [times[k - 1] ?? 0, times[k] ?? 0];
      crossing = t0 + ((t1 - t0) * a) / (a - b);
    }
    // It counts only once the curve is well above.
    if (below && b > hysteresis * range) {
      starts.push(crossing);
      below = false;
    }
  }
  if (starts.length < 2) return null;
  const periods = starts.slice(1).map((t, k) => t - (starts[k] ?? 0));
  const mean = periods.reduce((sum, p) => sum + p, 0) / periods.length;
  const last = times[times.length - 1] ?? 0;
  if (last - (times[0] ?? 0) < least * mean || !periods.every((p) => Math.abs(p - mean) < regular * mean)) return null;
  return repeats(times, values, mean, range) ? starts : null;
}

function repeats(times: ArrayLike<number>, values: ArrayLike<number>, period: number, range: number): boolean {
  const [first, last] = [times[0] ?? 0, times[times.length - 1] ?? 0];
  const count = 200;
  let sum = 0;
  for (let k = 0; k < count; ++k) {
    const t = first + (k / (count - 1)) * (last - period - first);
    sum += (valueAt(times, values, t + period) - valueAt(times, values, t)) ** 2;
  }
  return Math.sqrt(sum / count) < alike * range;
}

export interface Averaged {
  /** Per cent of the cycle: 0 to 100. */
  x: number[];
  mean: number[];
  deviation: number[];
}

/** The mean of a curve over all cycles, and its standard deviation from one to the next. */
export function average(times: ArrayLike<number>, values: ArrayLike<number>, starts: number[]): Averaged {
  const out: Averaged = {x: [], mean: [], deviation: []};
  const count = starts.length - 1;
  for (let percent = 0; percent <= 100; ++percent) {
    const samples = Array.from({length: count}, (_, c) => {
      const [from, to] = [starts[c] ?? 0, starts[c + 1] ?? 0];
      return valueAt(times, values, from + (percent / 100) * (to - from));
    });
    const mean = samples.reduce((sum, v) => sum + v, 0) / count;
    out.x.push(percent);
    out.mean.push(mean);
    out.deviation.push(count > 1 ? Math.sqrt(samples.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (count - 1)) : 0);
  }
  return out;
}

/** The place of a time in its cycle, in per cent; null before the first and after the last. */
export function phase(starts: number[], time: number): number | null {
  for (let c = 0; c + 1 < starts.length; ++c) {
    const [from, to] = [starts[c] ?? 0, starts[c + 1] ?? 0];
    if (time >= from && time <= to) return (100 * (time - from)) / (to - from);
  }
  return null;
}
