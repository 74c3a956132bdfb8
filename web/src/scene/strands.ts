// Strands as tubes: coloured by tension, with dashes that go with the material.

import {Color, Group, Material, Mesh, Vector3} from 'three';

import {Scale, scaleColor} from '../colors';
import {Run} from '../data';
import {StrandInfo} from '../header';
import {locate, valueAt} from '../timeline';
import {Detail} from './crowd';
import {dashedMaterial} from './dashes';
import {light, Target} from './selection';
import {Rings, Tubes} from './tube';

/** Radius of the tubes, and the length of a dash with its gap, in parts of the model's size. */
export const strandRadius = 0.0045;
const dash = 0.05;

/** Tensions below this part of the scale are none: the strand is slack. */
const none = 1e-4;
/** A tension this many times as large as 95 % of all are is a jerk, which the scale leaves out. */
const jerk = 2.5;
export const slackColor = new Color(0x8f959b);
/** A constraint that keeps a length can push, which no strand does. */
export const pushColor = new Color(0x3aa0ff);
const unknownColor = new Color(0xb5654a);

interface Curve {
  times: Float32Array;
  values: Float32Array;
}

interface Part {
  info: StrandInfo;
  /** The first point of its line in a frame, and its first node. */
  point: number;
  node: number;
  rings: Rings;
  /** Length of a dash with its gap [m]; those of a closed strand fit into it. */
  period: number;
  /** Tensions of each piece, before and behind its guide. */
  tensions: [Curve | null, Curve | null][];
}

export class Strands {
  readonly group = new Group();
  readonly tubes: Tubes;
  /** One scale for the whole run. That of a live page grows. */
  readonly scale: Scale = {low: 0, high: 0, colors: 'tension'};
  onScale: () => void = () => {};
  /** Whether some tensions are beyond it. */
  exceeded = false;
  private readonly parts: Part[] = [];
  private readonly stride: number;
  private readonly nodes: number;
  private readonly live: boolean;
  private selected = -1;

  constructor(
    private readonly run: Run,
    private readonly size: number,
    ghost: Material | null,
  ) {
    const {lines, strands} = run.info.model;
    this.live = run.times.length < 2;
    const first: number[] = [];
    this.stride = lines.reduce((sum, line) => first.push(sum) && sum + 3 * line.points, 0);
    let node = 0;
    for (const info of strands) {
      const curve = (name: string | null): Curve | null => (name === null ? null : run.curve('strand-tension', name));
      const points = lines[info.line]?.points ?? 0;
      const wanted = dash * size;
      this.parts.push({
        info, node,
        point: first[info.line] ?? 0,
        // A node has two: the tension may be another one on each side.
        rings: new Rings(points + info.nodes.length, true),
        period: info.closed ? info.length / Math.max(1, Math.round(info.length / wanted)) : wanted,
        tensions: info.tensions.map(([before, behind]) => [curve(before), curve(behind)]),
      });
      node += info.nodes.length;
    }
    this.nodes = node;
    this.tubes = new Tubes(this.parts.map((part) => part.rings.most));
    if (this.live) this.grow(0);
    else this.measure();
    if (strands.length === 0) return;
    const mesh = new Mesh(this.tubes.geometry, ghost ?? dashedMaterial());
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = !ghost;
    const pick: Target['pick'] = (hit) => ({kind: 'strand', index: this.tubes.tubeOf(hit.faceIndex ?? -1)});
    if (!ghost) mesh.userData = {kind: 'strand', pick} satisfies Target;
    this.group.add(mesh);
  }

  setDetail(detail: Detail): void {
    this.tubes.setDetail(detail);
  }

  highlight(index: number): void {
    this.selected = index;
  }

  /** Whether a constraint pushes anywhere in the run. */
  get pushes(): boolean {
    return this.scale.low < 0;
  }

  /** Tensions along a strand at a time: of all its pieces, where they are known. */
  tensions(index: number, time: number): number[] {
    return (this.parts[index]?.tensions ?? []).flatMap(([before, behind]) =>
      [before, behind].flatMap((curve) => (curve ? [valueAt(curve.times, curve.values, time)] : [])));
  }

  /** The material at a node [m of rest length from the start of its strand]; `node` counts along the strand. */
  material(strand: number, node: number, time: number): number {
    const {k, part} = locate(this.run.times, time);
    const at = (frame: number): number => this.run.material[frame * this.nodes + (this.parts[strand]?.node ?? 0) + node] ?? NaN;
    const next = Math.min(this.run.times.length - 1, k + 1);
    return at(k) + part * (at(next) - at(k));
  }

  /** Where a node is. */
  position(strand: number, node: number, time: number, out: Vector3): Vector3 {
    const one = this.parts[strand];
    const {k, part} = locate(this.run.times, time);
    const next = Math.min(this.run.times.length - 1, k + 1);
    const at = (one?.point ?? 0) + 3 * (one?.info.nodes[node]?.point ?? 0);
    return out.fromArray(this.run.lines, k * this.stride + at).lerp(other.fromArray(this.run.lines, next * this.stride + at), part);
  }

