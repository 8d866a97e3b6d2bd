/**
 * Interface of the sandbox for its callers: one call at a time, with limits for time, memory and stack. The worker
 * starts with the first call. The interpreter interrupts a call at its time limit (realm.ts); if that has no effect,
 * the worker is ended, and the next call starts another.
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
 * The time limit is many times what an update of tens of thousands of rows takes. A stack of 64 KB fits into the stack
 * of a browser's worker: at 256 KB Chromium's own overflowed first (measured), which kills the worker.
 */
export const defaultLimits: SandboxLimits = { deadlineMs: 10_000, stackBytes: 64 * 1024 };

/** Time limit for loading the interpreter. */
const loadMs = 60_000;

/**
 * Extra time to interrupt a call after its time limit: the interpreter does not check the clock inside a built-in
 * function.
 */
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

/** A loaded worker and its current call. */
class LoadedWorker {
  private waiting: Waiting | null = null;
  private next = 0;
  dead = false;

  private constructor(private readonly port: SandboxPort) {}

  static async start(port: SandboxPort): Promise<LoadedWorker> {
    const running = new LoadedWorker(port);
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
    // The worker cannot be reused if its memory has grown or its interpreter is broken.
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
  private running: Promise<LoadedWorker> | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly spawn: () => Promise<SandboxPort>,
    private readonly limits: SandboxLimits = defaultLimits,
  ) {}

  /** Runs a call after all earlier ones. Rejects with a SandboxError. */
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

  private start(): Promise<LoadedWorker> {
    const started = this.spawn().then((port) => LoadedWorker.start(port));
    started.catch(() => {
      this.running = null;
    });
    return started;
  }

  /** Ends the worker and any call in progress. */
  async close(): Promise<void> {
    this.closed = true;
    const running = await this.running?.catch(() => null);
    running?.close();
  }
}
