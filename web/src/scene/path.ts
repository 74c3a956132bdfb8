// A muscle's path at one time, as a line with arc length, and the place of its mass on it.

import {Vector3} from 'three';

import {MuscleInfo} from '../header';

const density = 1060; // density of muscle [kg/m³]

export class Path {
  count = 0;
  length = 0;
  readonly x: Float32Array;
  readonly s: Float32Array;

  constructor(points: number) {
    this.x = new Float32Array(3 * points);
    this.s = new Float32Array(points);
  }

  /** Takes the line between two frames; points that coincide count once. */
  set(data: Float32Array, from: number, to: number, part: number, points: number): void {
    this.count = 0;
    this.length = 0;
    for (let k = 0; k < points; ++k) {
      const [a, b] = [from + 3 * k, to + 3 * k];
      const x = data[a]! + part * (data[b]! - data[a]!);
      const y = data[a + 1]! + part * (data[b + 1]! - data[a + 1]!);
      const z = data[a + 2]! + part * (data[b + 2]! - data[a + 2]!);
      if (this.count > 0) {
        const at = 3 * (this.count - 1);
        const step = Math.hypot(x - (this.x[at] ?? 0), y - (this.x[at + 1] ?? 0), z - (this.x[at + 2] ?? 0));
        // Below the resolution of 16 bits.
        if (step < 1e-4) continue;
        this.length += step;
      }
      this.x[3 * this.count] = x;
      this.x[3 * this.count + 1] = y;
      this.x[3 * this.count + 2] = z;
      this.s[this.count] = this.length;
      ++this.count;
    }
  }

  /** The point at an arc length. */
  point(s: number, out: Vector3): Vector3 {
    this.put(s, 0, scratch, 0);
    return out.fromArray(scratch);
  }

  /** The same into an array; returns the piece that it lies on, from where the search for the next point may begin. */
  put(s: number, from: number, out: Float32Array, at: number): number {
    let k = from;
    while (k + 2 < this.count && this.s[k + 1]! < s) ++k;
    const [s0, s1] = [this.s[k] ?? 0, this.s[k + 1] ?? 0];
    const part = s1 > s0 ? Math.min(1, Math.max(0, (s - s0) / (s1 - s0))) : 0;
    for (let axis = 0; axis < 3; ++axis) {
      const a = this.x[3 * k + axis] ?? 0;
      out[at + axis] = this.count > 1 ? a + part * (this.x[3 * k + 3 + axis]! - a) : a;
    }
    return k;
  }
}

const scratch = new Float32Array(3);

/** The start and the length of the belly on a path of length L. */
export function belly(muscle: MuscleInfo, L: number): {begin: number; length: number} {
  const [A0, A1, B0, B1] = muscle.material;
  return {begin: A0 + A1 * L, length: B0 + B1 * L};
}

/** Mass per β. */
export function massDensity(muscle: MuscleInfo, beta: number): number {
  for (const [begin, end, c0, c1, c2] of muscle.regions)
    if (beta >= begin && beta <= end) return c0 + (c1 + c2 * beta) * beta;
  return 0;
}

/** β of beads of equal mass. */
export function beadPlaces(muscle: MuscleInfo, beads: number): number[] {
  const steps = 400;
  const total: number[] = [0];
  for (let k = 0; k < steps; ++k)
    total.push((total[k] ?? 0) + massDensity(muscle, (k + 0.5) / steps) / steps);
  const mass = total[steps] ?? 0;
  const out: number[] = [];
  let k = 0;
  for (let bead = 0; bead < beads; ++bead) {
    const wanted = ((bead + 0.5) / beads) * mass;
    while (k + 1 < steps && (total[k + 1] ?? 0) < wanted) ++k;
    const [a, b] = [total[k] ?? 0, total[k + 1] ?? 0];
    out.push((k + (b > a ? (wanted - a) / (b - a) : 0.5)) / steps);
  }
  return out;
}

/** Radius of a ball of that mass [m]. */
export function beadRadius(mass: number): number {
  return Math.cbrt(mass / density / ((4 / 3) * Math.PI));
}
