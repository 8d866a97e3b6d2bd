/**
 * The sandbox as its callers see it: one call at a time, bounded in time, memory and stack. The worker starts with the first call.
 * What interrupts inside (realm.ts) is asked first; a call that does not heed it ends with its worker, and the next call has another.
 */
import {
  CodeError,
  type CodePlace,
  SandboxBrokenError,
  type SandboxError,
  SandboxMemoryError,
  SandboxTimeoutError,
} from './errors.ts';
import type {
  FailureKind,
  SandboxCall,
  SandboxFailure,
  SandboxLimits,
  SandboxPort,
  SandboxReply,
  SandboxRequest,
  SandboxResult,
} from './protocol.ts';

/**
 * Time for an update of tens of thousands of rows, many times over. The interpreter's stack of 64 KB fits into a browser worker's own: at
 * 256 KB Chromium's overflowed first (measured), which costs the worker.
 */
export const defaultLimits: SandboxLimits = { deadlineMs: 10_000, stackBytes: 64 * 1024 };

/** How long the interpreter itself may take to load. */
const loadMs = 60_000;

/** After its deadline a call has this long to be interrupted: a built-in function does not look at the clock. */
const graceMs = (deadlineMs: number) => Math.max(1000, deadlineMs / 2);

const errors: { readonly [kind in FailureKind]: new (message: string, place: CodePlace | null) => SandboxError } = {
  timeout: SandboxTimeoutError,
  memory: SandboxMemoryError,
  code: CodeError,
  broken: SandboxBrokenError,
};

interface Waiting {
  resolve(result: SandboxResult): void;
  reject(error: Error): void;
}

/** A worker that is loaded, and the call it works on. */
class Running {
  private waiting: Waiting | null = null;
  private next = 0;
  dead = false;

  private constructor(private readonly port: SandboxPort) {}

  static async start(port: SandboxPort): Promise<Running> {
    const running = new Running(port);
    await running.loaded();
    return running;
  }

  private loaded(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) => {
        clearTimeout(timer);
        this.end();
        reject(new SandboxBrokenError(`The sandbox cannot run code here: ${why}`));
      };
      const timer = setTimeout(() => fail(`it was not loaded within ${loadMs / 1000} s`), loadMs);
      this.port.listen(
        (reply) => {
          if ('failed' in reply) return fail(reply.failed);
          if (!('ready' in reply)) return this.receive(reply);
          clearTimeout(timer);
          resolve();
        },
        (why) => {
          fail(why);
          this.lost(why);
        },
      );
    });
  }

  run(call: SandboxCall, limits: SandboxLimits): Promise<SandboxResult> {
    return new Promise<SandboxResult>((resolve, reject) => {
      const timer = setTimeout(() => this.overdue(call.file, limits), limits.deadlineMs + graceMs(limits.deadlineMs));
      const settled = (act: () => void) => {
        clearTimeout(timer);
        this.waiting = null;
        act();
      };
      this.waiting = {
        resolve: (result) => settled(() => resolve(result)),
        reject: (error) => settled(() => reject(error)),
      };
      this.port.post({ id: ++this.next, limits, ...call } satisfies SandboxRequest);
    });
  }

  private receive(reply: Extract<SandboxReply, { id: number }>): void {
    if (reply.id !== this.next) return;
    if ('failure' in reply) this.failed(reply.failure);
    else this.waiting?.resolve(reply.result);
  }

  private failed({ kind, message, place }: SandboxFailure): void {
    // A worker whose memory has grown, or whose interpreter is broken, is not used again.
    if (kind !== 'code') this.end();
    this.waiting?.reject(new errors[kind](message, place));
  }

  private overdue(file: string, { deadlineMs }: SandboxLimits): void {
    const message = `${file}: the code did not end within ${deadlineMs / 1000} s and was stopped. Look for a loop that never stops, or for numbers and arrays that grow without end.`;
    this.failed({ kind: 'timeout', message, place: null });
  }

  private lost(why: string): void {
    this.failed({ kind: 'broken', message: `The sandbox ended while it ran this code: ${why}`, place: null });
  }

  close(): void {
    this.end();
    this.waiting?.reject(new SandboxBrokenError('The sandbox was closed while it ran this code.'));
  }

  private end(): void {
    this.dead = true;
    this.port.terminate();
  }
}

export class Sandbox {
  private running: Promise<Running> | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly spawn: () => Promise<SandboxPort>,
    private readonly limits: SandboxLimits = defaultLimits,
  ) {}

  /** Calls wait for each other. Rejects with a SandboxError. */
  call(call: SandboxCall, limits: Partial<SandboxLimits> = {}): Promise<SandboxResult> {
    const done = this.last.then(() => this.once(call, { ...this.limits, ...limits }));
    this.last = done.catch(() => {});
    return done;
  }

  private async once(call: SandboxCall, limits: SandboxLimits): Promise<SandboxResult> {
    if (this.closed) throw new SandboxBrokenError('The sandbox was closed.');
    if (this.running && (await this.running).dead) this.running = null;
    this.running ??= this.start();
    return (await this.running).run(call, limits);
  }

  private start(): Promise<Running> {
    const started = this.spawn().then((port) => Running.start(port));
    started.catch(() => {
      this.running = null;
    });
    return started;
  }

  /** Ends the worker, and with it a call in progress. */
  async close(): Promise<void> {
    this.closed = true;
    const running = await this.running?.catch(() => null);
    running?.close();
  }
}
