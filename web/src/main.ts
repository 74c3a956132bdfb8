// Assembles the page.

import './style.css';

import {comparisonCard} from './comparison';
import {displayBar, keys, pictureButtons, playbackBar, secondBar} from './controls';
import {describeView, Run} from './data';
import {el} from './dom';
import {readReport} from './header';
import {Inspector} from './inspector';
import {startLive} from './live/live';
import {optimumCard} from './optimum';
import {plotBar} from './plotbar';
import {firstPlots, PlotCard, plotGroups, style as plotStyle} from './plots';
import {Figure, ghostMaterial} from './scene/figure';
import {View} from './scene/view';
import {startStudy} from './study/study';
import {auditCard, badge, keysCard, massCard, notesCard, provenanceCard} from './tables';
import {themeButton} from './theme';
import {Timeline} from './timeline';

function start(app: HTMLElement): void {
  const {header, arrays} = readReport();
  if (header.live) {
    startLive(app, header, header.live, arrays);
    return;
  }
  if (header.study) {
    startStudy(app, header, header.study, arrays);
    return;
  }
  const runs = header.runs.map((info) => new Run(info, arrays));
  const run = runs[0] as Run;
  const timeline = new Timeline(run.times);
  const figure = new Figure(run);
  const canvas = el('canvas', {class: 'view', tabindex: 0, role: 'img', 'aria-label': describeView(run)});
  const other = runs[1] ?? null;
  const ghost = other ? new Figure(other, ghostMaterial()) : null;
  const groups = plotGroups(run, other);
  const plots = firstPlots(groups).map((id) => new PlotCard(run, groups, timeline, id, other));
  const inspector = new Inspector(run, figure);

  const comparison = header.comparison
    ? comparisonCard(header.comparison, run, (coordinate) => {
        plots[0]?.open(`moment-${coordinate}`);
        plots[1]?.open(`causes-${coordinate}`);
      })
    : '';
  const howPlots = plots.length > 0 ? plotBar(run, () => plots.forEach((plot) => plot.refresh())) : null;
  const viewCard = el('section', {class: 'card view-card', 'aria-label': 'Three-dimensional view'});
  const theme = themeButton(() => paint());
  app.append(
    el(
      'header', {class: 'top'},
      el('div', {}, el('h1', {}, run.name), run.info.description ? el('p', {class: 'muted'}, run.info.description) : null),
      el('div', {class: 'top-right'}, badge(run), theme),
    ),
    comparison,
    header.optimum ? optimumCard(header.optimum, arrays) : '',
    el('div', {class: 'columns'}, el('div', {class: 'side'}, viewCard, inspector.element), el('div', {class: 'side'}, howPlots, ...plots.map((plot) => plot.element))),
    el('div', {class: 'cards'}, ...[...runs.flatMap((r) => [auditCard(r), massCard(r), provenanceCard(r)]), notesCard(figure), keysCard()].filter((c): c is HTMLElement => c !== null)),
    el('footer', {class: 'muted'}, `Made by sinew ${header.sinew} (${header.commit})`),
  );

  viewCard.append(el('div', {class: 'stage'}, canvas));
  const view = new View(canvas, ghost ? [figure, ghost] : [figure]);
  viewCard.querySelector('.stage')?.append(pictureButtons(view, timeline, run.info.name));
  viewCard.append(playbackBar(timeline), displayBar(view, figure, timeline));
  if (ghost) viewCard.append(secondBar(ghost, view, plotStyle, () => plots.forEach((plot) => plot.refresh())));
  view.resize();
  view.home();

  const paint = (): void => {
    const style = getComputedStyle(document.documentElement);
    view.setTheme(style.getPropertyValue('--stage').trim());
    for (const plot of plots) plot.refresh();
  };
  timeline.follow((time) => {
    figure.update(time);
    ghost?.update(time);
    view.track(time);
    inspector.update(time);
    view.request();
  });
  timeline.watch(() => view.setMoving(timeline.playing));
  viewCard.addEventListener('input', () => view.touch());
  const select = (item: Parameters<Inspector['select']>[0]): void => {
    inspector.select(item, timeline.time);
    view.request();
  };
  view.onPick = select;
  inspector.onSelect = select;
  keys(timeline, view);
  paint();
  timeline.seek(timeline.start);
  // The state of the screen for tests, without looking at pixels.
  Object.assign(window, {sinew: {timeline, figure, ghost, view, plots, runs}});
}

const app = document.getElementById('app') as HTMLElement;
try {
  start(app);
} catch (error) {
  app.append(el('p', {class: 'bad-text', role: 'alert'}, `This page cannot be shown: ${(error as Error).message}`));
  throw error;
}
