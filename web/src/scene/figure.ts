// One run in three dimensions: bodies, muscles, surfaces, forces, contacts. The ghost of a second run is the same
// in one translucent colour.

import {
  AxesHelper,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  FrontSide,
  Group,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Material,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  Quaternion,
  Raycaster,
  SphereGeometry,
  Vector3,
} from 'three';

import {Run} from '../data';
import {Look, Shape, Stuff, Triple} from '../header';
import {locate} from '../timeline';
import {Anchors} from './anchors';
import {Arrows} from './arrows';
import {Crowd, Detail, Member} from './crowd';
import {Deforming} from './deforming';
import {Extent, showsInertia} from './extent';
import {twinOf} from './flesh';
import {Lines, wireMesh} from './lines';
import {mountsOf} from './mounts';
import {comMarks, Muscles} from './muscles';
import {StrandNodes} from './nodes';
import {wheel} from './pulleys';
import {light, Selectable, Target} from './selection';
import {balls, boneBetween, Form, formOf, formsOf, geometryOf, matrixOf, put} from './shapes';
import {strandRadius, Strands} from './strands';

export type Layer =
  | 'bodies' | 'inertia' | 'muscles' | 'surfaces' | 'anchors' | 'frames' | 'markers' | 'coms' | 'forces' | 'contacts'
  | 'deforming' | 'lines' | 'strands' | 'nodes' | 'pulleys';

const boneColor = new Color(0xe6dcc6);
/** Colours of machines: models without muscles and soft bodies. */
const metals = [0x8b9bab, 0xc9bda5, 0x5f7488, 0xa7a9a6, 0x94806a].map((color) => new Color(color));
const fixedColor = new Color(0xb9b4a8);

const stuffs: Record<Stuff, {color: Color; roughness: number; metalness: number}> = {
  bone: {color: boneColor, roughness: 0.7, metalness: 0},
  skin: {color: new Color(0xd8a48c), roughness: 0.6, metalness: 0},
  metal: {color: new Color(0x9aa4ad), roughness: 0.35, metalness: 0.5},
  plastic: {color: new Color(0x3f7fb5), roughness: 0.45, metalness: 0},
  rubber: {color: new Color(0x3a3a3d), roughness: 0.95, metalness: 0},
  wood: {color: new Color(0xa87a4c), roughness: 0.8, metalness: 0},
  stone: {color: new Color(0x9c978e), roughness: 0.95, metalness: 0},
};

/** The colour that the model gives a shape, or that of its stuff. */
function ownColor(look: Look): Color | null {
  if (look.color) return new Color().setRGB(...look.color, 'srgb');
  return look.material ? stuffs[look.material].color : null;
}
const wheelColor = new Color(0x9fb0bf);
const holeColor = new Color(0x3d464f);
const surfaceColor = new Color(0x4b93c9);
const markerColor = new Color(0xd0559a);
const comColor = new Color(0x2f6fb0);
const inertiaColor = new Color(0xc9a48a);
const axisColor = new Color(0x7a4fb0);

/** Bodies thinner than the model's size over this would hardly be visible: they are drawn that thick. */
export const thinnest = 250;

/** Members of crowds, by form. */
type Recruits = Map<Form, Member[]>;

function recruit(to: Recruits, form: Form, member: Member): void {
  const list = to.get(form) ?? [];
  list.push(member);
  to.set(form, list);
}

export class Figure {
  readonly root = new Group();
  readonly muscles: Muscles;
  readonly deforming: Deforming;
  readonly strands: Strands;
  readonly nodes: StrandNodes | null = null;
  readonly extent: Extent;
  readonly layers = new Map<Layer, Object3D[]>();
  private readonly bodies: Group[] = [];
  private readonly world = new Group();
  /** Materials of objects drawn one by one. */
  private readonly materials = new Map<string, MeshStandardMaterial>();
  private readonly crowds: Crowd[] = [];
  private arrows: Arrows | null = null;
  private readonly contactOffsets: number[] = [];
  private anchors: Anchors | null = null;
  private lines: Lines | null = null;
  private contacts: InstancedMesh | null = null;
  private contactPoints = new Float32Array();
  private contactCounts: Float32Array = new Float32Array();
  readonly size: number;
  /** Whether bodies are drawn thicker than they are. */
  thickens = false;
  private detail: Detail = 'fine';
  private time = 0;

