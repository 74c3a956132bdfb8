// Wheels with a groove for each pulley and drum that strands run around.

import {BufferGeometry, CylinderGeometry, LatheGeometry, Vector2} from 'three';
import {mergeGeometries} from 'three/examples/jsm/utils/BufferGeometryUtils.js';

/** A wheel about z whose groove holds the inner half of a rope of radius `rope`, its middle at `radius`. Holes show how it turns. */
export function wheel(radius: number, rope: number): {wheel: BufferGeometry; holes: BufferGeometry} {
  const half = 1.9 * rope;
  const [bottom, flange] = [Math.max(0.3 * radius, radius - rope), radius + 0.1 * rope];
  const profile: [number, number][] = [
    [0, -0.7 * half], [0.72 * bottom, -0.7 * half], [0.78 * bottom, -half], [flange, -half], [flange, -0.62 * half], [bottom, -0.3 * half],
    [bottom, 0.3 * half], [flange, 0.62 * half], [flange, half], [0.78 * bottom, half], [0.72 * bottom, 0.7 * half], [0, 0.7 * half],
  ];
  // Corners are sharp: each face of the profile has its own rings.
  const faces = profile.slice(1).map((to, k) => new LatheGeometry([new Vector2(...profile[k]!), new Vector2(...to)], 56));
  const hole = (k: number): BufferGeometry => {
    const angle = (2 * Math.PI * k) / 5;
    const at = 0.46 * bottom;
    return new CylinderGeometry(0.13 * bottom, 0.13 * bottom, 1.43 * half, 20).translate(at * Math.cos(angle), 0, at * Math.sin(angle));
  };
  const axle = new CylinderGeometry(0.1 * bottom, 0.1 * bottom, 2.2 * half, 20);
  const upright = (parts: BufferGeometry[]): BufferGeometry => mergeGeometries(parts).rotateX(Math.PI / 2);
  return {wheel: upright(faces), holes: upright([...[0, 1, 2, 3, 4].map(hole), axle])};
}
