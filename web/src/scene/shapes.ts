// Geometry of solids and surfaces in their own frames.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  LatheGeometry,
  Object3D,
  Quaternion,
  SphereGeometry,
  TorusGeometry,
  Vector2,
  Vector3,
} from 'three';

import {Arrays, Place, Shape, Triple} from '../header';

/** Puts an object where a shape is. */
export function put(object: Object3D, place: Place): void {
  object.position.fromArray(place.position);
  object.quaternion.fromArray(place.quaternion);
}

/** three.js has its cylinders along y, the model along z. */
function alongZ<G extends BufferGeometry>(geometry: G): G {
  geometry.rotateX(Math.PI / 2);
  return geometry;
}

/** `size` stands for the length of what has none. */
export function geometryOf(shape: Shape, arrays: Arrays, size: number): BufferGeometry {
  switch (shape.type) {
    case 'cuboid':
      return new BoxGeometry(...shape.sides);
    case 'sphere':
      return new SphereGeometry(shape.radius, 24, 16);
    case 'cylinder':
      return alongZ(new CylinderGeometry(shape.radius, shape.radius, shape.height ?? size, 24));
    case 'capsule':
      return alongZ(new CapsuleGeometry(shape.radius, shape.height, 12, 28));
    case 'ellipsoid':
      return new SphereGeometry(1, 24, 16).scale(...shape.radii);
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

/** A bone between two points: slender in the middle, round at its ends. */
export function bone(from: Triple, to: Triple): {geometry: BufferGeometry; place: Place} {
  const a = new Vector3(...from);
  const b = new Vector3(...to);
  const length = a.distanceTo(b);
  const thick = Math.min(0.09 * length, 0.035 + 0.02 * length);
  const profile: Vector2[] = [];
  const rows = 28;
  for (let k = 0; k <= rows; ++k) {
    const x = k / rows;
    const waist = 0.5 + 0.5 * Math.pow(Math.abs(2 * x - 1), 3);
    const round = Math.sqrt(Math.max(0, 1 - Math.pow(Math.abs(2 * x - 1), 14)));
    profile.push(new Vector2(Math.max(1e-5, thick * waist * round), (x - 0.5) * length));
  }
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), b.clone().sub(a).normalize());
  const middle = a.add(b).multiplyScalar(0.5);
  return {
    geometry: new LatheGeometry(profile, 12),
    place: {position: middle.toArray(), quaternion: [turn.x, turn.y, turn.z, turn.w]},
  };
}
