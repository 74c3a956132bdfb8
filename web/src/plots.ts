// Plots linked to the clock of the page. A click sets the time, a drag zooms, a double click shows all again.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import {curveColor} from './colors';
import {average, Cycles, findStarts, phase} from './cycles';
import {Group, Run} from './data';
import {choice, download, el} from './dom';
import {Chart, chartCsv, chartSvg, Line} from './svg';
import {Timeline, valueAt} from './timeline';
import {format, Unit, unitOf} from './units';

const shownAtFirst = 8;
const height = 200; // height of a plot [px]

/** Customary forms of plots of motions: moments per body mass, time in per cent of the motion or of a cycle. */
export const style = {
  perMass: false,
  percent: false,
  cycles: null as Cycles | null,
  second: 'overlay' as 'overlay' | 'difference' | 'none',
};

export class PlotCard {
  readonly element: HTMLElement;
  private readonly holder = el('div', {class: 'plot'});
  private readonly pick: HTMLSelectElement | null;
  private plot: uPlot | null = null;
  private group: Group;

  constructor(
    private readonly run: Run,
    private readonly timeline: Timeline,
    first: string,
    private readonly other: Run | null = null,
  ) {
    this.group = run.groups.find((g) => g.id === first) ?? (run.groups[0] as Group);
    const pick = choice(
      'Plot', run.groups.map((g) => [g.id, g.title, g.section]), this.group.id,
      (id) => this.show(run.groups.find((g) => g.id === id) ?? this.group),
    );
    this.pick = pick.querySelector('select');
    const buttons = el(
      'div', {class: 'buttons'},
      el('button', {type: 'button', click: () => this.export('csv'), 'aria-label': 'Save this plot as .csv'}, '.csv'),
      el('button', {type: 'button', click: () => this.export('svg'), 'aria-label': 'Save this plot as .svg'}, '.svg'),
    );
    this.element = el('section', {class: 'card plot-card'}, el('header', {}, pick, buttons), this.holder);
    timeline.follow(() => this.plot?.redraw(false));
    new ResizeObserver(() => this.resize()).observe(this.holder);
  }

  /** Shows a group of curves by its id. */
  open(id: string): void {
    const group = this.run.groups.find((g) => g.id === id);
    if (!group) return;
    if (this.pick) this.pick.value = id;
    this.show(group);
  }

  /** Draws anew, e.g. in other colours. */
  refresh(): void {
    this.show(this.group);
  }

  chart(): Chart {
    const {group} = this;
    if (style.cycles && !group.points) return this.cycleChart(style.cycles);
    const unit = this.unit();
    const xUnit = this.xUnit();
    const order = group.points ? sorted(group.x.values) : null;
    const arrange = (values: Float32Array, factor: number): number[] =>
      Array.from(values, (_, k) => factor * (values[order ? (order[k] ?? 0) : k] ?? NaN));
    const symbol = (u: {symbol: string}): string => (u.symbol ? ` [${u.symbol}]` : '');
    return {
      title: group.title,
      xLabel: `${group.x.name}${symbol(xUnit)}`,
      yLabel: unit.symbol,
      x: arrange(group.x.values, xUnit.factor).map((x) => x - xUnit.start),
      lines: [...group.curves.map((curve, k) => ({
        name: this.mixed() ? `${curve.name} [${this.curveUnit(curve.quantity).symbol}]` : curve.name,
        color: curveColor(k),
        dash: k >= 8,
        points: group.points,
        y: arrange(curve.values, this.curveUnit(curve.quantity).factor),
      })), ...this.otherLines()],
    };
  }

  /** Means over all cycles, with their deviation. */
  private cycleChart({coordinate, starts}: Cycles): Chart {
    const {group} = this;
    const lines = group.curves.map((curve, k): Line => {
      const unit = this.curveUnit(curve.quantity);
      const {mean, deviation} = average(group.x.values, curve.values, starts);
      return {
        name: this.mixed() ? `${curve.name} [${unit.symbol}]` : curve.name,
        color: curveColor(k),
        dash: k >= 8,
        points: false,
        y: mean.map((v) => v * unit.factor),
        deviation: deviation.map((v) => v * unit.factor),
      };
    });
    const x = Array.from({length: 101}, (_, k) => k);
    return {title: group.title, xLabel: `cycle of ${coordinate} [%]`, yLabel: this.unit().symbol, x, lines: [...lines, ...this.otherCycles(coordinate)]};
  }

  /** The same for the second run, over its own cycles. */
  private otherCycles(coordinate: string): Line[] {
    const theirs = this.other?.groups.find((g) => g.id === this.group.id);
    const curve = this.other?.curve('coordinates', coordinate);
    const starts = curve ? findStarts(curve.times, curve.values) : null;
    if (!theirs || !starts || !style.cycles || style.second === 'none') return [];
    const minus = style.second === 'difference';
    const mine = style.cycles.starts;
    return this.group.curves.flatMap((own, k): Line[] => {
      const same = theirs.curves.find((c) => c.name === own.name);
      if (!same) return [];
      const {factor} = this.curveUnit(own.quantity);
      const other = average(theirs.x.values, same.values, starts).mean;
      const here = average(this.group.x.values, own.values, mine).mean;
      const y = other.map((v, row) => factor * (minus ? (here[row] ?? NaN) - v : v));
      return [{name: `${own.name}, ${minus ? 'difference' : 'second run'}`, color: curveColor(k), dash: true, points: false, y}];
    });
  }

