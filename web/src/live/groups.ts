// Coordinates by the parts of the body that they move.

import {BodyInfo} from '../header';
import {SliderGroup} from './sliders';

interface Part {
  bodies: number[];
  children: Part[];
}

/**
 * Groups of coordinates: one for each chain of bodies from one fork of the tree to the next. Twigs with a single
 * coordinate, a patella, stay with the chain that they are on. A body that is free in space is a group of its own.
 * `bodies[k]` carries coordinate k, −1: none does.
 */
export function groupCoordinates(bodyOf: number[], bodies: BodyInfo[], free: number[]): SliderGroup[] {
  const children = (parent: number): number[] => bodies.flatMap((b, k) => (b.parent === parent ? [k] : []));
  const own = (body: number): number => bodyOf.filter((b) => b === body).length;
  const sizes = new Map<number, number>();
  const size = (body: number): number => {
    const known = sizes.get(body);
    if (known !== undefined) return known;
    const out = children(body).reduce((sum, child) => sum + size(child), own(body));
    sizes.set(body, out);
    return out;
  };
  const whole = (body: number): number[] => [body, ...children(body).flatMap(whole)];
  const chain = (start: number[]): Part => {
    const bodies: number[] = [];
    let next = start;
    for (;;) {
      const boughs = next.filter((k) => size(k) > 1);
      const forks = boughs.length > 1 || boughs.some((k) => free.includes(k) && size(k) > own(k));
      if (forks) {
        bodies.push(...next.filter((k) => !boughs.includes(k)).flatMap(whole));
        return {bodies, children: boughs.map((k) => (free.includes(k) ? {bodies: [k], children: [chain(children(k))]} : chain([k])))};
      }
      bodies.push(...next.filter((k) => !boughs.includes(k)).flatMap(whole), ...boughs);
      if (boughs.length === 0) return {bodies, children: []};
      next = boughs.flatMap(children);
    }
  };
  const out: SliderGroup[] = [];
  const add = (part: Part): void => {
    const members = bodyOf.flatMap((b, k) => (part.bodies.includes(b) ? [k] : []));
    if (members.length > 0) out.push({title: title(members.map((k) => bodies[bodyOf[k] ?? 0]?.name ?? '')), members});
    part.children.forEach(add);
  };
  add(chain(children(-1)));
  const rest = bodyOf.flatMap((_, k) => (out.some((g) => g.members.includes(k)) ? [] : [k]));
  if (rest.length > 0) out.push({title: 'Others', members: rest});
  return out;
}

function title(names: string[]): string {
  const [first = '', last = ''] = [names[0], names[names.length - 1]];
  return first === last ? first : `${first} to ${last}`;
}
