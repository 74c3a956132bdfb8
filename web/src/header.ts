// The header of a report and the arrays that it describes: docs/report_format.md.

export type Triple = [number, number, number];
export type Quadruple = [number, number, number, number];

/** The place of an array in the report's bytes. */
export interface ArrayRef {
  type: 'f32' | 'f64' | 'u16' | 'u32';
  at: number;
  count: number;
  low?: number;
  step?: number;
}

export interface Place {
  position: Triple;
  quaternion: Quadruple;
}

/** Colours, if the model gives any: red, green, blue from 0 to 1. */
export type Stuff = 'bone' | 'skin' | 'metal' | 'plastic' | 'rubber' | 'wood' | 'stone';

export interface Look {
  material?: Stuff;
  color?: Triple;
  opacity?: number;
}

export type Shape = Place &
  Look &
  (
    | {type: 'cuboid'; sides: Triple}
    | {type: 'sphere'; radius: number}
    | {type: 'cylinder'; radius: number; height: number | null}
    | {type: 'capsule'; radius: number; height: number}
    | {type: 'ellipsoid'; radii: Triple}
    | {type: 'mesh'; vertices: ArrayRef; triangles: ArrayRef}
    | {type: 'torus'; radius: number; tube: number}
    | {type: 'capped-cylinder'; radius: number}
    | {type: 'double-cylinder'; circles: {x: number; y: number; radius: number}[]}
  );

export type Surface = Shape & {name?: string; body: number; muscles: string[]};

/** A path point of a muscle: at a place of a body, or moving as frames.anchors say. */
export type Anchor = {muscle: number} & ({body: number; position: Triple} | {moving: number});

export interface BodyInfo {
  name: string;
  parent: number;
  mass: number;
  com?: Triple;
  joint: Place & {name: string; type: string};
  shapes: Shape[];
  sticks: [Triple, Triple][];
  ellipsoid: (Place & {radii: Triple}) | null;
}

export interface MuscleInfo {
  name: string;
  mass: number;
  points: number;
  lumps: number;
  /** A(L) = A0 + A1 L and B(L) = B0 + B1 L: the belly's point β is at arc length A + β B. */
  material: Quadruple;
  /** Volume of its flesh [m³]; 0: unknown. */
  volume: number;
  /** Angle of its fibres to the muscle, at their optimal length [rad]. */
  pennation: number;
  /** begin, end, and mass per β: c0 + c1 β + c2 β². */
  regions: [number, number, number, number, number][];
}

/** A surface whose vertices move: their number; frames.deforming has their positions. */
export interface DeformingInfo {
  name: string;
  vertices: number;
  triangles: ArrayRef;
  color?: Triple;
}

/** A spring, a cable, a ligament: a line with this number of points. */
export interface LineInfo {
  name: string;
  kind: 'spring' | 'cable' | 'path' | 'strand' | 'wire';
  points: number;
}

export interface StrandNodeInfo {
  name: string;
  /** As in a scene: maximal, rigid, polyline and so on. */
  kind: string;
  /** Whether it holds material; else material flows through it. */
  material: boolean;
  /** Index of its point among those of the strand's line. */
  point: number;
  /** Of its bead; none if it is zero. */
  mass?: number;
  /** Of rigid ones: the body (−1: the world), and the place there. */
  body?: number;
  position?: Triple;
}

/** A rope, a cable, a tendon. */
export interface StrandInfo {
  name: string;
  /** Index of its line. */
  line: number;
  closed: boolean;
  /** Rest length. */
  length: number;
  mass: number;
  nodes: StrandNodeInfo[];
  /** For each piece between two nodes, curves of strand-tension: before the guide that it runs around, and behind it. */
  tensions: [string | null, string | null][];
}

export type PulleyInfo = Place & {name: string; body: number; radius: number};

export interface ModelInfo {
  bodies: BodyInfo[];
  /** Shapes that do not move. */
  fixed: Shape[];
  muscles: MuscleInfo[];
  surfaces: Surface[];
  anchors: Anchor[];
  deforming: DeformingInfo[];
  lines: LineInfo[];
  strands: StrandInfo[];
  pulleys: PulleyInfo[];
  /** Curves that spline joints guide bodies along, each fixed to a body: points × 3; positions and quaternions of
   * control frames × 7; both ends of axes about which what moves along turns × 6. */
  wires: {body: number; points: ArrayRef; frames: ArrayRef; axes: ArrayRef}[];
  markers: {name: string; body: number; position: Triple}[];
  ground: {point: Triple; normal: Triple}[];
  gravity: Triple;
  mass: number;
}

