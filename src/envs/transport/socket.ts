/**
 * A server with a JSON protocol over a WebSocket, with one answer for each message, in order. Deadlines, limits and
 * error messages as in `http.ts`. Uses the browser's own socket in a page, and the `ws` package's on Node.
 */
import { AnswerError, DeadlineError, UnreachableError } from './http.ts';
import { parseJsonText, TooDeeplyNested } from './json-text.ts';

export interface SocketOptions {
  connectMs?: number;
  /** Maximum time for an answer. */
  answerMs?: number;
}

/** Common interface of a browser's socket and Node's. */
interface PlainSocket {
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: string, listener: (event: never) => void): void;
}

const MOST_BYTES = 100 * 2 ** 20;
const OPEN = 1;

async function plainSocket(address: string): Promise<PlainSocket> {
  if (!import.meta.env.SSR) return new WebSocket(address) as PlainSocket;
  const { WebSocket: NodeSocket } = await import('ws');
  return new NodeSocket(address, { maxPayload: MOST_BYTES, perMessageDeflate: false }) as unknown as PlainSocket;
}

interface Waiting {
  take(text: string): void;
  fail(error: Error): void;
}

/** Open one with `JsonSocket.open()`. */
export class JsonSocket {
  /** Messages that came before the first request, such as a refusal on connection. */
  private readonly unread: string[] = [];
  private waiting: Waiting | null = null;
  private ended: Error | null = null;

  private constructor(
    private readonly socket: PlainSocket,
    private readonly answerMs: number,
  ) {
    socket.addEventListener('message', ({ data }: { data: unknown }) => this.receive(String(data)));
    socket.addEventListener('close', ({ code, reason }: { code: number; reason: string }) =>
      this.end(new UnreachableError(`the server closed the connection (${reason || `code ${code}`})`)),
    );
    socket.addEventListener('error', () => this.end(new UnreachableError('the connection failed')));
  }

  static async open(address: string, options: SocketOptions = {}, signal?: AbortSignal): Promise<JsonSocket> {
    const { connectMs = 10_000, answerMs = 60_000 } = options;
    signal?.throwIfAborted();
    const plain = await plainSocket(address);
    const socket = new JsonSocket(plain, answerMs);
    try {
      await within<void>(connectMs, 'a connection', signal, (resolve, reject) => {
        if (plain.readyState === OPEN) resolve();
        plain.addEventListener('open', () => resolve());
        const refused = () => reject(new UnreachableError('the server could not be reached'));
        plain.addEventListener('error', refused);
        plain.addEventListener('close', refused);
      });
      return socket;
    } catch (error) {
      plain.close();
      throw error;
    }
  }

  get closed(): boolean {
    return this.ended !== null;
  }

  /**
   * Sends a message and returns its answer, one at a time. If an answer does not come the connection closes, because
   * answers are matched by their order.
   */
  async ask(message: object, signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    const text = this.unread.shift() ?? (await this.exchange(JSON.stringify(message), signal));
    try {
      return parseJsonText(text);
    } catch (error) {
      const what = error instanceof TooDeeplyNested ? `a message of which ${error.message}` : 'text that is not JSON';
      throw new AnswerError(`the server answered with ${what}: ${text.slice(0, 160)}`, 0);
    }
  }

  close(): void {
    this.ended ??= new UnreachableError('the connection was closed');
    this.socket.close();
  }

  private async exchange(text: string, signal?: AbortSignal): Promise<string> {
    if (this.ended) throw this.ended;
    if (this.waiting) throw new Error('A message is waiting for its answer: send one after another.');
    try {
      return await within(this.answerMs, 'an answer', signal, (resolve: (text: string) => void, reject) => {
        this.waiting = { take: resolve, fail: reject };
        this.socket.send(text);
      });
    } catch (error) {
      this.close();
      throw error;
    } finally {
      this.waiting = null;
    }
  }

  private receive(text: string): void {
    if (text.length > MOST_BYTES) this.end(new AnswerError('the server sent more than 100 MB at once', 0));
    else if (this.waiting) this.waiting.take(text);
    else if (this.unread.length < 4) this.unread.push(text);
    else this.end(new AnswerError('the server sent a message without a request', 0));
  }

  private end(error: Error): void {
    this.ended ??= error;
    this.waiting?.fail(this.ended);
    this.socket.close();
  }
}

function within<T>(
  ms: number,
  what: string,
  signal: AbortSignal | undefined,
  work: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => settle(() => reject(signal!.reason));
    const timer = setTimeout(
      () => settle(() => reject(new DeadlineError(`the server did not give ${what} within ${ms / 1000} s`))),
      ms,
    );
    const settle = (end: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      end();
    };
    signal?.addEventListener('abort', abort, { once: true });
    work(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    );
  });
}
