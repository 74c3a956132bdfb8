// One run in three dimensions: bodies, muscles, surfaces, forces, contacts. The ghost of a second run is the same
// in one translucent colour.

import {
  ArrowHelper,
  AxesHelper,
  Box3,
  BufferGeometry,
  Color,
  DoubleSide,
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
import {BodyInfo, Shape} from '../header';
import {locate} from '../timeline';
import {comMark, Muscles} from './muscles';
import {bone, geometryOf, put} from './shapes';

export type Layer =
  | 'bodies' | 'inertia' | 'muscles' | 'surfaces' | 'frames' | 'markers' | 'coms' | 'forces' | 'contacts';

export interface Selectable {
  kind: 'body' | 'muscle' | 'surface' | 'marker';
  index: number;
}

const boneColor = new Color(0xe6dcc6);
const surfaceColor = 0x4b93c9;

export class Figure {
  readonly root = new Group();
  readonly muscles: Muscles;
  readonly bounds = new Box3();
  readonly layers = new Map<Layer, Object3D[]>();
  private readonly bodies: Group[] = [];
  private readonly world = new Group();
  private readonly materials = new Map<string, MeshStandardMaterial>();
  private readonly arrows: {arrow: ArrowHelper; values: Float32Array}[] = [];
  private readonly contactOffsets: number[] = [];
  private contacts: InstancedMesh | null = null;
  private contactPoints = new Float32Array();
  private contactCounts = new Uint32Array();
  private usualForce = 1;
  readonly size: number;

  constructor(
    readonly run: Run,
    private readonly ghost: Material | null = null,
  ) {
    this.measure();
    this.size = Math.max(1e-3, this.bounds.getSize(new Vector3()).length());
    this.root.add(this.world);
    for (const info of run.info.model.bodies) this.addBody(info);
    this.muscles = new Muscles(run, this.size, ghost);
    this.root.add(this.muscles.group);
    this.layer('muscles', this.muscles.group);
    if (!ghost) {
      this.root.add(this.muscles.coms);
      this.layer('coms', this.muscles.coms);
      this.addSurfaces();
      this.addMarkers();
      this.addForces();
      this.addContacts();
    }
    for (const layer of ['inertia', 'frames', 'coms'] as Layer[]) this.show(layer, false);
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
    if (!item) return;
    const material =
      item.kind === 'muscle' ? this.muscles.material(item.index) : this.materials.get(`${item.kind}-${item.index}`);
    material?.emissive.setHex(0x2b5f8a);
  }

  /** Where the origin of a body is at the present time, world. */
  bodyPosition(index: number): Vector3 {
    return this.bodies[index]?.position.clone() ?? new Vector3();
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
    this.updateForces(k, next, part);
    this.updateContacts(part > 0.5 ? next : k);
  }

  /** The box around all that moves, over the frames: some hundred of them will do. */
  private measure(): void {
    const boxes = this.run.info.model.bodies.map((body) => boxOf(body, this.run));
    const n = boxes.length;
    const [x, turn, corner] = [new Vector3(), new Quaternion(), new Vector3()];
    const stride = Math.max(1, Math.floor(this.run.times.length / 200));
    for (let frame = 0; frame < this.run.times.length; frame += stride)
      boxes.forEach((box, i) => {
        const at = 7 * (frame * n + i);
        x.fromArray(this.run.bodies, at);
        turn.fromArray(this.run.bodies, at + 3).normalize();
        for (let k = 0; k < 8; ++k) {
          corner.set(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
          this.bounds.expandByPoint(corner.applyQuaternion(turn).add(x));
        }
      });
    for (let k = 0; k + 2 < this.run.points.length; k += 3) this.bounds.expandByPoint(x.fromArray(this.run.points, k));
    if (this.bounds.isEmpty()) this.bounds.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
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
      const mesh = this.solid(geometryOf(shape, this.run.arrays, this.size), material, item);
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

  private addInsides(info: BodyInfo, group: Group, index: number): void {
    if (info.ellipsoid) {
      const holder = new Group();
      const material = new MeshStandardMaterial({color: 0xc9a48a, transparent: true, opacity: 0.22, depthWrite: false});
      const radii = info.ellipsoid.radii.map((r) => Math.max(r, 1e-3 * this.size)) as [number, number, number];
      const mesh = new Mesh(new SphereGeometry(1, 32, 20).scale(...radii), material);
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
      Object.assign(material, {transparent: true, opacity: 0.35, depthWrite: false});
      put(mesh, surface);
      holder.add(mesh);
      (this.bodies[surface.body] ?? this.world).add(holder);
      this.layer('surfaces', holder);
    });
  }

  private addMarkers(): void {
    this.run.info.model.markers.forEach((marker, index) => {
      const holder = new Group();
      const ball = new SphereGeometry(0.008 * this.size, 16, 12);
      const mesh = this.solid(ball, this.material(`marker-${index}`, 0xd0559a), {kind: 'marker', index});
      mesh.position.fromArray(marker.position);
      holder.add(mesh);
      (this.bodies[marker.body] ?? this.world).add(holder);
      this.layer('markers', holder);
    });
  }

  private addForces(): void {
    const sizes: number[] = [];
    for (const force of this.run.info.frames.forces) {
      const values = this.run.arrays.read(force.values);
      for (let k = 0; k + 5 < values.length; k += 6) {
        const force = Math.hypot(values[k + 3] ?? 0, values[k + 4] ?? 0, values[k + 5] ?? 0);
        if (force > 0) sizes.push(force);
      }
      const arrow = new ArrowHelper(undefined, undefined, 1, force.contact ? 0x1f8f4e : 0xb26a00);
      const holder = new Group();
      holder.add(arrow);
      this.root.add(holder);
      this.layer('forces', holder);
      this.arrows.push({arrow, values});
    }
    // Impacts would make all other arrows invisible: the few largest forces share one length.
    sizes.sort((a, b) => a - b);
    this.usualForce = sizes[Math.floor(0.9 * sizes.length)] ?? 1;
  }

  private updateForces(k: number, next: number, part: number): void {
    const direction = new Vector3();
    for (const {arrow, values} of this.arrows) {
      const at = (axis: number): number => {
        const a = values[6 * k + axis] ?? 0;
        return a + part * ((values[6 * next + axis] ?? a) - a);
      };
      direction.set(at(3), at(4), at(5));
      const force = direction.length();
      arrow.visible = force > 1e-3 * this.usualForce;
      if (!arrow.visible) continue;
      arrow.position.set(at(0), at(1), at(2));
      arrow.setDirection(direction.divideScalar(force));
      const length = 0.2 * this.size * Math.min(1, force / this.usualForce);
      arrow.setLength(length, Math.min(0.03 * this.size, 0.4 * length), Math.min(0.015 * this.size, 0.2 * length));
    }
  }

  private addContacts(): void {
    const info = this.run.info.frames.contacts;
    if (!info) return;
    this.contactPoints = this.run.arrays.read(info.points) as Float32Array<ArrayBuffer>;
    this.contactCounts = this.run.arrays.indices(info.counts) as Uint32Array<ArrayBuffer>;
    let total = 0;
    for (const count of this.contactCounts) {
      this.contactOffsets.push(total);
      total += count;
    }
    const most = Math.max(1, ...this.contactCounts);
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

/** The box around a body in its own frame. */
function boxOf(body: BodyInfo, run: Run): Box3 {
  const out = new Box3();
  for (const shape of body.shapes) {
    const mesh = new Mesh(geometryOf(shape, run.arrays, 0));
    put(mesh, shape);
    out.expandByObject(mesh);
  }
  for (const stick of body.sticks) for (const end of stick) out.expandByPoint(new Vector3(...end));
  return out.isEmpty() ? out.expandByPoint(new Vector3()) : out;
}

/** What the second run is drawn with. */
export function ghostMaterial(): Material {
  return new MeshStandardMaterial({color: 0x3f7fbf, transparent: true, opacity: 0.32, depthWrite: false, roughness: 0.8});
}
