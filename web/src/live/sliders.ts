// Lists of sliders: coordinates, and excitations or tensions of muscles.

import {el} from '../dom';
import {format, unitOf} from '../units';

export interface SliderInfo {
  name: string;
  lower: number;
  upper: number;
  quantity: string;
  locked: boolean;
}

const many = 12;

export class SliderList {
  readonly element: HTMLElement;
  onMove: (index: number, value: number) => void = () => {};
  onFocus: (index: number) => void = () => {};
  private readonly inputs: HTMLInputElement[] = [];
  private readonly outputs: HTMLOutputElement[] = [];
  private held = -1;

  constructor(
    title: string,
    private readonly infos: SliderInfo[],
  ) {
    const rows = infos.map((info, index) => this.row(info, index));
    const list = el('div', {class: 'sliders', role: 'group', 'aria-label': title}, ...rows);
    const find = el('input', {
      type: 'search', placeholder: 'Find', 'aria-label': `Find in ${title.toLowerCase()}`, class: 'find',
      input: () => rows.forEach((row, k) => (row.hidden = !(infos[k]?.name ?? '').toLowerCase().includes(find.value.toLowerCase()))),
    });
    this.element = el(
      'section', {class: 'card slider-card'},
      el('header', {}, el('h2', {}, title), infos.length > many ? find : null),
      list,
    );
    addEventListener('pointerup', () => (this.held = -1));
  }

  /** Shows values, except on the slider that is being moved. */
  update(values: ArrayLike<number>): void {
    this.inputs.forEach((input, k) => {
      const value = values[k] ?? 0;
      if (k !== this.held) input.value = String(value);
      this.say(k, value);
    });
  }

  mark(index: number): void {
    this.inputs.forEach((input, k) => input.closest('.slider')?.classList.toggle('marked', k === index));
  }

  private say(k: number, value: number): void {
    const unit = unitOf(this.infos[k]?.quantity ?? '');
    const shown = value * unit.factor;
    const text = `${format(Math.abs(shown) < 5e-4 * Math.max(1, unit.factor / 100) ? 0 : shown, 3)}${unit.symbol === '°' ? '°' : ` ${unit.symbol}`}`;
    const output = this.outputs[k];
    if (output && output.textContent !== text) output.textContent = text;
    this.inputs[k]?.setAttribute('aria-valuetext', text);
  }

  private row(info: SliderInfo, index: number): HTMLElement {
    const input = el('input', {
      type: 'range', min: info.lower, max: info.upper, step: 'any', disabled: info.locked,
      'aria-label': info.name,
      pointerdown: () => (this.held = index),
      input: () => {
        this.say(index, Number(input.value));
        this.onMove(index, Number(input.value));
      },
      focus: () => this.onFocus(index),
    });
    const output = el('output', {});
    this.inputs.push(input);
    this.outputs.push(output);
    return el(
      'div', {class: 'slider', title: info.locked ? `${info.name} is locked by the model` : info.name},
      el('span', {class: 'slider-name'}, info.name), input, output,
    );
  }
}
