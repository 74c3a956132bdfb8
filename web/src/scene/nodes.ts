// Marks of the nodes of strands, as Sueda (2010, Figure 6.11) draws them: circles move freely, triangles slide along
// curves and surfaces, asterisks are fixed to bodies. Filled ones hold material, through hollow ones it flows.

import {CanvasTexture, Color, Group, Matrix4, MeshStandardMaterial, Sprite, SpriteMaterial, SRGBColorSpace, Vector3} from 'three';

import {Run} from '../data';
import {StrandNodeInfo} from '../header';
import {Crowd, Member} from './crowd';
import {replace} from './flesh';
import {light, Target} from './selection';
import {balls} from './shapes';
import {strandRadius, Strands} from './strands';

export type Mark = 'circle' | 'triangle' | 'asterisk';

/** Height of a mark in parts of the picture's, at a field of view of 35°: smaller where there are many. */
const height = 0.03 * 2 * Math.tan((17.5 * Math.PI) / 180);
const many = 24;
const smallest = 0.4;
/** Those behind something shine through. */
const faint = 0.55;
const pixels = 128;

/** Beads are drawn as balls of steel, up to this part of the model's size. */
const steel = 7800; // [kg/m³]
const largestBead = 0.035;
const beadColor = new Color(0x5c6a78);

export interface StrandNode {
  info: StrandNodeInfo;
  /** Where it is: a strand, and its place along it. */
  strand: number;
  place: number;
}

/** The nodes of all strands, each once. */
export function nodesOf(run: Run): StrandNode[] {
  const out = new Map<string, StrandNode>();
  run.info.model.strands.forEach(({nodes}, strand) =>
    nodes.forEach((info, place) => {
      const known = out.get(info.name);
      // One that any strand holds is shown so.
      if (!known || (info.material && !known.info.material)) out.set(info.name, {info, strand, place});
    }));
  return [...out.values()];
}

export function markOf({kind}: StrandNodeInfo): Mark {
  return kind === 'maximal' ? 'circle' : kind === 'rigid' || kind === 'blend' ? 'asterisk' : 'triangle';
}

/** The outline of a mark, in a square of side 2 about the origin. */
export function outlineOf(mark: Mark): [number, number][][] {
  const around = (n: number, radius: number, turn: number): [number, number][] =>
    Array.from({length: n}, (_, k) => [radius * Math.cos(turn + (2 * Math.PI * k) / n), radius * Math.sin(turn + (2 * Math.PI * k) / n)]);
  if (mark === 'circle') return [around(32, 0.62, 0)];
  if (mark === 'triangle') return [around(3, 0.82, -Math.PI / 2)];
  return [0, 1, 2].map((k) => [Math.PI / 6 + (k * Math.PI) / 3].flatMap((a): [number, number][] => [[0.75 * Math.cos(a), 0.75 * Math.sin(a)], [-0.75 * Math.cos(a), -0.75 * Math.sin(a)]]));
}

const ink = '#c1121f';
const paper = '#ffffff';

/** Red with a white rim: seen on any ground, and in grey. */
export function drawMark(context: CanvasRenderingContext2D, mark: Mark, material: boolean): void {
  context.lineJoin = context.lineCap = 'round';
  const trace = (): void => {
    context.beginPath();
    for (const line of outlineOf(mark)) {
      line.forEach(([x, y], k) => (k === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
      if (line.length > 2) context.closePath();
    }
  };
  const stroke = (width: number, color: string): void => {
    trace();
    context.lineWidth = width;
    context.strokeStyle = color;
    context.stroke();
  };
  if (mark === 'asterisk') {
    // Lines have no inside: where material flows they are hollow.
    stroke(0.62, paper);
    stroke(0.4, ink);
    if (!material) stroke(0.16, paper);
    return;
  }
  stroke(0.5, paper);
  trace();
  context.fillStyle = material ? ink : paper;
  context.fill();
  stroke(0.24, ink);
}

export class StrandNodes {
  readonly group = new Group();
  readonly nodes: StrandNode[];
  /** Masses at nodes. */
  readonly beads: Crowd;
  private readonly sprites: Sprite[];
  private readonly shades: Sprite[] = [];
  private readonly weights: {node: number; radius: number; member: Member}[];

  constructor(
    run: Run,
    private readonly strands: Strands,
    size: number,
  ) {
    this.nodes = nodesOf(run);
    this.weights = this.nodes.flatMap(({info}, node) => {
      const radius = Math.min(Math.cbrt((3 * (info.mass ?? 0)) / (4 * Math.PI * steel)), largestBead * size);
      const member: Member = {body: -1, place: new Matrix4(), color: beadColor, item: {kind: 'node', index: node}};
      return radius > 1.3 * strandRadius * size ? [{node, radius, member}] : [];
    });
    this.beads = new Crowd(balls(1, 28), new MeshStandardMaterial({roughness: 0.45}), this.weights.map(({member}) => member));
    const textures = new Map<string, CanvasTexture>();
    const tall = height * Math.max(smallest, Math.min(1, Math.sqrt(many / this.nodes.length)));
    const lift = 3 * strandRadius * size;
    this.sprites = this.nodes.map(({info}, index) => {
      const mark = markOf(info);
      const key = `${mark}-${info.material}`;
      const map = textures.get(key) ?? textureOf(mark, info.material);
      textures.set(key, map);
      const sprite = new Sprite(lifted(new SpriteMaterial({map, sizeAttenuation: false, transparent: true}), lift));
      sprite.scale.setScalar(tall);
      sprite.renderOrder = 11;
      sprite.userData = {kind: 'node', pick: () => ({kind: 'node', index})} satisfies Target;
      const shade = new Sprite(new SpriteMaterial({map, sizeAttenuation: false, transparent: true, depthTest: false, opacity: faint}));
      shade.scale.setScalar(tall);
      shade.renderOrder = 10;
      shade.raycast = () => {};
      this.shades.push(shade);
      this.group.add(shade, sprite);
      return sprite;
    });
  }

  update(time: number): void {
    this.nodes.forEach(({strand, place}, k) => {
      const {position} = this.sprites[k]!;
      this.strands.position(strand, place, time, position);
      this.shades[k]!.position.copy(position);
    });
    for (const {node, radius, member} of this.weights)
      member.place.makeScale(radius, radius, radius).setPosition(this.sprites[node]!.position);
    this.beads.update([]);
  }

  /** Where a mark is. */
  positionOf(index: number): Vector3 {
    return this.sprites[index]?.position ?? new Vector3();
  }

  highlight(index: number): void {
    this.sprites.forEach((sprite, k) => sprite.material.color.set(0xffffff).lerp(light, k === index ? 0.75 : 0));
  }
}

/** Drawn where it is, but in front of what is closer to it than `lift`: of the strand itself. */
function lifted(material: SpriteMaterial, lift: number): SpriteMaterial {
  material.onBeforeCompile = (shader) =>
    replace(shader, 'vertexShader', '#include <logdepthbuf_vertex>', `
      vec4 nearer = projectionMatrix * vec4(0.0, 0.0, mvPosition.z + ${lift.toExponential(6)}, 1.0);
      gl_Position.z = nearer.z / nearer.w * gl_Position.w;
      #include <logdepthbuf_vertex>`);
  material.customProgramCacheKey = () => `lifted ${lift}`;
  return material;
}

function textureOf(mark: Mark, material: boolean): CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = pixels;
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.setTransform(pixels / 2, 0, 0, pixels / 2, pixels / 2, pixels / 2);
  drawMark(context, mark, material);
  const out = new CanvasTexture(canvas);
  out.colorSpace = SRGBColorSpace;
  return out;
}
