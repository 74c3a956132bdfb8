// Materials of what is alive: muscles with fibres and tendons, and skin.

import {Color, Material, MeshLambertMaterial, MeshStandardMaterial, WebGLProgramParametersWithUniforms} from 'three';

export const muscleRed = new Color(0xb03a33);
export const tendonColor = new Color(0xeae0cb);

/** Bundles of fibres around a belly. */
const bundles = 20;

/** Stripes along the fibres, which fade before they would be finer than pixels; tendons are pale and a little glossy.
 * Reads the attribute `fibre`: the angle across the fibres, and how much of a place is belly. */
export function fleshMaterial(): MeshStandardMaterial {
  const material = new MeshStandardMaterial({vertexColors: true, roughness: 0.58});
  material.onBeforeCompile = (shader) => {
    addFibres(shader, `
      float across = ${bundles.toFixed(1)} * vFibre.x;
      float seen = 1.0 - smoothstep(0.7, 2.2, fwidth(across));
      float stripe = 0.5 + 0.35 * cos(across) + 0.15 * cos(2.6 * across + 1.0);
      flesh = smoothstep(0.15, 0.75, vFibre.y + 0.25 * seen * (stripe - 0.5));
      vec3 bundle = diffuseColor.rgb * mix(1.0, 0.62 + 0.6 * stripe, seen);
      diffuseColor.rgb = mix(tendonColor, bundle, flesh);`);
    replace(shader, 'fragmentShader', '#include <roughnessmap_fragment>', 'float roughnessFactor = mix(0.34, roughness, flesh);');
  };
  material.customProgramCacheKey = () => 'flesh';
  const simple = new MeshLambertMaterial({vertexColors: true});
  simple.onBeforeCompile = (shader) => {
    withoutShadows(shader);
    addFibres(shader, `
      float stripe = abs(fract(${(bundles / 6.2832).toFixed(4)} * vFibre.x) - 0.5);
      diffuseColor.rgb = mix(tendonColor, diffuseColor.rgb * (0.8 + 0.7 * stripe), smoothstep(0.15, 0.75, vFibre.y));`);
  };
  simple.customProgramCacheKey = () => 'simple flesh';
  makeTwins(material, simple);
  return material;
}

/** The second stands for the first where pictures must be fast. */
export function makeTwins(material: Material, simple: MeshLambertMaterial): void {
  twins.set(material, simple);
  twins.set(simple, material);
}

/** Software takes its time for shadows even where there are none. */
export function withoutShadows(shader: WebGLProgramParametersWithUniforms): void {
  for (const part of ['vertexShader', 'fragmentShader'] as const) shader[part] = `#undef USE_SHADOWMAP\n${shader[part]}`;
}

function addFibres(shader: WebGLProgramParametersWithUniforms, color: string): void {
  shader.uniforms['tendonColor'] = {value: tendonColor};
  replace(shader, 'vertexShader', '#include <common>', 'attribute vec2 fibre; varying vec2 vFibre;\n#include <common>');
  replace(shader, 'vertexShader', '#include <begin_vertex>', 'vFibre = fibre;\n#include <begin_vertex>');
  replace(shader, 'fragmentShader', '#include <common>', 'uniform vec3 tendonColor; varying vec2 vFibre; float flesh;\n#include <common>');
  replace(shader, 'fragmentShader', '#include <color_fragment>', `#include <color_fragment>${color}`);
}

/** Materials that are drawn faster, without gloss, and those that they stand for. */
const twins = new WeakMap<Material, Material>();

/** The material to draw with: the one itself, or one that is drawn faster and has the same colours. */
export function twinOf(material: Material, simple: boolean): Material {
  const known = twins.get(material);
  const isSimple = material instanceof MeshLambertMaterial;
  if (isSimple === simple) return material;
  if (known) return known;
  if (!(material instanceof MeshStandardMaterial)) return material;
  const {transparent, opacity, depthWrite, depthTest, side, vertexColors} = material;
  const out = new MeshLambertMaterial({transparent, opacity, depthWrite, depthTest, side, vertexColors});
  out.onBeforeCompile = withoutShadows;
  out.customProgramCacheKey = () => 'simple';
  // Shared, so that what is selected shines in both.
  [out.color, out.emissive] = [material.color, material.emissive];
  twins.set(material, out);
  twins.set(out, material);
  return out;
}

/** Skin: light that goes in comes out red near the edges. */
export function skinMaterial(color: Color, settings: object): MeshStandardMaterial {
  const material = new MeshStandardMaterial({color, roughness: 0.5, ...settings});
  material.onBeforeCompile = (shader) =>
    replace(shader, 'fragmentShader', '#include <opaque_fragment>', `
      float rim = 1.0 - clamp(dot(normalize(vViewPosition), normal), 0.0, 1.0);
      outgoingLight += diffuseColor.rgb * vec3(0.42, 0.13, 0.09) * (0.12 + rim * rim);
      #include <opaque_fragment>`);
  material.customProgramCacheKey = () => 'skin';
  return material;
}

export function replace(shader: Pick<WebGLProgramParametersWithUniforms, 'vertexShader' | 'fragmentShader'>, part: 'vertexShader' | 'fragmentShader', what: string, by: string): void {
  shader[part] = shader[part].replace(what, by);
}