  /** The same curves of the second run at the times of the first, and the difference. */
  private otherLines(): Line[] {
    const theirs = this.other?.groups.find((g) => g.id === this.group.id);
    if (!theirs || this.group.points || style.second === 'none') return [];
    const out: Line[] = [];
    this.group.curves.forEach((curve, k) => {
      const same = theirs.curves.find((c) => c.name === curve.name);
      if (!same) return;
      const {factor} = this.curveUnit(curve.quantity);
      const minus = style.second === 'difference';
      const y = Array.from(this.group.x.values, (t, row) =>
        factor * (minus ? (curve.values[row] ?? NaN) - valueAt(theirs.x.values, same.values, t) : valueAt(theirs.x.values, same.values, t)));
      out.push({name: `${curve.name}, ${minus ? 'difference' : 'second run'}`, color: curveColor(k), dash: true, points: false, y});
    });
    return out;
  }

  private show(group: Group): void {
    this.group = group;
    this.plot?.destroy();
    const chart = this.chart();
    const shown = liveliest(chart.lines.slice(0, group.curves.length));
    const style = getComputedStyle(document.documentElement);
    const [ink, rule] = [style.getPropertyValue('--muted').trim(), style.getPropertyValue('--rule').trim()];
    const axis = {stroke: ink, grid: {stroke: rule, width: 1}, ticks: {stroke: rule, width: 1}, font: '12px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif'};
    const options: uPlot.Options = {
      width: Math.max(200, this.holder.clientWidth),
      height,
      scales: {x: {time: false}, ...bandRange(chart)},
      cursor: {drag: {x: true, y: false}, points: {show: false}},
      legend: {live: false, markers: {width: 0, fill: (_, k) => chart.lines[k - 1]?.color ?? ink}},
      series: [
        {label: chart.xLabel},
        ...chart.lines.map((line, k) => ({
          label: line.name,
          stroke: line.color,
          width: line.points ? 0 : 1.6,
          dash: line.dash ? [6, 4] : undefined,
          points: {show: line.points, size: 3, fill: line.color, width: 0},
          paths: line.points ? () => null : undefined,
          show: shown.has(k % group.curves.length),
        })) as uPlot.Series[],
      ],
      axes: [
        {...axis, label: chart.xLabel, labelSize: 18, size: 34},
        {...axis, label: chart.yLabel, labelSize: 16, size: 58, values: (_, ticks) => ticks.map((v) => format(v))},
      ],
      hooks: {drawAxes: [(u) => drawBands(u, chart)], draw: [(u) => this.drawCursor(u)], ready: [(u) => this.listen(u)]},
    };
    this.plot = new uPlot(options, [chart.x, ...chart.lines.map((line) => line.y)] as uPlot.AlignedData, this.holder);
    this.holder.setAttribute('role', 'img');
    this.holder.setAttribute('aria-label', `Plot: ${chart.title}, ${chart.lines.length} curves over ${chart.xLabel}`);
  }

  private unit(): {symbol: string} {
    const first = this.group.curves[0];
    return this.mixed() || !first ? {symbol: ''} : this.curveUnit(first.quantity);
  }
  private curveUnit(quantity: string): Unit {
    const unit = unitOf(quantity);
    if (!style.perMass || !['moment', 'force'].includes(quantity)) return unit;
    return {symbol: `${unit.symbol}/kg`, factor: unit.factor / this.run.info.model.mass};
  }
  private xUnit(): Unit & {start: number} {
    const {quantity, values} = this.group.x;
    if (quantity !== 'time' || !style.percent) return {...unitOf(quantity), start: 0};
    const [first, last] = [values[0] ?? 0, values[values.length - 1] ?? 1];
    const factor = 100 / (last - first || 1);
    return {symbol: '% of the motion', factor, start: first * factor};
  }
  private mixed(): boolean {
    return new Set(this.group.curves.map((curve) => curve.quantity)).size > 1;
  }

  private resize(): void {
    const width = this.holder.clientWidth;
    if (width === 0) return;
    if (!this.plot) this.show(this.group);
    else this.plot.setSize({width, height});
  }

