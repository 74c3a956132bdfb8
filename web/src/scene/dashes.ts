// The material of strands: dashes that go with what slides, from the attribute `fibre`, whose second entry counts them.

import {MeshLambertMaterial, MeshStandardMaterial, WebGLProgramParametersWithUniforms} from 'three';

import {makeTwins, replace, withoutShadows} from './flesh';

/** Brightness of the darker half of each dash. */
const dark = 0.58;

export function dashedMaterial(): MeshStandardMaterial {
  const material = new MeshStandardMaterial({vertexColors: true, roughness: 0.55});
  material.onBeforeCompile = addDashes;
  material.customProgramCacheKey = () => 'dashes';
  const simple = new MeshLambertMaterial({vertexColors: true});
  simple.onBeforeCompile = (shader) => {
    withoutShadows(shader);
    addDashes(shader);
  };
  simple.customProgramCacheKey = () => 'simple dashes';
  makeTwins(material, simple);
  return material;
}

/** Their edges are as soft as a pixel is wide; dashes finer than pixels fade to their mean. */
function addDashes(shader: WebGLProgramParametersWithUniforms): void {
  replace(shader, 'vertexShader', '#include <common>', 'attribute vec2 fibre; varying float vAlong;\n#include <common>');
  replace(shader, 'vertexShader', '#include <begin_vertex>', 'vAlong = fibre.y;\n#include <begin_vertex>');
  replace(shader, 'fragmentShader', '#include <common>', 'varying float vAlong;\n#include <common>');
  replace(shader, 'fragmentShader', '#include <color_fragment>', `#include <color_fragment>
    float wide = fwidth(vAlong);
    float inside = abs(fract(vAlong) - 0.5) - 0.25;
    float dash = mix(clamp(0.5 + inside / max(wide, 1e-6), 0.0, 1.0), 0.5, smoothstep(0.3, 0.8, wide));
    diffuseColor.rgb *= mix(1.0, ${dark.toFixed(2)}, dash);`);
}