  constructor(
    readonly run: Run,
    private readonly ghost: Material | null = null,
  ) {
    this.extent = new Extent(run);
    this.size = this.extent.size;
    this.root.add(this.world);
    this.addBodies();
    this.muscles = new Muscles(run, this.size, ghost);
    this.root.add(this.muscles.group);
    this.layer('muscles', this.muscles.group);
    this.deforming = new Deforming(run, ghost);
    this.root.add(this.deforming.group);
    this.layer('deforming', this.deforming.group);
    this.strands = new Strands(run, this.size, ghost);
    this.root.add(this.strands.group);
    this.layer('strands', this.strands.group);
    if (!ghost) {
      this.addPulleys();
      this.nodes = new StrandNodes(run, this.strands, this.size);
      this.root.add(this.nodes.group);
      this.layer('nodes', this.nodes.group);
      this.enlist('strands', this.nodes.beads);
      this.lines = new Lines(run, this.size);
      this.root.add(this.lines.group);
      this.layer('lines', this.lines.group);
      this.addWires();
      this.enlist('coms', this.muscles.coms);
      this.addInsides();
      this.addSurfaces();
      this.addAnchors();
      this.addMarkers();
      this.addForces();
      this.addContacts();
    }
    for (const layer of ['frames', 'coms', 'anchors', 'surfaces', 'markers'] as Layer[]) this.show(layer, false);
    this.show('inertia', showsInertia(run));
    this.update(run.times[0] ?? 0);
  }

  has(layer: Layer): boolean {
    return (this.layers.get(layer) ?? []).some((object) => object.children.length > 0 || (object instanceof InstancedMesh && object.instanceMatrix.count > 0));
  }
  visible(layer: Layer): boolean {
    return this.layers.get(layer)?.[0]?.visible ?? false;
  }
  show(layer: Layer, on: boolean): void {
    for (const object of this.layers.get(layer) ?? []) object.visible = on;
  }

  /** The nearest thing on a ray that can be selected. */
  hit(ray: Raycaster): {item: Selectable; point: Vector3} | null {
    const targets: Object3D[] = [];
    this.root.traverse((object) => {
      if (object.userData['pick'] && isShown(object)) targets.push(object);
    });
    // Marks lie over everything.
    const hits = ray.intersectObjects(targets, false);
    const marks = hits.filter((hit) => (hit.object.userData as Target).kind === 'node');
    for (const hit of [...marks, ...hits]) {
      const item = (hit.object.userData as Target).pick(hit);
      if (item) return {item, point: hit.point};
    }
    return null;
  }

  setDetail(detail: Detail): void {
    if (detail === this.detail) return;
    this.detail = detail;
    for (const crowd of this.crowds) crowd.setDetail(detail);
    this.muscles.setDetail(detail);
    this.strands.setDetail(detail);
    this.update(this.time);
  }

  /** Simple: without gloss, and without shadows of things on each other. */
  setSimple(simple: boolean): void {
    this.root.traverse((object) => {
      if (!(object instanceof Mesh)) return;
      object.material = twinOf(object.material as Material, simple);
      if (object.castShadow) object.receiveShadow = !simple;
    });
  }

  highlight(item: Selectable | null): void {
    for (const material of this.materials.values()) material.emissive.setHex(0);
    for (const crowd of this.crowds) crowd.highlight(item);
    this.muscles.highlight(item?.kind === 'muscle' ? item.index : -1);
    this.strands.highlight(item?.kind === 'strand' ? item.index : -1);
    this.strands.update(this.time);
    this.nodes?.highlight(item?.kind === 'node' ? item.index : -1);
    this.deforming.meshes.forEach((_, k) => this.deforming.material(k)?.emissive.setHex(0));
    if (!item) return;
    const material = item.kind === 'deforming' ? this.deforming.material(item.index) : this.materials.get(`${item.kind}-${item.index}`);
    material?.emissive.copy(light);
  }

  /** The position of a body's origin at the present time, world. */
  bodyPosition(index: number): Vector3 {
    return this.bodies[index]?.position.clone() ?? new Vector3();
  }

  /** The middle of all bodies at the present time, by their masses. */
  center(): Vector3 {
    const out = new Vector3();
    let mass = 0;
    this.run.info.model.bodies.forEach((info, k) => {
      const weight = info.mass || 1e-9;
      out.addScaledVector(this.bodyPosition(k), weight);
      mass += weight;
    });
    return mass > 0 ? out.divideScalar(mass) : out;
  }

