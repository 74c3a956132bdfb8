// Surfaces that change their shape: triangles once, vertices at every frame.

import {BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Group, Material, Mesh, MeshStandardMaterial} from 'three';

import {Run} from '../data';
import {Selectable, Target} from './selection';

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
      const material = new MeshStandardMaterial({color: 0xc98f7a, roughness: 0.65, side: DoubleSide});
      if (info.color) material.color.setRGB(...info.color, 'srgb');
      const mesh = new Mesh(geometry, ghost ?? material);
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
