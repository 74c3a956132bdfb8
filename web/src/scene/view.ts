// The picture: renderer, camera, resolution; picks what is clicked on.

import {Color, PCFSoftShadowMap, PerspectiveCamera, Raycaster, Scene, Vector2, Vector3, WebGLRenderer} from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';

import {frame, largest} from './extent';
import {Figure} from './figure';
import {Occlusion} from './occlusion';
import {Selectable} from './selection';
import {Axes, Stage} from './stage';

const margin = 1.1; // around the visible content
const late = 40; // time to the next chance to draw that counts as slow [ms]
const patience = 3; // pictures
const coarse = 0.6; // part of the resolution
const rest = 1000; // time after a change by hand until the picture is at rest again [ms]

/** Sides of the shadow's picture: with a graphics card, without, and without in motion. */
const shadowPixels = {card: 2048, rest: 1024, motion: 384};
const shadowEvery = 10; // pictures of a motion that share a shadow, without a graphics card

export class View {
  readonly renderer: WebGLRenderer;
  readonly camera = new PerspectiveCamera(35, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly stage: Stage;
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
  private turning = false; // by hand
  private time = 0;
  private level = 0; // height of the ground along up [m]
  private grounded = false; // bodies touch it
  private stands = true; // it is drawn anyway
  private least = -Infinity; // height of the model's middle from which on it is
  private readonly software: boolean;
  private pictures = 0;
  private occlusion: Occlusion | null = null;
  private resting: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly figures: Figure[],
  ) {
    this.renderer = new WebGLRenderer({canvas, alpha: true, antialias: !drawsInSoftware(), preserveDrawingBuffer: true});
    // A busy browser may have no second context to find out with.
    const software = (this.software = drawsInSoftware(this.renderer.getContext()));
    const usual = Math.min(2, window.devicePixelRatio);
    this.pixels = software ? {rest: 2, motion: 1} : {rest: usual, motion: usual};
    this.renderer.setPixelRatio(this.pixels.rest);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => {
      if (this.turning) this.touch();
      this.request();
    });
    this.controls.addEventListener('start', () => (this.moved = this.turning = true));
    this.controls.addEventListener('end', () => (this.turning = false));
    for (const figure of figures) this.scene.add(figure.root);
    this.following = this.main.extent.travels;
    this.axes = this.findAxes();
    this.camera.up.copy(this.axes.up);
    this.stage = new Stage(this.scene, this.axes);
    this.makeGround();
    this.setQuality(false);
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
    if (!this.simple || this.pictures++ % shadowEvery === 0) this.renderer.shadowMap.needsUpdate = true;
    if (this.occlusion) this.occlusion.render(this.scene, this.camera);
    else this.renderer.render(this.scene, this.camera);
    const drawn = performance.now();
    if (this.moving) requestAnimationFrame(() => this.judge(performance.now() - drawn));
  }

  /** Pictures that are too slow for a motion are coarser until it ends. */
  setMoving(on: boolean): void {
    clearTimeout(this.resting);
    this.resting = undefined;
    if (on === this.moving) return;
    this.moving = on;
    this.lateOnes = 0;
    this.refine();
  }

  /** Something was moved by hand: the pictures are those of a motion until nothing has moved for a while. */
  touch(): void {
    // A motion goes on by itself.
    if (!this.software || (this.moving && !this.resting)) return;
    this.setMoving(true);
    this.resting = setTimeout(() => this.setMoving(false), rest);
  }

  private judge(waited: number): void {
    if (!this.moving || this.lateOnes > patience) return;
    this.lateOnes = waited > late ? this.lateOnes + 1 : 0;
    if (this.lateOnes > patience) this.refine();
  }

  /** Whether the motion is too slow to be drawn finely. */
  private get slow(): boolean {
    return this.moving && this.lateOnes > patience;
  }

  private refine(): void {
    const {slow} = this;
    this.setQuality(slow);
    this.renderer.setPixelRatio(!this.moving ? this.pixels.rest : slow ? coarse * this.pixels.motion : this.pixels.motion);
    this.renderer.setSize(this.canvas.clientWidth, this.canvas.clientHeight, false);
    this.request();
  }

  /** Darkens places where things touch: by default where there is a graphics card. */
  setOcclusion(on: boolean): void {
    this.occlusion = on ? new Occlusion(this.renderer, 0.03 * this.main.size) : null;
    this.stage.drawSky(on);
    this.request();
  }

  /** Motions are drawn simply without a graphics card, and with one that is slow. */
  private get simple(): boolean {
    return this.moving && (this.software || this.slow);
  }

  /** Prepares for motions, so that the first one begins at once. */
  prepare(): void {
    if (!this.software) return;
    this.moving = true;
    this.setQuality(false);
    this.draw();
    this.moving = false;
    this.setQuality(false);
    this.request();
  }

  private setQuality(slow: boolean): void {
    for (const figure of this.figures) {
      figure.setDetail(slow ? 'coarse' : 'fine');
      figure.setSimple(this.simple);
    }
    this.stage.setSimple(this.simple);
    const darkens = !this.simple && (!this.software || this.occlusion !== null);
    if (darkens !== (this.occlusion !== null)) this.setOcclusion(darkens);
    this.stage.setShadow(this.simple ? shadowPixels.motion : this.software ? shadowPixels.rest : shadowPixels.card);
    this.pictures = 0;
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

  setTheme(background: string): void {
    const {r, g, b} = new Color(background);
    this.canvas.style.background = this.stage.setTheme(r + g + b < 0.75);
    this.request();
  }

  /** Everything in sight, from the side that shows the motion: of the whole run, or of the present moment. */
  home(moment = false): void {
    this.moved = false;
    const {up} = this.axes;
    const seen = this.figures.filter((figure) => figure.root.visible).map((figure) => figure.extent);
    let points = seen.flatMap((extent) => (moment ? extent.pointsNow(this.time) : extent.travels ? extent.pointsAlong(this.time) : extent.points()));
    if (moment) points.push(...this.main.tips);
    let direction = this.direction(points);
    let {target, distance} = frame(points, direction, up, this.camera.fov, this.camera.aspect);
    if (!moment && this.main.extent.travels) {
      // What goes along may still reach far: then the moment counts.
      points = seen.flatMap((extent) => extent.pointsNow(this.time));
      const now = frame(points, this.direction(points), up, this.camera.fov, this.camera.aspect);
      if (distance > 1.5 * now.distance) [direction, target, distance] = [this.direction(points), now.target, now.distance];
    }
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
      this.stage.place(center, this.level);
      // Without ground that holds it, what falls has none below.
      this.stage.showDisc(this.grounded || (this.stands && center.dot(this.axes.up) > this.least));
      this.controls.update();
    }
    this.followed.copy(center);
  }

  /** Restores the resolution used at rest. */
  async picture(): Promise<Blob> {
    const {moving, resting} = this;
    this.setMoving(false);
    this.stage.drawSky(true);
    this.draw();
    this.stage.drawSky(this.occlusion !== null);
    const blob = new Promise<Blob>((resolve, reject) =>
      this.canvas.toBlob((out) => (out ? resolve(out) : reject(new Error('no picture'))), 'image/png'),
    );
    if (resting) this.touch();
    else this.setMoving(moving);
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

  /** From where to look: things that lie flat are seen from above. */
  private direction(points: Vector3[]): Vector3 {
    const reach = (axis: Vector3): number => largest(points, (p) => p.dot(axis)) + largest(points, (p) => -p.dot(axis));
    const {up, right, front} = this.axes;
    const flat = reach(up) / Math.max(1e-9, Math.min(reach(right), 2 * reach(front)));
    const height = 0.22 + 0.75 * Math.min(1, Math.max(0, 1 - 1.6 * flat));
    return front.clone().addScaledVector(right, 0.42).addScaledVector(up, height).normalize();
  }

  private makeGround(): void {
    const {up} = this.axes;
    const {extent, size, run} = this.main;
    const power = Math.pow(10, Math.floor(Math.log10(size)));
    const cell = power / (size / power < 3 ? 10 : 2);
    const planes = run.info.model.ground;
    const level = planes.find((plane) => Math.abs(new Vector3(...plane.normal).dot(up)) > 0.99);
    const points = extent.points();
    this.level = level ? new Vector3(...level.point).dot(up) : extent.lowest(points, up) - 0.01 * size;
    const center = extent.travels ? this.main.center() : extent.bounds.getCenter(new Vector3());
    const reach = extent.travels ? 0.6 * size : largest(points, (p) => p.distanceTo(center));
    this.stage.build(Math.max(0.3 * size, reach), cell);
    this.stage.place(center, this.level);
    // The ground is left out if there is no gravity, and if the model falls far without landing.
    const height = center.dot(up) - this.level;
    this.grounded = level !== undefined;
    this.stands = run.info.model.gravity.some((g) => g !== 0) && height < 3 * size;
    this.least = this.main.run.times.length > 1 ? -Infinity : center.dot(up) - 0.03 * size;
    this.stage.showDisc(this.grounded || this.stands);
    for (const plane of planes) if (plane !== level) this.stage.addSlope(plane.point, plane.normal, size);
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

/** Whether software draws, not a graphics card. Asks the context `of`; if there is none, makes one to ask. */
function drawsInSoftware(of?: WebGLRenderingContext | WebGL2RenderingContext): boolean {
  const gl = of ?? document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl ? String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER)) : '';
  if (!of) gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /SwiftShader|llvmpipe|software|Basic Render/i.test(name);
}
