// A plot as .svg and as .csv: its contents as vectors and as numbers.

import {format} from './units';

export interface Line {
  name: string;
  color: string;
  dash: boolean;
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

/** Round numbers that divide a range into about `count` parts. */
export function ticks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / count || 1;
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10);
  const out: number[] = [];
  for (let v = Math.ceil(low / step) * step; v <= high + 1e-9 * step; v += step) out.push(Math.abs(v) < 1e-9 * step ? 0 : v);
  return out;
}

function range(lists: ArrayLike<number>[]): [number, number] {
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
const edge = (line: Line, side: number): number[] => Array.from(line.y, (y, k) => y + side * (line.deviation?.[k] ?? 0));

export function chartSvg(chart: Chart): string {
  const [width, height, left, right, top, bottom] = [720, 420, 78, 16, 34, 52 + 18 * Math.ceil(chart.lines.length / 4)];
  const [x0, x1] = range([chart.x]);
  const [low, high] = range(chart.lines.flatMap((line) => [line.y, edge(line, 1), edge(line, -1)]));
  const pad = 0.04 * (high - low);
  const [y0, y1] = [low - pad, high + pad];
  const X = (x: number): number => left + ((x - x0) / (x1 - x0)) * (width - left - right);
  const Y = (y: number): number => height - bottom - ((y - y0) / (y1 - y0)) * (height - top - bottom);
  const n = (v: number): string => v.toFixed(2);
  const out: string[] = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escape(chart.title)}</title><rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${left}" y="20" font-size="15">${escape(chart.title)}</text>`,
  ];
  for (const x of ticks(x0, x1, 8))
    out.push(
      `<path d="M${n(X(x))} ${top}V${height - bottom}" stroke="#ddd"/>`,
      `<text x="${n(X(x))}" y="${height - bottom + 16}" text-anchor="middle">${format(x)}</text>`,
    );
  for (const y of ticks(y0, y1, 6))
    out.push(
      `<path d="M${left} ${n(Y(y))}H${width - right}" stroke="#ddd"/>`,
      `<text x="${left - 6}" y="${n(Y(y) + 4)}" text-anchor="end">${format(y)}</text>`,
    );
  out.push(
    `<text x="${(left + width - right) / 2}" y="${height - bottom + 34}" text-anchor="middle">${escape(chart.xLabel)}</text>`,
    `<text transform="translate(16 ${(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">${escape(chart.yLabel)}</text>`,
  );
  chart.lines.forEach((line, index) => {
    if (line.points) {
      for (let k = 0; k < line.y.length; ++k)
        out.push(`<circle cx="${n(X(chart.x[k] ?? 0))}" cy="${n(Y(line.y[k] ?? 0))}" r="1.4" fill="${line.color}"/>`);
    } else {
      const points: string[] = [];
      for (let k = 0; k < line.y.length; ++k) points.push(`${n(X(chart.x[k] ?? 0))},${n(Y(line.y[k] ?? 0))}`);
      if (line.deviation) {
        const [upper, lower] = [edge(line, 1), edge(line, -1)];
        const rim = [...upper.map((y, k) => [k, y] as const), ...lower.map((y, k) => [k, y] as const).reverse()];
        const corners = rim.map(([k, y]) => `${n(X(chart.x[k] ?? 0))},${n(Y(y))}`).join(' ');
        out.push(`<polygon points="${corners}" fill="${line.color}" fill-opacity="0.18"/>`);
      }
      const dash = line.dash ? ' stroke-dasharray="5 4"' : '';
      out.push(`<polyline points="${points.join(' ')}" fill="none" stroke="${line.color}" stroke-width="1.6"${dash}/>`);
    }
    const [lx, ly] = [left + (index % 4) * 160, height - bottom + 52 + 18 * Math.floor(index / 4) - 4];
    out.push(
      `<path d="M${lx} ${ly}h18" stroke="${line.color}" stroke-width="2"/>`,
      `<text x="${lx + 24}" y="${ly + 4}">${escape(line.name)}</text>`,
    );
  });
  return `${out.join('\n')}\n</svg>\n`;
}

export function chartCsv(chart: Chart): string {
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const columns = chart.lines.flatMap((line): [string, ArrayLike<number>][] => {
    const mean: [string, ArrayLike<number>] = [`${line.name} [${chart.yLabel}]`, line.y];
    return line.deviation ? [mean, [`${line.name}, standard deviation [${chart.yLabel}]`, line.deviation]] : [mean];
  });
  const rows = [[chart.xLabel, ...columns.map(([name]) => name)].map(cell).join(',')];
  for (let k = 0; k < chart.x.length; ++k) rows.push([chart.x[k] ?? NaN, ...columns.map(([, values]) => values[k] ?? NaN)].join(','));
  return `${rows.join('\n')}\n`;
}
