// The live page: sliders, a running model, moment arms on demand.

import {displayBar} from '../controls';
import {describeView, Run} from '../data';
import {choice, download, el, toggle} from '../dom';
import {Arrays, BodyInfo, Header, LiveInfo, MassView} from '../header';
import {Inspector} from '../inspector';
import {Figure, ghostMaterial} from '../scene/figure';
import {ColorBy} from '../scene/muscles';
import {View} from '../scene/view';
import {card, folded, massCard, notesCard, provenanceCard, table} from '../tables';
import {themeButton} from '../theme';
import {Timeline} from '../timeline';
import {format} from '../units';
import {ArmPlot} from './arms';
import {Command, Connection, Latency, LiveFrame} from './connection';
import {groupCoordinates} from './groups';
import {Pull} from './pull';
import {SliderList} from './sliders';

/** Longer lists of muscles are folded. */
const mostOpen = 24;
const speeds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2];

/** Mean of the last few values. */
class Recent {
  private readonly values: number[] = [];
  add(value: number): void {
    this.values.push(value);
    if (this.values.length > 30) this.values.shift();
  }
  get mean(): number {
    return this.values.length > 0 ? this.values.reduce((a, b) => a + b, 0) / this.values.length : NaN;
  }
}

class LivePage {
  readonly runs: Run[];
  readonly figure: Figure;
  readonly ghost: Figure | null;
  readonly view: View;
  readonly connection = new Connection();
  readonly arms: ArmPlot;
  /** Values for tests and measurements. */
  readonly stats = {frames: 0, latencies: [] as Latency[]};
  state: LiveFrame | null = null;
  private readonly coordinates: SliderList;
  private readonly drives: SliderList;
  private readonly inspector: Inspector;
  private readonly pull: Pull;
  private readonly timeline: Timeline;
  private readonly bodies: BodyInfo[];
  private readonly q: Float32Array[];
  private readonly driveValues: Float32Array[];
  private readonly status = el('span', {class: 'badge', role: 'status'}, 'Paused');
  private readonly measure = el('span', {class: 'muted measure'});
  private readonly problem = el('p', {class: 'problem bad-text', role: 'alert', hidden: true});
  private readonly clock = el('output', {class: 'clock', 'aria-label': 'Model time'}, '0.000 s');
  private readonly play = el('button', {type: 'button', class: 'play', click: () => this.toggle()});
  private readonly undoButton = el('button', {type: 'button', class: 'icon', 'aria-label': 'Undo', disabled: true, click: () => this.undo()}, '↶');
  private readonly redoButton = el('button', {type: 'button', class: 'icon', 'aria-label': 'Redo', disabled: true, click: () => this.undo(true)}, '↷');
  private readonly playMotion = el('button', {type: 'button', class: 'play', click: () => this.togglePlay()});
  private readonly scrub = el('input', {
    type: 'range', class: 'scrub', step: 'any', 'aria-label': 'Time of the motion',
    pointerdown: () => (this.scrubbing = true),
    pointerup: () => (this.scrubbing = false),
    input: () => void this.connection.stream('seek', {do: 'seek', time: Number(this.scrub.value)}).then(() => this.arms.refresh()),
  });
  private readonly modelOptions = el('div', {class: 'bar wrap', role: 'group', 'aria-label': 'Model'});
  private readonly said = el('span', {class: 'muted said', role: 'status'});
  private stops: HTMLInputElement | null = null;
  private hold: HTMLInputElement | null = null;
  private massChoice: HTMLSelectElement | null = null;
  private scrubbing = false;
  private ghostShown = true;
  private readonly latency = new Recent();
  private readonly interval = new Recent();
  private lastDrawn = 0;
  private fresh: LiveFrame | null = null;
  private mass: MassView | null;

