// Many objects of one form, drawn at once: each moves with a body and has its own place, size and
// colour.

import {BufferGeometry, Color, InstancedMesh, Material, Matrix4, Sphere, Vector3} from 'three';

import {light, Selectable, Target} from './selection';

/** The detail of a form: all its triangles, or a few. */
export type Detail = 'fine' | 'coarse';
export type Forms = Record<Detail, BufferGeometry>;

export interface Member {
  /** Index of the body that carries it; −1: the world. */
  body: number;
  /** In the body's frame. */
  place: Matrix4;
  color: Color;
  item?: Selectable;
}

export class Crowd {
  readonly mesh: InstancedMesh;

  constructor(
    private readonly forms: Forms,
    material: Material,
    readonly members: Member[],
  ) {
    this.mesh = new InstancedMesh(forms.fine, material, members.length);
    // It is always drawn, because its members move.
    this.mesh.frustumCulled = false;
    this.mesh.boundingSphere = new Sphere(new Vector3(), Infinity);
    const kind = members.find((member) => member.item)?.item?.kind;
    if (kind) {
      const pick: Target['pick'] = (hit) => members[hit.instanceId ?? -1]?.item ?? null;
      this.mesh.userData = {kind, pick} satisfies Target;
    }
    this.highlight(null);
  }

  setDetail(detail: Detail): void {
    this.mesh.geometry = this.forms[detail];
  }

  /** Moves with the bodies, if it is visible. */
  update(bodies: {matrix: Matrix4}[]): void {
    if (!this.mesh.visible) return;
    const matrix = new Matrix4();
    this.members.forEach(({body, place}, k) => {
      const carrier = bodies[body];
      this.mesh.setMatrixAt(k, carrier ? matrix.multiplyMatrices(carrier.matrix, place) : place);
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  /** Gives members their colours, and more light to the selected one. */
  highlight(item: Selectable | null): void {
    const color = new Color();
    this.members.forEach((member, k) => {
      const lit = item && member.item?.kind === item.kind && member.item.index === item.index;
      color.copy(member.color);
      this.mesh.setColorAt(k, lit ? color.add(light) : color);
    });
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}
