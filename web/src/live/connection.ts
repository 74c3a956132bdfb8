// The connection to the server: frames come in, commands go out.

export interface LiveFrame {
  /** Number of the last command that the frame includes. */
  number: number;
  time: number;
  running: boolean;
  /** The motion. */
  playing: boolean;
  speed: number;
  /** Model time over wall time, as achieved. */
  factor: number;
  failure: string;
  lost: boolean;
  mass: 'muscles' | 'bones' | 'both' | null;
  stops: boolean;
  hold: boolean;
  locked: string[];
  /** What undo and redo would take, in words. */
  undo: string;
  redo: string;
  image: string;
  ghost?: string;
}

export interface Answer {
  number: number;
  [key: string]: unknown;
}

export type Command = {do: string} & Record<string, unknown>;

/** Time from a command to the picture that shows its effect. */
export interface Latency {
  what: string;
  milliseconds: number;
}

export class Connection {
  onFrame: (frame: LiveFrame) => void = () => {};
  onProblem: (problem: string) => void = () => {};
  onLatency: (latency: Latency) => void = () => {};
  /** The time of each command whose effect is not yet drawn, and its number once known. */
  private readonly waiting: {what: string; since: number; number: number}[] = [];
  /** The newest picture: the last command that it shows, and the time it was drawn. */
  private newest = {number: 0, at: 0};
  /** The newest command of a kind, while an older one is under way. */
  private readonly held = new Map<string, Command>();
  private readonly busy = new Set<string>();
  private ended = false;

  start(): void {
    const source = new EventSource('frames');
    source.onmessage = (event) => this.onFrame(JSON.parse(event.data as string) as LiveFrame);
    source.onerror = () => {
      source.close();
      this.ended = true;
      this.onProblem('The viewer has ended: start `sinew view` again, and open its new address.');
    };
    // The browser would wait for a stream that never ends.
    addEventListener('pagehide', () => source.close());
  }

  async send(command: Command): Promise<Answer | null> {
    if (this.ended) return null;
    const entry = {what: command.do, since: performance.now(), number: Infinity};
    this.waiting.push(entry);
    const forget = (): void => {
      this.waiting.splice(this.waiting.indexOf(entry), 1);
    };
    try {
      const response = await fetch('command', {
        method: 'POST',
        headers: {'Content-Type': 'application/json'},
        body: JSON.stringify(command),
      });
      const answer = (await response.json()) as Answer & {error?: string};
      if (!response.ok) {
        forget();
        this.onProblem(answer.error ?? `The viewer refuses (${response.status}).`);
        return null;
      }
      entry.number = answer.number;
      // Its picture may have come before its answer.
      this.settle();
      return answer;
    } catch {
      forget();
      this.onProblem('The viewer does not answer.');
      return null;
    }
  }

  /** For values that change quickly: while a command is under way, only the newest of its kind is kept and sent next. */
  async stream(kind: string, command: Command): Promise<void> {
    if (this.busy.has(kind)) {
      this.held.set(kind, command);
      return;
    }
    this.busy.add(kind);
    for (let next: Command | undefined = command; next; ) {
      await this.send(next);
      next = this.held.get(kind);
      this.held.delete(kind);
    }
    this.busy.delete(kind);
  }

  /** A frame was drawn that includes all commands up to this number. */
  drawn(number: number): void {
    this.newest = {number, at: performance.now()};
    this.settle();
  }

  private settle(): void {
    for (let k = this.waiting.length - 1; k >= 0; --k) {
      const entry = this.waiting[k];
      if (!entry || entry.number > this.newest.number) continue;
      this.waiting.splice(k, 1);
      this.onLatency({what: entry.what, milliseconds: this.newest.at - entry.since});
    }
  }
}