  constructor(
    app: HTMLElement,
    private readonly header: Header,
    private readonly live: LiveInfo,
    private readonly arrays: Arrays,
  ) {
    this.runs = header.runs.map((info) => new Run(info, arrays));
    const run = this.runs[0] as Run;
    this.timeline = new Timeline(run.times);
    this.figure = new Figure(run);
    this.ghost = this.runs[1] ? new Figure(this.runs[1], ghostMaterial()) : null;
    this.mass = live.mass;
    // Its future motion is not known yet.
    this.figure.extent.bounds.expandByScalar(0.1 * this.figure.size);
    const values = (group: string): Float32Array[] => run.groups.find((g) => g.id === group)?.curves.map((c) => c.values) ?? [];
    this.q = values('coordinates');
    this.driveValues = values('muscle-drive');
    this.prepareColors();

    this.bodies = run.info.model.bodies;
    const root = this.bodies.findIndex((b) => b.name === live.root);
    this.coordinates = new SliderList('Coordinates', live.coordinates, {
      groups: groupCoordinates(live.coordinates.map((c) => c.body), this.bodies, root < 0 ? [] : [root]),
    });
    this.drives = new SliderList(
      this.driveTitle(),
      live.drives.map((d) => ({name: d.muscle, lower: 0, upper: d.most, quantity: d.kind === 'tension' ? 'force' : 'ratio', locked: false})),
      {folded: live.drives.length > mostOpen},
    );
    this.arms = new ArmPlot(live, this.connection);
    this.inspector = new Inspector(run, this.figure);
    const canvas = el('canvas', {class: 'view', tabindex: 0, role: 'img', 'aria-label': describeView(run)});
    const stage = el('div', {class: 'stage'}, canvas, this.problem);
    const viewCard = el('section', {class: 'card view-card', 'aria-label': 'Three-dimensional view'}, stage, this.runBar());
    if (live.motion) viewCard.append(this.motionBar(live.motion));
    const open = matchMedia('(min-width: 801px) and (min-height: 820px)').matches;
    const options = el('details', {class: 'card options-card', open}, el('summary', {}, 'Options ', this.said));
    this.layOut(app, run, viewCard, options);
    this.view = new View(canvas, this.ghost ? [this.figure, this.ghost] : [this.figure]);
    this.view.following = live.root !== null;
    stage.append(this.buttons());
    options.append(...this.modelBar(), displayBar(this.view, this.figure, this.timeline));
    this.pull = new Pull(run, this.figure, this.view, this.connection, () => this.state?.running ?? false);
    this.figure.scaleForces(live.weight);
    this.showGhost();
    this.wire();
    this.label();
  }

  toggle(): void {
    void this.connection.send({do: this.state?.running ? 'pause' : 'run'});
  }
  step(): void {
    void this.connection.send({do: 'step'});
  }
  /** Plays the motion, or pauses it. */
  togglePlay(): void {
    void this.connection.send({do: this.state?.playing ? 'pause' : 'play'});
  }
  undo(redo = false): void {
    if (redo ? this.state?.redo : this.state?.undo) void this.connection.send({do: redo ? 'redo' : 'undo'}).then(() => this.arms.refresh());
  }
  reset(): void {
    void this.connection.send({do: 'reset'}).then(() => this.arms.refresh());
  }

  paint(): void {
    const style = getComputedStyle(document.documentElement);
    this.view.setTheme(style.getPropertyValue('--stage').trim());
    this.arms.paint();
  }

  private driveTitle(): string {
    const kinds = new Set(this.live.drives.map((d) => d.kind));
    return kinds.size > 1 ? 'Excitations and tensions' : kinds.has('tension') ? 'Tensions' : 'Excitations';
  }

  /** Colours whose scales are known before the motion. */
  private prepareColors(): void {
    const {muscles} = this.figure;
    const {drives} = this.live;
    const colors: ColorBy[] = drives.some((d) => d.kind === 'excitation') ? ['activation', 'tension', 'plain'] : ['plain', 'tension'];
    muscles.ends.tension = Math.max(1e-9, ...drives.map((d) => d.strength));
    muscles.available.splice(0, muscles.available.length, ...colors);
    muscles.colorBy(colors[0] as ColorBy);
  }

  private layOut(app: HTMLElement, run: Run, viewCard: HTMLElement, options: HTMLElement): void {
    const muscles = this.live.drives.length > 0;
    const about = run.info.description ? card('About', el('p', {}, run.info.description)) : null;
    const cards = [about, notesCard(this.figure, false), massCard(run, true), folded(provenanceCard(run)), folded(keys())];
    app.append(
      el(
        'header', {class: 'top'},
        el('h1', {title: run.name}, run.name),
        el('div', {class: 'top-right'}, this.measure, this.status, themeButton(() => this.paint())),
      ),
      el(
        'div', {class: 'columns'},
        el('div', {class: 'side picture'}, viewCard, options),
        el(
          'div', {class: 'side panel'},
          this.coordinates.element, ...(muscles ? [this.arms.element, this.drives.element] : []), this.inspector.element,
          el('div', {class: 'cards'}, ...cards.filter((c): c is HTMLElement => c !== null)),
          el('footer', {class: 'muted'}, `Shown by sinew ${this.header.sinew} (${this.header.commit})`),
        ),
      ),
    );
  }