  update(time: number): void {
    this.time = time;
    const {k, part} = locate(this.run.times, time);
    const n = this.bodies.length;
    const next = Math.min(this.run.times.length - 1, k + 1);
    const turn = new Quaternion();
    this.bodies.forEach((body, i) => {
      const a = 7 * (k * n + i);
      const b = 7 * (next * n + i);
      const data = this.run.bodies;
      body.position.fromArray(data, a).lerp(new Vector3().fromArray(data, b), part);
      body.quaternion.fromArray(data, a + 3).normalize().slerp(turn.fromArray(data, b + 3).normalize(), part);
      body.updateMatrix();
    });
    if (this.muscles.group.visible || this.muscles.coms.mesh.visible) this.muscles.update(time);
    this.anchors?.update(k, next, part);
    for (const crowd of this.crowds) crowd.update(this.bodies);
    this.deforming.update(k, next, part);
    this.lines?.update(k, next, part);
    this.strands.update(time);
    this.nodes?.update(time);
    this.arrows?.update(k, next, part);
    this.updateContacts(part > 0.5 ? next : k);
  }

  private layer(layer: Layer, object: Object3D): void {
    const list = this.layers.get(layer) ?? [];
    list.push(object);
    this.layers.set(layer, list);
  }

  /** Objects that are drawn one by one and can be selected. */
  private material({kind, index}: Selectable, color: Color): Material {
    if (this.ghost) return this.ghost;
    const key = `${kind}-${index}`;
    const known = this.materials.get(key);
    if (known) return known;
    const material = new MeshStandardMaterial({color, roughness: 0.7, side: DoubleSide});
    this.materials.set(key, material);
    return material;
  }

  private solid(geometry: BufferGeometry, material: Material, item: Selectable): Mesh {
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = !material.transparent;
    if (!this.ghost) mesh.userData = {kind: item.kind, pick: () => item} satisfies Target;
    return mesh;
  }

  private enlist(layer: Layer, crowd: Crowd): void {
    crowd.mesh.castShadow = crowd.mesh.receiveShadow = !(crowd.mesh.material as Material).transparent;
    this.crowds.push(crowd);
    this.root.add(crowd.mesh);
    this.layer(layer, crowd.mesh);
  }

  private addBodies(): void {
    const {bodies, fixed, muscles, deforming} = this.run.info.model;
    const alive = muscles.length + deforming.length > 0;
    const many = bodies.length > 12;
    const recruits: Recruits = new Map();
    bodies.forEach((info, index) => {
      const group = new Group();
      group.name = info.name;
      group.matrixAutoUpdate = false;
      this.bodies.push(group);
      this.root.add(group);
      const color = alive ? boneColor.clone().offsetHSL(0, 0, index % 2 ? -0.03 : 0) : (metals[index % (many ? 2 : metals.length)] as Color);
      this.addShapes(info.shapes, index, color, recruits);
      for (const [from, to] of info.sticks)
        recruit(recruits, 'bone', {body: index, place: boneBetween(from, to), color, item: {kind: 'body', index}});
    });
    if (!this.ghost) this.addShapes(fixed, -1, fixedColor, recruits);
    if (!this.ghost) for (const mount of mountsOf(this.run, this.size)) recruit(recruits, mount.form, {...mount, color: mount.body < 0 ? fixedColor : boneColor});
    const material = this.ghost ?? new MeshStandardMaterial({roughness: 0.62});
    for (const [form, members] of recruits) this.enlist('bodies', new Crowd(formsOf(form, members.length), material, members));
  }

  /** Shapes of a body or, −1, of the world. Those of an unusual form, or that can be seen through, are drawn one by one. */
  private addShapes(shapes: Shape[], index: number, color: Color, recruits: Recruits): void {
    const holder = new Group();
    const item: Selectable = {kind: 'body', index};
    for (const shape of shapes) {
      const scaled = formOf(shape, this.size);
      if (scaled && (this.ghost || (shape.opacity ?? 1) === 1)) {
        const sizes = this.thickened(scaled);
        recruit(recruits, scaled.form, {body: index, place: matrixOf(shape, sizes), color: ownColor(shape) ?? color, ...(index < 0 ? {} : {item})});
        continue;
      }
      const geometry = geometryOf(shape, this.run.arrays, this.size);
      const material = this.painted(this.material(item, color), shape);
      const mesh = index < 0 ? new Mesh(geometry, material) : this.solid(geometry, material, item);
      put(mesh, shape);
      holder.add(mesh);
    }
    (this.bodies[index] ?? this.world).add(holder);
    this.layer('bodies', holder);
  }

