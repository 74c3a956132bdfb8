// The line to the server: frames come in, commands go out.

export interface LiveFrame {
  /** Of the last command that the frame knows of. */
  number: number;
  time: number;
  running: boolean;
  speed: number;
  /** Model time over wall time that was reached. */
  factor: number;
  failure: string;
  lost: boolean;
  mass: 'muscles' | 'bones' | 'both' | null;
  image: string;
  ghost?: string;
}

export interface Answer {
  number: number;
  [key: string]: unknown;
}

export type Command = {do: string} & Record<string, unknown>;

export class Connection {
  onFrame: (frame: LiveFrame) => void = () => {};
  onProblem: (problem: string) => void = () => {};
  /** When each command that is not seen yet was given: its number once it is known. */
  private readonly waiting: {since: number; number: number}[] = [];
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
    const entry = {since: performance.now(), number: Infinity};
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
      return answer;
    } catch {
      forget();
      this.onProblem('The viewer does not answer.');
      return null;
    }
  }

  /** For what changes quickly: of commands of a kind that come while one is under way, the newest is sent next. */
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

  /** Milliseconds from commands to now, for those that a frame with this number shows. */
  seen(number: number): number[] {
    const now = performance.now();
    const out: number[] = [];
    for (let k = this.waiting.length - 1; k >= 0; --k) {
      const entry = this.waiting[k];
      if (entry && entry.number <= number) {
        out.push(now - entry.since);
        this.waiting.splice(k, 1);
      }
    }
    return out;
  }
}
