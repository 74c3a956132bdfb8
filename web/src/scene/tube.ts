// A tube along a path, with a radius that varies: rewritten in place at every frame.

import {BufferAttribute, BufferGeometry, DynamicDrawUsage, Sphere, Vector3} from 'three';

import {Path} from './path';

const sides = 8;
/** Rings between the corners of a path where the radius changes along it. */
const between = 24;

export class Tube {
  readonly geometry = new BufferGeometry();
  private readonly position: BufferAttribute;
  private readonly normal: BufferAttribute;
  private readonly stations: number[] = [];
  private readonly line: Float32Array;
  private readonly most: number;

  constructor(points: number) {
    this.most = points + 36;
    this.line = new Float32Array(3 * this.most);
    const count = this.most * sides;
    this.position = new BufferAttribute(new Float32Array(3 * count), 3).setUsage(DynamicDrawUsage);
    this.normal = new BufferAttribute(new Float32Array(3 * count), 3).setUsage(DynamicDrawUsage);
    const index: number[] = [];
    for (let ring = 0; ring + 1 < this.most; ++ring)
      for (let side = 0; side < sides; ++side) {
        const a = ring * sides + side;
        const b = ring * sides + ((side + 1) % sides);
        index.push(a, b, a + sides, b, b + sides, a + sides);
      }
    this.geometry.setIndex(index);
    this.geometry.setAttribute('position', this.position);
    this.geometry.setAttribute('normal', this.normal);
    // Drawn wherever it is: its bounds change with every frame.
    this.geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
  }

  /** `marks` are arc lengths where the radius may change quickly. */
  update(path: Path, marks: number[], radius: (s: number) => number): void {
    if (path.count < 2) {
      this.geometry.setDrawRange(0, 0);
      return;
    }
    this.placeStations(path, marks);
    const n = this.stations.length;
    for (let k = 0; k < n; ++k) path.point(this.stations[k] ?? 0, this.line, 3 * k);
    this.sweep(n, radius);
    this.geometry.setDrawRange(0, (n - 1) * sides * 6);
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
  }

  /** Corners of the path, marks, and points in between, in order. */
  private placeStations(path: Path, marks: number[]): void {
    const L = path.length;
    const all: number[] = [...marks.filter((s) => s > 0 && s < L)];
    for (let k = 0; k < path.count; ++k) all.push(path.s[k] ?? 0);
    if (marks.length > 0) for (let k = 1; k < between; ++k) all.push((k / between) * L);
    all.sort((a, b) => a - b);
    this.stations.length = 0;
    for (const s of all)
      if (this.stations.length === 0 || s - (this.stations[this.stations.length - 1] ?? 0) > 1e-5 * L)
        if (this.stations.length < this.most) this.stations.push(s);
    this.stations[this.stations.length - 1] = L;
  }

  /** Rings whose axes turn as little as they can from one to the next. */
  private sweep(n: number, radius: (s: number) => number): void {
    const at = (k: number, out: Vector3): Vector3 => out.fromArray(this.line, 3 * k);
    const [here, next, previous, tangent, u, v] = [0, 0, 0, 0, 0, 0].map(() => new Vector3()) as [
      Vector3, Vector3, Vector3, Vector3, Vector3, Vector3,
    ];
    for (let k = 0; k < n; ++k) {
      at(k, here);
      tangent.copy(at(Math.min(n - 1, k + 1), next)).sub(at(Math.max(0, k - 1), previous)).normalize();
      if (k === 0) {
        u.set(Math.abs(tangent.x) < 0.6 ? 1 : 0, Math.abs(tangent.x) < 0.6 ? 0 : 1, 0);
      }
      u.addScaledVector(tangent, -u.dot(tangent)).normalize();
      v.crossVectors(tangent, u);
      const r = radius(this.stations[k] ?? 0);
      for (let side = 0; side < sides; ++side) {
        const angle = (2 * Math.PI * side) / sides;
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        const [nx, ny, nz] = [c * u.x + s * v.x, c * u.y + s * v.y, c * u.z + s * v.z];
        const i = k * sides + side;
        this.normal.setXYZ(i, nx, ny, nz);
        this.position.setXYZ(i, here.x + r * nx, here.y + r * ny, here.z + r * nz);
      }
    }
  }
}
