// What the colours of strands and the marks of their nodes mean.

import {scaleGradient} from './colors';
import {el} from './dom';
import {Figure} from './scene/figure';
import {drawMark, Mark, markOf} from './scene/nodes';
import {pushColor, slackColor} from './scene/strands';
import {format} from './units';

const meanings: Record<Mark, string> = {circle: 'free', triangle: 'on a curve or surface', asterisk: 'on a body'};

/** Colours of tension, and marks of nodes: those that occur. */
export function strandLegends(figure: Figure): HTMLElement[] {
  const {strands} = figure;
  const tension = el('div', {class: 'legend strand-legend', role: 'img'});
  const known = (): boolean => strands.scale.high > 0 || strands.pushes;
  const update = (): void => {
    tension.setAttribute('aria-label', `Colours of tension, 0 to ${format(strands.scale.high, 3)} N; grey: slack`);
    tension.replaceChildren(
      el('span', {class: 'legend-title'}, 'Tension [N]'),
      el('span', {}, '0'),
      el('span', {class: 'gradient', style: `background:${scaleGradient(strands.scale)}`}),
      el('span', {}, `${strands.exceeded ? '≥\u00a0' : ''}${format(strands.scale.high, 3)}`),
      swatch(slackColor.getStyle(), 'slack'),
      ...(strands.pushes ? [swatch(pushColor.getStyle(), 'pushes')] : []),
    );
    tension.hidden = !known();
  };
  update();
  strands.onScale = update;
  return [tension, nodeLegend(figure)];
}

function swatch(color: string, text: string): HTMLElement {
  return el('span', {class: 'swatch'}, el('span', {style: `background:${color}`}), text);
}

function nodeLegend(figure: Figure): HTMLElement {
  const nodes = figure.nodes?.nodes ?? [];
  const marks = (['circle', 'triangle', 'asterisk'] as Mark[]).filter((mark) => nodes.some(({info}) => markOf(info) === mark));
  const entry = (mark: Mark, material: boolean, text: string): HTMLElement => el('span', {class: 'mark'}, picture(mark, material), text);
  const first = marks[0] ?? 'circle';
  const out = el('div', {class: 'legend node-legend'}, el('span', {class: 'legend-title'}, 'Nodes'), ...marks.map((mark) => entry(mark, true, meanings[mark])));
  const flowing = nodes.find(({info}) => !info.material);
  if (flowing) out.append(entry(markOf(flowing.info), false, 'hollow: material flows through'));
  else if (nodes.length > 0) out.append(entry(first, true, 'filled: holds material'));
  return out;
}

function picture(mark: Mark, material: boolean): HTMLCanvasElement {
  const canvas = el('canvas', {width: 32, height: 32, 'aria-hidden': 'true'});
  const context = canvas.getContext('2d');
  context?.setTransform(16, 0, 0, 16, 16, 16);
  if (context) drawMark(context, mark, material);
  return canvas;
}
