// The extent of a run: the size of the model, and the distance it travels.

import {Box3, Mesh, Quaternion, Vector3} from 'three';

import {Run} from '../data';
import {BodyInfo, Shape} from '../header';
import {locate} from '../timeline';
import {geometryOf, put} from './shapes';

const samples = 150; // number of frames sampled

/** Of a run that goes further than this many times its own size, a picture shows a part: anything, or one figure
 * whose root is free to leave its place. */
const farAway = 3;
const walks = 0.5;
/** Joints that hold a root in its place. */
export const holding = /^(fixed|revolute|universal|spherical|spherical-euler|spherical-exp|spline)/;

/** For more points than a function can take as arguments. */
export function largest(points: Vector3[], of: (point: Vector3) => number): number {
  return points.reduce((most, point) => Math.max(most, of(point)), -Infinity);
}

export class Extent {
  /** Size of the model alone: the largest diagonal of all frames [m]. */
  readonly size: number;
  /** The box around everything at all times. */
  readonly bounds = new Box3();
  /** Whether the whole way would make the model too small to see. */
  readonly travels: boolean;
  private readonly boxes: Box3[];

  constructor(private readonly run: Run) {
    this.boxes = run.info.model.bodies.map((body, index) => boxOf(body, index, run, showsInertia(run)));
    const fixed = new Box3();
    for (const shape of run.info.model.fixed) {
      const mesh = new Mesh(geometryOf(shape, run.arrays, 0));
      put(mesh, shape);
      fixed.expandByObject(mesh);
    }
    const sizes: number[] = [];
    const box = new Box3();
    for (const frame of this.frames()) {
      box.makeEmpty().setFromPoints(this.pointsAt(frame));
      sizes.push(box.getSize(new Vector3()).length());
      this.bounds.union(box);
    }
    if (this.bounds.isEmpty()) this.bounds.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    // A model that falls apart keeps its initial size.
    sizes.sort((a, b) => a - b);
    const way = this.bounds.getSize(new Vector3()).length();
    const usual = Math.max(1e-3, sizes[Math.floor(0.5 * sizes.length)] ?? way);
    this.travels = way > farAway * usual || this.rootWay() > walks * usual;
    this.size = this.travels ? usual : Math.max(1e-3, way);
    // Large surroundings do not make the model small.
    if (!fixed.isEmpty() && fixed.getSize(new Vector3()).length() < 2 * this.size) this.bounds.union(fixed);
  }

  /** Points that a picture must show: of the whole run. */
  points(): Vector3[] {
    return this.frames().flatMap((frame) => this.pointsAt(frame));
  }

  /** Points that a picture of one time must show. */
  pointsNow(time: number): Vector3[] {
    const {k, part} = locate(this.run.times, time);
    const next = this.pointsAt(Math.min(this.run.times.length - 1, k + 1));
    return this.pointsAt(k).map((point, i) => point.lerp(next[i] ?? point, part));
  }

  /** Points of the whole run, as a camera sees them that goes along and is here at `time`. */
  pointsAlong(time: number): Vector3[] {
    const here = this.center(locate(this.run.times, time).k);
    return this.frames().flatMap((frame) => {
      const way = here.clone().sub(this.center(frame));
      return this.pointsAt(frame).map((point) => point.add(way));
    });
  }

  /** The middle of all bodies, by their masses. */
  private center(frame: number): Vector3 {
    const out = new Vector3();
    const at = new Vector3();
    const {bodies} = this.run.info.model;
    let mass = 0;
    bodies.forEach((info, k) => {
      const weight = info.mass || 1e-9;
      out.addScaledVector(at.fromArray(this.run.bodies, 7 * (frame * bodies.length + k)), weight);
      mass += weight;
    });
    return mass > 0 ? out.divideScalar(mass) : out;
  }

  /** The lowest of points along up. Of a motion that is not known yet, what hangs on the world may swing all around. */
  lowest(points: Vector3[], up: Vector3): number {
    let out = -largest(points, (p) => -p.dot(up));
    if (this.run.times.length > 1) return out;
    for (const {parent, joint} of this.run.info.model.bodies) {
      if (parent >= 0 || !holding.test(joint.type)) continue;
      const pivot = new Vector3(...joint.position);
      out = Math.min(out, pivot.dot(up) - largest(points, (p) => p.distanceTo(pivot)));
    }
    return out;
  }

