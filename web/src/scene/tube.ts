// Tubes along paths, with radii that vary, in one geometry that is rewritten at every frame.

import {BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Sphere, Vector3} from 'three';

import {Path} from './path';

const sides = 8;
const circle = Array.from({length: sides}, (_, k) => {
  const angle = (2 * Math.PI * k) / sides;
  return [Math.cos(angle), Math.sin(angle)] as const;
});
/** Rings between the corners of a path whose radius changes along it. */
const between = 24;
const perTube = between + 14;

export interface TubeStyle {
  color: Color;
  /** Arc lengths at which the radius may change quickly. */
  marks: number[];
  radius: (s: number) => number;
}

export class Tubes {
  readonly geometry = new BufferGeometry();
  private readonly position: BufferAttribute;
  private readonly normal: BufferAttribute;
  private readonly color: BufferAttribute;
  private readonly most: number;
  private stations: number[] = [];
  private rings = 0;
  /** The tube of each ring. */
  private readonly owner: Uint16Array;

  /** `points`: the largest number in the path of each tube. */
  constructor(points: number[]) {
    this.most = points.reduce((sum, n) => sum + n + perTube, 0);
    this.owner = new Uint16Array(this.most);
    const attribute = (name: string): BufferAttribute => {
      const out = new BufferAttribute(new Float32Array(3 * this.most * sides), 3).setUsage(DynamicDrawUsage);
      this.geometry.setAttribute(name, out);
      return out;
    };
    this.position = attribute('position');
    this.normal = attribute('normal');
    this.color = attribute('color');
    const index: number[] = [];
    for (let ring = 0; ring + 1 < this.most; ++ring)
      for (let side = 0; side < sides; ++side) {
        const a = ring * sides + side;
        const b = ring * sides + ((side + 1) % sides);
        index.push(a, b, a + sides, b, b + sides, a + sides);
      }
    this.geometry.setIndex(index);
    this.geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
    this.begin();
  }

  /** Empties the geometry: tubes are added anew at every frame. */
  begin(): void {
    this.rings = 0;
    this.geometry.setDrawRange(0, 0);
  }

  /** Rings of no size close a tube at both ends, and nothing shows between those of two tubes. */
  add(tube: number, path: Path, {color, marks, radius}: TubeStyle): void {
    if (path.count < 2) return;
    this.placeStations(path, marks);
    const last = this.stations.length - 1;
    const [here, before, next, tangent, u, v] = Array.from({length: 6}, () => new Vector3()) as [Vector3, Vector3, Vector3, Vector3, Vector3, Vector3];
    const at = (k: number, out: Vector3): Vector3 => path.point(this.stations[Math.max(0, Math.min(last, k))] ?? 0, out);
    at(0, here);
    before.copy(here);
    for (let k = 0; k <= last; ++k) {
      tangent.copy(at(k + 1, next)).sub(before).normalize();
      if (k === 0) u.set(Math.abs(tangent.x) < 0.6 ? 1 : 0, Math.abs(tangent.x) < 0.6 ? 0 : 1, 0);
      // Axes turn as little as possible from one ring to the next.
      u.addScaledVector(tangent, -u.dot(tangent)).normalize();
      v.crossVectors(tangent, u);
      if (k === 0) this.ring(tube, here, 0, u, v, color);
      this.ring(tube, here, radius(this.stations[k] ?? 0), u, v, color);
      if (k === last) this.ring(tube, here, 0, u, v, color);
      before.copy(here);
      here.copy(next);
    }
  }

  end(): void {
    this.geometry.setDrawRange(0, Math.max(0, this.rings - 1) * sides * 6);
    for (const attribute of [this.position, this.normal, this.color]) this.upload(attribute);
  }

  paint(tube: number, color: Color): void {
    for (let ring = 0; ring < this.rings; ++ring)
      if (this.owner[ring] === tube) for (let i = ring * sides; i < (ring + 1) * sides; ++i) this.color.setXYZ(i, color.r, color.g, color.b);
    this.upload(this.color);
  }

  /** The tube that a triangle belongs to. */
  tubeOf(face: number): number {
    return this.owner[Math.floor(face / (2 * sides))] ?? -1;
  }

  private upload(attribute: BufferAttribute): void {
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, 3 * this.rings * sides);
    attribute.needsUpdate = true;
  }

  private ring(tube: number, x: Vector3, r: number, u: Vector3, v: Vector3, color: Color): void {
    if (this.rings >= this.most) return;
    this.owner[this.rings] = tube;
    let i = this.rings++ * sides;
    for (const [c, s] of circle) {
      const [nx, ny, nz] = [c * u.x + s * v.x, c * u.y + s * v.y, c * u.z + s * v.z];
      this.normal.setXYZ(i, nx, ny, nz);
      this.position.setXYZ(i, x.x + r * nx, x.y + r * ny, x.z + r * nz);
      this.color.setXYZ(i++, color.r, color.g, color.b);
    }
  }

  /** Corners of the path, marks, and points in between, in order. */
  private placeStations(path: Path, marks: number[]): void {
    const L = path.length;
    const all: number[] = [...marks.filter((s) => s > 0 && s < L)];
    for (let k = 0; k < path.count; ++k) all.push(path.s[k] ?? 0);
    if (marks.length > 0) for (let k = 1; k < between; ++k) all.push((k / between) * L);
    all.sort((a, b) => a - b);
    this.stations = all.filter((s, k) => k === 0 || s - (all[k - 1] ?? 0) > 1e-5 * L);
    this.stations[this.stations.length - 1] = L;
  }
}
