// Geometry of solids and surfaces in their own frames.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  LatheGeometry,
  Matrix4,
  Object3D,
  Quaternion,
  SphereGeometry,
  TorusGeometry,
  Vector2,
  Vector3,
} from 'three';

import {Arrays, Place, Shape, Triple} from '../header';
import {Forms} from './crowd';

/** Puts an object at the place of a shape. */
export function put(object: Object3D, place: Place): void {
  object.position.fromArray(place.position);
  object.quaternion.fromArray(place.quaternion);
}

/** Cylinders are along y in three.js, along z in the model. */
function alongZ<G extends BufferGeometry>(geometry: G): G {
  geometry.rotateX(Math.PI / 2);
  return geometry;
}

/** Closed forms that differ only in their three sizes. */
export type Form = 'box' | 'ball' | 'rod' | 'bone' | 'process';

/** `count`: how many there are to draw; few have finer outlines. */
export function formsOf(form: Form, count = 1): Forms {
  const around = count > 50 ? 24 : 44;
  switch (form) {
    case 'box':
      return {fine: new BoxGeometry(), coarse: new BoxGeometry()};
    case 'ball':
      return balls(1, around);
    case 'rod':
      return {fine: rod(around), coarse: rod(12)};
    case 'bone':
      return {fine: bone(28, 12), coarse: bone(7, 6)};
    case 'process':
      return {fine: process(12, 10), coarse: process(2, 5)};
  }
}

/** Balls of a radius, with this number of sides around. */
export function balls(radius: number, around: number): Forms {
  const ball = (n: number): BufferGeometry => new SphereGeometry(radius, n, Math.round(0.6 * n));
  return {fine: ball(around), coarse: ball(Math.max(6, Math.min(14, around / 2)))};
}

function rod(around: number): BufferGeometry {
  return alongZ(new CylinderGeometry(1, 1, 1, around));
}

/** The form and the sizes of a shape that has one; `size` is the length of shapes that have none. */
export function formOf(shape: Shape, size: number): {form: Form; sizes: Triple} | null {
  switch (shape.type) {
    case 'cuboid':
      return {form: 'box', sizes: shape.sides};
    case 'sphere':
      return {form: 'ball', sizes: [shape.radius, shape.radius, shape.radius]};
    case 'ellipsoid':
      return {form: 'ball', sizes: shape.radii};
    case 'cylinder':
      return {form: 'rod', sizes: [shape.radius, shape.radius, shape.height ?? size]};
    default:
      return null;
  }
}

/** The place and size of a form. */
export function matrixOf(place: Place, sizes: Triple): Matrix4 {
  return new Matrix4().compose(new Vector3(...place.position), new Quaternion(...place.quaternion), new Vector3(...sizes));
}

export function geometryOf(shape: Shape, arrays: Arrays, size: number): BufferGeometry {
  const scaled = formOf(shape, size);
  if (scaled) return formsOf(scaled.form).fine.scale(...scaled.sizes);
  switch (shape.type) {
    case 'capsule':
      return alongZ(new CapsuleGeometry(shape.radius, shape.height, 12, 28));
    case 'torus':
      return new TorusGeometry(shape.radius, shape.tube, 20, 56);
    case 'capped-cylinder':
      return cappedCylinder(shape.radius, size);
    case 'double-cylinder':
      return merged(
        shape.circles.map((c) => alongZ(new CylinderGeometry(c.radius, c.radius, size, 24)).translate(c.x, c.y, 0)),
      );
    case 'mesh': {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(arrays.read(shape.vertices).slice(), 3));
      geometry.setIndex(new BufferAttribute(arrays.indices(shape.triangles).slice(), 1));
      geometry.computeVertexNormals();
      return geometry;
    }
    default:
      throw new Error(`no geometry for ${shape.type}`);
  }
}

/** A cylinder along −z with half a ball on its upper end. */
function cappedCylinder(radius: number, length: number): BufferGeometry {
  const profile = [new Vector2(radius, -length)];
  for (let k = 0; k <= 12; ++k) {
    const angle = (k / 12) * (Math.PI / 2);
    profile.push(new Vector2(radius * Math.cos(angle), radius * Math.sin(angle)));
  }
  return alongZ(new LatheGeometry(profile, 40));
}

function merged(parts: BufferGeometry[]): BufferGeometry {
  const flat = parts.map((part) => part.toNonIndexed());
  const join = (name: string): Float32Array => {
    const arrays = flat.map((part) => (part.getAttribute(name) as BufferAttribute).array as Float32Array);
    const out = new Float32Array(arrays.reduce((sum, a) => sum + a.length, 0));
    let at = 0;
    for (const a of arrays) {
      out.set(a, at);
      at += a.length;
    }
    return out;
  };
  const out = new BufferGeometry();
  out.setAttribute('position', new BufferAttribute(join('position'), 3));
  out.setAttribute('normal', new BufferAttribute(join('normal'), 3));
  return out;
}

/** A bone along y: slender in the middle, round at its ends; of length 1, with ends of radius 1. */
function bone(rows: number, around: number): BufferGeometry {
  const profile: Vector2[] = [];
  for (let k = 0; k <= rows; ++k) {
    // Closer at the ends, which are round.
    const x = 0.5 - 0.5 * Math.cos((Math.PI * k) / rows);
    const waist = 0.5 + 0.5 * Math.pow(Math.abs(2 * x - 1), 3);
    const round = Math.sqrt(Math.max(0, 1 - Math.pow(Math.abs(2 * x - 1), 14)));
    profile.push(new Vector2(Math.max(1e-4, waist * round), x - 0.5));
  }
  return new LatheGeometry(profile, around);
}

/** A process of a bone along y: wide at its root, round at its tip. */
function process(rows: number, around: number): BufferGeometry {
  const profile = [new Vector2(1.4, -0.5)];
  for (let k = 1; k < rows; ++k) {
    const x = k / rows;
    profile.push(new Vector2((0.75 + 0.65 * Math.pow(1 - x, 2)) * Math.sqrt(1 - Math.pow(x, 8)), x - 0.5));
  }
  profile.push(new Vector2(1e-4, 0.5));
  return new LatheGeometry(profile, around);
}

/** The place and size of a bone between two points. */
export function boneBetween(from: Triple, to: Triple): Matrix4 {
  const a = new Vector3(...from);
  const b = new Vector3(...to);
  const length = a.distanceTo(b);
  const thick = Math.min(0.09 * length, 0.035 + 0.02 * length);
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), b.clone().sub(a).normalize());
  return new Matrix4().compose(a.add(b).multiplyScalar(0.5), turn, new Vector3(thick, length, thick));
}
