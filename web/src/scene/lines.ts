// Springs as coils; cables, passive paths and strands as thin tubes.

import {BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial, Mesh, MeshStandardMaterial, Vector3} from 'three';

import {Run} from '../data';
import {LineInfo} from '../header';
import {Path} from './path';
import {Tube} from './tube';

const turns = 9;
const perTurn = 14;

interface Part {
  info: LineInfo;
  offset: number;
  draw: (path: Path) => void;
  path: Path;
}

export class Lines {
  readonly group = new Group();
  private readonly parts: Part[] = [];
  private readonly stride: number;

  constructor(
    private readonly run: Run,
    private readonly size: number,
  ) {
    let offset = 0;
    for (const info of run.info.model.lines) {
      this.parts.push({info, offset, path: new Path(info.points), draw: info.kind === 'spring' ? this.coil(info) : this.tube(info)});
      offset += 3 * info.points;
    }
    this.stride = offset;
  }

  update(frame: number, next: number, part: number): void {
    if (this.run.lines.length < this.stride) return;
    for (const one of this.parts) {
      one.path.set(this.run.lines, frame * this.stride + one.offset, next * this.stride + one.offset, part, one.info.points);
      one.draw(one.path);
    }
  }

  private tube(info: LineInfo): (path: Path) => void {
    const tube = new Tube(info.points);
    const color = {cable: 0x4a5561, strand: 0xb5654a, path: 0x8f9a5a, spring: 0x4a5561}[info.kind];
    const mesh = new Mesh(tube.geometry, new MeshStandardMaterial({color, roughness: 0.6}));
    mesh.frustumCulled = false;
    mesh.name = info.name;
    this.group.add(mesh);
    return (path) => tube.update(path, [], () => 0.0035 * this.size);
  }

  /** A coil that stretches with its ends. */
  private coil(info: LineInfo): (path: Path) => void {
    const count = turns * perTurn + 1;
    const position = new BufferAttribute(new Float32Array(3 * count), 3);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', position);
    const line = new Line(geometry, new LineBasicMaterial({color: 0x4a5561}));
    line.frustumCulled = false;
    line.name = info.name;
    this.group.add(line);
    const [a, axis, u, v] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
    return (path) => {
      const length = path.length;
      a.fromArray(path.x, 0);
      axis.fromArray(path.x, 3 * (path.count - 1)).sub(a).normalize();
      u.set(Math.abs(axis.x) < 0.6 ? 1 : 0, Math.abs(axis.x) < 0.6 ? 0 : 1, 0);
      u.addScaledVector(axis, -u.dot(axis)).normalize();
      v.crossVectors(axis, u);
      const radius = Math.min(0.012 * this.size, 0.2 * length);
      for (let k = 0; k < count; ++k) {
        const along = k / (count - 1);
        // Straight at the ends, round in between.
        const wide = radius * Math.min(1, 12 * along, 12 * (1 - along));
        const angle = 2 * Math.PI * turns * along;
        const [c, s] = [wide * Math.cos(angle), wide * Math.sin(angle)];
        position.setXYZ(
          k,
          a.x + along * length * axis.x + c * u.x + s * v.x,
          a.y + along * length * axis.y + c * u.y + s * v.y,
          a.z + along * length * axis.z + c * u.z + s * v.z,
        );
      }
      position.needsUpdate = true;
    };
  }
}
