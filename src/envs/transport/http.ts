/**
 * A server with a JSON protocol over HTTP: the one place for deadlines, retries, limits and error messages. Repeatable
 * requests are retried with growing pauses; a request that changes a world is not, unless the server reports that it
 * did nothing. No message contains the server's address: messages are stored with episodes, and an address belongs to
 * this machine.
 */
import { parseJsonText, TooDeeplyNested } from './json-text.ts';
import { untilMs } from './retry-after.ts';

/** The server did not answer as expected. The message contains the request, the answer, and what to do. */
export class ServerError extends Error {
  override name = 'ServerError';
}

/** No answer could be read. */
export class UnreachableError extends ServerError {
  override name = 'UnreachableError';
}

/** The browser does not let a page read the server's answers. */
export class ClosedToPagesError extends UnreachableError {
  override name = 'ClosedToPagesError';
}

/** No answer in time: the effect of the request on the server is unknown. */
export class DeadlineError extends ServerError {
  override name = 'DeadlineError';
}

/** The server answered unexpectedly: another status, no JSON, or its own error. */
export class AnswerError extends ServerError {
  override name = 'AnswerError';
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export interface HttpOptions {
  fetch?: typeof fetch;
  /** Total number of tries of a repeatable request. */
  attempts?: number;
  /** Pause before the second try. It doubles before each further one, plus up to half at random. */
  pauseMs?: number;
  /** Maximum duration of one try. */
  attemptMs?: number;
  /** Maximum length of an answer. */
  mostBytes?: number;
  /** Headers of every request, such as a key. */
  headers?: Readonly<Record<string, string>>;
  /** Maximum number of concurrent requests; further ones wait. */
  atOnce?: number;
  /** True in a page, which can read an answer only if the server allows it. */
  inPage?: boolean;
  /**
   * True in an isolated page (COEP), which cannot even send a request whose answer it may not read, and so cannot
   * distinguish a server that refuses it from an absent one.
   */
  isolated?: boolean;
}

export interface Asking {
  signal?: AbortSignal;
  /** True if a second request has no further effect. */
  repeatable?: boolean;
}

/** Statuses of a server that did nothing and should be called later. */
const notProcessed = new Set([429, 503]);
/** Statuses of a gateway, and of temporary failures. */
const temporary = new Set([408, 425, 500, 502, 504]);

const longestPauseMs = 10_000;

/** Node's codes for a failed connection. `unsent`: nothing was sent yet, so the request may always be repeated. */
const causes: { readonly [code: string]: { words: string; unsent?: true } } = {
  ECONNREFUSED: { words: 'nothing listens at its address', unsent: true },
  ENOTFOUND: { words: 'there is no machine of that name', unsent: true },
  EAI_AGAIN: { words: 'its name could not be looked up', unsent: true },
  UND_ERR_CONNECT_TIMEOUT: { words: 'no connection could be made', unsent: true },
  ECONNRESET: { words: 'it closed the connection' },
  EPIPE: { words: 'it closed the connection' },
  UND_ERR_SOCKET: { words: 'it closed the connection' },
};

function causeOf(error: unknown): { words: string; unsent?: true } {
  const { cause } = error as { cause?: { code?: string; message?: string; errors?: { code?: string }[] } };
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? '';
  // A cause without a code is fetch's own refusal ("bad port"), which names no address.
  const why = code === '' && cause?.message ? ` (${cause.message})` : '';
  return causes[code] ?? { words: `the connection failed${why}` };
}

/** The first characters of an answer, on one line. */
const excerpt = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
};

/** Text of an error: its `detail` if it is JSON with one (FastAPI, our proxy), or else its first characters. */
function errorTextOf(text: string): string {
  try {
    const { detail } = parseJsonText(text) as { detail?: unknown };
    return typeof detail === 'string' ? excerpt(detail) : excerpt(text);
  } catch {
    return excerpt(text);
  }
}

/** Address of a server as a person types it, without a final slash. Throws if it is not an address. */
export function serverAddress(typed: string, schemes: readonly string[] = ['http', 'https']): string {
  const text = /^[a-z]+:\/\//i.test(typed) ? typed : `${schemes[0]}://${typed}`;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new ServerError('the address is not one: write it as in http://127.0.0.1:36001');
  }
  if (!schemes.includes(url.protocol.slice(0, -1)))
    throw new ServerError(
      `the address begins with ${url.protocol}//; it must begin with ${schemes.join(':// or ')}://`,
    );
  if (url.username || url.password || url.search || url.hash)
    throw new ServerError('the address must contain only a machine, a port and a path');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** `mayRepeat`: nothing was sent, the server reported that it did nothing, or the request is repeatable. */
interface Failed {
  error: ServerError;
  mayRepeat: boolean;
  afterMs?: number;
}

const closed = 'this server does not allow pages; use the proxy or the command line';

