// The one clock of the page: the time of playback, and its listeners.

export type Follower = (time: number) => void;

export class Timeline {
  readonly start: number;
  readonly end: number;
  speed = 1;
  loop = true;
  private now: number;
  private running = false;
  private last = 0;
  private readonly followers: Follower[] = [];
  private readonly watchers: (() => void)[] = [];

  constructor(readonly times: Float32Array) {
    this.start = times[0] ?? 0;
    this.end = times[times.length - 1] ?? 0;
    this.now = this.start;
  }

  get time(): number {
    return this.now;
  }
  get playing(): boolean {
    return this.running;
  }
  get duration(): number {
    return this.end - this.start;
  }

  /** Calls back at every change of the time. */
  follow(follower: Follower): void {
    this.followers.push(follower);
  }
  /** Calls back when playing starts or stops. */
  watch(watcher: () => void): void {
    this.watchers.push(watcher);
  }

  seek(time: number): void {
    this.now = Math.min(this.end, Math.max(this.start, time));
    for (const follower of this.followers) follower(this.now);
  }

  /** Goes to the next (or an earlier) frame. */
  step(frames: number): void {
    this.pause();
    const at = nearest(this.times, this.now) + frames;
    this.seek(this.times[Math.min(this.times.length - 1, Math.max(0, at))] ?? this.start);
  }

  play(): void {
    if (this.running || this.duration <= 0) return;
    if (this.now >= this.end) this.seek(this.start);
    this.running = true;
    this.last = performance.now();
    requestAnimationFrame((t) => this.tick(t));
    for (const watcher of this.watchers) watcher();
  }
  pause(): void {
    if (!this.running) return;
    this.running = false;
    for (const watcher of this.watchers) watcher();
  }
  toggle(): void {
    if (this.running) this.pause();
    else this.play();
  }

  private tick(at: number): void {
    if (!this.running) return;
    const passed = (Math.max(0, at - this.last) / 1000) * this.speed;
    this.last = at;
    let next = this.now + passed;
    if (next > this.end) {
      if (this.loop) {
        next = this.start + ((next - this.start) % this.duration);
      } else {
        this.seek(this.end);
        this.pause();
        return;
      }
    }
    this.seek(next);
    requestAnimationFrame((t) => this.tick(t));
  }
}

/** Index of the last entry that is ≤ time (0 before the first). */
export function before(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function nearest(times: ArrayLike<number>, time: number): number {
  const k = before(times, time);
  const here = times[k] ?? 0;
  const next = times[k + 1];
  return next !== undefined && next - time < time - here ? k + 1 : k;
}

/** The place of a time between two entries: times[k] + part (times[k+1] − times[k]). */
export function locate(times: ArrayLike<number>, time: number): {k: number; part: number} {
  const k = Math.min(before(times, time), Math.max(0, times.length - 2));
  const a = times[k] ?? 0;
  const b = times[k + 1] ?? a;
  return {k, part: b > a ? Math.min(1, Math.max(0, (time - a) / (b - a))) : 0};
}

/** A value of a curve at a time, on the straight line between its rows. */
export function valueAt(times: ArrayLike<number>, values: ArrayLike<number>, time: number): number {
  const {k, part} = locate(times, time);
  const a = values[k] ?? NaN;
  const b = values[k + 1] ?? a;
  return a + part * (b - a);
}