  /** The distance that the root travels, for a model that has one. */
  private rootWay(): number {
    const bodies = this.run.info.model.bodies;
    const roots = bodies.flatMap((body, k) => (body.parent < 0 ? [k] : []));
    if (roots.length !== 1 || holding.test(bodies[roots[0] ?? 0]?.joint.type ?? '')) return 0;
    const way = new Box3().setFromPoints(
      this.frames().map((frame) => new Vector3().fromArray(this.run.bodies, 7 * (frame * bodies.length + (roots[0] ?? 0)))));
    return way.getSize(new Vector3()).length();
  }

  private frames(): number[] {
    const n = this.run.times.length;
    const stride = Math.max(1, Math.floor(n / samples));
    return Array.from({length: Math.ceil(n / stride)}, (_, k) => k * stride);
  }

  /** Corners of the boxes around bodies, and points of muscles and of other lines. */
  private pointsAt(frame: number): Vector3[] {
    const out: Vector3[] = [];
    const {bodies, points, lines} = this.run;
    const n = this.boxes.length;
    const [x, turn] = [new Vector3(), new Quaternion()];
    this.boxes.forEach((box, i) => {
      const at = 7 * (frame * n + i);
      x.fromArray(bodies, at);
      turn.fromArray(bodies, at + 3).normalize();
      for (let k = 0; k < 8; ++k)
        out.push(
          new Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z)
            .applyQuaternion(turn).add(x),
        );
    });
    for (const line of [points, lines]) {
      const stride = line.length / Math.max(1, this.run.times.length);
      for (let k = 0; k + 2 < stride; k += 3) out.push(new Vector3().fromArray(line, frame * stride + k));
    }
    this.run.info.model.deforming.forEach((info, index) => {
      const data = this.run.deforming[index];
      if (!data) return;
      const skip = 3 * Math.max(1, Math.floor(info.vertices / 200));
      for (let k = 0; k < 3 * info.vertices; k += skip)
        out.push(new Vector3().fromArray(data, 3 * frame * info.vertices + k));
    });
    return out;
  }
}

/** Sticks alone show little of bodies: without flesh, their inertia is drawn around them. */
export function showsInertia(run: Run): boolean {
  const {bodies, muscles} = run.info.model;
  return bodies.some((body) => body.sticks.length > 0) && !muscles.some((muscle) => muscle.volume > 0);
}

/** The box around a body in its own frame. */
function boxOf(body: BodyInfo, index: number, run: Run, inertia: boolean): Box3 {
  const out = new Box3();
  const shapes: Shape[] = inertia && body.ellipsoid ? [...body.shapes, {type: 'ellipsoid', ...body.ellipsoid}] : body.shapes;
  for (const shape of shapes) {
    const mesh = new Mesh(geometryOf(shape, run.arrays, 0));
    put(mesh, shape);
    out.expandByObject(mesh, true);
  }
  for (const wire of run.info.model.wires) {
    const points = wire.body === index ? run.arrays.read(wire.points) : [];
    for (let k = 0; k < points.length; k += 3) out.expandByPoint(new Vector3().fromArray(points, k));
  }
  for (const stick of body.sticks) for (const end of stick) out.expandByPoint(new Vector3(...end));
  return out.isEmpty() ? out.expandByPoint(new Vector3()) : out;
}

/** Where a camera that looks along −direction must be for all points to fill its picture: target and distance. */
export function frame(
  points: Vector3[], direction: Vector3, up: Vector3, fov: number, aspect: number,
): {target: Vector3; distance: number} {
  const z = direction.clone().normalize();
  const x = up.clone().cross(z).normalize();
  const y = z.clone().cross(x);
  const tall = Math.tan((fov * Math.PI) / 360);
  const wide = tall * aspect;
  // A point is in the picture if |p·x − cx| ≤ wide (D − p·z), and likewise with y: each side gives
  // a plane.
  const most = (side: Vector3, slope: number): number => largest(points, (p) => p.dot(side) + slope * p.dot(z));
  const [right, left] = [most(x, wide), most(x.clone().negate(), wide)];
  const [top, bottom] = [most(y, tall), most(y.clone().negate(), tall)];
  const depth = largest(points, (p) => p.dot(z));
  const distance = Math.max((right + left) / (2 * wide), (top + bottom) / (2 * tall), depth + 1e-3);
  // The target lies in the middle of the depth, where turning the view keeps things in sight.
  const middle = 0.5 * (depth - largest(points, (p) => -p.dot(z)));
  const target = new Vector3().addScaledVector(x, (right - left) / 2).addScaledVector(y, (top - bottom) / 2).addScaledVector(z, middle);
  return {target, distance: distance - middle};
}
