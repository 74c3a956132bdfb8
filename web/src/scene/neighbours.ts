// Bellies beside each other: those that would run through each other move apart.

import {Spindle} from './spindle';

/** Two bellies are far enough apart at this part of the sum of their radii: muscles press against each other. */
const apart = 0.85;
const farthest = 1.1; // a belly moves by at most this many of its radii
const places = [0.2, 0.35, 0.5, 0.65, 0.8]; // on a belly

/** One belly as a few balls, and where it is pushed. */
class Body {
  readonly x = new Float32Array(3 * places.length);
  readonly radius = new Float32Array(places.length);
  widest = 0;
  readonly push = new Float32Array(3);

  constructor(readonly spindle: Spindle) {}

  read(): void {
    const {rings, first, last} = this.spindle;
    this.widest = 0;
    places.forEach((beta, k) => {
      const ring = first + Math.round(beta * (last - first));
      for (let axis = 0; axis < 3; ++axis) this.x[3 * k + axis] = rings.x[3 * ring + axis]!;
      this.radius[k] = rings.radius[ring]!;
      this.widest = Math.max(this.widest, this.radius[k]!);
    });
    this.push.fill(0);
  }
}

export class Neighbours {
  private readonly bodies: Body[];
  private readonly pairs: [number, number][] = [];
  private readonly way = new Float32Array(3);

  constructor(spindles: Spindle[]) {
    this.bodies = spindles.map((spindle) => new Body(spindle));
  }

  /** Moves bellies apart; call when all have their rings. The result depends on the present frame alone. */
  part(): void {
    for (const body of this.bodies) if (body.spindle.rings.count > 0) body.read();
    this.findPairs();
    for (const [a, b] of this.pairs) this.separate(this.bodies[a]!, this.bodies[b]!, a, b);
    for (const {push, spindle, widest} of this.bodies) {
      const size = Math.hypot(push[0]!, push[1]!, push[2]!);
      if (!(size > 0)) continue;
      // Several neighbours push no further than one.
      const scale = Math.min(1, (farthest * widest) / size);
      spindle.shift(scale * push[0]!, scale * push[1]!, scale * push[2]!);
    }
  }

  private findPairs(): void {
    this.pairs.length = 0;
    const middle = 3 * (places.length >> 1);
    for (let a = 0; a < this.bodies.length; ++a)
      for (let b = a + 1; b < this.bodies.length; ++b) {
        const [p, q] = [this.bodies[a]!, this.bodies[b]!];
        if (p.spindle.rings.count === 0 || q.spindle.rings.count === 0) continue;
        const reach = p.widest + q.widest + 0.5 * (span(p.x) + span(q.x));
        const [dx, dy, dz] = [q.x[middle]! - p.x[middle]!, q.x[middle + 1]! - p.x[middle + 1]!, q.x[middle + 2]! - p.x[middle + 2]!];
        if (dx * dx + dy * dy + dz * dz < reach * reach) this.pairs.push([a, b]);
      }
  }

  private separate(p: Body, q: Body, a: number, b: number): void {
    const {way} = this;
    way.fill(0);
    let [weight, depth] = [0, 0];
    for (let i = 0; i < places.length; ++i)
      for (let j = 0; j < places.length; ++j) {
        const [dx, dy, dz] = [q.x[3 * j]! - p.x[3 * i]!, q.x[3 * j + 1]! - p.x[3 * i + 1]!, q.x[3 * j + 2]! - p.x[3 * i + 2]!];
        const distance = Math.hypot(dx, dy, dz);
        const inside = apart * (p.radius[i]! + q.radius[j]!) - distance;
        if (inside <= 0) continue;
        (way[0]! += inside * dx), (way[1]! += inside * dy), (way[2]! += inside * dz);
        weight += inside;
        depth = Math.max(depth, inside);
      }
    if (weight === 0) return;
    this.across(p);
    const size = Math.hypot(way[0]!, way[1]!, way[2]!);
    const reach = p.widest + q.widest;
    // Lines that coincide do not say where to: to the sides of the first one, one after the other.
    const {rings, first, last} = p.spindle;
    const side = 3 * ((first + last) >> 1);
    const doubt = Math.max(0, 0.1 * reach * weight - size) * ((a + b) % 2 ? 1 : -1);
    for (let axis = 0; axis < 3; ++axis) way[axis]! += doubt * rings.side[side + axis]!;
    const scale = depth / Math.max(1e-12, Math.hypot(way[0]!, way[1]!, way[2]!));
    // The thinner one gives way.
    const part = q.widest ** 2 / (p.widest ** 2 + q.widest ** 2);
    for (let axis = 0; axis < 3; ++axis) {
      p.push[axis]! -= part * scale * way[axis]!;
      q.push[axis]! += (1 - part) * scale * way[axis]!;
    }
  }

  /** Removes the part along the belly: moving along it separates nothing. */
  private across(p: Body): void {
    const {way} = this;
    const end = 3 * (places.length - 1);
    const [tx, ty, tz] = [p.x[end]! - p.x[0]!, p.x[end + 1]! - p.x[1]!, p.x[end + 2]! - p.x[2]!];
    const square = tx * tx + ty * ty + tz * tz;
    if (!(square > 0)) return;
    const along = (way[0]! * tx + way[1]! * ty + way[2]! * tz) / square;
    (way[0]! -= along * tx), (way[1]! -= along * ty), (way[2]! -= along * tz);
  }
}

/** The distance between the first and the last place. */
function span(x: Float32Array): number {
  const end = x.length - 3;
  return Math.hypot(x[end]! - x[0]!, x[end + 1]! - x[1]!, x[end + 2]! - x[2]!);
}