  private thickened({form, sizes}: {form: Form; sizes: Triple}): Triple {
    const least = ((form === 'box' ? 1 : 0.5) * this.size) / thinnest;
    if (Math.min(...sizes) >= least) return sizes;
    this.thickens = true;
    return sizes.map((s) => Math.max(s, least)) as Triple;
  }

  /** The material of a shape: that of its body unless the model says what it is made of. */
  private painted(material: Material, look: Look): Material {
    const color = ownColor(look);
    if (this.ghost || (!color && look.opacity === undefined)) return material;
    const out = (material as MeshStandardMaterial).clone();
    if (look.material) Object.assign(out, {roughness: stuffs[look.material].roughness, metalness: stuffs[look.material].metalness});
    if (color) out.color.copy(color);
    if (look.opacity !== undefined) Object.assign(out, {transparent: true, opacity: look.opacity, depthWrite: look.opacity > 0.7});
    return out;
  }

  private addPulleys(): void {
    const [bright, dark] = [wheelColor, holeColor].map((color) => new MeshStandardMaterial({color, roughness: 0.5, side: DoubleSide}));
    for (const pulley of this.run.info.model.pulleys) {
      const made = wheel(pulley.radius, strandRadius * this.size);
      const holder = new Group();
      for (const [geometry, material] of [[made.wheel, bright], [made.holes, dark]] as const) {
        const item: Selectable = {kind: 'body', index: pulley.body};
        const mesh = pulley.body < 0 ? new Mesh(geometry, material) : this.solid(geometry, material!, item);
        mesh.castShadow = mesh.receiveShadow = true;
        put(mesh, pulley);
        holder.add(mesh);
      }
      (this.bodies[pulley.body] ?? this.world).add(holder);
      this.layer('pulleys', holder);
    }
  }

  /** Curves that guide bodies; on demand their control frames, and the axes about which bodies turn on them. */
  private addWires(): void {
    for (const wire of this.run.info.model.wires) {
      const holder = new Group();
      holder.add(wireMesh(this.run.arrays.read(wire.points), 0.0026 * this.size));
      (this.bodies[wire.body] ?? this.world).add(holder);
      this.layer('lines', holder);
      const insides = new Group();
      const frames = this.run.arrays.read(wire.frames);
      for (let k = 0; k + 7 <= frames.length; k += 7) {
        const axes = new AxesHelper(0.02 * this.size);
        axes.name = 'control frame';
        axes.position.fromArray(frames, k);
        axes.quaternion.fromArray(frames, k + 3);
        insides.add(axes);
      }
      const lines = new BufferGeometry();
      lines.setAttribute('position', new BufferAttribute(Float32Array.from(this.run.arrays.read(wire.axes)), 3));
      const turning = new LineSegments(lines, new LineBasicMaterial({color: axisColor, transparent: true, opacity: 0.6}));
      turning.name = 'axes of turning';
      insides.add(turning);
      (this.bodies[wire.body] ?? this.world).add(insides);
      this.layer('frames', insides);
    }
  }

  /** Inertia, joints and centres of mass of bodies. */
  private addInsides(): void {
    const {bodies} = this.run.info.model;
    const inertia: Member[] = [];
    const coms: Member[] = [];
    bodies.forEach((info, body) => {
      if (info.ellipsoid) {
        const radii = info.ellipsoid.radii.map((r) => Math.max(r, 1e-3 * this.size)) as Triple;
        inertia.push({body, place: matrixOf(info.ellipsoid, radii), color: inertiaColor});
      }
      if (info.com) coms.push({body, place: new Matrix4().setPosition(...info.com), color: comColor});
      const axes = new AxesHelper(0.05 * this.size);
      put(axes, info.joint);
      const frames = new Group();
      frames.add(axes);
      (this.bodies[info.parent] ?? this.world).add(frames);
      this.layer('frames', frames);
    });
    const glass = new MeshStandardMaterial({transparent: true, opacity: 0.22, depthWrite: false});
    this.enlist('inertia', new Crowd(balls(1, 28), glass, inertia));
    this.enlist('coms', comMarks(0.011 * this.size, coms));
  }

