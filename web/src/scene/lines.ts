// Springs as coils; cables, passive paths, strands and wires as thin tubes.

import {BufferAttribute, BufferGeometry, Color, Group, Line, LineBasicMaterial, Mesh, MeshStandardMaterial, Vector3} from 'three';

import {Run} from '../data';
import {LineInfo} from '../header';
import {Path} from './path';
import {Rings, Tubes} from './tube';

const wireColor = new Color(0x8a5a2c);
const colors = {cable: new Color(0x4a5561), strand: new Color(0xb5654a), path: new Color(0xd8cfae), wire: wireColor};
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
  private readonly tubes: Tubes;
  private readonly stride: number;

  constructor(
    private readonly run: Run,
    private readonly size: number,
  ) {
    const {lines, strands} = run.info.model;
    // Strands are drawn by themselves.
    const others = lines.filter((_, index) => !strands.some(({line}) => line === index));
    let offset = 0;
    lines.forEach((info, index) => {
      if (others.includes(info)) this.parts.push({info, offset, path: new Path(info.points), draw: info.kind === 'spring' ? this.coil(info) : this.tube(index, info.points, (colors as Record<string, Color>)[info.kind] ?? colors.cable)});
      offset += 3 * info.points;
    });
    this.stride = offset;
    this.tubes = new Tubes(others.map((info) => (info.kind === 'spring' ? 0 : info.points)));
    if (others.length === 0) return;
    const mesh = new Mesh(this.tubes.geometry, new MeshStandardMaterial({roughness: 0.6, vertexColors: true}));
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = true;
    this.group.add(mesh);
  }

  update(frame: number, next: number, part: number): void {
    if (this.run.lines.length < this.stride) return;
    this.tubes.begin();
    for (const one of this.parts) {
      one.path.set(this.run.lines, frame * this.stride + one.offset, next * this.stride + one.offset, part, one.info.points);
      one.draw(one.path);
    }
    this.tubes.end();
  }

  private tube(index: number, points: number, color: Color): (path: Path) => void {
    const radius = 0.0035 * this.size;
    const rings = new Rings(points);
    return (path) => this.tubes.addLine(index, path, rings, radius, color);
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

/** A wire through points. */
export function wireMesh(points: Float32Array, radius: number): Mesh {
  const count = points.length / 3;
  const path = new Path(count);
  path.set(points, 0, 0, 0, count);
  const tubes = new Tubes([count]);
  tubes.addLine(0, path, new Rings(count), radius, wireColor);
  tubes.end();
  const mesh = new Mesh(tubes.geometry, new MeshStandardMaterial({roughness: 0.4, vertexColors: true}));
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.name = 'wire';
  return mesh;
}
