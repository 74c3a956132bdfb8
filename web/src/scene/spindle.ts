// The flesh of a muscle: a spindle that keeps its volume, between two tendons.

import {MuscleInfo} from '../header';
import {belly, massDensity, Path} from './path';
import {Rings} from './tube';

/** Rings of a belly, and of the two tendons beside the corners of the path. */
export const bellyRings = {fine: 25, coarse: 8};
const most = {massive: 0.97, other: 0.75}; // parts of the path that tendons may take
const stout = 0.2; // radius over length up to which a belly without mass leaves its tendons as they are
/** The cross-section follows the mass times sin(πβ) to twice this power: slim bellies run out into their tendons, those
 * that are nearly as thick as long are round. */
const steepness = {slim: 1.3, round: 0.5};
const fullness = 0.45; // mean cross-section of a slim belly over its largest
const room = 0.8; // how far a belly that turns around something makes room, in radii

/** Rings that a muscle may need. */
export function ringsFor(info: MuscleInfo): Rings {
  return new Rings(info.points + bellyRings.fine + 4);
}

export class Spindle {
  readonly rings: Rings;
  /** First and last ring of the belly. */
  first = 0;
  last = 0;
  /** The volume to keep [m³]. */
  readonly volume: number;
  /** Radius of a tendon [m]. */
  readonly thin: number;
  private readonly bend: Float32Array;
  private readonly other: Float32Array;
  private readonly share: Float32Array;
  private readonly beta: Float32Array;
  private roundness = 0;
  /** The part of the tendons' length that is drawn as tendon. */
  private tendons = 1;

  /** `size`: of the model [m]. `length`: of the path at first. */
  constructor(
    readonly info: MuscleInfo,
    size: number,
    length: number,
  ) {
    if (!(length > 0)) length = size;
    this.rings = ringsFor(info);
    this.bend = new Float32Array(this.rings.x.length);
    this.other = new Float32Array(this.rings.x.length);
    this.share = new Float32Array(this.rings.most);
    this.beta = new Float32Array(this.rings.most);
    // Nothing is known of its size: a modest one.
    this.volume = info.volume > 0 ? info.volume : fullness * Math.PI * this.place(length).length * (0.008 * size) ** 2;
    // The paths of broad muscles are shorter than their flesh: where no mass says otherwise, it takes from the tendons.
    const stocky = (): boolean => this.radius(this.place(length).length) > stout * this.place(length).length;
    if (!(info.mass > 0)) while (this.tendons > 0.35 && stocky()) this.tendons -= 0.05;
    const usual = this.radius(this.place(length).length);
    this.thin = Math.min(0.4 * usual, Math.max(0.17 * usual, 0.0022 * size));
  }

  /** The largest radius of a slim belly of a length. */
  private radius(length: number): number {
    return Math.sqrt(this.volume / (fullness * Math.PI * Math.max(1e-9, length)));
  }

  /** Where the belly is on a path of length L. It may bulge, and not vanish. */
  place(L: number): {begin: number; length: number} {
    if (!(this.info.volume > 0)) return {begin: 0.18 * L, length: 0.64 * L};
    let {begin, length} = belly(this.info, L);
    length = L - this.tendons * (L - length);
    begin *= this.tendons;
    const least = (1 - (this.info.mass > 0 ? most.massive : most.other)) * L;
    if (length < least) {
      // Both tendons give way alike.
      const tendons = Math.max(1e-12, L - length);
      begin *= (L - least) / tendons;
      length = least;
    }
    begin = Math.min(Math.max(0, begin), L);
    return {begin, length: Math.min(length, L - begin)};
  }