  private buttons(): HTMLElement {
    const button = (text: string, label: string, click: () => void): HTMLElement =>
      el('button', {type: 'button', title: label, 'aria-label': label, click}, text);
    const save = (): void => void this.view.picture().then((blob) => download(`${this.runs[0]?.info.name ?? 'view'}.png`, blob));
    return el(
      'div', {class: 'picture-buttons'},
      button('Reset view', 'Show everything (double click)', () => this.view.home()),
      button('Picture', 'Save this picture as .png', save),
    );
  }

  private runBar(): HTMLElement {
    const button = (text: string, label: string, click: () => void): HTMLElement =>
      el('button', {type: 'button', title: label, 'aria-label': label, click}, text);
    const speed = choice('Speed', speeds.map((s) => [String(s), `${s}×`]), String(this.live.speed), (s) =>
      void this.connection.send({do: 'speed', value: Number(s)}));
    return el(
      'div', {class: 'bar wrap', role: 'group', 'aria-label': 'Simulation'},
      this.play, button('Step', 'One step (.)', () => this.step()), button('Reset', 'Back to the start (0)', () => this.reset()),
      this.undoButton, this.redoButton, speed, this.clock,
    );
  }

  /** Plays and scrubs the motion. */
  private motionBar({file, start, end}: NonNullable<LiveInfo['motion']>): HTMLElement {
    this.scrub.min = String(start);
    this.scrub.max = String(end);
    return el(
      'div', {class: 'bar', role: 'group', 'aria-label': 'Motion'},
      this.playMotion, el('span', {class: 'motion-name muted', title: file}, file), this.scrub,
    );
  }

  /** What is simulated. */
  private modelBar(): HTMLElement[] {
    const {live} = this;
    // What is refused stays as it is.
    const send = (command: Command): void =>
      void this.connection.send(command).then((answer) => {
        if (!answer && this.state) this.showOptions(this.state, null);
      });
    const views: [MassView, string][] = [['muscles', 'in the muscles'], ['bones', 'on the bones']];
    if (!live.beside) views.push(['both', 'both, bones as a ghost']);
    if (this.mass) {
      const mass = choice('Mass', views, this.mass, (show) => send({do: 'mass', show}));
      this.massChoice = mass.querySelector('select');
      this.modelOptions.append(mass);
    }
    const box = (label: string, title: string, command: string): HTMLInputElement => {
      const made = toggle(label, false, (on) => send({do: command, on}));
      made.title = title;
      this.modelOptions.append(made);
      return made.querySelector('input') as HTMLInputElement;
    };
    if (live.stops > 0) {
      const title = `Springs with dampers at ${live.stops} coordinates. Without them the model may leave its ranges`;
      this.stops = box('Stops at the ends of ranges', title, 'stops');
    }
    if (live.root) this.hold = box(`Hold ${live.root}`, `Constraints hold all coordinates of ${live.root}`, 'hold');
    if (live.beside) this.modelOptions.append(
      toggle(`Ghost: ${live.beside}`, true, (on) => {
        this.ghostShown = on;
        this.showGhost();
        this.view.request();
      }));
    return this.modelOptions.childElementCount > 0 ? [this.modelOptions] : [];
  }

  /** Options as the viewer has them; edits, its own and those undone, change them. */
  private showOptions(frame: LiveFrame, before: LiveFrame | null): void {
    const {live} = this;
    if (before && optionsOf(before) === optionsOf(frame)) return;
    // Only what changed: a frame from before a click would take the click back.
    if (this.stops && before?.stops !== frame.stops) this.stops.checked = frame.stops;
    if (this.hold && before?.hold !== frame.hold) this.hold.checked = frame.hold;
    if (this.massChoice && frame.mass && before?.mass !== frame.mass) this.massChoice.value = frame.mass;
    const held = frame.hold ? live.coordinates.filter((c) => this.bodies[c.body]?.name === live.root).map((c) => c.name) : [];
    this.coordinates.setLocks([...frame.locked, ...held]);
    const said = [
      live.stops > 0 ? `stops at the ends of ranges: ${frame.stops ? 'on' : 'off'}` : '',
      frame.hold ? `${live.root} held` : '', frame.locked.length > 0 ? `${frame.locked.length} locked` : '',
    ];
    this.said.textContent = said.filter((t) => t !== '').join(', ');
    for (const [button, what, verb] of [[this.undoButton, frame.undo, 'Undo'], [this.redoButton, frame.redo, 'Redo']] as const) {
      button.disabled = what === '';
      button.title = `${verb}${what ? `: ${what}` : ''} (${verb === 'Undo' ? 'Ctrl+Z' : 'Ctrl+Shift+Z'})`;
    }
  }

