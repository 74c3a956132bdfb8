// Pulls a body: a spring from the point that was grabbed to the pointer, or to a hand that keys move.

import {BufferGeometry, Float32BufferAttribute, Line, LineBasicMaterial, Plane, Quaternion, Raycaster, Vector2, Vector3} from 'three';

import {Run} from '../data';
import {Figure} from '../scene/figure';
import {View} from '../scene/view';
import {Connection} from './connection';

interface Grip {
  body: number;
  /** The point held, in the body's frame. */
  local: Vector3;
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

  /** Holds a body at its centre of mass, or releases the one held. */
  toggle(body: number): void {
    if (this.grip) {
      this.release();
      return;
    }
    const local = new Vector3().fromArray(this.run.info.model.bodies[body]?.com ?? [0, 0, 0]);
    const {position, turn} = this.place(body);
    this.hold(body, local, local.clone().applyQuaternion(turn).add(position));
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
    const {position, turn} = this.place(this.grip.body);
    const held = this.grip.local.clone().applyQuaternion(turn).add(position);
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
    if (hit?.item.kind !== 'body') return;
    const body = hit.item.index;
    const {position, turn} = this.place(body);
    this.hold(body, hit.point.clone().sub(position).applyQuaternion(turn.invert()), hit.point);
    this.view.controls.enabled = false;
  }

  private hold(body: number, local: Vector3, at: Vector3): void {
    const across = this.view.camera.getWorldDirection(new Vector3());
    this.grip = {body, local, plane: new Plane().setFromNormalAndCoplanarPoint(across, at), target: at.clone()};
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
    const {body, local, target} = this.grip;
    const name = this.run.info.model.bodies[body]?.name ?? '';
    void this.connection.stream('pull', {do: 'pull', body: name, point: local.toArray(), target: target.toArray()});
    this.update();
    this.view.request();
  }
}
