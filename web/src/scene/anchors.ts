// Path points of muscles: those fixed to bodies ride on them, the others follow the frames.

import {Group, Mesh, MeshStandardMaterial, Object3D, SphereGeometry, Vector3} from 'three';

import {Run} from '../data';

export class Anchors {
  /** All that shows and hides with the layer. */
  readonly holders: Group[] = [];
  readonly moving = new Group();

  constructor(
    private readonly run: Run,
    radius: number,
    bodyOf: (body: number) => Object3D,
  ) {
    const ball = new SphereGeometry(radius, 12, 8);
    const material = new MeshStandardMaterial({color: 0x26303a, roughness: 0.5});
    const holders = new Map<number, Group>();
    for (const anchor of run.info.model.anchors) {
      const mark = new Mesh(ball, material);
      if ('moving' in anchor) {
        this.moving.add(mark);
        continue;
      }
      mark.position.fromArray(anchor.position);
      let holder = holders.get(anchor.body);
      if (!holder) {
        holder = new Group();
        holders.set(anchor.body, holder);
        bodyOf(anchor.body).add(holder);
      }
      holder.add(mark);
    }
    this.holders.push(...holders.values(), this.moving);
  }

  update(frame: number, next: number, part: number): void {
    const n = this.moving.children.length;
    if (this.run.anchors.length < n) return;
    const to = new Vector3();
    this.moving.children.forEach((mark, k) => {
      mark.position.fromArray(this.run.anchors, 3 * (frame * n + k));
      mark.position.lerp(to.fromArray(this.run.anchors, 3 * (next * n + k)), part);
    });
  }
}
