// The commands of a row, to the letter as `sinew sweep --run` prints them.

import {CommandTemplate} from '../header';

/** A number in as few digits as it takes to read it back, as the program writes it: 0.0001, 1e-05, 1e+16. */
export function digitsOf(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const [mantissa, power] = value.toExponential().split('e') as [string, string];
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) return String(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

export function commandOf(template: CommandTemplate, numbers: ArrayLike<number>): string {
  const rest = template.places.map((place, k) => digitsOf(numbers[place] ?? NaN) + (template.text[k + 1] ?? ''));
  return (template.text[0] ?? '') + rest.join('');
}
