// Playback, and the choice of what is shown.

import {scaleGradient} from './colors';
import {choice, download, el, toggle} from './dom';
import {tar} from './recorder';
import {Figure, Layer} from './scene/figure';
import {ColorBy, colorNames, MassStyle} from './scene/muscles';
import {View} from './scene/view';
import {strandLegends} from './strandlegend';
import {Timeline} from './timeline';
import {format, unitOf} from './units';

const speeds = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];

/** Play, scrub, speed, loop. */
export function playbackBar(timeline: Timeline): HTMLElement {
  // A loop of less than three seconds is too short to watch.
  const fit = [...speeds].reverse().find((s) => s <= 1 && timeline.duration / s >= 3) ?? 0.02;
  timeline.speed = timeline.duration > 0 ? fit : 1;
  const play = el('button', {type: 'button', class: 'play', click: () => timeline.toggle()});
  const label = (): void => {
    play.textContent = timeline.playing ? '❚❚' : '▶';
    play.setAttribute('aria-label', timeline.playing ? 'Pause' : 'Play');
    play.title = `${timeline.playing ? 'Pause' : 'Play'} (space)`;
  };
  const slider = el('input', {
    type: 'range', class: 'scrub', min: timeline.start, max: timeline.end, step: 'any', value: timeline.time,
    'aria-label': 'Time',
    input: () => {
      timeline.pause();
      timeline.seek(Number(slider.value));
    },
  });
  const clock = el('output', {class: 'clock'});
  const digits = timeline.duration < 1 ? 3 : 2;
  timeline.follow((t) => {
    slider.value = String(t);
    clock.textContent = `${t.toFixed(digits)} s`;
  });
  timeline.watch(label);
  label();
  return el(
    'div', {class: 'bar', role: 'group', 'aria-label': 'Playback'},
    play, slider, clock,
    choice('Speed', speeds.map((s) => [String(s), `${s}×`]), String(timeline.speed), (s) => (timeline.speed = Number(s))),
    toggle('Loop', timeline.loop, (on) => (timeline.loop = on)),
  );
}

const layerNames: [Layer, string][] = [
  ['bodies', 'Bones'], ['inertia', 'Inertia ellipsoids'], ['muscles', 'Muscles'], ['surfaces', 'Wrap surfaces'], ['anchors', 'Path points'],
  ['coms', 'Centres of mass'], ['frames', 'Joint frames'], ['markers', 'Markers'], ['forces', 'Forces'],
  ['contacts', 'Contacts'], ['deforming', 'Deforming bodies'], ['lines', 'Springs and cables'],
  ['strands', 'Strands'], ['pulleys', 'Pulleys'], ['nodes', 'Nodes'],
];

/** Choice of the parts and colours that the picture shows. */
export function displayBar(view: View, figure: Figure, timeline: Timeline): HTMLElement {
  const redraw = (): void => {
    figure.update(timeline.time);
    view.request();
  };
  const layers = layerNames
    .filter(([layer]) => figure.has(layer))
    .map(([layer, name]) =>
      toggle(name, figure.visible(layer), (on) => {
        figure.show(layer, on);
        redraw();
      }),
    );
  const grid = toggle('Ground', true, (on) => {
    view.stage.ground.visible = on;
    view.request();
  });
  const follow = toggle('Follow', view.following, (on) => (view.following = on));
  follow.title = 'The camera follows the model';
  const bar = el('div', {class: 'bar wrap', role: 'group', 'aria-label': 'Display'}, ...layers, grid, follow);
  if (figure.run.info.model.muscles.length > 0) bar.append(...muscleChoices(figure, redraw));
  if (figure.run.info.model.strands.length > 0) bar.append(...strandLegends(figure));
  return bar;
}

