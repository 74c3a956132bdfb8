// The selected object, with its values at the present time.

import {Vector3} from 'three';

import {Run} from './data';
import {el} from './dom';
import {Figure} from './scene/figure';
import {colorNames, ColorBy} from './scene/muscles';
import {Selectable} from './scene/selection';
import {valueAt} from './timeline';
import {format, withUnit} from './units';

type Row = [string, string];

export class Inspector {
  readonly element = el('section', {class: 'card inspector', 'aria-live': 'off'});
  private readonly list: HTMLSelectElement;
  private readonly values = el('dl');
  private item: Selectable | null = null;
  onSelect: (item: Selectable | null) => void = () => {};

  constructor(
    private readonly run: Run,
    private readonly figure: Figure,
  ) {
    this.list = el('select', {'aria-label': 'Select an object', change: () => this.onSelect(this.chosen())});
    this.list.append(el('option', {value: ''}, 'Nothing selected: click on something, or choose here'));
    this.options('Bodies', 'body', run.info.model.bodies);
    this.options('Muscles', 'muscle', run.info.model.muscles);
    this.options('Strands', 'strand', run.info.model.strands);
    this.options('Nodes of strands', 'node', figure.nodes?.nodes.map((node) => node.info) ?? []);
    this.options('Deforming bodies', 'deforming', run.info.model.deforming);
    this.options('Markers', 'marker', run.info.model.markers);
    this.options('Surfaces', 'surface', run.info.model.surfaces.map((s) => ({name: s.name ?? `${s.type} of ${s.muscles.join(', ')}`})));
    this.element.append(el('h2', {}, 'Selection'), this.list, this.values);
  }

  get selected(): Selectable | null {
    return this.item;
  }

  select(item: Selectable | null, time: number): void {
    this.item = item;
    this.list.value = item ? `${item.kind}-${item.index}` : '';
    this.figure.highlight(item);
    this.update(time);
  }

  update(time: number): void {
    const rows = this.item ? this.rows(this.item, time) : [];
    this.values.replaceChildren(...rows.flatMap(([term, value]) => [el('dt', {}, term), el('dd', {}, value)]));
  }

  private options(title: string, kind: string, items: {name: string}[]): void {
    if (items.length === 0) return;
    const group = el('optgroup', {label: title});
    items.forEach((item, k) => group.append(el('option', {value: `${kind}-${k}`}, item.name)));
    this.list.append(group);
  }

  private chosen(): Selectable | null {
    const [kind, index] = this.list.value.split('-');
    return kind ? ({kind, index: Number(index)} as Selectable) : null;
  }

  private rows({kind, index}: Selectable, time: number): Row[] {
    const model = this.run.info.model;
    switch (kind) {
      case 'body':
        return this.bodyRows(index, time);
      case 'muscle':
        return this.muscleRows(index, time);
      case 'strand':
        return this.strandRows(index, time);
      case 'node':
        return this.nodeRows(index, time);
      case 'marker': {
        const marker = model.markers[index];
        return marker ? [['Marker', marker.name], ['On body', model.bodies[marker.body]?.name ?? 'world']] : [];
      }
      case 'deforming': {
        const body = model.deforming[index];
        return body ? [['Deforming body', body.name], ['Vertices', String(body.vertices)]] : [];
      }
      case 'surface': {
        const surface = model.surfaces[index];
        if (!surface) return [];
        return [
          ['Surface', surface.name ? `${surface.name} (${surface.type})` : surface.type],
          ['On body', model.bodies[surface.body]?.name ?? 'world'],
          [model.muscles.length > 0 ? 'Muscles' : 'Strands', surface.muscles.join(', ')],
          ...('radius' in surface ? ([['Radius', withUnit(surface.radius, 'length')]] as Row[]) : []),
        ];
      }
    }
  }

  private bodyRows(index: number, time: number): Row[] {
    const body = this.run.info.model.bodies[index];
    if (!body) return [];
    const at = this.figure.bodyPosition(index).toArray().map((v) => format(v, 3)).join(', ');
    const rows: Row[] = [
      ['Body', body.name],
      ['Parent', this.run.info.model.bodies[body.parent]?.name ?? 'world'],
      ['Joint', `${body.joint.name} (${body.joint.type})`],
      ['Mass', withUnit(body.mass, 'mass')],
      ['Origin', `${at} m`],
    ];
    for (const group of this.run.groups.filter((g) => g.id === 'coordinates'))
      for (const curve of group.curves)
        if (curve.name === body.joint.name || curve.name.startsWith(`${body.joint.name}_`))
          rows.push([curve.name, withUnit(valueAt(group.x.values, curve.values, time), curve.quantity)]);
    return rows;
  }

  private strandRows(index: number, time: number): Row[] {
    const strand = this.run.info.model.strands[index];
    if (!strand) return [];
    const rows: Row[] = [
      ['Strand', strand.name], ['Mass', strand.mass > 0 ? withUnit(strand.mass, 'mass') : 'none'],
      ['Rest length', withUnit(strand.length, 'length')],
    ];
    const tensions = this.figure.strands.tensions(index, time);
    if (tensions.length > 0) {
      const [low, high] = [Math.min(...tensions), Math.max(...tensions)];
      rows.push(['Tension', high - low > 1e-6 * Math.abs(high) ? `${format(low, 4)} to ${withUnit(high, 'force')}` : withUnit(high, 'force')]);
    }
    return rows;
  }

  private nodeRows(index: number, time: number): Row[] {
    const node = this.figure.nodes?.nodes[index];
    const strand = this.run.info.model.strands[node?.strand ?? -1];
    if (!node || !strand) return [];
    const {info} = node;
    const at = this.figure.strands.position(node.strand, node.place, time, new Vector3()).toArray().map((v) => format(v, 3)).join(', ');
    return [
      ['Node', info.name], ['Kind', info.kind], ['On strand', strand.name],
      ['Material', `${info.material ? 'held' : 'flows through'}, ${withUnit(this.figure.strands.material(node.strand, node.place, time), 'length')} from the start`],
      ['Position', `${at} m`],
    ];
  }

  private muscleRows(index: number, time: number): Row[] {
    const muscle = this.run.info.model.muscles[index];
    if (!muscle) return [];
    const rows: Row[] = [['Muscle', muscle.name], ['Mass', muscle.mass > 0 ? withUnit(muscle.mass, 'mass') : 'none']];
    for (const group of this.run.groups) {
      if (!group.id.startsWith('muscle-') || group.points) continue;
      const curve = group.curves.find((c) => c.name === muscle.name);
      if (curve) rows.push([group.title.replace(/ of muscles$|^Muscle /, ''), withUnit(valueAt(group.x.values, curve.values, time), curve.quantity)]);
    }
    const by: ColorBy = 'strain';
    if (this.run.times.length > 1) rows.push([colorNames[by].title, `${format(this.figure.muscles.value(index, time, by), 3)} %`]);
    return rows;
  }
}
