// Lines and dots as densities. Where there is no graphics card, a canvas takes a millisecond for each long line and each
// path of discs that it blends; here a hundred thousand runs take a fraction of a second.

export type Rgb = readonly number[];

/** How many are at each pixel, and the sum of their values. */
export class Density {
  readonly width: number;
  readonly height: number;
  private readonly counts: Float32Array;
  private readonly sums: Float32Array;

  constructor(width: number, height: number) {
    [this.width, this.height] = [Math.max(1, Math.round(width)), Math.max(1, Math.round(height))];
    this.counts = new Float32Array(this.width * this.height);
    this.sums = new Float32Array(this.width * this.height);
  }
  another(): Density {
    return new Density(this.width, this.height);
  }

  /** A line, one pixel wide, shared by the two pixels nearest to it (Wu's). */
  addLine(x0: number, y0: number, x1: number, y1: number, value: number): void {
    const {counts, sums, width, height} = this;
    const flat = Math.abs(x1 - x0) >= Math.abs(y1 - y0);
    // Along the axis on which it is longer, from pixel to pixel.
    const [a0, b0, a1, b1] = flat ? [x0, y0, x1, y1] : [y0, x0, y1, x1];
    const [from, to] = [Math.ceil(Math.min(a0, a1) - 0.5), Math.floor(Math.max(a0, a1) - 0.5)];
    const slope = a1 === a0 ? 0 : (b1 - b0) / (a1 - a0);
    const [along, across, length, breadth] = flat ? [1, width, width, height] : [width, 1, height, width];
    for (let a = Math.max(0, from); a <= to && a < length; ++a) {
      const b = b0 + (a + 0.5 - a0) * slope - 0.5;
      const lower = Math.floor(b), part = b - lower;
      if (lower < 0 || lower + 1 >= breadth) continue;
      const at = a * along + lower * across;
      (counts[at] as number) += 1 - part;
      (counts[at + across] as number) += part;
      (sums[at] as number) += (1 - part) * value;
      (sums[at + across] as number) += part * value;
    }
  }

  /** A disc; one that is smaller than a pixel is that pixel. */
  addDot(x: number, y: number, radius: number, value: number): void {
    const {counts, sums, width, height} = this;
    const reach = radius <= 0.5 ? 0 : Math.ceil(radius);
    const [i0, j0] = [Math.floor(x), Math.floor(y)];
    for (let j = Math.max(0, j0 - reach); j <= Math.min(height - 1, j0 + reach); ++j)
      for (let i = Math.max(0, i0 - reach); i <= Math.min(width - 1, i0 + reach); ++i) {
        const part = reach === 0 ? 1 : Math.min(1, radius + 0.5 - Math.hypot(i + 0.5 - x, j + 0.5 - y));
        if (part <= 0) continue;
        (counts[j * width + i] as number) += part;
        (sums[j * width + i] as number) += part * value;
      }
  }

  /** Over an image: one has the opacity `least`, as many as are at the fullest pixel have `most`. The colour is that of the mean value. */
  paint(image: ImageData, color: (mean: number) => Rgb, least: number, most: number): void {
    const {counts, sums} = this, {data} = image;
    let peak = 1;
    for (const count of counts) if (count > peak) peak = count;
    const per = peak > 1 ? (most - least) / Math.log(peak) : 0;
    for (let k = 0; k < counts.length; ++k) {
      const count = counts[k] as number;
      if (count === 0) continue;
      const above = count < 1 ? count * least : Math.max(least, least + per * Math.log(count));
      const below = (data[4 * k + 3] as number) / 255, alpha = above + below * (1 - above);
      const mean = color((sums[k] as number) / count);
      for (let c = 0; c < 3; ++c) data[4 * k + c] = ((mean[c] as number) * above + (data[4 * k + c] as number) * below * (1 - above)) / alpha;
      data[4 * k + 3] = 255 * alpha;
    }
  }
}
