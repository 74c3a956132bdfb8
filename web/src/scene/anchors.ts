// Path points of muscles: points fixed to bodies move with them, the others follow the frames.

import {Color, Matrix4, MeshStandardMaterial, Vector3} from 'three';

import {Run} from '../data';
import {Crowd, Member} from './crowd';
import {balls} from './shapes';

const color = new Color(0x26303a);

export class Anchors {
  readonly crowd: Crowd;
  private readonly moving: Member[];

  constructor(
    private readonly run: Run,
    radius: number,
  ) {
    const members: Member[] = run.info.model.anchors.map((anchor) =>
      'moving' in anchor
        ? {body: -1, place: new Matrix4(), color}
        : {body: anchor.body, place: new Matrix4().setPosition(...anchor.position), color},
    );
    this.moving = members.filter((_, k) => 'moving' in (run.info.model.anchors[k] ?? {}));
    this.crowd = new Crowd(balls(radius, 12), new MeshStandardMaterial({roughness: 0.5}), members);
  }

  update(frame: number, next: number, part: number): void {
    const n = this.moving.length;
    if (this.run.anchors.length < n) return;
    const at = (of: number, k: number): Vector3 => new Vector3().fromArray(this.run.anchors, 3 * (of * n + k));
    this.moving.forEach(({place}, k) => place.setPosition(at(frame, k).lerp(at(next, k), part)));
  }
}
