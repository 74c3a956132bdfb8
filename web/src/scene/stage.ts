// The stage: sky, sun with soft shadows, and a round piece of ground.

import {
  CanvasTexture,
  CircleGeometry,
  Color,
  DirectionalLight,
  DoubleSide,
  Group,
  HemisphereLight,
  LinearFilter,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  Quaternion,
  Scene,
  ShadowMaterial,
  SRGBColorSpace,
  Vector2,
  Vector3,
} from 'three';

import {Triple} from '../header';

/** Up, and two directions that look along the ground. */
export interface Axes {
  up: Vector3;
  right: Vector3;
  front: Vector3;
}

interface Theme {
  /** Colours of the sky, from the top to the bottom of the picture. */
  sky: [string, string];
  ground: string;
  line: string;
  shadow: string;
  sun: number;
  air: number;
}
const themes: Record<'light' | 'dark', Theme> = {
  light: {sky: ['#c9d9e6', '#f3f1ec'], ground: '#e4e0d6', line: '#b3ada0', shadow: '#5c6470', sun: 2.6, air: 1.75},
  dark: {sky: ['#0d1218', '#2a333d'], ground: '#2b333b', line: '#515d69', shadow: '#07090c', sun: 2.4, air: 1.35},
};

const horizon = 0.75; // where the sky has its lowest colour, in heights of the picture from its top

export class Stage {
  /** Ground and planes that bodies touch. */
  readonly ground = new Group();
  readonly sun = new DirectionalLight(0xfff4e4, 2.5);
  private readonly air = new HemisphereLight(0xe8f0fa, 0x9c9080, 1.3);
  private readonly material = new ShadowMaterial();
  private readonly uniforms = {
    lineColor: {value: new Color()},
    groundColor: {value: new Color()},
    shadowColor: {value: new Color()},
    cell: {value: 1},
    shift: {value: new Vector2()},
    radius: {value: 1},
  };
  private readonly disc: Mesh;
  private readonly slopes: MeshBasicMaterial[] = [];
  private readonly toSun: Vector3;
  private readonly flat: Quaternion;
  private reach = 1;
  private sky: CanvasTexture | null = null;
  private simple = false;
  private drawsSky = false;

