// The picture: renderer, camera, lights, ground; picks what is clicked on.

import {
  Color,
  DirectionalLight,
  DoubleSide,
  GridHelper,
  Group,
  HemisphereLight,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  PerspectiveCamera,
  PlaneGeometry,
  Quaternion,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';

import {frame, largest} from './extent';
import {Figure} from './figure';
import {Selectable} from './selection';

const margin = 1.06; // around the visible content
const late = 40; // time to the next chance to draw that counts as slow [ms]
const patience = 3; // pictures
const coarse = 0.6; // part of the resolution

/** Up, and two directions that look along the ground. */
interface Axes {
  up: Vector3;
  right: Vector3;
  front: Vector3;
}

export class View {
  readonly renderer: WebGLRenderer;
  readonly camera = new PerspectiveCamera(35, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly ground = new Group();
  onPick: (item: Selectable | null) => void = () => {};
  private readonly scene = new Scene();
  private readonly axes: Axes;
  /** Whether the camera follows the model. */
  following: boolean;
  private readonly followed = new Vector3();
  private pending = false;
  /** Pixels per screen pixel, at rest and in motion. Software smooths edges best by drawing twice as fine. */
  private readonly pixels: {rest: number; motion: number};
  private moving = false;
  private lateOnes = 0;
  private moved = false;
  private time = 0;
  private grid: GridHelper | null = null;
  private cell = 1; // of the grid [m]
  private level = 0; // height of the ground along up [m]

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly figures: Figure[],
  ) {
    const software = drawsInSoftware();
    const usual = Math.min(2, window.devicePixelRatio);
    this.pixels = software ? {rest: 2, motion: 1} : {rest: usual, motion: usual};
    this.renderer = new WebGLRenderer({canvas, antialias: !software, preserveDrawingBuffer: true});
    this.renderer.setPixelRatio(this.pixels.rest);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => this.request());
    this.controls.addEventListener('start', () => (this.moved = true));
    for (const figure of figures) this.scene.add(figure.root);
    this.following = this.main.extent.travels;
    this.axes = this.findAxes();
    this.camera.up.copy(this.axes.up);
    const sun = new DirectionalLight(0xffffff, 2.2);
    sun.position.copy(this.axes.up).multiplyScalar(3).add(this.axes.front).addScaledVector(this.axes.right, 1.5);
    const sky = new HemisphereLight(0xffffff, 0x8a8578, 1.5);
    sky.position.copy(this.axes.up);
    this.scene.add(sun, sky, this.ground);
    this.home();
    this.listen();
  }

  /** Draws before the next repaint; several requests make one picture. */
  request(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      // Skip it if it was drawn meanwhile.
      if (this.pending) this.draw();
    });
  }

  draw(): void {
    this.pending = false;
    this.renderer.render(this.scene, this.camera);
    const drawn = performance.now();
    if (this.moving) requestAnimationFrame(() => this.judge(performance.now() - drawn));
  }

  /** Pictures that are too slow for a motion are coarser until it ends. */
  setMoving(on: boolean): void {
    if (on === this.moving) return;
    this.moving = on;
    this.lateOnes = 0;
    this.refine();
  }

  private judge(waited: number): void {
    if (!this.moving || this.lateOnes > patience) return;
    this.lateOnes = waited > late ? this.lateOnes + 1 : 0;
    if (this.lateOnes > patience) this.refine();
  }

  private refine(): void {
    const slow = this.lateOnes > patience;
    for (const figure of this.figures) figure.setDetail(slow ? 'coarse' : 'fine');
    this.renderer.setPixelRatio(!this.moving ? this.pixels.rest : slow ? coarse * this.pixels.motion : this.pixels.motion);
    this.renderer.setSize(this.canvas.clientWidth, this.canvas.clientHeight, false);
    this.request();
  }

  resize(): void {
    const {clientWidth: w, clientHeight: h} = this.canvas;
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    // Until the reader has turned it, the picture fits its frame.
    if (!this.moved) this.home();
    this.request();
  }

  setTheme(background: string, line: string): void {
    this.scene.background = new Color(background);
    this.makeGround(new Color(line));
    this.request();
  }

  /** Everything in sight, from the side that shows the motion. */
  home(): void {
    this.moved = false;
    const {up, right, front} = this.axes;
    const direction = front.clone().addScaledVector(right, 0.42).addScaledVector(up, 0.22).normalize();
    const points = this.figures.flatMap((figure) => figure.extent.points(this.time));
    const {target, distance} = frame(points, direction, up, this.camera.fov, this.camera.aspect);
    const size = this.main.size;
    this.camera.position.copy(target).addScaledVector(direction, Math.max(margin * distance, 0.1 * size));
    this.camera.near = 0.002 * size;
    this.camera.far = Math.max(60 * size, 4 * distance);
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(target);
    this.controls.update();
    this.followed.copy(this.main.center());
    this.request();
  }

  /** Follows the model, if enabled; call after the figures are at `time`. */
  track(time: number): void {
    this.time = time;
    const center = this.main.center();
    if (this.following) {
      const step = center.clone().sub(this.followed);
      this.camera.position.add(step);
      this.controls.target.add(step);
      this.placeGrid(center);
      this.controls.update();
    }
    this.followed.copy(center);
  }

  /** Restores the resolution used at rest. */
  async picture(): Promise<Blob> {
    const {moving} = this;
    this.setMoving(false);
    this.draw();
    const blob = new Promise<Blob>((resolve, reject) =>
      this.canvas.toBlob((out) => (out ? resolve(out) : reject(new Error('no picture'))), 'image/png'),
    );
    this.setMoving(moving);
    return blob;
  }

  pick(x: number, y: number): Selectable | null {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    const ray = new Raycaster();
    ray.setFromCamera(at, this.camera);
    return this.main.hit(ray)?.item ?? null;
  }

  private get main(): Figure {
    return this.figures[0] as Figure;
  }

  /** Up is against gravity; the view is across the direction in which the motion reaches least. */
  private findAxes(): Axes {
    const [gx, gy, gz] = this.main.run.info.model.gravity;
    const [ax, ay, az] = [Math.abs(gx), Math.abs(gy), Math.abs(gz)];
    const up = az > ay && az >= ax ? new Vector3(0, 0, -Math.sign(gz)) : ax > ay ? new Vector3(-Math.sign(gx), 0, 0) : new Vector3(0, 1, 0);
    const size = this.main.extent.bounds.getSize(new Vector3());
    const level = [new Vector3(0, 0, 1), new Vector3(1, 0, 0), new Vector3(0, -1, 0)].filter((axis) => Math.abs(axis.dot(up)) < 0.5);
    const reach = (axis: Vector3): number => Math.abs(axis.dot(size));
    // Looking along z, with x to the right, unless the motion is clearly better seen from another
    // side.
    const front = reach(level[1] as Vector3) < 0.6 * reach(level[0] as Vector3) ? level[1] : level[0];
    return {up, front: front as Vector3, right: up.clone().cross(front as Vector3)};
  }

  private makeGround(line: Color): void {
    this.ground.clear();
    const {up} = this.axes;
    const {extent, size, run} = this.main;
    const power = Math.pow(10, Math.floor(Math.log10(size)));
    this.cell = power / (size / power < 3 ? 5 : 2);
    const count = 2 * Math.ceil((1.6 * size) / this.cell);
    const planes = run.info.model.ground;
    const level = planes.find((plane) => Math.abs(new Vector3(...plane.normal).dot(up)) > 0.99);
    const lowest = -largest(extent.points(run.times[0] ?? 0), (p) => -p.dot(up));
    this.level = level ? new Vector3(...level.point).dot(up) : lowest - 0.02 * size;
    this.grid = new GridHelper(count * this.cell, count, line, line);
    const material = this.grid.material as LineBasicMaterial;
    material.transparent = true;
    material.opacity = 0.6;
    this.grid.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), up);
    this.placeGrid(extent.travels ? this.main.center() : extent.bounds.getCenter(new Vector3()));
    this.ground.add(this.grid);
    for (const plane of planes) if (plane !== level) this.ground.add(this.slope(plane.point, plane.normal, line));
  }

  /** Puts the grid under a point, with its lines where they were. */
  private placeGrid(center: Vector3): void {
    if (!this.grid) return;
    const snap = (x: number): number => Math.round(x / this.cell) * this.cell;
    this.grid.position.set(snap(center.x), snap(center.y), snap(center.z));
    this.grid.position.addScaledVector(this.axes.up, this.level - this.grid.position.dot(this.axes.up));
  }

  private slope(point: [number, number, number], normal: [number, number, number], line: Color): Mesh {
    const material = new MeshBasicMaterial({color: line, transparent: true, opacity: 0.25, side: DoubleSide, depthWrite: false});
    const mesh = new Mesh(new PlaneGeometry(2 * this.main.size, 2 * this.main.size), material);
    mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...normal)));
    mesh.position.fromArray(point);
    return mesh;
  }

  /** A click that does not drag selects. */
  private listen(): void {
    let down: PointerEvent | null = null;
    this.canvas.addEventListener('pointerdown', (event) => (down = event));
    this.canvas.addEventListener('pointerup', (event) => {
      if (down && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < 4)
        this.onPick(this.pick(event.clientX, event.clientY));
      down = null;
    });
    this.canvas.addEventListener('dblclick', () => this.home());
    new ResizeObserver(() => this.resize()).observe(this.canvas);
  }
}

/** Whether there is no graphics card to draw with. */
function drawsInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /SwiftShader|llvmpipe|software|Basic Render/i.test(name);
}