  private addSurfaces(): void {
    const recruits: Recruits = new Map();
    const length = 0.12 * this.size;
    const glass = {transparent: true, opacity: 0.35, depthWrite: false};
    this.run.info.model.surfaces.forEach((surface, index) => {
      const item: Selectable = {kind: 'surface', index};
      const long = Math.max(length, 3 * extent(surface));
      const scaled = formOf(surface, long);
      if (scaled) {
        recruit(recruits, scaled.form, {body: surface.body, place: matrixOf(surface, scaled.sizes), color: surfaceColor, item});
        return;
      }
      const material = Object.assign(this.material(item, surfaceColor), glass);
      // The far sides of closed ones would need another pass.
      if (surface.type !== 'mesh') material.side = FrontSide;
      const mesh = this.solid(geometryOf(surface, this.run.arrays, long), material, item);
      put(mesh, surface);
      const holder = new Group();
      holder.add(mesh);
      (this.bodies[surface.body] ?? this.world).add(holder);
      this.layer('surfaces', holder);
    });
    const material = new MeshStandardMaterial({...glass, roughness: 0.7});
    for (const [form, members] of recruits) this.enlist('surfaces', new Crowd(formsOf(form, members.length), material, members));
  }

  private addAnchors(): void {
    this.anchors = new Anchors(this.run, 0.0055 * this.size);
    this.enlist('anchors', this.anchors.crowd);
  }

  private addMarkers(): void {
    const members = this.run.info.model.markers.map(({body, position}, index): Member => ({
      body, place: new Matrix4().setPosition(...position), color: markerColor, item: {kind: 'marker', index},
    }));
    this.enlist('markers', new Crowd(balls(0.005 * this.size, 10), new MeshStandardMaterial({roughness: 0.7}), members));
  }

  private addForces(): void {
    this.arrows = new Arrows(this.run, this.size);
    this.root.add(this.arrows.group);
    this.layer('forces', this.arrows.group);
  }

  /** Arrows of this many newtons have the full length. */
  scaleForces(force: number): void {
    this.arrows?.scale(force);
  }

  /** Ends of the arrows that are seen. */
  get tips(): Vector3[] {
    return this.visible('forces') ? (this.arrows?.tips ?? []) : [];
  }

  private addContacts(): void {
    const info = this.run.info.frames.contacts;
    if (!info) return;
    this.contactPoints = this.run.arrays.read(info.points) as Float32Array<ArrayBuffer>;
    this.contactCounts = this.run.arrays.read(info.counts);
    let total = 0;
    for (const count of this.contactCounts) {
      this.contactOffsets.push(total);
      total += count;
    }
    // A live page has one frame, with space for the next ones.
    const most = this.contactCounts.length === 1 ? this.contactPoints.length / 3 : this.contactCounts.reduce((a, b) => Math.max(a, b), 1);
    const material = new MeshStandardMaterial({color: 0x1f8f4e, depthTest: false, transparent: true, opacity: 0.9});
    this.contacts = new InstancedMesh(new SphereGeometry(0.006 * this.size, 10, 8), material, most);
    this.contacts.frustumCulled = false;
    this.contacts.renderOrder = 9;
    this.root.add(this.contacts);
    this.layer('contacts', this.contacts);
  }

  private updateContacts(frame: number): void {
    if (!this.contacts) return;
    const count = this.contactCounts[frame] ?? 0;
    const from = 3 * (this.contactOffsets[frame] ?? 0);
    const matrix = new Matrix4();
    const x = new Vector3();
    for (let k = 0; k < count; ++k) {
      x.fromArray(this.contactPoints, from + 3 * k);
      this.contacts.setMatrixAt(k, matrix.makeTranslation(x.x, x.y, x.z));
    }
    this.contacts.count = count;
    this.contacts.instanceMatrix.needsUpdate = true;
  }
}

function isShown(object: Object3D): boolean {
  for (let at: Object3D | null = object; at; at = at.parent) if (!at.visible) return false;
  return true;
}

function extent(shape: Shape): number {
  switch (shape.type) {
    case 'cuboid':
      return 0.5 * Math.hypot(...shape.sides);
    case 'ellipsoid':
      return Math.max(...shape.radii);
    case 'capsule':
      return shape.radius + 0.5 * shape.height;
    case 'cylinder':
      return Math.hypot(shape.radius, 0.5 * (shape.height ?? 0));
    case 'torus':
      return shape.radius + shape.tube;
    case 'sphere':
    case 'capped-cylinder':
      return shape.radius;
    case 'double-cylinder':
      return Math.max(...shape.circles.map((c) => c.radius));
    case 'mesh':
      return 0;
  }
}

/** The material of the second run. */
export function ghostMaterial(): Material {
  return new MeshStandardMaterial({color: 0x3f7fbf, transparent: true, opacity: 0.32, depthWrite: false, roughness: 0.8});
}