  constructor(
    private readonly scene: Scene,
    private readonly axes: Axes,
  ) {
    const {up, right, front} = axes;
    this.toSun = up.clone().multiplyScalar(2.4).addScaledVector(front, 1.8).addScaledVector(right, -0.9).normalize();
    this.air.position.copy(up);
    this.sun.castShadow = true;
    this.flat = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up);
    this.prepareMaterial();
    this.disc = new Mesh(new CircleGeometry(1, 96), this.material);
    this.disc.quaternion.copy(this.flat);
    this.disc.receiveShadow = true;
    this.disc.name = 'ground';
    this.ground.add(this.disc);
    scene.add(this.sun, this.sun.target, this.air, this.ground);
  }

  /** `pixels`: sides of the shadow's picture. */
  setShadow(pixels: number): void {
    if (this.sun.shadow.mapSize.x === pixels) return;
    this.sun.shadow.mapSize.set(pixels, pixels);
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
    this.aim();
  }

  /** Simple: with a shadow that is drawn faster. */
  setSimple(simple: boolean): void {
    if (simple === this.simple) return;
    this.simple = simple;
    this.material.needsUpdate = true;
  }

  /** Whether the sky is part of the picture: otherwise the page shows it behind. Software takes its time for it. */
  drawSky(on: boolean): void {
    this.drawsSky = on;
    this.scene.background = on ? this.sky : null;
  }

  /** Returns the sky as the page shows it. */
  setTheme(dark: boolean): string {
    const theme = themes[dark ? 'dark' : 'light'];
    this.sky?.dispose();
    this.sky = gradient(theme.sky);
    this.drawSky(this.drawsSky);
    this.uniforms.lineColor.value.set(theme.line);
    this.uniforms.groundColor.value.set(theme.ground);
    this.uniforms.shadowColor.value.set(theme.shadow);
    this.sun.intensity = theme.sun;
    this.air.intensity = theme.air;
    for (const material of this.slopes) material.color.set(theme.line);
    return `linear-gradient(${theme.sky[0]}, ${theme.sky[1]} ${100 * horizon}%)`;
  }

  /** Ground that reaches a distance from its middle, with lines `cell` apart, at a height along up. */
  build(reach: number, cell: number): void {
    this.reach = reach;
    this.uniforms.cell.value = cell;
    this.uniforms.radius.value = 1.7 * reach;
    this.disc.scale.setScalar(1.7 * reach);
    this.aim();
  }

  /** A plane that bodies touch and that is not level. */
  addSlope(point: Triple, normal: Triple, size: number): void {
    const material = new MeshBasicMaterial({transparent: true, opacity: 0.25, side: DoubleSide, depthWrite: false});
    this.slopes.push(material);
    const mesh = new Mesh(new PlaneGeometry(2 * size, 2 * size), material);
    mesh.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...normal));
    mesh.position.fromArray(point);
    this.ground.add(mesh);
  }

  showDisc(on: boolean): void {
    this.disc.visible = on;
  }

  /** Puts ground and sun where the model is; lines of the ground stay where they were. */
  place(center: Vector3, level: number): void {
    const {up} = this.axes;
    this.disc.position.copy(center).addScaledVector(up, level - center.dot(up));
    const own = this.disc.position.clone().applyQuaternion(this.flat.clone().invert());
    this.uniforms.shift.value.set(own.x, own.y);
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).addScaledVector(this.toSun, 3 * this.reach);
  }

  private aim(): void {
    const {shadow} = this.sun;
    const {camera} = shadow;
    const wide = 1.15 * this.reach;
    Object.assign(camera, {left: -wide, right: wide, bottom: -wide, top: wide, near: 0.5 * this.reach, far: 6 * this.reach});
    camera.updateProjectionMatrix();
    shadow.bias = -0.0004;
    shadow.normalBias = (3 * wide) / shadow.mapSize.x;
  }

  /** Ground colour with lines, darker in the shadow, clear at its edge. */
  private prepareMaterial(): void {
    this.material.customProgramCacheKey = () => `ground ${this.simple}`;
    this.material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace('void main() {', 'varying vec2 vPlace; uniform float radius;\nvoid main() {\nvPlace = radius * position.xy;');
      shader.fragmentShader = shader.fragmentShader
        .replace('void main() {', `${this.simple ? '#define HURRY' : ''}
          varying vec2 vPlace;
          uniform vec3 lineColor, groundColor, shadowColor; uniform float cell, radius; uniform vec2 shift;
          float lines(float width) {
            vec2 at = (vPlace + shift) / width;
            vec2 pixel = fwidth(at);
            vec2 from = abs(fract(at - 0.5) - 0.5);
            vec2 drawn = (1.0 - smoothstep(0.5 * pixel, 1.5 * pixel, from)) * (1.0 - smoothstep(0.15, 0.5, pixel));
            return max(drawn.x, drawn.y);
          }
          // Where things are lit. In a hurry, four points of the shadow's picture make its edge.
          float lit() {
            #if defined(HURRY) && defined(USE_SHADOWMAP) && NUM_DIR_LIGHT_SHADOWS > 0
              vec3 at = vDirectionalShadowCoord[0].xyz / vDirectionalShadowCoord[0].w;
              if (at.x < 0.0 || at.x > 1.0 || at.y < 0.0 || at.y > 1.0) return 1.0;
              vec2 pixel = 1.0 / directionalLightShadows[0].shadowMapSize;
              float sum = 0.0;
              for (int k = 0; k < 4; ++k) {
                vec2 beside = k == 0 ? vec2(0.4, 1.0) : k == 1 ? vec2(-1.0, 0.4) : k == 2 ? vec2(-0.4, -1.0) : vec2(1.0, -0.4);
                sum += step(at.z, unpackRGBAToDepth(texture2D(directionalShadowMap[0], at.xy + pixel * beside)));
              }
              return 0.25 * sum;
            #else
              return getShadowMask();
            #endif
          }
          void main() {`)
        .replace('gl_FragColor = vec4( color, opacity * ( 1.0 - getShadowMask() ) );', `
          float away = length(vPlace) / radius;
          float edge = 1.0 - smoothstep(0.35, 1.0, away);
          vec3 tone = mix(groundColor, lineColor, 0.32 * lines(cell) + 0.4 * lines(5.0 * cell));
          tone = mix(tone, shadowColor, 0.62 * (1.0 - lit()));
          gl_FragColor = vec4(tone, edge);`);
    };
  }
}

/** A picture of two colours, one above the other. */
function gradient([top, bottom]: [string, string]): CanvasTexture {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [4, 256];
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  const fill = context.createLinearGradient(0, 0, 0, 256);
  fill.addColorStop(0, top);
  fill.addColorStop(horizon, bottom);
  context.fillStyle = fill;
  context.fillRect(0, 0, 4, 256);
  const out = new CanvasTexture(canvas);
  out.colorSpace = SRGBColorSpace;
  out.generateMipmaps = false;
  out.minFilter = LinearFilter;
  return out;
}
