// The one cursor of all plots: a line at the present time or value, with a dot on every curve.

import type uPlot from 'uplot';

/** Draws it at x, in the plot's units. */
export function drawCursor(u: uPlot, x: number, dots: {y: number; color: string}[]): void {
  const at = u.valToPos(x, 'x', true);
  const {left, top, width, height} = u.bbox;
  if (!(at >= left && at <= left + width)) return;
  const {ctx} = u;
  ctx.save();
  ctx.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.moveTo(at, top);
  ctx.lineTo(at, top + height);
  ctx.stroke();
  for (const {y, color} of dots) {
    const place = u.valToPos(y, 'y', true);
    if (!(place >= top && place <= top + height)) continue;
    ctx.fillStyle = color;
    ctx.beginPath();
    ctx.arc(at, place, 3.5 * devicePixelRatio, 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.restore();
}
