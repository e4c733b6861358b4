/**
 * The recorder's status file: one JSON object a line, appended while the program runs. Read by polling its growth, which works on every file
 * system that a workspace may lie on.
 */
import * as fs from 'node:fs/promises';

export type StatusEvent =
  | { readonly event: 'start'; readonly pid: number }
  /** `step` steps of `of` are over. */
  | { readonly event: 'waiting' | 'recording'; readonly step: number; readonly of: number }
  | { readonly event: 'saving' }
  | { readonly event: 'saved'; readonly run: string }
  | { readonly event: 'error'; readonly message: string; readonly remedy: string }
  | { readonly event: 'exit'; readonly code: number | null };

/** The event of one line; undefined for what a newer recorder may say beyond this list. */
export function parseStatus(line: string): StatusEvent | undefined {
  let raw: Readonly<Record<string, unknown>>;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) {
      return undefined;
    }
    raw = value as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const text = (key: string) => (typeof raw[key] === 'string' ? raw[key] : '');
  const count = (key: string) => (typeof raw[key] === 'number' ? raw[key] : 0);
  switch (raw.event) {
    case 'start':
      return { event: 'start', pid: count('pid') };
    case 'waiting':
    case 'recording':
      return { event: raw.event, step: count('step'), of: count('of') };
    case 'saving':
      return { event: 'saving' };
    case 'saved':
      return { event: 'saved', run: text('run') };
    case 'error':
      return { event: 'error', message: text('message'), remedy: text('remedy') };
    case 'exit':
      return { event: 'exit', code: typeof raw.code === 'number' ? raw.code : null };
    default:
      return undefined;
  }
}

/** Cuts a growing text into whole lines: what follows the last line break waits for its rest. */
export class LineCutter {
  private rest = '';

  push(text: string): string[] {
    const parts = (this.rest + text).split('\n');
    this.rest = parts.pop() ?? '';
    return parts.filter((line) => line.trim() !== '');
  }
}

/** Follows a status file until it is closed. Events come in order, each once. */
export class StatusTail {
  private offset = 0;
  private readonly cutter = new LineCutter();
  private readonly decoder = new TextDecoder();
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: string,
    private readonly onEvent: (event: StatusEvent) => void,
    private readonly intervalMs = 150,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.reading = this.reading.then(async () => await this.read());
    }, this.intervalMs);
  }

  /** Stops following, after what stands in the file now has been read. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.reading = this.reading.then(async () => await this.read());
    await this.reading;
  }

  private async read(): Promise<void> {
    const handle = await fs.open(this.file, 'r').catch(() => undefined);
    if (!handle) {
      return;
    }
    try {
      const { size } = await handle.stat();
      if (size <= this.offset) {
        return;
      }
      const bytes = new Uint8Array(size - this.offset);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, this.offset);
      this.offset += bytesRead;
      for (const line of this.cutter.push(this.decoder.decode(bytes.subarray(0, bytesRead), { stream: true }))) {
        const event = parseStatus(line);
        if (event) {
          this.onEvent(event);
        }
      }
    } finally {
      await handle.close();
    }
  }
}
