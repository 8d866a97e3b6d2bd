/**
 * One worker owns the index. SQLite's file pool can belong to only one worker at a time, but several need it: those of
 * the page's panel, the trainer's world, Play and other tabs. A Web Lock decides which worker owns the pool; the others
 * send their calls over a broadcast channel. When the owner goes away, the next worker in the queue gets the lock and
 * serves all open calls, its own first.
 * developer.mozilla.org/en-US/docs/Web/API/Web_Locks_API, .../BroadcastChannel
 */
import * as v from 'valibot';
import type { IngestProgress } from './ingest.ts';
import { CorpusError } from './lines.ts';
import type { CorpusCalls, CorpusFile } from './service.ts';

const callNames = [
  'list',
  'remove',
  'questionCount',
  'question',
  'addQuestions',
  'retrieve',
  'ingest',
] as const satisfies readonly (keyof CorpusCalls)[];
type CallName = (typeof callNames)[number];

const text = v.pipe(v.string(), v.maxLength(100));
const whole = v.pipe(v.number(), v.safeInteger());
const count = v.pipe(v.number(), v.finite());
const progress = v.object({ bytesRead: count, bytes: count, documents: count, refused: count });

/**
 * Messages of the channel. Every page and worker of the origin can post to it, an older version of this page too, so
 * other messages are ignored.
 */
const MessageSchema = v.variant('kind', [
  v.object({
    kind: v.literal('call'),
    from: text,
    id: whole,
    name: v.picklist(callNames),
    args: v.pipe(v.array(v.unknown()), v.maxLength(3)),
  }),
  v.object({ kind: v.literal('cancel'), from: text, id: whole }),
  v.object({ kind: v.literal('progress'), to: text, id: whole, progress }),
  v.object({
    kind: v.literal('answer'),
    to: text,
    id: whole,
    value: v.optional(v.unknown()),
    error: v.optional(v.string()),
    cancelled: v.optional(v.boolean()),
  }),
  /** Announces a new owner; all workers then send it their open calls again. */
  v.object({ kind: v.literal('owner') }),
]);
type Message = v.InferOutput<typeof MessageSchema>;

interface Open {
  name: CallName;
  args: unknown[];
  report?: (progress: IngestProgress) => void;
  signal?: AbortSignal;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The browser's interfaces used here; tests provide their own. */
export interface BrowserInterfaces {
  locks: Pick<LockManager, 'request'>;
  channel: Pick<BroadcastChannel, 'postMessage' | 'close'> & { onmessage: ((event: MessageEvent) => void) | null };
  /** Opens the store; called once this worker holds the lock. */
  openService(): Promise<CorpusCalls>;
}

const lockName = 'tabgym-corpora';

/** The corpora of all workers and tabs of an origin. The current owner of the index executes every call. */
export class SharedCorpora implements CorpusCalls {
  private readonly workerId = crypto.randomUUID();
  private readonly open = new Map<number, Open>();
  private readonly cancels = new Map<string, AbortController>();
  private service: Promise<CorpusCalls> | null = null;
  private nextId = 0;
  private release: () => void = () => {};
  private readonly closed = new AbortController();

  constructor(private readonly browser: BrowserInterfaces) {
    browser.channel.onmessage = ({ data }) => this.receive(data);
    void this.queueForLock();
  }

  private async queueForLock(): Promise<void> {
    const granted = async () => {
      this.service = this.browser.openService();
      this.post({ kind: 'owner' });
      for (const id of this.open.keys()) void this.carryOut(id);
      await new Promise<void>((resolve) => {
        this.release = resolve;
      });
    };
    const { signal } = this.closed;
    await this.browser.locks.request(lockName, { signal }, granted).catch((error) => {
      if (!signal.aborted) throw error;
    });
  }