export interface FramesInfo {
  time: ArrayRef;
  bodies: ArrayRef;
  points?: ArrayRef;
  anchors?: ArrayRef;
  /** For each of model.deforming: frames × vertices × 3. */
  deforming?: ArrayRef[];
  lines?: ArrayRef;
  /** Frames × nodes of all strands: the material there. */
  material?: ArrayRef;
  coms?: ArrayRef;
  kinetic?: ArrayRef;
  length?: ArrayRef;
  arms?: {muscle: number; coordinate: string; values: ArrayRef}[];
  forces: {name: string; contact: boolean; body: number; values: ArrayRef}[];
  contacts?: {counts: ArrayRef; points: ArrayRef};
}

export interface SeriesInfo {
  time: ArrayRef;
  rows: number;
  groups: {id: string; title: string; section?: string; columns: {name: string; quantity: string; values: ArrayRef}[]}[];
}

export interface AuditInfo {
  energy_error: number;
  constraint_error: number;
  newton_residual: number;
  contact_residual: number;
  steps_without_path: number;
  passed: boolean;
  verdict: string;
}

export interface Move {
  body: string;
  muscle: string;
  mass: number;
  share: number;
}

export interface RunInfo {
  name: string;
  title: string;
  description: string;
  citation: string;
  folder: string;
  status: string;
  failure?: string;
  audit: AuditInfo | null;
  warnings: string[];
  provenance: [string, string][];
  moved: Move[];
  notes: string[];
  model: ModelInfo;
  frames: FramesInfo;
  series: SeriesInfo;
  /** Live pages only: the bytes that every new frame replaces. */
  image?: {at: number; count: number};
}

/** The parts that a live page can move: docs/view.md. */
export interface LiveInfo {
  /** `body` is the one whose joint it belongs to; −1: none. */
  coordinates: {name: string; quantity: string; lower: number; upper: number; body: number; lockable: boolean; locked: boolean}[];
  /** One for each muscle; spans are the coordinates that it has a moment arm about. */
  drives: {muscle: string; kind: 'excitation' | 'tension'; most: number; strength: number; spans: string[]}[];
  /** Of the whole model [N]: what forces are compared with. */
  weight: number;
  /** The body whose joint with the world lets the whole model leave its place. */
  root: string | null;
  /** How many coordinates have stops made from their ranges. */
  stops: number;
  /** What the second run is, if it is not the same model with its mass elsewhere. */
  beside: string | null;
  /** A motion to be played, with its first and last time [s]. */
  motion: {file: string; start: number; end: number; rows: number} | null;
  mass: MassView | null;
  file: string;
  speed: number;
  running: boolean;
}
export type MassView = 'muscles' | 'bones' | 'both';

/** The change of one coordinate's moment when part of the mass is in the muscles. */
export interface MomentChange {
  name: string;
  coordinate: string;
  quantity: 'moment' | 'force';
  /** True for a joint that leaves the model free in space: its moment is not a joint's. */
  root: boolean;
  verdict: 'no effect' | 'small moment' | 'below' | 'may matter' | 'matters';
  /** Of the largest |moment| [N m, N]; the others are parts of it. */
  largest_moment: number;
  change: number;
  least_change: number;
  most_change: number;
  change_by_filter: number;
  change_by_inertia: number;
  highest: number;
  highest_change: number;
  lowest: number;
  lowest_change: number;
  rms_difference: number;
  largest_difference: number;
  causes: {muscle: string; rms: number}[];
}

export interface Comparison {
  answer: {stands_out: boolean; sentence: string; details: string[]};
  /** Of the assumptions, in words. */
  range: string;
  doubts: string[];
  moments: MomentChange[];
}

export interface ObjectiveValue {
  name: string;
  value: number;
  /** Root of the mean square of what misses its target, and its unit. */
  miss?: number;
  unit?: string;
}

/** What `sinew optimize` found. The first run of the report is the best one, the second the first. */
export interface Optimum {
  task: string;
  method: string;
  end: string;
  iterations: number;
  evaluations: number;
  failed_runs: number;
  gap?: number; // the largest between intervals of multiple shooting
  first_value: number;
  value: number;
  newton_error: number;
  objectives: ObjectiveValue[];
  first_objectives: ObjectiveValue[];
  parameters: {name: string; value: number; at?: 'lower' | 'upper'}[];
  first_parameters: number[];
  kinks: {element: string; count: number}[];
  half_step: {value?: number; objectives?: ObjectiveValue[]; failure?: string};
  identification?: {data: number; noise: number; deviations: Record<string, number | null>; unresolved: string[]};
  convergence: {evaluation: ArrayRef; value: ArrayRef; best: ArrayRef};
}