  /** Puts rings on the path: its corners along tendons, evenly spaced ones along the belly. */
  follow(path: Path, count: number): void {
    const {rings} = this;
    const {begin, length} = this.place(path.length);
    // Few rings for a belly mean few for tendons.
    const near = (count < bellyRings.fine ? 0.05 : 1e-3) * path.length;
    let last = -near;
    rings.count = 0;
    let corner = 0;
    const usual = this.radius(length);
    this.roundness = step(0.15, 0.45, usual / length);
    const add = (s: number, beta: number): void => {
      const k = rings.count++;
      corner = path.put(s, corner, rings.x, 3 * k);
      rings.belly[k] = beta < 0 ? 0 : Math.min(1, 7 * beta, 7 * (1 - beta));
      rings.turn[k] = (Math.tan(this.info.pennation) * beta * length) / usual;
      this.beta[k] = beta;
    };
    const tendon = (from: number, to: number): void => {
      for (let k = 0; k < path.count; ++k) {
        const s = path.s[k]!;
        if (s > Math.max(from, last) + near && s < to - near) add((last = s), -1);
      }
    };
    if (begin > 1e-3 * path.length) add(0, -1);
    tendon(0, begin);
    this.first = rings.count;
    for (let k = 0; k < count; ++k) {
      const even = k / (count - 1);
      // Round ends need more rings than the middle.
      const beta = even + 0.7 * this.roundness * (0.5 - 0.5 * Math.cos(Math.PI * even) - even);
      add(begin + beta * length, beta);
    }
    this.last = rings.count - 1;
    tendon(begin + length, path.length);
    if (begin + length < (1 - 1e-3) * path.length) add(path.length, -1);
  }

  /** Radii before the path is smooth: those of a straight belly. */
  shape(): void {
    const {rings, first, last, share, info} = this;
    const n = last - first;
    const power = 2 * (steepness.slim + this.roundness * (steepness.round - steepness.slim));
    let sum = 0;
    for (let k = first; k <= last; ++k) {
      const beta = this.beta[k]!;
      const mass = info.mass > 0 && info.regions.length > 0 ? Math.max(0, massDensity(info, Math.min(1 - 1e-9, Math.max(1e-9, beta)))) : 1;
      sum += share[k] = mass * Math.pow(Math.max(0, Math.sin(Math.PI * beta)), power);
    }
    for (let k = first; k <= last; ++k) share[k]! *= n / Math.max(1e-30, sum);
    const length = this.length();
    const mean = this.volume / (Math.PI * Math.max(1e-9, length));
    rings.radius.fill(this.thin, 0, rings.count);
    for (let k = first; k <= last; ++k) rings.radius[k] = Math.sqrt(this.thin ** 2 + mean * share[k]!);
  }

  /** Moves the belly sideways: most in its middle, not at its ends. */
  shift(x: number, y: number, z: number): void {
    const {rings, first, last} = this;
    for (let k = first + 1; k < last; ++k) {
      const part = Math.sin((Math.PI * (k - first)) / (last - first)) ** 2;
      rings.x[3 * k]! += part * x;
      rings.x[3 * k + 1]! += part * y;
      rings.x[3 * k + 2]! += part * z;
    }
  }

