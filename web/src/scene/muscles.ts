// Muscles along their paths: spindles with the volume of their flesh between tendons, or beads of their mass.

import {Color, Group, Material, Matrix4, Mesh, MeshStandardMaterial, Quaternion, Vector3} from 'three';

import {Scale, scaleColor} from '../colors';
import {Run} from '../data';
import {MuscleInfo} from '../header';
import {locate, valueAt} from '../timeline';
import {Crowd, Detail, Member} from './crowd';
import {fleshMaterial, muscleRed} from './flesh';
import {Neighbours} from './neighbours';
import {beadPlaces, beadRadius, Path} from './path';
import {light, Target} from './selection';
import {balls} from './shapes';
import {bellyRings, Spindle} from './spindle';
import {Tubes} from './tube';

export type MassStyle = 'width' | 'beads' | 'line';
export type ColorBy = 'tension' | 'activation' | 'strain' | 'kinetic' | 'plain';

export const colorNames: Record<ColorBy, {title: string; quantity: string}> = {
  tension: {title: 'Tension', quantity: 'force'},
  activation: {title: 'Activation', quantity: 'ratio'},
  strain: {title: 'Length change since the start', quantity: 'percent'},
  kinetic: {title: 'Kinetic energy', quantity: 'energy'},
  plain: {title: 'One colour', quantity: 'number'},
};

const beads = 14;
const muscleCom = new Color(0xd02f2f);

interface Part {
  info: MuscleInfo;
  index: number;
  offset: number;
  path: Path;
  spindle: Spindle;
  color: Color;
  /** A body that it begins on, and a direction of it across the muscle: fibres turn with the bone. */
  body: number;
  side: Vector3;
  /** Muscles with mass only: their beads, and the places of these on the belly. */
  beads: Member[];
  places: number[];
  com: Member | null;
}

export class Muscles {
  readonly group = new Group();
  readonly coms: Crowd;
  readonly available: ColorBy[];
  scale: Scale = {low: 0, high: 1, colors: 'heat'};
  /** Ends of scales that are known beforehand. */
  readonly ends: Partial<Record<ColorBy, number>> = {activation: 1};
  private readonly parts: Part[] = [];
  readonly tubes: Tubes;
  private readonly neighbours: Neighbours;
  private detail: Detail = 'fine';
  private readonly beads: Crowd;
  private readonly stride: number;
  private style: MassStyle = 'width';
  private by: ColorBy = 'plain';
  private selected = -1;

  constructor(
    private readonly run: Run,
    private readonly size: number,
    ghost: Material | null,
  ) {
    const infos = run.info.model.muscles;
    let offset = 0;
    infos.forEach((info, index) => {
      const massive = info.mass > 0 && !ghost;
      const color = muscleRed.clone();
      const path = new Path(info.points);
      path.set(run.points, offset, offset, 0, info.points);
      const bead = (): Member => ({body: -1, place: new Matrix4(), color, item: {kind: 'muscle', index}});
      this.parts.push({
        info, index, offset, color, path,
        spindle: new Spindle(info, size, path.length),
        ...this.attach(index, path),
        beads: massive ? Array.from({length: beads}, bead) : [],
        places: massive ? beadPlaces(info, beads) : [],
        com: massive ? {body: -1, place: new Matrix4(), color: muscleCom} : null,
      });
      offset += 3 * info.points;
    });
    this.stride = offset;
    this.tubes = new Tubes(this.parts.map((part) => part.spindle.rings.most));
    this.neighbours = new Neighbours(this.parts.map((part) => part.spindle));
    const mesh = new Mesh(this.tubes.geometry, ghost ?? fleshMaterial());
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = !ghost;
    const pick: Target['pick'] = (hit) => ({kind: 'muscle', index: this.tubes.tubeOf(hit.faceIndex ?? -1)});
    if (!ghost) mesh.userData = {kind: 'muscle', pick} satisfies Target;
    this.beads = new Crowd(balls(1, 16), new MeshStandardMaterial({roughness: 0.55}), this.parts.flatMap((part) => part.beads));
    this.coms = comMarks(1, this.parts.flatMap((part) => part.com ?? []));
    if (infos.length > 0) this.group.add(mesh, this.beads.mesh);
    this.available = this.findColors();
    this.colorBy(this.available[0] ?? 'plain');
  }