/** A parameter or a result of a study. */
export interface StudyColumn {
  name: string;
  /** Empty where none is known. */
  unit: string;
  values: ArrayRef;
}

/** A number with its 95 % interval; null where there is none. */
export interface Share {
  value: number | null;
  lower: number | null;
  upper: number | null;
}

/** A command line with places for numbers: one text more than places. */
export interface CommandTemplate {
  text: string[];
  /** Which of the numbers goes there. */
  places: number[];
}

/** What `sinew sweep` computed. */
export interface Study {
  name: string;
  title: string;
  description: string;
  /** One of the two. */
  model?: string;
  task?: string;
  design: {type: string; runs: number; seed: number};
  status: string;
  /** Runs of the design; those that the table has. */
  count: number;
  rows: number;
  run: ArrayRef;
  statuses: {names: {name: string; count: number}[]; of_rows: ArrayRef};
  time: ArrayRef;
  /** Texts around their numbers; per row 0 or one more than the index of its text; the numbers of rows that have one. */
  reasons: {texts: string[][]; of_rows: ArrayRef; numbers: string};
  parameters: (StudyColumn & {type: string; target: string; scale: 'linear' | 'logarithmic'})[];
  results: (StudyColumn & {
    /** One of the three; the measure is that of an output. */
    output?: string;
    objective?: string;
    gradient?: string;
    measure?: string;
    mean: number | null;
    deviation: number | null;
    least: number | null;
    largest: number | null;
    indices?: {base_points: number; parameters: Record<string, {first: Share; total: Share}>};
    rank_correlations?: Record<string, number | null>;
  })[];
  commands: {simulate?: CommandTemplate; sweep: CommandTemplate};
  notes: string[];
  provenance: [string, string][];
}

export interface Header {
  format: number;
  sinew: string;
  commit: string;
  kind: 'simulation' | 'motion' | 'comparison' | 'optimum' | 'study' | 'live';
  runs: RunInfo[];
  live?: LiveInfo;
  comparison?: Comparison;
  optimum?: Optimum;
  study?: Study;
}

/** Reads arrays out of the report's bytes. */
export class Arrays {
  constructor(private readonly bytes: ArrayBuffer) {}

  static fromBase64(text: string): Arrays {
    const binary = atob(text.trim());
    const out = new Arrays(new ArrayBuffer(binary.length));
    out.overwrite(0, binary);
    return out;
  }

  /** Replaces the bytes (one for each character): arrays of floats already read show the new ones. */
  overwrite(at: number, binary: string): void {
    const bytes = new Uint8Array(this.bytes, at, binary.length);
    for (let k = 0; k < binary.length; ++k) bytes[k] = binary.charCodeAt(k);
  }

  read(ref: ArrayRef): Float32Array {
    if (ref.type === 'f32') return new Float32Array(this.bytes, ref.at, ref.count);
    const out = new Float32Array(ref.count);
    if (ref.type === 'u32') {
      out.set(new Uint32Array(this.bytes, ref.at, ref.count));
      return out;
    }
    if (ref.type === 'f64') return Float32Array.from(this.doubles(ref));
    const digits = new Uint16Array(this.bytes, ref.at, ref.count);
    const low = ref.low ?? 0;
    const step = ref.step ?? 1;
    for (let k = 0; k < ref.count; ++k) out[k] = low + step * (digits[k] ?? 0);
    return out;
  }

  doubles(ref: ArrayRef): Float64Array {
    return new Float64Array(this.bytes, ref.at, ref.count);
  }

  indices(ref: ArrayRef): Uint32Array {
    if (ref.type === 'u16') return Uint32Array.from(new Uint16Array(this.bytes, ref.at, ref.count));
    return new Uint32Array(this.bytes, ref.at, ref.count);
  }
}

export function readReport(): {header: Header; arrays: Arrays} {
  const text = (id: string): string => document.getElementById(id)?.textContent ?? '';
  const header = JSON.parse(text('sinew-header')) as Header;
  if (header.format !== 1) throw new Error(`This page cannot read format ${header.format} of reports.`);
  return {header, arrays: Arrays.fromBase64(text('sinew-data'))};
}
