// Contact darkening: places that little of the sky is seen from are darker. From the depth of the picture, for graphics
// cards: it reads every pixel many times.

import {
  Camera,
  DepthTexture,
  HalfFloatType,
  Mesh,
  NearestFilter,
  OrthographicCamera,
  PerspectiveCamera,
  PlaneGeometry,
  RedFormat,
  Scene,
  ShaderMaterial,
  UnsignedByteType,
  Vector2,
  WebGLRenderer,
  WebGLRenderTarget,
} from 'three';

const taps = 12;
const strength = 1.5;

const vertexShader = 'varying vec2 vUv; void main() { vUv = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }';
const common = `
  #include <packing>
  varying vec2 vUv;
  uniform sampler2D depth; uniform float near, far; uniform vec2 slope, texel;
  float distanceAt(vec2 uv) { return -perspectiveDepthToViewZ(texture2D(depth, uv).x, near, far); }
  vec3 placeAt(vec2 uv) { float z = distanceAt(uv); return vec3((2.0 * uv - 1.0) * slope * z, -z); }`;

const findShade = `${common}
  uniform float reach;
  void main() {
    vec3 place = placeAt(vUv);
    gl_FragColor = vec4(1.0);
    if (-place.z > 0.98 * far) return;
    vec3 normal = normalize(cross(dFdx(place), dFdy(place)));
    // The same sixteen turns in every block of four by four pixels, which the next step averages.
    vec2 block = mod(floor(vUv / texel), 4.0);
    float turn = 6.2832 * fract(0.0625 * (block.x + 4.0 * block.y) * 5.0);
    vec2 wide = clamp(reach / (-place.z * slope) * 0.5, 3.0 * texel, 60.0 * texel);
    float covered = 0.0;
    for (int k = 0; k < ${taps}; ++k) {
      float part = (float(k) + 0.5) / ${taps}.0;
      float angle = turn + 2.4 * float(k);
      vec3 way = placeAt(vUv + sqrt(part) * wide * vec2(cos(angle), sin(angle))) - place;
      float away = length(way);
      covered += max(0.0, dot(normal, way) / max(away, 1e-9) - 0.12) * (1.0 - smoothstep(reach, 2.5 * reach, away));
    }
    gl_FragColor = vec4(clamp(1.0 - ${strength} * covered / ${taps}.0, 0.35, 1.0));
  }`;

const apply = `${common}
  uniform sampler2D picture, shade;
  void main() {
    float here = distanceAt(vUv);
    float sum = 0.0, weight = 0.0;
    for (int x = -2; x < 2; ++x)
      for (int y = -2; y < 2; ++y) {
        vec2 at = vUv + (vec2(x, y) + 0.5) * texel;
        float like = 1.0 / (0.02 + abs(distanceAt(at) - here) / here);
        sum += like * texture2D(shade, at).x;
        weight += like;
      }
    gl_FragColor = vec4(texture2D(picture, vUv).rgb * sum / weight, 1.0);
    #include <colorspace_fragment>
  }`;

export class Occlusion {
  private readonly picture = new WebGLRenderTarget(1, 1, {type: HalfFloatType, samples: 4, depthTexture: new DepthTexture(1, 1)});
  private readonly shade = new WebGLRenderTarget(1, 1, {
    type: UnsignedByteType, format: RedFormat, depthBuffer: false, minFilter: NearestFilter, magFilter: NearestFilter,
  });
  private readonly uniforms = {
    picture: {value: this.picture.texture},
    depth: {value: this.picture.depthTexture},
    shade: {value: this.shade.texture},
    near: {value: 0}, far: {value: 1}, reach: {value: 1},
    slope: {value: new Vector2()}, texel: {value: new Vector2()},
  };
  private readonly finding = this.pass(findShade);
  private readonly applying = this.pass(apply);
  private readonly eye: Camera = new OrthographicCamera(-1, 1, 1, -1, 0, 1);

  constructor(
    private readonly renderer: WebGLRenderer,
    /** How far things darken each other [m]. */
    reach: number,
  ) {
    this.uniforms.reach.value = reach;
  }

  render(scene: Scene, camera: PerspectiveCamera): void {
    const {renderer, uniforms} = this;
    const size = renderer.getDrawingBufferSize(new Vector2());
    if (size.x !== this.picture.width || size.y !== this.picture.height) {
      this.picture.setSize(size.x, size.y);
      this.shade.setSize(size.x, size.y);
    }
    uniforms.texel.value.set(1 / size.x, 1 / size.y);
    const tall = Math.tan((camera.fov * Math.PI) / 360);
    uniforms.slope.value.set(tall * camera.aspect, tall);
    [uniforms.near.value, uniforms.far.value] = [camera.near, camera.far];
    renderer.setRenderTarget(this.picture);
    renderer.render(scene, camera);
    renderer.setRenderTarget(this.shade);
    renderer.render(this.finding, this.eye);
    renderer.setRenderTarget(null);
    renderer.render(this.applying, this.eye);
  }

  private pass(fragmentShader: string): Scene {
    const material = new ShaderMaterial({uniforms: this.uniforms, vertexShader, fragmentShader, depthTest: false, depthWrite: false});
    const mesh = new Mesh(new PlaneGeometry(2, 2), material);
    mesh.frustumCulled = false;
    return new Scene().add(mesh);
  }
}