  setDetail(detail: Detail): void {
    this.detail = detail;
    this.tubes.setDetail(detail);
    this.beads.setDetail(detail);
  }

  /** The number of muscles in the picture. */
  get drawn(): number {
    return this.parts.filter((part) => part.path.count > 1).length;
  }
  get colored(): ColorBy {
    return this.by;
  }

  /** Gives more light to one muscle; −1: to none. */
  highlight(index: number): void {
    for (const k of [this.selected, index]) {
      const part = this.parts[k];
      if (part) this.tubes.paint(k, k === index ? part.color.clone().add(light) : part.color);
    }
    this.selected = index;
    this.beads.highlight({kind: 'muscle', index});
  }

  setStyle(style: MassStyle): void {
    this.style = style;
  }

  /** One scale for the whole run, so that colours can be compared over time. */
  colorBy(by: ColorBy): void {
    this.by = by;
    let [low, high] = [Infinity, -Infinity];
    for (const part of this.parts)
      for (const t of this.run.times) {
        const value = this.value(part.index, t);
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    if (by === 'strain') {
      high = Math.max(Math.abs(low), Math.abs(high), 1e-6);
      low = -high;
    } else {
      low = Math.min(0, low);
    }
    high = this.ends[by] ?? high;
    const colors = by === 'strain' ? 'diverging' : by === 'activation' ? 'activation' : 'heat';
    this.scale = {low, high: Math.max(high, low + 1e-12), colors};
  }

  value(index: number, time: number, by: ColorBy = this.by): number {
    const n = this.parts.length;
    const name = this.parts[index]?.info.name ?? '';
    const frames = (data: Float32Array): number => {
      const {k, part} = locate(this.run.times, time);
      const a = data[k * n + index] ?? 0;
      return a + part * ((data[(k + 1) * n + index] ?? a) - a);
    };
    switch (by) {
      case 'kinetic':
        return frames(this.run.kinetic);
      case 'strain':
        return 100 * (frames(this.run.length) / (this.run.length[index] ?? 1) - 1);
      case 'tension':
      case 'activation': {
        const curve = this.run.curve(`muscle-${by}`, name);
        return curve ? valueAt(curve.times, curve.values, time) : 0;
      }
      case 'plain':
        return 0;
    }
  }

  update(time: number): void {
    const {k, part} = locate(this.run.times, time);
    const last = this.run.times.length - 1;
    const side = new Vector3();
    this.tubes.begin();
    for (const one of this.parts) {
      const from = k * this.stride + one.offset;
      const to = Math.min(last, k + 1) * this.stride + one.offset;
      one.path.set(this.run.points, from, to, part, one.info.points);
      const {spindle} = one;
      spindle.rings.count = 0;
      if (one.path.count < 2) continue;
      spindle.follow(one.path, bellyRings[this.detail]);
      spindle.shape();
      spindle.rings.align(this.sideOf(one, k, side));
    }
    const wide = this.style === 'width';
    if (wide) this.neighbours.part();
    for (const one of this.parts) {
      if (one.spindle.rings.count > 0) this.draw(one, time, wide, this.sideOf(one, k, side));
      this.placeBeads(one);
      if (one.com) this.placeCom(one.com, this.comAt(one.index, k, part));
    }
    this.tubes.end();
    this.beads.mesh.visible = this.style === 'beads';
    this.beads.update([]);
    if (this.beads.mesh.visible) this.beads.highlight({kind: 'muscle', index: this.selected});
  }

  /** Red, green and blue of a value on the present scale, as screens take them. */
  colorOf(value: number): number[] {
    return scaleColor(this.scale, value, new Color()).convertLinearToSRGB().toArray();
  }

  /** Rings of a muscle's belly in the geometry, for tests: the first, the number, and corners of each. */
  bellyOf(index: number): {first: number; count: number; sides: number; volume: number} {
    const {spindle} = this.parts[index] as Part;
    const {first, sides} = this.tubes.ringsOf(index);
    // The ring of no size at the end comes first.
    return {first: first + 1 + spindle.first, count: spindle.last - spindle.first + 1, sides, volume: spindle.volume};
  }

  private draw(one: Part, time: number, wide: boolean, side: Vector3): void {
    const {spindle} = one;
    const {rings} = spindle;
    if (wide) {
      spindle.makeRoom();
      rings.align(side);
      spindle.fill(this.tubes.area);
    } else {
      rings.radius.fill(spindle.thin, 0, rings.count);
    }
    if (this.by === 'plain') one.color.copy(muscleRed);
    else scaleColor(this.scale, this.value(one.index, time), one.color);
    this.tubes.add(one.index, rings, one.index === this.selected ? one.color.clone().add(light) : one.color);
  }

  private sideOf({body, side}: Part, frame: number, out: Vector3): Vector3 {
    const n = this.run.info.model.bodies.length;
    out.copy(side);
    return body < 0 ? out : out.applyQuaternion(turn.fromArray(this.run.bodies, 7 * (frame * n + body) + 3).normalize());
  }

  /** The body that a muscle begins on, and a direction of it that is across the muscle at first. */
  private attach(muscle: number, path: Path): {body: number; side: Vector3} {
    const anchor = this.run.info.model.anchors.find((one) => one.muscle === muscle);
    const body = anchor && 'body' in anchor ? anchor.body : -1;
    const way = path.point(path.length, new Vector3()).sub(path.point(0, new Vector3()));
    const axis = [Math.abs(way.x), Math.abs(way.y), Math.abs(way.z)];
    const least = axis.indexOf(Math.min(...axis));
    const side = new Vector3().setComponent(least, 1);
    if (body >= 0) side.applyQuaternion(turn.fromArray(this.run.bodies, 7 * body + 3).normalize().invert());
    return {body, side};
  }

  /** Zero stands for none: the mass is on the bones. */
  private placeCom(com: Member, at: Vector3): void {
    placeBall(com, at, at.lengthSq() > 0 ? 0.011 * this.size : 0);
  }

  private placeBeads({info, path, spindle, beads: balls, places}: Part): void {
    if (this.style !== 'beads') return;
    const {begin, length} = spindle.place(path.length);
    const radius = beadRadius(info.mass / beads);
    const x = new Vector3();
    balls.forEach((ball, k) => placeBall(ball, path.point(begin + (places[k] ?? 0) * length, x), radius));
  }

  private comAt(index: number, k: number, part: number): Vector3 {
    const n = this.parts.length;
    const next = Math.min(this.run.times.length - 1, k + 1);
    const at = (frame: number): Vector3 => new Vector3().fromArray(this.run.coms, 3 * (frame * n + index));
    return at(k).lerp(at(next), part);
  }

  private findColors(): ColorBy[] {
    const out: ColorBy[] = [];
    const varies = (group: string): boolean =>
      this.run.groups.some((g) => g.id === group && g.curves.some((c) => c.values.some((v) => Math.abs(v) > 1e-9)));
    if (varies('muscle-activation')) out.push('activation');
    out.push('plain');
    if (varies('muscle-tension')) out.push('tension');
    if (this.run.length.length > 0) out.push('strain');
    if (this.run.kinetic.some((v) => v > 0)) out.push('kinetic');
    return out;
  }
}

const turn = new Quaternion();

/** Balls that mark centres of mass are seen through everything. */
export function comMarks(radius: number, members: Member[]): Crowd {
  const material = new MeshStandardMaterial({depthTest: false, transparent: true, opacity: 0.9, roughness: 0.4});
  const out = new Crowd(balls(radius, 16), material, members);
  out.mesh.renderOrder = 10;
  return out;
}

function placeBall(ball: Member, x: Vector3, radius: number): void {
  ball.place.makeScale(radius, radius, radius).setPosition(x);
}
