// A run with its arrays decoded, and the curves that plots and tables need.

import {Arrays, RunInfo} from './header';

export interface Curve {
  name: string;
  quantity: string;
  values: Float32Array;
}

export interface Group {
  id: string;
  title: string;
  section: string;
  /** Name and quantity of the abscissa: time, or a coordinate. */
  x: {name: string; quantity: string; values: Float32Array};
  /** Points instead of lines, where the abscissa is not time. */
  points: boolean;
  curves: Curve[];
}

export class Run {
  readonly times: Float32Array;
  readonly bodies: Float32Array;
  readonly points: Float32Array;
  readonly anchors: Float32Array;
  readonly deforming: Float32Array[];
  readonly lines: Float32Array;
  readonly material: Float32Array;
  readonly coms: Float32Array;
  readonly kinetic: Float32Array;
  readonly length: Float32Array;
  readonly groups: Group[];

  constructor(
    readonly info: RunInfo,
    readonly arrays: Arrays,
  ) {
    const frames = info.frames;
    const read = (ref: typeof frames.points): Float32Array => (ref ? arrays.read(ref) : new Float32Array());
    this.times = arrays.read(frames.time);
    this.bodies = arrays.read(frames.bodies);
    this.points = read(frames.points);
    this.anchors = read(frames.anchors);
    this.deforming = (frames.deforming ?? []).map((ref) => arrays.read(ref));
    this.lines = read(frames.lines);
    this.material = read(frames.material);
    this.coms = read(frames.coms);
    this.kinetic = read(frames.kinetic);
    this.length = read(frames.length);
    // A live page has one frame, which changes; copies of it would not change.
    this.groups = [...this.tableGroups(), ...(this.times.length > 1 ? this.frameGroups() : [])];
  }

  get name(): string {
    return this.info.title || this.info.name;
  }

  curve(group: string, name: string): {times: Float32Array; values: Float32Array} | null {
    const found = this.groups.find((g) => g.id === group);
    const curve = found?.curves.find((c) => c.name === name);
    return found && curve ? {times: found.x.values, values: curve.values} : null;
  }

  private tableGroups(): Group[] {
    const series = this.info.series;
    const time = {name: 'time', quantity: 'time', values: this.arrays.read(series.time)};
    return series.groups.map((group) => ({
      id: group.id,
      title: group.title,
      section: group.section ?? '',
      x: time,
      points: false,
      curves: group.columns.map((c) => ({name: c.name, quantity: c.quantity, values: this.arrays.read(c.values)})),
    }));
  }

  /** Quantities evaluated frame by frame: kinetic energies of muscles, moment arms against angles. */
  private frameGroups(): Group[] {
    const muscles = this.info.model.muscles;
    const out: Group[] = [];
    const massive = muscles.map((m, k) => ({m, k})).filter(({m}) => m.mass > 0);
    if (massive.length > 0)
      out.push({
        id: 'muscle-kinetic',
        title: 'Kinetic energy of muscles',
        section: '',
        x: {name: 'time', quantity: 'time', values: this.times},
        points: false,
        curves: massive.map(({m, k}) => ({
          name: m.name,
          quantity: 'energy',
          values: this.times.map((_, frame) => this.kinetic[frame * muscles.length + k] ?? NaN),
        })),
      });
    const arms = this.info.frames.arms ?? [];
    for (const coordinate of new Set(arms.map((arm) => arm.coordinate))) {
      const curve = this.coordinateAtFrames(coordinate);
      if (!curve) continue;
      out.push({
        id: `arms-${coordinate}`,
        title: `Moment arms about ${coordinate}`,
        section: 'Moment arms',
        x: {name: coordinate, quantity: curve.quantity, values: curve.values},
        points: true,
        curves: arms
          .filter((arm) => arm.coordinate === coordinate)
          .map((arm) => ({
            name: muscles[arm.muscle]?.name ?? '',
            quantity: curve.quantity === 'angle' ? 'arm' : 'number',
            values: this.arrays.read(arm.values),
          })),
      });
    }
    return out;
  }

  /** A coordinate at the times of the frames. */
  private coordinateAtFrames(coordinate: string): Curve | null {
    const series = this.info.series;
    const column = series.groups.find((g) => g.id === 'coordinates')?.columns.find((c) => c.name === coordinate);
    if (!column) return null;
    const times = this.arrays.read(series.time);
    const values = this.arrays.read(column.values);
    let k = 0;
    const at = this.times.map((t) => {
      while (k + 2 < times.length && (times[k + 1] ?? 0) <= t) ++k;
      const [t0, t1] = [times[k] ?? 0, times[k + 1] ?? times[k] ?? 0];
      const [v0, v1] = [values[k] ?? 0, values[k + 1] ?? values[k] ?? 0];
      return t1 > t0 ? v0 + ((v1 - v0) * (t - t0)) / (t1 - t0) : v0;
    });
    return {name: coordinate, quantity: column.quantity, values: at};
  }
}

/** A description of the picture for readers who cannot see it. */
export function describeView(run: Run): string {
  const {bodies, muscles, surfaces, strands} = run.info.model;
  const ropes = strands.length > 0 ? `, strands: ${strands.length}` : '';
  return `Animation of ${run.name}. Bodies: ${bodies.length}, muscles: ${muscles.length}, wrap surfaces: ${surfaces.length}${ropes}.`;
}
