// Surfaces that change their shape: triangles once, vertices at every frame.

import {BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Group, Material, Mesh, MeshStandardMaterial} from 'three';

import {Run} from '../data';
import {skinMaterial} from './flesh';
import {Selectable, Target} from './selection';

const skinColor = new Color(0xcf9e88);

export class Deforming {
  readonly group = new Group();
  readonly meshes: Mesh[] = [];
  private readonly vertices: Float32Array[] = [];

  constructor(run: Run, ghost: Material | null) {
    run.info.model.deforming.forEach((info, index) => {
      const vertices = run.deforming[index] ?? new Float32Array(3 * info.vertices);
      const count = info.vertices;
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(vertices.slice(0, 3 * count), 3).setUsage(DynamicDrawUsage));
      geometry.setIndex(new BufferAttribute(run.arrays.indices(info.triangles).slice(), 1));
      const color = info.color ? new Color().setRGB(...info.color, 'srgb') : skinColor;
      const mesh = new Mesh(geometry, ghost ?? skinMaterial(color, {side: DoubleSide}));
      mesh.castShadow = mesh.receiveShadow = !ghost;
      mesh.name = info.name;
      mesh.frustumCulled = false;
      const item: Selectable = {kind: 'deforming', index};
      if (!ghost) mesh.userData = {kind: item.kind, pick: () => item} satisfies Target;
      this.meshes.push(mesh);
      this.vertices.push(vertices);
      this.group.add(mesh);
    });
  }

  material(index: number): MeshStandardMaterial | undefined {
    return this.meshes[index]?.material as MeshStandardMaterial | undefined;
  }

  update(frame: number, next: number, part: number): void {
    this.meshes.forEach((mesh, k) => {
      const position = mesh.geometry.getAttribute('position') as BufferAttribute;
      const [data, n] = [this.vertices[k] as Float32Array, position.array.length];
      for (let i = 0; i < n; ++i) {
        const a = data[frame * n + i] ?? 0;
        position.array[i] = a + part * ((data[next * n + i] ?? a) - a);
      }
      position.needsUpdate = true;
      mesh.geometry.computeVertexNormals();
      mesh.geometry.computeBoundingSphere();
    });
  }
}
