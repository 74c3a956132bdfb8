// Pulls a body, or a node of a strand: a spring from the point that was grabbed to the pointer, or to a hand that keys
// move.

import {BufferGeometry, Float32BufferAttribute, Line, LineBasicMaterial, Plane, Quaternion, Raycaster, Vector2, Vector3} from 'three';

import {Run} from '../data';
import {Figure} from '../scene/figure';
import {Selectable} from '../scene/selection';
import {View} from '../scene/view';
import {Connection} from './connection';

/** What is held: a point of a body, in its frame, or a node of a strand. */
type Held = {body: number; local: Vector3} | {node: number};

interface Grip {
  held: Held;
  /** The plane in which the pointer moves: across the view, through the point. */
  plane: Plane;
  target: Vector3;
}

export class Pull {
  private grip: Grip | null = null;
  private readonly line: Line;

  constructor(
    private readonly run: Run,
    private readonly figure: Figure,
    private readonly view: View,
    private readonly connection: Connection,
    private readonly mayPull: () => boolean,
  ) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(new Float32Array(6), 3));
    this.line = new Line(geometry, new LineBasicMaterial({color: 0xd55e00, depthTest: false, linewidth: 2}));
    this.line.frustumCulled = false;
    this.line.renderOrder = 12;
    this.line.visible = false;
    figure.root.add(this.line);
    // This must come before the controls of the camera.
    const stage = view.canvas.parentElement as HTMLElement;
    stage.addEventListener('pointerdown', (event) => this.grab(event), {capture: true});
    addEventListener('pointermove', (event) => this.drag(event));
    for (const end of ['pointerup', 'pointercancel'] as const) addEventListener(end, () => this.byMouse && this.release());
    addEventListener('blur', () => this.release());
  }

  get active(): boolean {
    return this.grip !== null;
  }

  /** The view stands still while the mouse pulls. */
  private get byMouse(): boolean {
    return !this.view.controls.enabled;
  }

  /** Holds what is selected, a body at its centre of mass, or releases what is held; false if it cannot be held. */
  toggle(item: Selectable | null): boolean {
    if (this.grip) {
      this.release();
      return true;
    }
    const held = item && this.grasp(item);
    if (held) this.hold(held, this.position(held));
    return held !== null;
  }

  /** A body, or the node that a strand is held at: its nearest one that moves freely. Nodes on bodies hold these. */
  private grasp({kind, index}: Selectable, at?: Vector3): Held | null {
    if (kind === 'body') {
      const local = new Vector3().fromArray(this.run.info.model.bodies[index]?.com ?? [0, 0, 0]);
      if (at) {
        const {position, turn} = this.place(index);
        local.copy(at).sub(position).applyQuaternion(turn.invert());
      }
      return {body: index, local};
    }
    const nodes = this.figure.nodes?.nodes ?? [];
    if (kind === 'strand') {
      const name = this.run.info.model.strands[index]?.name;
      const on = (k: number): boolean => this.run.info.model.strands[index]?.nodes.some((one) => one.name === nodes[k]?.info.name) ?? false;
      const free = [...nodes.keys()].filter((k) => name !== undefined && nodes[k]?.info.kind === 'maximal' && on(k));
      const away = (k: number): number => this.position({node: k}).distanceTo(at ?? this.position({node: k}));
      free.sort((a, b) => away(a) - away(b));
      return free[0] === undefined ? null : {node: free[0]};
    }
    const info = kind === 'node' ? nodes[index]?.info : undefined;
    if (info?.kind === 'maximal') return {node: index};
    if (info?.body === undefined || info.body < 0) return null;
    return {body: info.body, local: new Vector3().fromArray(info.position ?? [0, 0, 0])};
  }

  private position(held: Held): Vector3 {
    if ('node' in held) {
      const node = this.figure.nodes?.nodes[held.node];
      return this.figure.strands.position(node?.strand ?? -1, node?.place ?? 0, 0, new Vector3());
    }
    const {position, turn} = this.place(held.body);
    return held.local.clone().applyQuaternion(turn).add(position);
  }

  /** Moves the hand across the view: right and up, in parts of the figure's size. */
  move(right: number, up: number): void {
    if (!this.grip) return;
    const axes = [new Vector3(), new Vector3(), new Vector3()] as const;
    this.view.camera.matrixWorld.extractBasis(...axes);
    this.grip.target.addScaledVector(axes[0], right * this.figure.size).addScaledVector(axes[1], up * this.figure.size);
    this.tell();
  }

  /** Draws the line from the point held to the pointer. */
  update(): void {
    this.line.visible = this.grip !== null;
    if (!this.grip) return;
    const held = this.position(this.grip.held);
    const attribute = this.line.geometry.getAttribute('position');
    attribute.setXYZ(0, held.x, held.y, held.z);
    attribute.setXYZ(1, this.grip.target.x, this.grip.target.y, this.grip.target.z);
    attribute.needsUpdate = true;
  }

  private place(body: number): {position: Vector3; turn: Quaternion} {
    const data = this.run.bodies;
    return {position: new Vector3().fromArray(data, 7 * body), turn: new Quaternion().fromArray(data, 7 * body + 3).normalize()};
  }

  private ray(event: PointerEvent): Raycaster {
    const box = this.view.canvas.getBoundingClientRect();
    const out = new Raycaster();
    out.setFromCamera(
      new Vector2((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height),
      this.view.camera,
    );
    return out;
  }

  private grab(event: PointerEvent): void {
    if (event.button !== 0 || event.target !== this.view.canvas || !this.mayPull()) return;
    const hit = this.figure.hit(this.ray(event));
    const held = hit && this.grasp(hit.item, hit.point);
    if (!hit || !held) return;
    this.hold(held, 'node' in held ? this.position(held) : hit.point);
    this.view.controls.enabled = false;
  }

  private hold(held: Held, at: Vector3): void {
    const across = this.view.camera.getWorldDirection(new Vector3());
    this.grip = {held, plane: new Plane().setFromNormalAndCoplanarPoint(across, at), target: at.clone()};
    this.tell();
  }

  private drag(event: PointerEvent): void {
    if (!this.grip || !this.byMouse) return;
    const at = this.ray(event).ray.intersectPlane(this.grip.plane, new Vector3());
    if (!at) return;
    this.grip.target.copy(at);
    this.tell();
  }

  private release(): void {
    if (!this.grip) return;
    this.grip = null;
    this.view.controls.enabled = true;
    void this.connection.stream('pull', {do: 'release'});
  }

  private tell(): void {
    if (!this.grip) return;
    const {held, target} = this.grip;
    const what =
      'node' in held
        ? {node: this.figure.nodes?.nodes[held.node]?.info.name ?? ''}
        : {body: this.run.info.model.bodies[held.body]?.name ?? '', point: held.local.toArray()};
    void this.connection.stream('pull', {do: 'pull', ...what, target: target.toArray()});
    this.update();
    this.view.request();
  }
}
