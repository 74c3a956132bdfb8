// One run in three dimensions: bodies, muscles, surfaces, forces, contacts. The ghost of a second run is the same
// in one translucent colour.

import {
  AxesHelper,
  BufferGeometry,
  Color,
  DoubleSide,
  FrontSide,
  Group,
  InstancedMesh,
  Material,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';

import {Run} from '../data';
import {BodyInfo, Look, Shape} from '../header';
import {locate} from '../timeline';
import {Anchors} from './anchors';
import {Arrows} from './arrows';
import {Deforming} from './deforming';
import {Extent} from './extent';
import {Lines} from './lines';
import {comMark, Muscles} from './muscles';
import {bone, geometryOf, put} from './shapes';

export type Layer =
  | 'bodies' | 'inertia' | 'muscles' | 'surfaces' | 'anchors' | 'frames' | 'markers' | 'coms' | 'forces' | 'contacts'
  | 'deforming' | 'lines';

export interface Selectable {
  kind: 'body' | 'muscle' | 'surface' | 'marker' | 'deforming';
  index: number;
}

const boneColor = new Color(0xe6dcc6);
const surfaceColor = 0x4b93c9;

export class Figure {
  readonly root = new Group();
  readonly muscles: Muscles;
  readonly deforming: Deforming;
  readonly extent: Extent;
  readonly layers = new Map<Layer, Object3D[]>();
  private readonly bodies: Group[] = [];
  private readonly world = new Group();
  private readonly materials = new Map<string, MeshStandardMaterial>();
  private arrows: Arrows | null = null;
  private readonly contactOffsets: number[] = [];
  private anchors: Anchors | null = null;
  private lines: Lines | null = null;
  private contacts: InstancedMesh | null = null;
  private contactPoints = new Float32Array();
  private contactCounts: Float32Array = new Float32Array();
  readonly size: number;

  constructor(
    readonly run: Run,
    private readonly ghost: Material | null = null,
  ) {
    this.extent = new Extent(run);
    this.size = this.extent.size;
    this.root.add(this.world);
    for (const info of run.info.model.bodies) this.addBody(info);
    this.muscles = new Muscles(run, this.size, ghost);
    this.root.add(this.muscles.group);
    this.layer('muscles', this.muscles.group);
    this.deforming = new Deforming(run, ghost);
    this.root.add(this.deforming.group);
    this.layer('deforming', this.deforming.group);
    if (!ghost) {
      this.lines = new Lines(run, this.size);
      this.root.add(this.lines.group);
      this.layer('lines', this.lines.group);
      this.root.add(this.muscles.coms);
      this.layer('coms', this.muscles.coms);
      this.addFixed();
      this.addSurfaces();
      this.addAnchors();
      this.addMarkers();
      this.addForces();
      this.addContacts();
    }
    for (const layer of ['inertia', 'frames', 'coms', 'anchors'] as Layer[]) this.show(layer, false);
    if (run.info.model.bodies.some((body) => body.sticks.length > 0)) this.show('inertia', true);
    this.update(run.times[0] ?? 0);
  }

  has(layer: Layer): boolean {
    return (this.layers.get(layer) ?? []).some((object) => object.children.length > 0 || object instanceof Mesh);
  }
  visible(layer: Layer): boolean {
    return this.layers.get(layer)?.[0]?.visible ?? false;
  }
  show(layer: Layer, on: boolean): void {
    for (const object of this.layers.get(layer) ?? []) object.visible = on;
  }

  /** What can be clicked on. */
  get targets(): Mesh[] {
    const out: Mesh[] = [];
    this.root.traverse((object) => {
      if (object instanceof Mesh && object.userData['kind'] && isShown(object)) out.push(object);
    });
    return out;
  }

  highlight(item: Selectable | null): void {
    for (const material of this.materials.values()) material.emissive.setHex(0);
    this.run.info.model.muscles.forEach((_, k) => this.muscles.material(k)?.emissive.setHex(0));
    this.deforming.meshes.forEach((_, k) => this.deforming.material(k)?.emissive.setHex(0));
    if (!item) return;
    const material =
      item.kind === 'muscle' ? this.muscles.material(item.index)
      : item.kind === 'deforming' ? this.deforming.material(item.index)
      : this.materials.get(`${item.kind}-${item.index}`);
    material?.emissive.setHex(0x2b5f8a);
  }

  /** Where the origin of a body is at the present time, world. */
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
    });
    if (this.muscles.group.visible || this.muscles.coms.visible) this.muscles.update(time);
    this.anchors?.update(k, next, part);
    this.deforming.update(k, next, part);
    this.lines?.update(k, next, part);
    this.arrows?.update(k, next, part);
    this.updateContacts(part > 0.5 ? next : k);
  }

  private layer(layer: Layer, object: Object3D): void {
    const list = this.layers.get(layer) ?? [];
    list.push(object);
    this.layers.set(layer, list);
  }

  private material(key: string, color: Color | number): Material {
    if (this.ghost) return this.ghost;
    const known = this.materials.get(key);
    if (known) return known;
    const material = new MeshStandardMaterial({color, roughness: 0.7, metalness: 0, side: DoubleSide});
    this.materials.set(key, material);
    return material;
  }

  private solid(geometry: BufferGeometry, material: Material, item: Selectable): Mesh {
    const mesh = new Mesh(geometry, material);
    if (!this.ghost) mesh.userData = {...item};
    return mesh;
  }

  private addBody(info: BodyInfo): void {
    const index = this.bodies.length;
    const group = new Group();
    group.name = info.name;
    const solids = new Group();
    const material = this.material(`body-${index}`, boneColor.clone().offsetHSL(0, 0, index % 2 ? -0.05 : 0));
    const item: Selectable = {kind: 'body', index};
    for (const shape of info.shapes) {
      const mesh = this.solid(geometryOf(shape, this.run.arrays, this.size), this.painted(material, shape), item);
      put(mesh, shape);
      solids.add(mesh);
    }
    for (const [from, to] of info.sticks) {
      const {geometry, place} = bone(from, to);
      const mesh = this.solid(geometry, material, item);
      put(mesh, place);
      solids.add(mesh);
    }
    group.add(solids);
    this.layer('bodies', solids);
    this.bodies.push(group);
    this.root.add(group);
    if (!this.ghost) this.addInsides(info, group, index);
  }

  /** The material of a shape: that of its body unless the model has colours of its own. */
  private painted(material: Material, look: Look): Material {
    if (this.ghost || (!look.color && look.opacity === undefined)) return material;
    const out = (material as MeshStandardMaterial).clone();
    if (look.color) out.color.setRGB(...look.color, 'srgb');
    if (look.opacity !== undefined) Object.assign(out, {transparent: true, opacity: look.opacity, depthWrite: look.opacity > 0.7});
    return out;
  }

  /** What the model draws on the ground. */
  private addFixed(): void {
    const material = new MeshStandardMaterial({color: 0xb9b4a8, roughness: 0.9, side: DoubleSide});
    const holder = new Group();
    for (const shape of this.run.info.model.fixed) {
      const mesh = new Mesh(geometryOf(shape, this.run.arrays, this.size), this.painted(material, shape));
      put(mesh, shape);
      holder.add(mesh);
    }
    this.world.add(holder);
    this.layer('bodies', holder);
  }

  private addAnchors(): void {
    const {anchors} = this.run.info.model;
    if (anchors.length === 0) return;
    this.anchors = new Anchors(this.run, 0.0055 * this.size, (body) => this.bodies[body] ?? this.world);
    this.root.add(this.anchors.moving);
    for (const holder of this.anchors.holders) this.layer('anchors', holder);
  }

  private addInsides(info: BodyInfo, group: Group, index: number): void {
    if (info.ellipsoid) {
      const holder = new Group();
      const material = new MeshStandardMaterial({color: 0xc9a48a, transparent: true, opacity: 0.22, depthWrite: false});
      const radii = info.ellipsoid.radii.map((r) => Math.max(r, 1e-3 * this.size)) as [number, number, number];
      const mesh = new Mesh(new SphereGeometry(1, 28, 16).scale(...radii), material);
      put(mesh, info.ellipsoid);
      holder.add(mesh);
      group.add(holder);
      this.layer('inertia', holder);
    }
    const axes = new AxesHelper(0.05 * this.size);
    put(axes, info.joint);
    const frames = new Group();
    frames.add(axes);
    (this.bodies[info.parent] ?? this.world).add(frames);
    this.layer('frames', frames);
    if (info.com) {
      const coms = new Group();
      const mark = comMark(0.011 * this.size, 0x2f6fb0);
      mark.position.fromArray(info.com);
      coms.add(mark);
      group.add(coms);
      this.layer('coms', coms);
    }
    group.userData = {index};
  }

  private addSurfaces(): void {
    this.run.info.model.surfaces.forEach((surface, index) => {
      const holder = new Group();
      const length = 0.12 * this.size;
      const mesh = this.solid(
        geometryOf(surface, this.run.arrays, Math.max(length, 3 * extent(surface))),
        this.material(`surface-${index}`, surfaceColor),
        {kind: 'surface', index},
      );
      const material = mesh.material as MeshStandardMaterial;
      // Closed ones: their far sides would be drawn in a pass of their own.
      Object.assign(material, {transparent: true, opacity: 0.35, depthWrite: false, side: surface.type === 'mesh' ? DoubleSide : FrontSide});
      put(mesh, surface);
      holder.add(mesh);
      (this.bodies[surface.body] ?? this.world).add(holder);
      this.layer('surfaces', holder);
    });
  }

  private addMarkers(): void {
    this.run.info.model.markers.forEach((marker, index) => {
      const holder = new Group();
      const ball = new SphereGeometry(0.008 * this.size, 8, 6);
      const mesh = this.solid(ball, this.material(`marker-${index}`, 0xd0559a), {kind: 'marker', index});
      mesh.position.fromArray(marker.position);
      holder.add(mesh);
      (this.bodies[marker.body] ?? this.world).add(holder);
      this.layer('markers', holder);
    });
  }

  private addForces(): void {
    this.arrows = new Arrows(this.run, this.size);
    this.root.add(this.arrows.group);
    this.layer('forces', this.arrows.group);
  }

  /** Arrows of so many newtons have the full length. */
  scaleForces(force: number): void {
    this.arrows?.scale(force);
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
    // A live page has one frame, with room for those of the next ones.
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

/** What the second run is drawn with. */
export function ghostMaterial(): Material {
  return new MeshStandardMaterial({color: 0x3f7fbf, transparent: true, opacity: 0.32, depthWrite: false, roughness: 0.8});
}