export class JsonServer {
  private readonly options: Required<HttpOptions>;
  /** True once an answer has arrived, which proves that the server lets this page read its answers. */
  answered = false;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    readonly address: string,
    options: HttpOptions = {},
  ) {
    const inPage = typeof location !== 'undefined';
    const isolated = globalThis.crossOriginIsolated ?? false;
    const usual = { attempts: 4, pauseMs: 200, attemptMs: 60_000, mostBytes: 32 * 2 ** 20, headers: {}, atOnce: 32 };
    this.options = { ...usual, inPage, isolated, fetch: (...asked) => fetch(...asked), ...options };
  }

  /** JSON of a path. Rejects with a ServerError, or with the signal's reason. */
  get(path: string, { signal }: Asking = {}): Promise<unknown> {
    return this.ask('GET', path, undefined, { signal, repeatable: true });
  }

  /** Text of a path, in any format. */
  async getText(path: string, { signal }: Asking = {}): Promise<string> {
    return (await this.ask('GET', path, undefined, { signal, repeatable: true }, (text) => text)) as string;
  }

  /** Without `body` the request has none. */
  post(path: string, body?: object, asking: Asking = {}): Promise<unknown> {
    return this.ask('POST', path, body, asking);
  }

  /**
   * True if the server answers but this page may not read the answer. The request is sent in the mode `no-cors`, which
   * succeeds without access to the answer.
   */
  async isHidden(signal?: AbortSignal): Promise<boolean> {
    const limited = AbortSignal.any([AbortSignal.timeout(5000), ...(signal ? [signal] : [])]);
    const asked = this.options.fetch(`${this.address}/`, { mode: 'no-cors', credentials: 'omit', signal: limited });
    return asked.then(
      () => true,
      () => false,
    );
  }

  private async ask(
    method: string,
    path: string,
    body: object | undefined,
    asking: Asking,
    parse: Parse = parseJson,
  ): Promise<unknown> {
    const { attempts, pauseMs } = this.options;
    for (let attempt = 1; ; attempt++) {
      const answer = await this.inTurn(() => this.once(method, path, body, asking, parse));
      if (!('failed' in answer)) return answer.value;
      const { error, mayRepeat, afterMs } = answer.failed;
      if (!mayRepeat || attempt >= attempts) throw error;
      const wait = pauseMs * 2 ** (attempt - 1) * (1 + Math.random() / 2);
      await pause(Math.min(afterMs ?? wait, longestPauseMs), asking.signal);
    }
  }

  private async inTurn<T>(call: () => Promise<T>): Promise<T> {
    if (this.running >= this.options.atOnce) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await call();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private async once(
    method: string,
    path: string,
    body: object | undefined,
    { signal, repeatable = false }: Asking,
    parse: Parse,
  ): Promise<{ value: unknown } | { failed: Failed }> {
    signal?.throwIfAborted();
    const { attemptMs, headers, mostBytes } = this.options;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), attemptMs);
    const until = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
    const what = `${method} ${path.replace(/\?.*/, '')}`;
    try {
      const response = await this.options.fetch(`${this.address}${path}`, requestOf(method, body, headers, until));
      this.answered = true;
      return read(what, response, await boundedText(response, mostBytes), repeatable, parse);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof ServerError) return { failed: { error, mayRepeat: repeatable } };
      if (deadline.signal.aborted) {
        const late = new DeadlineError(`${what} had no answer within ${attemptMs / 1000} s`);
        return { failed: { error: late, mayRepeat: false } };
      }
      const { unsent = false } = causeOf(error);
      return { failed: { error: await this.lost(what, error, signal), mayRepeat: repeatable || unsent } };
    } finally {
      clearTimeout(timer);
    }
  }

  private async lost(what: string, error: unknown, signal?: AbortSignal): Promise<ServerError> {
    const { inPage, isolated } = this.options;
    const { words } = causeOf(error);
    if (inPage && this.answered)
      return new UnreachableError(`the answer to ${what} could not be read: the server failed, or is gone`);
    if (inPage && isolated) return new UnreachableError(`nothing answers at its address, or ${closed}`);
    if (inPage && (await this.isHidden(signal))) return new ClosedToPagesError(closed);
    return new UnreachableError(`the request failed (${what}): ${words}`);
  }
}

/** Text of an answer. Throws an `AnswerError` for one that is longer than `mostBytes`, without reading the rest. */
export async function boundedText(response: Response, mostBytes: number): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return response.text();
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > mostBytes) {
      void reader.cancel().catch(() => {});
      throw new AnswerError(`the server's answer is longer than ${mostBytes / 2 ** 20} MB`, response.status);
    }
    text += decoder.decode(value, { stream: true });
  }
}

const requestOf = (
  method: string,
  body: object | undefined,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): RequestInit => ({
  method,
  signal,
  cache: 'no-store',
  credentials: 'omit',
  referrerPolicy: 'no-referrer',
  headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
  ...(body && { body: JSON.stringify(body) }),
});

/** What an answer is that could not be read. */
function kindOf(text: string, error: unknown): string {
  if (error instanceof TooDeeplyNested) return `JSON whose lists and objects are nested more than ${error.most} deep`;
  return /^\s*</.test(text) ? 'a web page' : 'text that is not JSON';
}

type Parse = (text: string) => unknown;
const parseJson: Parse = (text) => parseJsonText(text);

function read(
  what: string,
  response: Response,
  text: string,
  repeatable: boolean,
  parse: Parse,
): { value: unknown } | { failed: Failed } {
  const { status } = response;
  if (status !== 200) {
    const error = new AnswerError(
      `${what} was answered with status ${status}${text ? `: ${errorTextOf(text)}` : ''}`,
      status,
    );
    const mayRepeat = notProcessed.has(status) || (repeatable && temporary.has(status));
    const afterMs = untilMs(response.headers.get('Retry-After'), Date.now()) ?? 0;
    return { failed: { error, mayRepeat, ...(afterMs > 0 && { afterMs }) } };
  }
  try {
    return { value: parse(text) };
  } catch (reason) {
    const kind = kindOf(text, reason);
    const error = new AnswerError(
      `${what} was answered with ${kind}${text ? `: ${excerpt(text)}` : ' (nothing)'}`,
      status,
    );
    return { failed: { error, mayRepeat: false } };
  }
}
