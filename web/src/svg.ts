// A plot as .svg and as .csv: its contents as vectors and as numbers, for papers.

import {format} from './units';

export interface Line {
  name: string;
  unit: string;
  color: string;
  /** Lengths of dashes and gaps [px]; empty for a solid line. */
  dash: number[];
  points: boolean;
  y: ArrayLike<number>;
  /** Standard deviation over cycles, if y is their mean. */
  deviation?: ArrayLike<number>;
}

export interface Chart {
  title: string;
  xLabel: string;
  yLabel: string;
  x: ArrayLike<number>;
  lines: Line[];
}

const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
/** Numbers on axes; other programs draw the joiner that keeps a sign and its digits on one line. */
const tickText = (value: number): string => format(value).replaceAll('\u2060', '');
/** Curves have seven digits. */
const digits = (value: number): string => (Number.isFinite(value) ? String(Number(value.toPrecision(7))) : '');

/** Round numbers that divide a range into about `count` parts. */
export function ticks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / count || 1;
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10);
  const out: number[] = [];
  for (let v = Math.ceil(low / step) * step; v <= high + 1e-9 * step; v += step) out.push(Math.abs(v) < 1e-9 * step ? 0 : v);
  return out;
}

/** The range of all values; of one value only, a range around it. */
export function range(lists: ArrayLike<number>[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists)
    for (let k = 0; k < list.length; ++k) {
      const v = list[k] ?? NaN;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  if (!(low <= high)) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

/** A mean plus or minus its deviation. */
export const edge = (line: Line, side: number): number[] => Array.from(line.y, (y, k) => y + side * (line.deviation?.[k] ?? 0));

/** The part of a chart that is between two values of x, with some of its lines. */
export function part(chart: Chart, from: number, to: number, isShown: (line: Line) => boolean): Chart {
  const rows = Array.from(chart.x, (x, k) => (x >= from && x <= to ? k : -1)).filter((k) => k >= 0);
  const pick = (values: ArrayLike<number>): number[] => rows.map((k) => values[k] ?? NaN);
  const lines = chart.lines.filter(isShown).map((line) => ({
    ...line,
    y: pick(line.y),
    ...(line.deviation ? {deviation: pick(line.deviation)} : {}),
  }));
  return {...chart, x: pick(chart.x), lines};
}

const [width, left, right, top, plot] = [720, 78, 16, 34, 320];
const [sample, rowHeight] = [30, 18]; // of the legend

/** Entries of the legend from left to right, row by row: text is about 7 px a letter. */
function placed(lines: Line[]): {x: number; row: number}[] {
  let [x, row] = [left, 0];
  return lines.map((line) => {
    const wide = sample + 8 + 7 * line.name.length + 18;
    if (x > left && x + wide > width) [x, row] = [left, row + 1];
    const at = {x, row};
    x += wide;
    return at;
  });
}

/** Text stays text, the background is white, and 720 units are 180 mm: two columns of a paper. */
export function chartSvg(chart: Chart): string {
  const entries = placed(chart.lines);
  const rows = (entries[entries.length - 1]?.row ?? -1) + 1;
  const base = top + plot;
  const height = base + 46 + rowHeight * rows + 6;
  const [x0, x1] = range([chart.x]);
  const [low, high] = range(chart.lines.flatMap((line) => [edge(line, 1), edge(line, -1)]));
  const pad = 0.04 * (high - low);
  const [y0, y1] = [low - pad, high + pad];
  const n = (v: number): string => v.toFixed(2);
  const X = (k: number): number => left + (((chart.x[k] ?? NaN) - x0) / (x1 - x0)) * (width - left - right);
  const Y = (y: number): number => base - ((y - y0) / (y1 - y0)) * plot;
  const out: string[] = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="180mm" height="${n(height / 4)}mm" viewBox="0 0 ${width} ${height}" font-family="Helvetica, Arial, sans-serif" font-size="12">`,
    `<title>${escape(chart.title)}</title><rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${left}" y="20" font-size="15">${escape(chart.title)}</text>`,
  ];
  for (const x of ticks(x0, x1, 8)) {
    const at = n(left + ((x - x0) / (x1 - x0)) * (width - left - right));
    out.push(`<path d="M${at} ${top}V${base}" stroke="#ddd"/>`, `<text x="${at}" y="${base + 16}" text-anchor="middle">${tickText(x)}</text>`);
  }
  for (const y of ticks(y0, y1, 6))
    out.push(
      `<path d="M${left} ${n(Y(y))}H${width - right}" stroke="#ddd"/>`,
      `<text x="${left - 6}" y="${n(Y(y) + 4)}" text-anchor="end">${tickText(y)}</text>`,
    );
  out.push(
    `<path d="M${left} ${top}V${base}H${width - right}" fill="none" stroke="#000"/>`,
    `<text x="${(left + width - right) / 2}" y="${base + 34}" text-anchor="middle">${escape(chart.xLabel)}</text>`,
    `<text transform="translate(16 ${top + plot / 2}) rotate(-90)" text-anchor="middle">${escape(chart.yLabel)}</text>`,
  );
  chart.lines.forEach((line, index) => {
    const {x: lx, row} = entries[index] as {x: number; row: number};
    const ly = base + 46 + rowHeight * row + rowHeight / 2;
    const drawn: string[] = [];
    if (line.points) {
      for (let k = 0; k < line.y.length; ++k)
        if (Number.isFinite(line.y[k])) drawn.push(`<circle cx="${n(X(k))}" cy="${n(Y(line.y[k] ?? 0))}" r="1.6" fill="${line.color}"/>`);
      drawn.push(`<circle cx="${lx + sample / 2}" cy="${ly}" r="3" fill="${line.color}"/>`);
    } else {
      if (line.deviation) {
        const [upper, lower] = [edge(line, 1), edge(line, -1)];
        const rim = [...upper.map((y, k) => [k, y] as const), ...lower.map((y, k) => [k, y] as const).reverse()];
        const corners = rim.filter(([, y]) => Number.isFinite(y)).map(([k, y]) => `${n(X(k))},${n(Y(y))}`).join(' ');
        drawn.push(`<polygon points="${corners}" fill="${line.color}" fill-opacity="0.18"/>`);
      }
      const dash = line.dash.length > 0 ? ` stroke-dasharray="${line.dash.join(' ')}"` : '';
      const stroke = `fill="none" stroke="${line.color}" stroke-width="1.8"${dash}`;
      for (const piece of pieces(line.y)) drawn.push(`<polyline points="${piece.map((k) => `${n(X(k))},${n(Y(line.y[k] ?? 0))}`).join(' ')}" ${stroke}/>`);
      drawn.push(`<path d="M${n(lx)} ${ly}h${sample}" ${stroke}/>`);
    }
    out.push(`<g class="curve">`, ...drawn, `<text x="${n(lx + sample + 8)}" y="${ly + 4}">${escape(line.name)}</text>`, '</g>');
  });
  return `${out.join('\n')}\n</svg>\n`;
}

/** Rows without a value part a curve. */
function pieces(y: ArrayLike<number>): number[][] {
  const out: number[][] = [];
  for (let k = 0; k < y.length; ++k) {
    if (!Number.isFinite(y[k])) continue;
    const last = out[out.length - 1];
    if (last && last[last.length - 1] === k - 1) last.push(k);
    else out.push([k]);
  }
  return out;
}

export function chartCsv(chart: Chart): string {
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const columns = chart.lines.flatMap((line): [string, ArrayLike<number>][] => {
    const unit = `[${line.unit || '1'}]`;
    const mean: [string, ArrayLike<number>] = [`${line.name} ${unit}`, line.y];
    return line.deviation ? [mean, [`${line.name}, standard deviation ${unit}`, line.deviation]] : [mean];
  });
  const rows = [[chart.xLabel, ...columns.map(([name]) => name)].map(cell).join(',')];
  for (let k = 0; k < chart.x.length; ++k) rows.push([chart.x[k] ?? NaN, ...columns.map(([, values]) => values[k] ?? NaN)].map(digits).join(','));
  return `${rows.join('\n')}\n`;
}
