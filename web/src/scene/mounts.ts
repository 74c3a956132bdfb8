// What muscles are fixed to where no bone is drawn: a process of the bone or, on the world, of the nearest joint.

import {Box3, BufferAttribute, BufferGeometry, Line3, Matrix4, Mesh, Quaternion, Triangle, Vector3} from 'three';

import {Run} from '../data';
import {Shape, Triple} from '../header';
import {holding} from './extent';
import {Path} from './path';
import {boneBetween, Form, geometryOf, put} from './shapes';

export interface Mount {
  form: Form;
  body: number;
  place: Matrix4;
}

/** Ends of muscles farther than this from their bones, in sizes of the model, would hang in the air. */
const near = 0.004;

export function mountsOf(run: Run, size: number): Mount[] {
  const {anchors, muscles, bodies, fixed} = run.info.model;
  const bones = new Map<number, Bone>();
  const out: Mount[] = [];
  const known = new Set<string>();
  let offset = 0;
  muscles.forEach((info, index) => {
    const path = new Path(info.points);
    path.set(run.points, offset, offset, 0, info.points);
    offset += 3 * info.points;
    const own = anchors.filter((anchor) => anchor.muscle === index);
    for (const [end, anchor] of [own[0], own[own.length - 1]].entries()) {
      if (!anchor || !('body' in anchor) || path.count < 2) continue;
      const {body, position} = anchor;
      const key = `${body} ${position.map((x) => x.toFixed(4)).join(' ')}`;
      if (known.has(key)) continue;
      known.add(key);
      if (!bones.has(body)) bones.set(body, new Bone(bodies[body]?.shapes ?? fixed, bodies[body]?.sticks ?? [], run));
      const at = new Vector3(...position);
      const bone = bones.get(body) as Bone;
      const nearest = bone.nearest(at);
      if (bone.holds(at) || nearest?.distanceTo(at)! < near * size) continue;
      // A little into the bone; on the world, from where a body hangs.
      const root = nearest && nearest.distanceTo(at) < 0.8 * size ? into(nearest, at, 0.006 * size) : body < 0 ? hanger(run, at) : null;
      if (root && root.distanceTo(at) < 0.8 * size) {
        out.push({form: 'process', body, place: stub(root, at, size)});
      } else if (body < 0) {
        const way = path.point(end === 0 ? 0.02 * path.length : 0.98 * path.length, new Vector3());
        out.push({form: 'rod', body, place: plate(at, way.sub(at).normalize(), size)});
      }
    }
  });
  return out;
}

/** Beyond a point as seen from another one. */
function into(point: Vector3, from: Vector3, by: number): Vector3 {
  const way = point.clone().sub(from);
  return point.clone().addScaledVector(way.normalize(), by);
}

/** The nearest place where a body hangs on the world. */
function hanger(run: Run, x: Vector3): Vector3 | null {
  let out: Vector3 | null = null;
  for (const {parent, joint} of run.info.model.bodies) {
    const at = new Vector3(...joint.position);
    if (parent < 0 && holding.test(joint.type) && !(out && out.distanceTo(x) <= at.distanceTo(x))) out = at;
  }
  return out;
}

/** A process of the same thickness however long it is; `to` is its tip. */
function stub(from: Vector3, to: Vector3, size: number): Matrix4 {
  const place = boneBetween(from.toArray() as Triple, to.toArray() as Triple);
  const [x, turn, scale] = [new Vector3(), new Quaternion(), new Vector3()];
  place.decompose(x, turn, scale);
  const thick = Math.max(0.004 * size, Math.min(0.01 * size, 0.2 * scale.y));
  return place.compose(x, turn, scale.set(thick, scale.y + thick, thick));
}

/** A disc that the muscle leaves along `way`. */
function plate(at: Vector3, way: Vector3, size: number): Matrix4 {
  const [radius, height] = [0.022 * size, 0.008 * size];
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), way);
  return new Matrix4().compose(at.clone().addScaledVector(way, -0.5 * height), turn, new Vector3(radius, radius, height));
}

/** The surface of a body in its own frame. */
class Bone {
  private readonly triangles: Triangle[] = [];
  private readonly box = new Box3();

  constructor(
    shapes: Shape[],
    private readonly sticks: [Triple, Triple][],
    run: Run,
  ) {
    for (const shape of shapes) {
      const mesh = new Mesh(geometryOf(shape, run.arrays, 0));
      put(mesh, shape);
      mesh.updateMatrixWorld();
      this.take(mesh.geometry, mesh.matrixWorld);
    }
  }

  nearest(x: Vector3): Vector3 | null {
    let [least, out] = [Infinity, null as Vector3 | null];
    const point = new Vector3();
    const offer = (p: Vector3): void => {
      const distance = p.distanceToSquared(x);
      if (distance < least) [least, out] = [distance, p.clone()];
    };
    for (const triangle of this.triangles) offer(triangle.closestPointToPoint(x, point));
    for (const [a, b] of this.sticks) offer(new Line3(new Vector3(...a), new Vector3(...b)).closestPointToPoint(x, true, point));
    return out;
  }

  /** Whether a point is inside: a ray from it leaves more often than it enters. */
  holds(x: Vector3): boolean {
    if (!this.box.containsPoint(x)) return false;
    let crossings = 0;
    const [a, b, n] = [new Vector3(), new Vector3(), new Vector3()];
    for (const t of this.triangles) {
      a.subVectors(t.b, t.a);
      b.subVectors(t.c, t.a);
      // Along a direction that no edge has.
      n.crossVectors(skew, b);
      const det = a.dot(n);
      if (Math.abs(det) < 1e-15) continue;
      const from = x.clone().sub(t.a);
      const u = from.dot(n) / det;
      const q = from.cross(a);
      const v = skew.dot(q) / det;
      if (u >= 0 && v >= 0 && u + v <= 1 && b.dot(q) / det > 0) crossings += det > 0 ? -1 : 1;
    }
    return crossings > 0;
  }

  private take(geometry: BufferGeometry, place: Matrix4): void {
    const position = geometry.getAttribute('position') as BufferAttribute;
    const {index} = geometry;
    const count = index ? index.count : position.count;
    const corner = (k: number): Vector3 => {
      const out = new Vector3().fromBufferAttribute(position, index ? index.getX(k) : k).applyMatrix4(place);
      this.box.expandByPoint(out);
      return out;
    };
    for (let k = 0; k + 2 < count; k += 3) this.triangles.push(new Triangle(corner(k), corner(k + 1), corner(k + 2)));
  }
}

const skew = new Vector3(0.5377, 0.6121, 0.5797);