  private wire(): void {
    const {connection} = this;
    connection.onFrame = (frame) => this.receive(frame);
    connection.onProblem = (text) => this.complain(text);
    connection.onLatency = (latency) => {
      this.latency.add(latency.milliseconds);
      this.stats.latencies.push(latency);
    };
    this.coordinates.onMove = (k, value, stroke) => {
      const coordinate = this.live.coordinates[k]?.name ?? '';
      void connection.stream(`set-${k}`, {do: 'set', coordinate, value, stroke}).then(() => this.arms.refresh());
    };
    this.coordinates.onLock = (k, on) => void connection.send({do: 'lock', coordinate: this.live.coordinates[k]?.name ?? '', on});
    this.coordinates.onFocus = (k) => this.arms.about(k);
    this.drives.onMove = (k, value, stroke) => {
      const muscle = this.live.drives[k]?.muscle ?? '';
      void connection.stream(`drive-${k}`, {do: 'drive', muscle, value, stroke});
    };
    const select = (item: Parameters<Inspector['select']>[0]): void => {
      this.inspector.select(item, 0);
      if (item?.kind === 'muscle') this.arms.select(item.index);
      this.view.request();
    };
    this.view.onPick = (item) => {
      if (!this.pull.active) select(item);
    };
    this.inspector.onSelect = select;
    this.drives.onFocus = (k) => select({kind: 'muscle', index: k});
    this.arms.onMuscle = (k) => select({kind: 'muscle', index: k});
    this.arms.onCoordinate = (k) => this.coordinates.mark(k);
    this.coordinates.mark(this.arms.coordinate);
    document.addEventListener('keydown', (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const typing = target instanceof HTMLInputElement && /^(search|text)$/.test(target.type);
    if ((event.ctrlKey || event.metaKey) && !event.altKey && /^[zy]$/i.test(event.key) && !typing) {
      event.preventDefault();
      this.undo(event.shiftKey || event.key.toLowerCase() === 'y');
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|TEXTAREA|SUMMARY)$/.test(target.tagName)) return;
    if (typing) return;
    const actions: Record<string, () => void> = {
      ' ': () => this.toggle(), m: () => this.live.motion && this.togglePlay(), '.': () => this.step(), '0': () => this.reset(), r: () => this.view.home(), p: () => this.pullSelected(),
    };
    const moves: Record<string, [number, number]> = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
    const move = moves[event.key];
    // Sliders use the arrow keys themselves.
    if (move && this.pull.active && !(target instanceof HTMLInputElement)) actions[event.key] = () => this.pull.move(0.05 * move[0], 0.05 * move[1]);
    const action = actions[event.key];
    if (!action || (event.key === ' ' && target.tagName === 'BUTTON')) return;
    event.preventDefault();
    action();
  }

  private pullSelected(): void {
    if (!this.pull.toggle(this.inspector.selected)) this.complain('Select a body to pull it, or a node of a strand that moves freely.');
  }

  private complain(text: string): void {
    this.problem.textContent = text;
    this.problem.hidden = text === '';
  }

  /** Frames may come faster than they can be drawn: the newest counts. */
  private receive(frame: LiveFrame): void {
    const pending = this.fresh !== null;
    this.fresh = frame;
    if (!pending) requestAnimationFrame(() => this.show());
  }

  private show(): void {
    const frame = this.fresh;
    this.fresh = null;
    if (!frame) return;
    this.arrays.overwrite(this.runs[0]?.info.image?.at ?? 0, atob(frame.image));
    if (frame.ghost) this.arrays.overwrite(this.runs[1]?.info.image?.at ?? 0, atob(frame.ghost));
    const changed = this.state?.running !== frame.running || this.state?.playing !== frame.playing || this.state?.failure !== frame.failure;
    this.showOptions(frame, this.state);
    this.state = frame;
    if (!this.scrubbing) this.scrub.value = String(frame.time);
    const moving = frame.running || frame.playing;
    if (frame.mass !== this.mass) {
      this.mass = frame.mass;
      this.showGhost();
    }
    this.figure.update(0);
    if (this.ghost?.root.visible) this.ghost.update(0);
    this.view.track(0);
    this.pull.update();
    this.inspector.update(0);
    const q = this.q.map((v) => v[0] ?? 0);
    this.coordinates.update(q);
    this.drives.update(this.driveValues.map((values) => values[0] ?? 0));
    this.arms.follow(q);
    if (moving) this.arms.refresh();
    this.clock.textContent = `${frame.time.toFixed(3)} s`;
    if (changed) this.label();
    if (moving || changed) this.view.setMoving(moving);
    else this.view.touch();
    this.view.draw();
    this.count(frame);
  }

  /** Time from a command to the picture that shows it, and between pictures. */
  private count(frame: LiveFrame): void {
    const now = performance.now();
    this.connection.drawn(frame.number);
    const moving = frame.running || frame.playing;
    if (moving) this.interval.add(now - this.lastDrawn);
    this.lastDrawn = now;
    ++this.stats.frames;
    const answer = Number.isFinite(this.latency.mean) ? `answers in ${format(this.latency.mean, 2)} ms` : '';
    const rate = moving ? `${Math.round(1000 / this.interval.mean)} frames/s, ${format(frame.factor, 2)}× real time` : '';
    const text = [rate, answer].filter((t) => t !== '').join(', ');
    if (this.measure.textContent !== text && this.stats.frames % 6 === 0) this.measure.textContent = text;
  }

  private label(): void {
    const running = this.state?.running ?? this.live.running;
    const failure = this.state?.failure ?? '';
    this.play.textContent = running ? '❚❚' : '▶';
    this.play.setAttribute('aria-label', running ? 'Pause' : 'Run');
    this.play.title = `${running ? 'Pause' : 'Run'} (space)`;
    const playing = this.state?.playing ?? false;
    this.playMotion.textContent = playing ? '❚❚' : '▶';
    this.playMotion.setAttribute('aria-label', playing ? 'Pause the motion' : 'Play the motion');
    this.playMotion.title = `${playing ? 'Pause' : 'Play'} the motion (M)`;
    this.status.textContent = failure ? 'Stopped' : running ? 'Running' : playing ? 'Playing' : 'Paused';
    this.view.canvas.title = running ? 'Drag a body or a node to pull it' : '';
    this.status.className = `badge ${failure ? 'bad' : running || playing ? 'good' : 'idle'}`;
    this.complain(failure ? `The run stopped: ${failure}. The last good state is shown.` : '');
  }

  private showGhost(): void {
    if (!this.ghost) return;
    this.ghost.root.visible = this.live.beside ? this.ghostShown : this.mass === 'both';
  }
}

/** All that showOptions shows. */
function optionsOf({mass, stops, hold, locked, undo, redo}: LiveFrame): string {
  return JSON.stringify([mass, stops, hold, locked, undo, redo]);
}

function keys(): HTMLElement {
  const rows = [
    ['Space', 'run, pause'], ['M', 'play the motion, pause'], ['Ctrl+Z', 'undo an edit; with Shift, redo it'], ['.', 'one step'], ['0', 'back to the start'], ['R', 'reset the view'],
    ['Drag a slider', 'moves a coordinate; others follow if constraints require it'],
    ['Drag a body', 'pulls it while the model runs, as it does nodes of strands; otherwise turns the view'],
    ['P', 'pulls the selected body or node, or lets go; arrow keys move the hand'],
    ['Drag', 'turn; right button moves, wheel zooms'], ['Click', 'select: a muscle shows its moment arm'],
  ];
  return card('Keys and mouse', table(['Key', 'Does'], rows, 'Keys and mouse'));
}

export function startLive(app: HTMLElement, header: Header, live: LiveInfo, arrays: Arrays): void {
  app.classList.add('live');
  const page = new LivePage(app, header, live, arrays);
  page.view.resize();
  page.view.home();
  page.paint();
  page.view.prepare();
  page.arms.refresh();
  page.connection.start();
  Object.assign(window, {sinew: page});
}
