// Plots linked to the clock of the page. A click sets the time, a drag zooms, a double click shows all again.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import {curveColor, curveDash, curvesInOneDash, secondRunDash} from './colors';
import {drawCursor} from './cursor';
import {average, Cycles, findStarts, phase} from './cycles';
import {Curve, Group, Run} from './data';
import {choice, download, el} from './dom';
import {legend} from './legend';
import {Chart, chartCsv, chartSvg, edge, Line, part, range} from './svg';
import {Timeline, valueAt} from './timeline';
import {format, Unit, unitOf} from './units';

const shownAtFirst = curvesInOneDash;
const height = 200; // height of a plot [px]
const negligible = 1e-12; // what is zero beside other values of its quantity

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
  private drawn: Chart | null = null;
  private group: PlotGroup;
  /** The group's curves in the order of the legend. */
  private curves: Curve[];
  /** Names of curves that are not shown, by group: what the reader switched stays when a plot is drawn anew. */
  private readonly hidden = new Map<PlotGroup, Set<string>>();

  constructor(
    private readonly run: Run,
    private readonly groups: PlotGroup[],
    private readonly timeline: Timeline,
    first: string,
    private readonly other: Run | null = null,
  ) {
    this.group = groups.find((g) => g.id === first) ?? (groups[0] as PlotGroup);
    this.curves = telling(this.group.curves);
    const pick = choice(
      'Plot', groups.map((g) => [g.id, g.title, g.section]), this.group.id,
      (id) => this.show(groups.find((g) => g.id === id) ?? this.group),
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
    const group = this.groups.find((g) => g.id === id);
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
    const xUnit = this.xUnit();
    const order = group.points ? sorted(group.x.values) : null;
    const arrange = (values: Float32Array, factor: number): number[] =>
      Array.from(values, (_, k) => factor * (values[order ? (order[k] ?? 0) : k] ?? NaN));
    return {
      title: group.title,
      xLabel: `${group.x.name} [${xUnit.symbol || '1'}]`,
      yLabel: this.yLabel(),
      x: arrange(group.x.values, xUnit.factor).map((x) => x - xUnit.start),
      lines: [...this.curves.map((curve, k) => this.line(curve, k, (factor) => arrange(curve.values, factor))), ...this.otherLines()],
    };
  }

  /** What is on the screen: the curves that are shown, in the range that is shown. */
  shown(): Chart {
    const {min, max} = this.plot?.scales['x'] ?? {};
    return part(this.chart(), min ?? -Infinity, max ?? Infinity, (line) => this.isShown(line));
  }

  /** Means over all cycles, with their deviation. */
  private cycleChart({coordinate, starts}: Cycles): Chart {
    const {group} = this;
    const lines = this.curves.map((curve, k): Line => {
      const {factor} = this.curveUnit(curve.quantity);
      const {mean, deviation} = average(group.x.values, curve.values, starts);
      return {...this.line(curve, k, () => mean.map((v) => v * factor)), points: false, deviation: deviation.map((v) => v * factor)};
    });
    const x = Array.from({length: 101}, (_, k) => k);
    return {title: group.title, xLabel: `cycle of ${coordinate} [%]`, yLabel: this.yLabel(), x, lines: [...lines, ...this.otherCycles(coordinate)]};
  }

  /** The same for the second run, over its own cycles. */
  private otherCycles(coordinate: string): Line[] {
    const curve = this.other?.curve('coordinates', coordinate);
    const starts = curve ? findStarts(curve.times, curve.values) : null;
    const mine = style.cycles?.starts;
    if (!starts || !mine) return [];
    return this.secondLines((own, theirs, x, minus) => {
      const other = average(x, theirs.values, starts).mean;
      const here = average(this.group.x.values, own.values, mine).mean;
      return other.map((v, row) => (minus ? (here[row] ?? NaN) - v : v));
    });
  }

  /** The same curves of the second run at the times of the first, or the difference. */
  private otherLines(): Line[] {
    if (this.group.points) return [];
    return this.secondLines((own, theirs, x, minus) =>
      Array.from(this.group.x.values, (t, row) => {
        const there = valueAt(x, theirs.values, t);
        return minus ? (own.values[row] ?? NaN) - there : there;
      }),
    );
  }

  /** A line for each curve that the second run has, too; `values` computes it in SI units. */
  private secondLines(values: (own: Curve, theirs: Curve, x: Float32Array, minus: boolean) => number[]): Line[] {
    const theirs = this.other?.groups.find((g) => g.id === this.group.source);
    if (!theirs || style.second === 'none') return [];
    const minus = style.second === 'difference';
    const what = minus ? 'difference' : 'second run';
    return this.curves.flatMap((own, k): Line[] => {
      const same = theirs.curves.find((c) => c.name === own.name);
      if (!same) return [];
      const line = this.line(own, k, (factor) => values(own, same, theirs.x.values, minus).map((v) => factor * v));
      return [{...line, name: `${line.name}, ${what}`, dash: secondRunDash}];
    });
  }

  private line(curve: Curve, k: number, values: (factor: number) => number[]): Line {
    const unit = this.curveUnit(curve.quantity);
    return {
      name: curve.name,
      unit: unit.symbol,
      color: curveColor(k),
      dash: curveDash(k),
      points: this.group.points,
      y: values(unit.factor),
    };
  }

  private show(group: PlotGroup): void {
    this.group = group;
    this.curves = telling(group.curves);
    this.plot?.destroy();
    const chart = this.chart();
    this.drawn = chart;
    const css = getComputedStyle(document.documentElement);
    const [ink, rule] = [css.getPropertyValue('--muted').trim(), css.getPropertyValue('--rule').trim()];
    const axis = {
      stroke: ink,
      grid: {stroke: rule, width: 1},
      ticks: {stroke: rule, width: 1},
      font: '12px system-ui, sans-serif',
      labelFont: '12px system-ui, sans-serif',
      values: (_: uPlot, ticks: number[]) => ticks.map((v) => format(v)),
    };
    const options: uPlot.Options = {
      width: Math.max(200, this.holder.clientWidth),
      height,
      scales: {x: {time: false}, ...this.bandRange(chart)},
      cursor: {drag: {x: true, y: false}, points: {show: false}},
      legend: {show: false},
      series: [
        {label: chart.xLabel},
        ...chart.lines.map((line) => ({
          label: line.name,
          stroke: line.color,
          width: line.points ? 0 : 1.6,
          dash: line.dash.length > 0 ? line.dash : undefined,
          points: {show: line.points, size: 3, fill: line.color, width: 0},
          paths: line.points ? () => null : undefined,
          show: this.isShown(line),
        })) as uPlot.Series[],
      ],
      axes: [
        {...axis, label: chart.xLabel, labelSize: 18, size: 34},
        {...axis, label: chart.yLabel, labelSize: 16, size: axisSize},
      ],
      hooks: {drawAxes: [(u) => drawBands(u, chart)], draw: [(u) => this.drawCursor(u)], ready: [(u) => this.listen(u)]},
    };
    const stage = el('div', {role: 'img', 'aria-label': `Plot: ${chart.title}, ${chart.lines.length} curves over ${chart.xLabel}`});
    this.holder.replaceChildren(stage, legend(chart.lines, (line) => this.isShown(line), (k) => this.toggle(chart.lines[k] as Line, k)));
    this.plot = new uPlot(options, [chart.x, ...chart.lines.map((line) => line.y)] as uPlot.AlignedData, stage);
  }

  private toggle(line: Line, k: number): void {
    const names = this.hiddenNames();
    if (!names.delete(line.name)) names.add(line.name);
    this.plot?.setSeries(k + 1, {show: this.isShown(line)});
  }
  private isShown(line: Line): boolean {
    return !this.hiddenNames().has(line.name);
  }
  private hiddenNames(): Set<string> {
    const known = this.hidden.get(this.group);
    if (known) return known;
    const zero = negligible * Math.max(...this.curves.map(largest));
    const quiet = this.curves.filter((curve, k) => k >= shownAtFirst || largest(curve) <= zero);
    const out = new Set(quiet.flatMap(({name}) => [name, `${name}, second run`, `${name}, difference`]));
    this.hidden.set(this.group, out);
    return out;
  }

  /** The range of y where bands reach further than the means. */
  private bandRange(chart: Chart): uPlot.Scales {
    if (!chart.lines.some((line) => line.deviation)) return {};
    const reach = (): [number, number] => {
      const [low, high] = range(chart.lines.filter((line) => this.isShown(line)).flatMap((line) => [edge(line, 1), edge(line, -1)]));
      const pad = 0.05 * (high - low);
      return [low - pad, high + pad];
    };
    return {y: {range: reach}};
  }

  /** What the curves are, with their unit. */
  private yLabel(): string {
    const quantity = this.group.curves[0]?.quantity ?? '';
    const noun = quantity === 'arm' ? 'moment arm' : this.curveUnit(quantity).symbol ? quantity : this.group.title;
    return `${noun} [${this.curveUnit(quantity).symbol || '1'}]`;
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

  private resize(): void {
    const width = this.holder.clientWidth;
    if (width === 0) return;
    if (!this.plot) this.show(this.group);
    else this.plot.setSize({width, height});
  }

  private drawCursor(u: uPlot): void {
    const {group, drawn} = this;
    if (!drawn) return;
    const {time} = this.timeline;
    const times = group.points ? this.run.times : group.x.values;
    const xUnit = this.xUnit();
    const x = style.cycles && !group.points ? phase(style.cycles.starts, time) : valueAt(times, group.x.values, time) * xUnit.factor - xUnit.start;
    if (x === null) return;
    const dots = drawn.lines.map((line, k) => {
      // Means over cycles and curves against angles: the dots are the values of this moment.
      const own = this.curves[k];
      const y = own ? valueAt(times, own.values, time) * this.curveUnit(own.quantity).factor : valueAt(drawn.x, line.y, x);
      return {y, color: line.color};
    });
    drawCursor(u, x, dots.filter((_, k) => u.series[k + 1]?.show !== false));
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
    const chart = this.shown();
    const name = `${this.run.info.name}-${this.group.id}.${kind}`;
    if (kind === 'csv') download(name, chartCsv(chart), 'text/csv');
    else download(name, chartSvg(chart), 'image/svg+xml');
  }
}

const largest = ({values}: Curve): number => values.reduce((most, v) => (Math.abs(v) > most ? Math.abs(v) : most), 0);

/** Curves in the order of the legend: of many, those first that vary most. */
function telling(curves: Curve[]): Curve[] {
  if (curves.length <= shownAtFirst) return curves;
  const spread = ({values}: Curve): number => {
    let [low, high] = [Infinity, -Infinity];
    for (const v of values) [low, high] = [Math.min(low, v), Math.max(high, v)];
    return Number.isFinite(high - low) ? high - low : 0;
  };
  const spreads = new Map(curves.map((curve) => [curve, spread(curve)]));
  return [...curves].sort((a, b) => (spreads.get(b) ?? 0) - (spreads.get(a) ?? 0));
}

/** Space for the labels of the y axis [px]. */
function axisSize(_: uPlot, labels: string[] | null): number {
  return 22 + 7.5 * Math.max(3, ...(labels ?? []).map((text) => text.replaceAll('\u2060', '').length));
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

/** A group of curves of one quantity. */
export interface PlotGroup extends Group {
  /** The group of the run that it comes from. */
  source: string;
}

/** What there is to plot: groups of one quantity each, of which some value in this run or the second is not zero. */
export function plotGroups(run: Run, other: Run | null): PlotGroup[] {
  const sizes: {group: string; quantity: string; size: number}[] = [...run.groups, ...(other?.groups ?? [])].flatMap((group) =>
    group.curves.map((curve) => ({group: group.id, quantity: curve.quantity, size: largest(curve)})),
  );
  const most = new Map<string, number>();
  for (const one of sizes) most.set(one.quantity, Math.max(most.get(one.quantity) ?? 0, one.size));
  const lives = new Set(sizes.filter((one) => one.size > negligible * (most.get(one.quantity) ?? 0)).map((one) => `${one.group}/${one.quantity}`));
  return run.groups.flatMap((group) => {
    const quantities = [...new Set(group.curves.map((curve) => curve.quantity))];
    const turns = quantities.filter((quantity) => /^ang|^moment/.test(quantity));
    const ordered = [...turns, ...quantities.filter((quantity) => !turns.includes(quantity))].filter((quantity) => lives.has(`${group.id}/${quantity}`));
    return ordered.map((quantity, k) => ({
      ...group,
      source: group.id,
      id: k === 0 ? group.id : `${group.id}-${quantity.replaceAll(' ', '-')}`,
      title: quantities.length === 1 ? group.title : `${group.title}: ${quantity}`,
      curves: group.curves.filter((curve) => curve.quantity === quantity),
    }));
  });
}

/** The plots that a run opens with. */
export function firstPlots(groups: PlotGroup[]): string[] {
  const joint = groups.find((g) => /^moment-(?!arm-)/.test(g.id))?.id;
  const studies = joint ? [joint, joint.replace('moment-', 'causes-')] : ['moments', 'joint-power'];
  const wanted = [...studies, 'coordinates', 'energy', 'strand-tension', 'muscle-activation', 'muscle-tension', 'muscle-length', 'speeds', 'reactions'];
  return wanted.filter((id) => groups.some((g) => g.id === id)).slice(0, 3);
}
