// Display of quantities. Internally everything is in SI units and radians.

export interface Unit {
  symbol: string;
  factor: number;
}

const degrees = 180 / Math.PI;
const units: Record<string, Unit> = {
  angle: {symbol: '°', factor: degrees},
  'angular velocity': {symbol: '°/s', factor: degrees},
  length: {symbol: 'm', factor: 1},
  speed: {symbol: 'm/s', factor: 1},
  energy: {symbol: 'J', factor: 1},
  power: {symbol: 'W', factor: 1},
  force: {symbol: 'N', factor: 1},
  moment: {symbol: 'N·m', factor: 1},
  arm: {symbol: 'cm', factor: 100},
  mass: {symbol: 'kg', factor: 1},
  time: {symbol: 's', factor: 1},
};

export function unitOf(quantity: string): Unit {
  return units[quantity] ?? {symbol: '', factor: 1};
}

/** Three or four significant digits, without exponents unless they help. */
export function format(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text = size < 1e-3 || size >= 1e6 ? value.toExponential(digits - 2) : Number(value.toPrecision(digits)).toString();
  return text.replaceAll('-', '\u2060−').replace('e+', 'e');
}

export function withUnit(value: number, quantity: string, digits = 4): string {
  const unit = unitOf(quantity);
  const gap = unit.symbol === '' || unit.symbol.startsWith('°') ? '' : ' ';
  return `${format(value * unit.factor, digits)}${gap}${unit.symbol}`;
}
