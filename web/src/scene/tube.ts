// Tubes of rings, with radii that vary, in one geometry that is rewritten at every frame.

import {BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Sphere, Vector3} from 'three';

import {Detail} from './crowd';
import {Path} from './path';

/** Sides of a tube. */
const sidesOf: Record<Detail, number> = {fine: 12, coarse: 5};

interface Circle {
  sides: number;
  cos: Float32Array;
  sin: Float32Array;
  /** The angle from the first side, the shorter way around. */
  angle: Float32Array;
  /** The area of the polygon whose corners have distance 1 from the middle. */
  area: number;
}
function circleOf(sides: number): Circle {
  const angles = Float32Array.from({length: sides}, (_, k) => (2 * Math.PI * k) / sides);
  return {
    sides,
    cos: angles.map(Math.cos),
    sin: angles.map(Math.sin),
    angle: angles.map((a) => Math.min(a, 2 * Math.PI - a)),
    area: (sides / 2) * Math.sin((2 * Math.PI) / sides),
  };
}

/** The rings of one tube: fill centres and radii, then place and add it. */
export class Rings {
  count = 0;
  readonly x: Float32Array;
  readonly radius: Float32Array;
  /** How far a ring belongs to a muscle's belly, from 0 (tendon) to 1. */
  readonly belly: Float32Array;
  /** Angle of the fibres around the tube, where they run across it. */
  readonly turn: Float32Array;
  readonly tangent: Float32Array;
  /** The direction of the first corner. */
  readonly side: Float32Array;
  /** Red, green and blue of each ring, if they differ. */
  readonly color: Float32Array | null;

  constructor(readonly most: number, colored = false) {
    this.color = colored ? new Float32Array(3 * most) : null;
    this.x = new Float32Array(3 * most);
    this.tangent = new Float32Array(3 * most);
    this.side = new Float32Array(3 * most);
    this.radius = new Float32Array(most);
    this.belly = new Float32Array(most);
    this.turn = new Float32Array(most);
  }

  /** Directions of all rings: they turn as little as possible from one to the next, beginning near `side`. */
  align(side: Vector3): void {
    const {x, tangent, side: out, count} = this;
    let [ux, uy, uz] = [side.x, side.y, side.z];
    for (let k = 0; k < count; ++k) {
      const a = 3 * Math.max(0, k - 1);
      const b = 3 * Math.min(count - 1, k + 1);
      const i = 3 * k;
      let [tx, ty, tz] = [x[b]! - x[a]!, x[b + 1]! - x[a + 1]!, x[b + 2]! - x[a + 2]!];
      const scale = 1 / (Math.hypot(tx, ty, tz) || 1);
      (tx *= scale), (ty *= scale), (tz *= scale);
      let along = ux * tx + uy * ty + uz * tz;
      if (k === 0 && along * along > 0.98) {
        // Nearly along the tube: any other axis.
        [ux, uy, uz] = Math.abs(tx) < 0.6 ? [1, 0, 0] : [0, 1, 0];
        along = ux * tx + uy * ty + uz * tz;
      }
      (ux -= along * tx), (uy -= along * ty), (uz -= along * tz);
      const size = 1 / (Math.hypot(ux, uy, uz) || 1);
      (ux *= size), (uy *= size), (uz *= size);
      (tangent[i] = tx), (tangent[i + 1] = ty), (tangent[i + 2] = tz);
      (out[i] = ux), (out[i + 1] = uy), (out[i + 2] = uz);
    }
  }
}

export class Tubes {
  readonly geometry = new BufferGeometry();
  private readonly attributes: Record<'position' | 'normal' | 'color' | 'fibre', BufferAttribute>;
  private circle = circleOf(sidesOf.fine);
  private detail: Detail = 'fine';
  private readonly most: number;
  private rings = 0;
  /** The tube of each ring. */
  private readonly owner: Int16Array;
  private readonly indices: Record<Detail, BufferAttribute>;

  /** `rings`: the largest number of each tube. */
  constructor(rings: number[]) {
    // Each has two more, of no size, at its ends.
    this.most = rings.reduce((sum, n) => sum + n + 2, 0);
    this.owner = new Int16Array(this.most);
    const attribute = (name: string, size: number): BufferAttribute => {
      const out = new BufferAttribute(new Float32Array(size * this.most * sidesOf.fine), size).setUsage(DynamicDrawUsage);
      this.geometry.setAttribute(name, out);
      return out;
    };
    this.attributes = {position: attribute('position', 3), normal: attribute('normal', 3), color: attribute('color', 3), fibre: attribute('fibre', 2)};
    this.indices = {fine: this.index(sidesOf.fine), coarse: this.index(sidesOf.coarse)};
    this.geometry.setIndex(this.indices.fine);
    this.geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
    this.begin();
  }

  /** The area of a ring of radius 1. */
  get area(): number {
    return this.circle.area;
  }

  /** From the next frame on. */
  setDetail(detail: Detail): void {
    this.detail = detail;
  }

  /** Empties the geometry: tubes are added anew at every frame. */
  begin(): void {
    this.rings = 0;
    if (this.circle.sides !== sidesOf[this.detail]) {
      this.circle = circleOf(sidesOf[this.detail]);
      this.geometry.setIndex(this.indices[this.detail]);
    }
    this.geometry.setDrawRange(0, 0);
  }

