// Forces as arrows: with lengths in proportion to the forces, each at its point.

import {ConeGeometry, CylinderGeometry, Group, Material, Mesh, MeshStandardMaterial, Quaternion, Vector3} from 'three';

import {Run} from '../data';

const up = new Vector3(0, 1, 0);

/** A shaft and a head of unit length along y, scaled at every frame. */
class Arrow extends Group {
  private readonly shaft: Mesh;
  private readonly head: Mesh;

  constructor(
    material: Material,
    private readonly thick: number,
  ) {
    super();
    this.name = 'force';
    this.shaft = new Mesh(new CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), material);
    this.head = new Mesh(new ConeGeometry(1, 1, 20).translate(0, 0.5, 0), material);
    this.add(this.shaft, this.head);
  }

  readonly tip = new Vector3();

  set(from: Vector3, direction: Vector3, length: number): void {
    const head = Math.min(5 * this.thick, 0.45 * length);
    this.position.copy(from);
    this.tip.copy(from).addScaledVector(direction, length);
    this.quaternion.copy(new Quaternion().setFromUnitVectors(up, direction));
    this.shaft.scale.set(this.thick, length - head, this.thick);
    this.head.position.y = length - head;
    this.head.scale.set(0.45 * head, head, 0.45 * head);
  }
}

export class Arrows {
  readonly group = new Group();
  private readonly parts: {arrow: Arrow; values: Float32Array}[] = [];
  /** Impacts would make all other arrows invisible: the few largest forces share one length. */
  private usual: number;

  constructor(
    run: Run,
    private readonly size: number,
  ) {
    const sizes: number[] = [];
    const materials = [0xb26a00, 0x1f8f4e].map((color) => new MeshStandardMaterial({color, roughness: 0.6}));
    for (const force of run.info.frames.forces) {
      const values = run.arrays.read(force.values);
      for (let k = 0; k + 5 < values.length; k += 6) {
        const f = Math.hypot(values[k + 3] ?? 0, values[k + 4] ?? 0, values[k + 5] ?? 0);
        if (f > 0) sizes.push(f);
      }
      const arrow = new Arrow(materials[force.contact ? 1 : 0] as Material, 0.0045 * size);
      this.group.add(arrow);
      this.parts.push({arrow, values});
    }
    sizes.sort((a, b) => a - b);
    this.usual = sizes[Math.floor(0.9 * sizes.length)] ?? 1;
  }

  /** Ends of the arrows that are seen. */
  get tips(): Vector3[] {
    return this.parts.flatMap(({arrow}) => (arrow.visible ? [arrow.tip] : []));
  }

  /** A force of this many newtons has the full length: for future frames. */
  scale(force: number): void {
    this.usual = force;
  }

  update(k: number, next: number, part: number): void {
    const [direction, from] = [new Vector3(), new Vector3()];
    for (const {arrow, values} of this.parts) {
      const force = (frame: number): number => Math.hypot(values[6 * frame + 3] ?? 0, values[6 * frame + 4] ?? 0, values[6 * frame + 5] ?? 0);
      // A force that begins or ends between two frames has a place in one of them only.
      const [a, b] = [force(k) > 0 ? k : next, force(next) > 0 ? next : k];
      const at = (axis: number): number => {
        const [frameA, frameB] = axis < 3 ? [a, b] : [k, next];
        const value = values[6 * frameA + axis] ?? 0;
        return value + part * ((values[6 * frameB + axis] ?? value) - value);
      };
      direction.set(at(3), at(4), at(5));
      const f = direction.length();
      arrow.visible = f > 1e-3 * this.usual;
      if (arrow.visible) arrow.set(from.set(at(0), at(1), at(2)), direction.divideScalar(f), 0.16 * this.size * Math.min(1, f / this.usual));
    }
  }
}