  list() {
    return this.call<'list'>('list', []);
  }
  remove(name: string) {
    return this.call<'remove'>('remove', [name]);
  }
  questionCount(name: string) {
    return this.call<'questionCount'>('questionCount', [name]);
  }
  question(name: string, number: number) {
    return this.call<'question'>('question', [name, number]);
  }
  addQuestions(...args: Parameters<CorpusCalls['addQuestions']>) {
    return this.call<'addQuestions'>('addQuestions', args);
  }
  retrieve(...args: Parameters<CorpusCalls['retrieve']>) {
    return this.call<'retrieve'>('retrieve', args);
  }
  ingest(
    name: string,
    files: readonly CorpusFile[],
    report?: (progress: IngestProgress) => void,
    signal?: AbortSignal,
  ) {
    return this.call<'ingest'>('ingest', [name, files], report, signal);
  }

  /** Ends this worker's calls and passes the index on to the next worker. */
  close(): void {
    this.closed.abort();
    this.release();
    this.browser.channel.close();
  }

  private call<N extends CallName>(
    name: N,
    args: unknown[],
    report?: Open['report'],
    signal?: AbortSignal,
  ): ReturnType<CorpusCalls[N]> {
    const id = this.nextId++;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.open.set(id, { name, args, report, signal, resolve, reject });
    }).finally(() => this.open.delete(id));
    signal?.addEventListener('abort', () => this.post({ kind: 'cancel', from: this.workerId, id }), { once: true });
    if (this.service) void this.carryOut(id);
    else this.post({ kind: 'call', from: this.workerId, id, name, args });
    return answer as ReturnType<CorpusCalls[N]>;
  }

  private post(message: Message): void {
    this.browser.channel.postMessage(message);
  }

  /** Executes one of this worker's own calls; this worker is the owner. */
  private async carryOut(id: number): Promise<void> {
    const { name, args, report, signal, resolve, reject } = this.open.get(id)!;
    try {
      resolve(await this.invoke(name, args, report, signal));
    } catch (error) {
      reject(error);
    }
  }

  private async invoke(name: CallName, args: unknown[], report: Open['report'], signal?: AbortSignal) {
    const service = await this.service!;
    const call = service[name] as (...args: unknown[]) => Promise<unknown>;
    return name === 'ingest' ? call.call(service, ...args, report, signal) : call.apply(service, args);
  }

  private receive(data: unknown): void {
    const read = v.safeParse(MessageSchema, data);
    if (!read.success) return;
    const message = read.output;
    if (message.kind === 'owner') this.askAgain();
    else if (message.kind === 'call') void this.serve(message);
    else if (message.kind === 'cancel') this.cancels.get(`${message.from} ${message.id}`)?.abort();
    else if (message.to === this.workerId) this.settle(message);
  }

  private askAgain(): void {
    if (this.service) return;
    for (const [id, { name, args }] of this.open) this.post({ kind: 'call', from: this.workerId, id, name, args });
  }

  private settle(message: Extract<Message, { to: string }>): void {
    const open = this.open.get(message.id);
    if (message.kind === 'progress') open?.report?.(message.progress);
    else if (message.cancelled) open?.reject(open.signal?.reason ?? new CorpusError('The call was cancelled.'));
    else if (message.error !== undefined) open?.reject(new CorpusError(message.error));
    else open?.resolve(message.value);
  }

  /** Executes a call of another worker; does nothing unless this worker is the owner. */
  private async serve({ from, id, name, args }: Extract<Message, { kind: 'call' }>): Promise<void> {
    if (!this.service) return;
    const key = `${from} ${id}`;
    if (this.cancels.has(key)) return;
    const cancel = new AbortController();
    this.cancels.set(key, cancel);
    const report = (progress: IngestProgress) => this.post({ kind: 'progress', to: from, id, progress });
    try {
      this.post({ kind: 'answer', to: from, id, value: await this.invoke(name, args, report, cancel.signal) });
    } catch (error) {
      const cancelled = cancel.signal.aborted;
      this.post({ kind: 'answer', to: from, id, error: (error as Error).message ?? String(error), cancelled });
    } finally {
      this.cancels.delete(key);
    }
  }
}
