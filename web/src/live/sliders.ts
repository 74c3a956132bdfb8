// Lists of sliders with fields beside them: coordinates, and excitations or tensions of muscles.

import {el} from '../dom';
import {format, unitOf, withUnit} from '../units';

export interface SliderInfo {
  name: string;
  lower: number;
  upper: number;
  quantity: string;
  /** By the model: it cannot be moved. */
  locked: boolean;
  lockable?: boolean;
}

export interface SliderGroup {
  title: string;
  /** Of the list's entries. */
  members: number[];
}

const many = 8;

interface Row {
  element: HTMLElement;
  slider: HTMLInputElement;
  field: HTMLInputElement;
  lock: HTMLButtonElement | null;
}

export class SliderList {
  readonly element: HTMLElement;
  /** A new stroke begins at every touch of a slider, and at every value typed. */
  onMove: (index: number, value: number, stroke: number) => void = () => {};
  onFocus: (index: number) => void = () => {};
  onLock: (index: number, on: boolean) => void = () => {};
  private readonly rows: Row[];
  private readonly hint = el('span', {class: 'hint', role: 'status'});
  private held = -1;
  /** Not those of an earlier page. */
  private stroke = Date.now();

  constructor(
    title: string,
    private readonly infos: SliderInfo[],
    how: {groups?: SliderGroup[]; folded?: boolean} = {},
  ) {
    this.rows = infos.map((info, index) => this.row(info, index));
    const of = (members: number[]): HTMLElement[] => members.flatMap((k) => this.rows[k]?.element ?? []);
    const groups = how.groups ?? [];
    const sections = groups.map((group) =>
      el('details', {class: 'slider-group', open: true}, el('summary', {title: group.title}, group.title, el('span', {class: 'muted'}, ` ${group.members.length}`)), ...of(group.members)),
    );
    const list = el('div', {class: 'sliders', role: 'group', 'aria-label': title}, ...(sections.length > 1 ? sections : of(infos.map((_, k) => k))));
    const find: HTMLInputElement = el('input', {
      type: 'search', placeholder: 'Find', 'aria-label': `Find in ${title.toLowerCase()}`, class: 'find',
      input: () => this.find(find.value.toLowerCase(), sections),
    });
    const tools = [this.hint, infos.length > many ? find : null];
    this.element = how.folded
      ? el('details', {class: 'card slider-card'}, el('summary', {}, title, el('span', {class: 'muted'}, ` ${infos.length}`)), el('header', {}, ...tools), list)
      : el('section', {class: 'card slider-card'}, el('header', {}, el('h2', {}, title), ...tools), list);
    addEventListener('pointerup', () => (this.held = -1));
  }

  /** Shows values, except on the slider that is being moved and in the field that is being typed in. */
  update(values: ArrayLike<number>): void {
    this.rows.forEach(({slider, field}, k) => {
      const value = values[k] ?? 0;
      if (k !== this.held) slider.value = String(value);
      if (field !== document.activeElement) this.say(k, value);
    });
  }

  mark(index: number): void {
    this.rows.forEach(({element}, k) => element.classList.toggle('marked', k === index));
  }

  /** Those that are locked here, beyond those that the model locks. */
  setLocks(names: string[]): void {
    this.rows.forEach(({slider, field, lock, element}, k) => {
      const info = this.infos[k];
      if (!lock || !info?.lockable) return;
      const on = names.includes(info.name);
      if (lock.getAttribute('aria-pressed') === String(on)) return;
      lock.setAttribute('aria-pressed', String(on));
      lock.textContent = on ? '●' : '○';
      element.classList.toggle('locked', on);
      slider.disabled = field.disabled = on;
    });
  }

  private find(text: string, sections: HTMLElement[]): void {
    this.rows.forEach(({element}, k) => (element.hidden = !(this.infos[k]?.name ?? '').toLowerCase().includes(text)));
    for (const section of sections) section.hidden = section.querySelector('.slider:not([hidden])') === null;
  }

  private say(k: number, value: number): void {
    const {quantity = ''} = this.infos[k] ?? {};
    const unit = unitOf(quantity);
    const shown = value * unit.factor;
    const text = plain(Math.abs(shown) < 5e-4 * Math.max(1, unit.factor / 100) ? 0 : shown);
    const row = this.rows[k];
    if (row && row.field.value !== text) row.field.value = text;
    row?.slider.setAttribute('aria-valuetext', withUnit(value, quantity, 3));
  }

  /** A typed value: within the range, or at its end, with a word about it. */
  private type(k: number): void {
    const info = this.infos[k];
    const row = this.rows[k];
    if (!info || !row) return;
    const unit = unitOf(info.quantity);
    const typed = Number(row.field.value.replace(',', '.').replace('−', '-'));
    const range = `${withUnit(info.lower, info.quantity, 3)} to ${withUnit(info.upper, info.quantity, 3)}`;
    if (row.field.value.trim() === '' || !Number.isFinite(typed)) {
      this.hint.textContent = 'Not a number';
      this.say(k, Number(row.slider.value));
      return;
    }
    const wanted = typed / unit.factor;
    const value = Math.min(info.upper, Math.max(info.lower, wanted));
    const beyond = Math.abs(value - wanted) > 1e-9 * Math.max(1, Math.abs(wanted));
    this.hint.textContent = beyond ? `${format(typed)} is out of range: ${range}` : '';
    row.slider.value = String(value);
    this.say(k, value);
    this.onMove(k, value, ++this.stroke);
  }

  private row(info: SliderInfo, index: number): Row {
    const locks = info.locked || info.lockable !== undefined;
    const {symbol} = unitOf(info.quantity);
    const slider = el('input', {
      type: 'range', min: info.lower, max: info.upper, step: 'any', disabled: info.locked,
      'aria-label': info.name,
      pointerdown: () => {
        this.held = index;
        ++this.stroke;
      },
      keydown: (event) => {
        if (!(event as KeyboardEvent).repeat) ++this.stroke;
      },
      input: () => {
        this.hint.textContent = '';
        this.say(index, Number(slider.value));
        this.onMove(index, Number(slider.value), this.stroke);
      },
      focus: () => this.onFocus(index),
    });
    const field = el('input', {
      type: 'text', inputmode: 'decimal', autocomplete: 'off', class: 'field', disabled: info.locked,
      'aria-label': `${info.name}${symbol ? ` [${symbol}]` : ''}`,
      change: () => this.type(index),
      focus: () => {
        field.select();
        this.onFocus(index);
      },
      keydown: (event) => {
        if ((event as KeyboardEvent).key === 'Enter') field.blur();
      },
    });
    const lock = locks
      ? el('button', {
          type: 'button', class: 'lock', disabled: !info.lockable, 'aria-pressed': String(info.locked), 'aria-label': `Lock ${info.name}`,
          title: info.locked ? 'Locked by the model' : 'Lock: while the model runs, a constraint holds it',
          click: () => this.onLock(index, lock?.getAttribute('aria-pressed') !== 'true'),
        }, info.locked ? '●' : '○')
      : null;
    const element = el(
      'div', {class: `slider${locks ? ' lockable' : ''}`, title: info.locked ? `${info.name} is locked by the model` : info.name},
      el('span', {class: 'slider-name'}, info.name), slider, field, el('span', {class: 'unit muted'}, symbol), lock,
    );
    return {element, slider, field, lock};
  }
}

/** A number as one types it. */
function plain(value: number): string {
  return format(value, 3).replaceAll('\u2060', '').replace('−', '-');
}
