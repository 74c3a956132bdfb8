// Muscles: tubes along their paths, with the width of their mass or with beads of it.

import {
  Color,
  Group,
  InstancedMesh,
  Material,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  SphereGeometry,
  Vector3,
} from 'three';

import {Scale, scaleColor} from '../colors';
import {Run} from '../data';
import {MuscleInfo} from '../header';
import {locate, valueAt} from '../timeline';
import {beadPlaces, beadRadius, belly, massRadius, Path} from './path';
import {Tube} from './tube';

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
const plain = new Color(0xb5373a);

interface Parts {
  info: MuscleInfo;
  index: number;
  offset: number;
  path: Path;
  tube: Tube;
  mesh: Mesh;
  material: MeshStandardMaterial;
  beads: InstancedMesh | null;
  com: Mesh | null;
  places: number[];
  hidden: boolean;
}

export class Muscles {
  readonly group = new Group();
  readonly coms = new Group();
  readonly available: ColorBy[];
  scale: Scale = {low: 0, high: 1, diverging: false};
  /** Ends of scales that are known beforehand. */
  readonly ends: Partial<Record<ColorBy, number>> = {activation: 1};
  private readonly parts: Parts[] = [];
  private readonly stride: number;
  private style: MassStyle = 'width';
  private by: ColorBy = 'plain';

  constructor(
    private readonly run: Run,
    private readonly size: number,
    ghost: Material | null,
  ) {
    const infos = run.info.model.muscles;
    let offset = 0;
    infos.forEach((info, index) => {
      const material = new MeshStandardMaterial({roughness: 0.55, metalness: 0});
      const tube = new Tube(info.points);
      const mesh = new Mesh(tube.geometry, ghost ?? material);
      mesh.frustumCulled = false;
      mesh.name = info.name;
      if (!ghost) mesh.userData = {kind: 'muscle', index};
      this.group.add(mesh);
      const balls = info.mass > 0 && !ghost ? this.makeBeads(info, material) : null;
      if (balls) this.group.add(balls);
      const com = info.mass > 0 && !ghost ? comMark(0.011 * size, 0xd02f2f) : null;
      if (com) this.coms.add(com);
      this.parts.push({
        info, index, offset, tube, mesh, material, com, beads: balls, hidden: false,
        path: new Path(info.points), places: info.mass > 0 ? beadPlaces(info, beads) : [],
      });
      offset += 3 * info.points;
    });
    this.stride = offset;
    this.available = this.findColors();
    this.colorBy(this.available[0] ?? 'plain');
  }

  get meshes(): Mesh[] {
    return this.parts.map((part) => part.mesh);
  }
  get colored(): ColorBy {
    return this.by;
  }
  material(index: number): MeshStandardMaterial | undefined {
    return this.parts[index]?.material;
  }

  setStyle(style: MassStyle): void {
    this.style = style;
  }

  /** Leaves muscles out of the picture, or takes them back. */
  hide(indices: number[], hidden: boolean): void {
    for (const index of indices) {
      const part = this.parts[index];
      if (part) part.hidden = hidden;
    }
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
    this.scale = {low, high: Math.max(high, low + 1e-12), diverging: by === 'strain'};
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
    for (const one of this.parts) {
      for (const mesh of [one.mesh, one.beads, one.com]) if (mesh) mesh.visible = !one.hidden;
      if (one.hidden) continue;
      const from = k * this.stride + one.offset;
      const to = Math.min(last, k + 1) * this.stride + one.offset;
      one.path.set(this.run.points, from, to, part, one.info.points);
      this.draw(one, time);
      if (one.com) this.placeCom(one.com.position, one.index, k, part);
    }
  }

  private draw(one: Parts, time: number): void {
    const {info, path} = one;
    const L = path.length;
    const thin = (info.mass > 0 ? 0.0035 : 0.006) * this.size;
    const {begin, length} = belly(info, L);
    const wide = this.style === 'width' && info.mass > 0;
    const taper = 0.015 * L;
    const marks = wide ? [begin - taper, begin, begin + length, begin + length + taper] : [];
    one.tube.update(path, marks, (s) => (wide ? Math.max(thin, massRadius(info, L, s)) : thin));
    if (this.by === 'plain') one.material.color.copy(plain);
    else scaleColor(this.scale, this.value(one.index, time), one.material.color);
    if (!one.beads) return;
    one.beads.visible = this.style === 'beads';
    if (!one.beads.visible) return;
    const x = new Float32Array(3);
    const matrix = new Matrix4();
    one.places.forEach((beta, k) => {
      path.point(begin + beta * length, x, 0);
      one.beads?.setMatrixAt(k, matrix.makeTranslation(x[0] ?? 0, x[1] ?? 0, x[2] ?? 0));
    });
    one.beads.instanceMatrix.needsUpdate = true;
  }

  private placeCom(out: Vector3, index: number, k: number, part: number): void {
    const n = this.parts.length;
    const at = (frame: number, axis: number): number => this.run.coms[3 * (frame * n + index) + axis] ?? 0;
    const next = Math.min(this.run.times.length - 1, k + 1);
    out.set(
      at(k, 0) + part * (at(next, 0) - at(k, 0)),
      at(k, 1) + part * (at(next, 1) - at(k, 1)),
      at(k, 2) + part * (at(next, 2) - at(k, 2)),
    );
  }

  private makeBeads(info: MuscleInfo, material: MeshStandardMaterial): InstancedMesh {
    const ball = new SphereGeometry(beadRadius(info.mass / beads), 16, 12);
    const out = new InstancedMesh(ball, material, beads);
    out.frustumCulled = false;
    out.visible = false;
    return out;
  }

  private findColors(): ColorBy[] {
    const out: ColorBy[] = [];
    const varies = (group: string): boolean =>
      this.run.groups.some((g) => g.id === group && g.curves.some((c) => c.values.some((v) => Math.abs(v) > 1e-9)));
    if (varies('muscle-activation')) out.push('activation');
    if (varies('muscle-tension')) out.push('tension');
    if (this.run.length.length > 0) out.push('strain');
    if (this.run.kinetic.some((v) => v > 0)) out.push('kinetic');
    out.push('plain');
    return out;
  }
}

/** A small ball that marks a centre of mass, seen through everything. */
export function comMark(radius: number, color: number): Mesh {
  const material = new MeshStandardMaterial({color, depthTest: false, transparent: true, opacity: 0.9, roughness: 0.4});
  const out = new Mesh(new SphereGeometry(radius, 16, 12), material);
  out.renderOrder = 10;
  return out;
}