  /** A belly that turns around something lies outside of it, and bends no more sharply than it is thick. */
  makeRoom(): void {
    const {rings, first, last, bend, other} = this;
    const {x, radius} = rings;
    const n = last - first;
    if (n < 2) return;
    const pitch = this.length() / n;
    if (!(pitch > 0)) return;
    let straight = true;
    bend.fill(0, 3 * first, 3 * last + 3);
    for (let k = first + 1; k < last; ++k) {
      const i = 3 * k;
      const [tx, ty, tz] = [x[i + 3]! - x[i - 3]!, x[i + 4]! - x[i - 2]!, x[i + 5]! - x[i - 1]!];
      const [sx, sy, sz] = [x[i - 3]! - 2 * x[i]! + x[i + 3]!, x[i - 2]! - 2 * x[i + 1]! + x[i + 4]!, x[i - 1]! - 2 * x[i + 2]! + x[i + 5]!];
      const square = tx * tx + ty * ty + tz * tz;
      // Rings are not evenly spaced: what is along the belly does not bend it.
      const along = (sx * tx + sy * ty + sz * tz) / Math.max(1e-30, square);
      const scale = 4 / Math.max(1e-30, square);
      bend[i] = scale * (sx - along * tx);
      bend[i + 1] = scale * (sy - along * ty);
      bend[i + 2] = scale * (sz - along * tz);
      if (Math.hypot(bend[i]!, bend[i + 1]!, bend[i + 2]!) * pitch > 1e-3) straight = false;
    }
    if (straight) return;
    const wide = radius[first + (n >> 1)]!;
    const passes = Math.min(10, Math.ceil((1.5 * wide) / pitch) ** 2);
    for (let pass = 0; pass < passes; ++pass) smooth(bend, other, first, last, false);
    for (let k = first + 1; k < last; ++k) {
      const i = 3 * k;
      const size = Math.hypot(bend[i]!, bend[i + 1]!, bend[i + 2]!);
      const r = radius[k]! - this.thin;
      const away = Math.min(1.6 * r * r, (room * r) / Math.max(1e-12, size));
      for (let axis = 0; axis < 3; ++axis) x[i + axis]! -= away * bend[i + axis]!;
    }
    for (let pass = 0; pass < Math.min(4, passes); ++pass) smooth(x, other, first, last, true);
  }

  /** Radii with which the rings hold the volume; `area`: of a ring of radius 1. Call after Rings.align. */
  fill(area: number): void {
    const {rings, first, last, share} = this;
    const square = this.thin ** 2;
    let factor = this.volume / (area * Math.max(1e-9, this.length()));
    for (let pass = 0; pass < 3; ++pass) {
      for (let k = first; k <= last; ++k) rings.radius[k] = Math.sqrt(square + factor * share[k]!);
      const has = area * this.content();
      const bare = area * square * this.length();
      if (!(has > bare)) break;
      factor *= Math.max(0, this.volume - bare) / (has - bare);
    }
    for (let k = first; k <= last; ++k) rings.radius[k] = Math.sqrt(square + factor * share[k]!);
  }

  /** Length of the belly, along its rings. */
  private length(): number {
    const {x} = this.rings;
    let out = 0;
    for (let i = 3 * this.first; i < 3 * this.last; i += 3) out += Math.hypot(x[i + 3]! - x[i]!, x[i + 4]! - x[i + 1]!, x[i + 5]! - x[i + 2]!);
    return out;
  }

  /** Volume between the rings over the area of a ring of radius 1. */
  private content(): number {
    const {x, tangent, radius} = this.rings;
    let out = 0;
    for (let k = this.first; k < this.last; ++k) {
      const i = 3 * k;
      let height = 0;
      for (let axis = 0; axis < 3; ++axis)
        height += 0.5 * (x[i + 3 + axis]! - x[i + axis]!) * (tangent[i + axis]! + tangent[i + 3 + axis]!);
      const [a, b] = [radius[k]!, radius[k + 1]!];
      out += (height * (a * a + a * b + b * b)) / 3;
    }
    return out;
  }
}

/** From 0 at `low` to 1 at `high`, smoothly. */
function step(low: number, high: number, x: number): number {
  const part = Math.min(1, Math.max(0, (x - low) / (high - low)));
  return part * part * (3 - 2 * part);
}

/** One pass of (1 2 1)/4 over the inner points of a line. */
function smooth(x: Float32Array, other: Float32Array, first: number, last: number, keepEnds: boolean): void {
  other.set(x.subarray(3 * first, 3 * last + 3), 3 * first);
  for (let i = 3 * first + 3; i < 3 * last; ++i) x[i] = 0.25 * (other[i - 3]! + 2 * other[i]! + other[i + 3]!);
  if (keepEnds) return;
  for (let axis = 0; axis < 3; ++axis) {
    x[3 * first + axis] = x[3 * first + 3 + axis]!;
    x[3 * last + axis] = x[3 * last - 3 + axis]!;
  }
}