function muscleChoices(figure: Figure, redraw: () => void): HTMLElement[] {
  const {muscles} = figure;
  const legend = el('div', {class: 'legend'});
  const update = (): void => {
    const {title, quantity} = colorNames[muscles.colored];
    legend.hidden = muscles.colored === 'plain';
    const symbol = quantity === 'percent' ? '%' : unitOf(quantity).symbol;
    legend.replaceChildren(
      el('span', {class: 'legend-title'}, `${title}${symbol ? ` [${symbol}]` : ''}`),
      el('span', {}, format(muscles.scale.low, 3)),
      el('span', {class: 'gradient', style: `background:${scaleGradient(muscles.scale)}`}),
      el('span', {}, format(muscles.scale.high, 3)),
    );
  };
  update();
  const colors = choice(
    'Muscle colour', muscles.available.map((by) => [by, colorNames[by].title]), muscles.colored,
    (by) => {
      muscles.colorBy(by as ColorBy);
      update();
      redraw();
    },
  );
  const styles: [MassStyle, string][] = [['width', 'width'], ['beads', 'beads'], ['line', 'not shown']];
  const massive = figure.run.info.model.muscles.some((m) => m.mass > 0);
  const mass = choice('Muscle mass as', styles, 'width', (style) => {
    muscles.setStyle(style as MassStyle);
    redraw();
  });
  return massive ? [colors, mass, legend] : [colors, legend];
}

/** Options for showing the second run. */
export function secondBar(
  ghost: Figure,
  view: View,
  style: {second: 'overlay' | 'difference' | 'none'},
  refresh: () => void,
): HTMLElement {
  const info = ghost.run.info;
  return el(
    'div', {class: 'bar wrap', role: 'group', 'aria-label': 'Second run'},
    el('span', {class: 'ghost-name'}, `Second run: ${info.folder || info.name}`),
    toggle('Ghost', true, (on) => {
      ghost.root.visible = on;
      view.request();
    }),
    choice('Its curves', [['overlay', 'dashed'], ['difference', 'difference'], ['none', 'hidden']], style.second, (how) => {
      style.second = how as typeof style.second;
      refresh();
    }),
  );
}

/** Buttons over the picture. */
export function pictureButtons(view: View, timeline: Timeline, name: string): HTMLElement {
  const button = (text: string, label: string, click: () => void): HTMLButtonElement =>
    el('button', {type: 'button', title: label, 'aria-label': label, click}, text);
  const record = button('Record', 'Save a picture of every frame, in one .tar file', () => void recordAll());
  const recordAll = async (): Promise<void> => {
    timeline.pause();
    record.disabled = true;
    const start = timeline.time;
    const files: {name: string; blob: Blob}[] = [];
    for (const [k, t] of timeline.times.entries()) {
      timeline.seek(t);
      record.textContent = `${k + 1} of ${timeline.times.length}`;
      files.push({name: `${name}-${String(k).padStart(5, '0')}.png`, blob: await view.picture()});
    }
    download(`${name}-frames.tar`, await tar(files));
    record.textContent = 'Record';
    record.disabled = false;
    timeline.seek(start);
  };
  const picture = button('Picture', 'Save this picture as .png', () =>
    void view.picture().then((blob) => download(`${name}-${timeline.time.toFixed(3)}s.png`, blob)));
  return el('div', {class: 'picture-buttons'}, button('Reset view', 'Show everything (double click)', () => view.home()), picture, record);
}

/** Keys that work unless the focus is in a field. */
export function keys(timeline: Timeline, view: View): void {
  document.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|TEXTAREA|SUMMARY)$/.test(target.tagName)) return;
    const range = target instanceof HTMLInputElement && target.type === 'range';
    const actions: Record<string, () => void> = {
      ' ': () => timeline.toggle(),
      ArrowLeft: () => timeline.step(event.shiftKey ? -10 : -1),
      ArrowRight: () => timeline.step(event.shiftKey ? 10 : 1),
      Home: () => timeline.seek(timeline.start),
      End: () => timeline.seek(timeline.end),
      r: () => view.home(),
    };
    const action = actions[event.key];
    if (!action || (event.key === ' ' && !range && /^(BUTTON|INPUT)$/.test(target.tagName))) return;
    event.preventDefault();
    action();
  });
}