  /** Red, green and blue of a tension, as screens take them. */
  colorOf(tension: number | null): number[] {
    return this.paint(tension, new Color()).convertLinearToSRGB().toArray();
  }

  update(time: number): void {
    if (this.live) this.grow(time);
    this.tubes.begin();
    this.parts.forEach((part, index) => {
      this.fill(part, index, time);
      part.rings.align(anySide);
      this.tubes.add(index, part.rings, slackColor);
    });
    this.tubes.end();
  }

  /** The scale of a run: up to its largest tension, unless that is a short jerk. */
  private measure(): void {
    const curves = new Set(this.parts.flatMap((part) => part.tensions.flat().filter((curve) => curve !== null)));
    const pulls = [...curves].flatMap(({values}) => Array.from(values).filter((value) => value > 0)).sort((a, b) => a - b);
    const most = pulls[pulls.length - 1] ?? 0;
    const usual = pulls[Math.floor(0.95 * pulls.length)] ?? 0;
    this.exceeded = most > jerk * usual;
    this.scale.high = this.exceeded ? roundUp(usual) : most;
    const least = [...curves].reduce((low, {values}) => values.reduce((a, b) => Math.min(a, b), low), 0);
    if (least < -none * this.scale.high) this.scale.low = least;
  }

  /** What is not known beforehand grows, in steps that a reader can follow. */
  private grow(time: number): void {
    const {scale} = this;
    const now = [...this.parts.keys()].flatMap((index) => this.tensions(index, time));
    const [low, high] = [Math.min(scale.low, ...now), Math.max(scale.high, ...now)];
    if (high <= scale.high && (low >= scale.low || low > -none * scale.high)) return;
    if (high > scale.high) scale.high = roundUp(high);
    if (low < -none * scale.high) scale.low = low;
    this.onScale();
  }

  /** Rings along all pieces, with the material and the colour at each. */
  private fill(one: Part, index: number, time: number): void {
    const {info, rings, tensions, period} = one;
    const {k, part} = locate(this.run.times, time);
    const next = Math.min(this.run.times.length - 1, k + 1);
    const [from, to] = [k * this.stride + one.point, next * this.stride + one.point];
    const data = this.run.lines;
    const color = new Color();
    rings.count = 0;
    for (let piece = 0; piece + 1 < info.nodes.length; ++piece) {
      const [a, b] = [info.nodes[piece]!.point, info.nodes[piece + 1]!.point];
      const [s0, s1] = [this.material(index, piece, time), this.material(index, piece + 1, time)];
      const [before, behind] = (tensions[piece] ?? [null, null]).map((curve) => curve && valueAt(curve.times, curve.values, time));
      const first = rings.count;
      let length = 0;
      for (let p = a; p <= b; ++p) {
        const at = 3 * rings.count;
        for (let axis = 0; axis < 3; ++axis) {
          const x = data[from + 3 * p + axis]!;
          rings.x[at + axis] = x + part * (data[to + 3 * p + axis]! - x);
        }
        const step = p === a ? 0 : Math.hypot(...[0, 1, 2].map((axis) => rings.x[at + axis]! - rings.x[at + axis - 3]!));
        // Below the resolution of 16 bits.
        if (p > a && p < b && step < 2e-5 * this.size) continue;
        length += step;
        rings.belly[rings.count] = length;
        rings.radius[rings.count] = strandRadius * this.size;
        // Around a guide the tension changes between the points where it is met and left.
        const share = b - a > 2 ? Math.min(1, Math.max(0, (p - a - 1) / (b - a - 2))) : p === a ? 0 : 1;
        this.paint(before == null || behind == null ? null : before + share * (behind - before), color);
        if (index === this.selected) color.add(light);
        color.toArray(rings.color!, at);
        ++rings.count;
      }
      for (let ring = first; ring < rings.count; ++ring)
        rings.belly[ring] = (s0 + (length > 0 ? (rings.belly[ring]! / length) * (s1 - s0) : 0)) / period;
    }
  }

  private paint(tension: number | null, out: Color): Color {
    if (tension === null) return out.copy(unknownColor);
    if (Math.abs(tension) <= none * this.scale.high) return out.copy(slackColor);
    if (tension < 0) return out.copy(pushColor);
    return scaleColor({...this.scale, low: 0}, tension, out);
  }
}

const anySide = new Vector3(0, 0, 1);
const other = new Vector3();

/** 1, 2 or 5 times a power of ten, not below x. */
function roundUp(x: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(x)));
  return power * ([1, 2, 5, 10].find((digit) => digit * power >= x * (1 - 1e-9)) ?? 10);
}