  /** Rings of no size close a tube at both ends, and nothing shows between those of two tubes. */
  add(tube: number, rings: Rings, color: Color): void {
    const {count} = rings;
    if (count < 2 || this.rings + count + 2 > this.most) return;
    this.ring(tube, rings, 0, 0, 0, color);
    for (let k = 0; k < count; ++k) {
      const [a, b] = [Math.max(0, k - 1), Math.min(count - 1, k + 1)];
      const run = Math.hypot(
        rings.x[3 * b]! - rings.x[3 * a]!, rings.x[3 * b + 1]! - rings.x[3 * a + 1]!, rings.x[3 * b + 2]! - rings.x[3 * a + 2]!,
      );
      const slope = run > 0 ? (rings.radius[b]! - rings.radius[a]!) / run : 0;
      this.ring(tube, rings, k, rings.radius[k]!, slope, color);
    }
    this.ring(tube, rings, count - 1, 0, 0, color);
  }

  /** A tube of one radius along a path. */
  addLine(tube: number, path: Path, rings: Rings, radius: number, color: Color): void {
    if (path.count < 2) return;
    rings.count = path.count;
    rings.x.set(path.x.subarray(0, 3 * path.count));
    rings.radius.fill(radius, 0, path.count);
    rings.belly.fill(1, 0, path.count);
    rings.align(anySide);
    this.add(tube, rings, color);
  }

  end(): void {
    this.geometry.setDrawRange(0, Math.max(0, this.rings - 1) * this.circle.sides * 6);
    for (const attribute of Object.values(this.attributes)) this.upload(attribute);
  }

  paint(tube: number, color: Color): void {
    const {sides} = this.circle;
    for (let ring = 0; ring < this.rings; ++ring)
      if (this.owner[ring] === tube)
        for (let i = ring * sides; i < (ring + 1) * sides; ++i) this.attributes.color.setXYZ(i, color.r, color.g, color.b);
    this.upload(this.attributes.color);
  }

  /** The tube that a triangle belongs to. */
  tubeOf(face: number): number {
    return this.owner[Math.floor(face / (2 * this.circle.sides))] ?? -1;
  }

  /** The rings of a tube: the first, and how many. */
  ringsOf(tube: number): {first: number; count: number; sides: number} {
    const first = this.owner.indexOf(tube);
    let count = 0;
    while (first >= 0 && first + count < this.rings && this.owner[first + count] === tube) ++count;
    return {first, count, sides: this.circle.sides};
  }

  private index(sides: number): BufferAttribute {
    const out = new Uint32Array(6 * sides * Math.max(0, this.most - 1));
    let at = 0;
    for (let ring = 0; ring + 1 < this.most; ++ring)
      for (let side = 0; side < sides; ++side) {
        const a = ring * sides + side;
        const b = ring * sides + ((side + 1) % sides);
        out.set([a, b, a + sides, b, b + sides, a + sides], at);
        at += 6;
      }
    return new BufferAttribute(out, 1);
  }

  private upload(attribute: BufferAttribute): void {
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, attribute.itemSize * this.rings * this.circle.sides);
    attribute.needsUpdate = true;
  }

  private ring(tube: number, rings: Rings, k: number, r: number, slope: number, color: Color): void {
    const {sides, cos, sin, angle} = this.circle;
    const position = this.attributes.position.array;
    const normal = this.attributes.normal.array;
    const paint = this.attributes.color.array;
    const fibre = this.attributes.fibre.array;
    const i = 3 * k;
    const [x, y, z] = [rings.x[i]!, rings.x[i + 1]!, rings.x[i + 2]!];
    const {color: own} = rings;
    const [red, green, blue] = own ? [own[i]!, own[i + 1]!, own[i + 2]!] : [color.r, color.g, color.b];
    const [tx, ty, tz] = [rings.tangent[i]!, rings.tangent[i + 1]!, rings.tangent[i + 2]!];
    const [ux, uy, uz] = [rings.side[i]!, rings.side[i + 1]!, rings.side[i + 2]!];
    const [vx, vy, vz] = [ty * uz - tz * uy, tz * ux - tx * uz, tx * uy - ty * ux];
    // A surface that widens looks back.
    const upright = 1 / Math.hypot(1, slope);
    const back = -slope * upright;
    this.owner[this.rings] = tube;
    let at = this.rings++ * sides;
    for (let side = 0; side < sides; ++side, ++at) {
      const [c, s] = [cos[side]!, sin[side]!];
      const [nx, ny, nz] = [c * ux + s * vx, c * uy + s * vy, c * uz + s * vz];
      const p = 3 * at;
      position[p] = x + r * nx;
      position[p + 1] = y + r * ny;
      position[p + 2] = z + r * nz;
      normal[p] = upright * nx + back * tx;
      normal[p + 1] = upright * ny + back * ty;
      normal[p + 2] = upright * nz + back * tz;
      paint[p] = red;
      paint[p + 1] = green;
      paint[p + 2] = blue;
      fibre[2 * at] = angle[side]! - rings.turn[k]!;
      fibre[2 * at + 1] = rings.belly[k]!;
    }
  }
}

const anySide = new Vector3(1, 0, 0);