  /** A line at the present time with a dot on every curve. */
  private drawCursor(u: uPlot): void {
    const {group} = this;
    const times = group.points ? this.run.times : group.x.values;
    const xUnit = this.xUnit();
    const cycle = style.cycles && !group.points ? phase(style.cycles.starts, this.timeline.time) : undefined;
    if (cycle === null) return;
    const x = cycle ?? valueAt(times, group.x.values, this.timeline.time) * xUnit.factor - xUnit.start;
    const at = u.valToPos(x, 'x', true);
    const {left, top, width, height: tall} = u.bbox;
    if (at < left || at > left + width) return;
    const context = u.ctx;
    context.save();
    context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();
    context.lineWidth = devicePixelRatio;
    context.beginPath();
    context.moveTo(at, top);
    context.lineTo(at, top + tall);
    context.stroke();
    group.curves.forEach((curve, k) => {
      if (u.series[k + 1]?.show === false) return;
      const y = u.valToPos(valueAt(times, curve.values, this.timeline.time) * this.curveUnit(curve.quantity).factor, 'y', true);
      context.fillStyle = curveColor(k);
      context.beginPath();
      context.arc(at, y, 3.5 * devicePixelRatio, 0, 2 * Math.PI);
      context.fill();
    });
    context.restore();
  }

  private listen(u: uPlot): void {
    let down = NaN;
    u.over.addEventListener('mousedown', (event) => (down = event.clientX));
    u.over.addEventListener('mouseup', (event) => {
      if (Math.abs(event.clientX - down) > 3 || this.group.points) return;
      const xUnit = this.xUnit();
      const x = u.posToVal(event.clientX - u.over.getBoundingClientRect().left, 'x');
      this.timeline.pause();
      this.timeline.seek(style.cycles ? timeOf(style.cycles.starts, this.timeline.time, x) : (x + xUnit.start) / xUnit.factor);
    });
  }

  private export(kind: 'csv' | 'svg'): void {
    const chart = this.chart();
    const name = `${this.run.info.name}-${this.group.id}.${kind}`;
    if (kind === 'csv') download(name, chartCsv(chart), 'text/csv');
    else download(name, chartSvg(chart), 'image/svg+xml');
  }
}

/** The curves shown at first: those that vary most. */
function liveliest(lines: Line[]): Set<number> {
  const ranges = lines.map((line, k) => {
    let [low, high] = [Infinity, -Infinity];
    for (let row = 0; row < line.y.length; ++row) [low, high] = [Math.min(low, line.y[row] ?? low), Math.max(high, line.y[row] ?? high)];
    return {k, range: high - low};
  });
  return new Set(ranges.sort((a, b) => b.range - a.range || a.k - b.k).slice(0, shownAtFirst).map(({k}) => k));
}

/** The range of y if bands reach further than the means. */
function bandRange(chart: Chart): {y?: {range: [number, number]}} {
  const edges = chart.lines.flatMap((line) => (line.deviation ? Array.from(line.y, (y, k) => [y + (line.deviation?.[k] ?? 0), y - (line.deviation?.[k] ?? 0)]).flat() : []));
  if (edges.length === 0) return {};
  const [low, high] = [Math.min(...edges), Math.max(...edges)];
  const pad = 0.05 * (high - low) || 1;
  return {y: {range: [low - pad, high + pad]}};
}

/** Translucent bands of one standard deviation on either side of the means. */
function drawBands(u: uPlot, chart: Chart): void {
  const context = u.ctx;
  chart.lines.forEach((line, k) => {
    const {deviation} = line;
    if (!deviation || u.series[k + 1]?.show === false) return;
    const at = (row: number, side: number): [number, number] => [
      u.valToPos(chart.x[row] ?? 0, 'x', true),
      u.valToPos((line.y[row] ?? 0) + side * (deviation[row] ?? 0), 'y', true),
    ];
    context.save();
    context.globalAlpha = 0.18;
    context.fillStyle = line.color;
    context.beginPath();
    for (let row = 0; row < chart.x.length; ++row) context.lineTo(...at(row, 1));
    for (let row = chart.x.length - 1; row >= 0; --row) context.lineTo(...at(row, -1));
    context.fill();
    context.restore();
  });
}

/** The time at a per cent of the cycle that is under way, or of the first. */
function timeOf(starts: number[], now: number, percent: number): number {
  const c = Math.max(0, starts.slice(1, -1).filter((t) => t <= now).length);
  const [from, to] = [starts[c] ?? 0, starts[c + 1] ?? 0];
  return from + (Math.min(100, Math.max(0, percent)) / 100) * (to - from);
}

function sorted(values: Float32Array): Uint32Array {
  return Uint32Array.from(values.keys()).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
}

/** The plots that a run opens with. */
export function firstPlots(run: Run): string[] {
  const moments = run.groups.filter((g) => g.id.startsWith('moment-')).map((g) => g.id);
  if (moments.length > 0) return [moments[0] as string, (moments[0] as string).replace('moment-', 'causes-'), 'coordinates'];
  const wanted = ['moments', 'joint-power', 'coordinates', 'energy', 'muscle-activation', 'muscle-tension', 'muscle-length', 'speeds', 'reactions'];
  return wanted.filter((id) => run.groups.some((g) => g.id === id)).slice(0, 3);
}
