/**
 * Client for a model behind an OpenAI-compatible server, one reply at a time
 * (platform.openai.com/docs/api-reference/chat/create). The key is held only here, and appears in no document, message
 * or error. Temporary failures are retried; permanent ones throw a named error.
 */
import type { ChatTurnMessage } from '../../rl/episode/chat-episode.ts';

/** Thrown when the server gives no usable reply; the message has the reason and a remedy. */
export class ApiModelError extends Error {
  override name = 'ApiModelError';
}

export interface ApiModelOptions {
  /** Base URL, without /chat/completions. */
  address: string;
  model: string;
  /** Read at each request. */
  key(): string | null;
  /** Time limit for one reply. */
  timeoutMs?: number;
  /** Attempts per request. */
  tries?: number;
  /** Delay before the second attempt; doubles before each further one. */
  retryMs?: number;
  fetch?: typeof fetch;
}

export interface Asking {
  temperature: number;
  maxTokens: number;
  seed: number;
  signal: AbortSignal;
}

/** A failed attempt: whether to retry, and after how long. */
class TryFailed extends Error {
  constructor(
    message: string,
    readonly passes: boolean,
    readonly afterMs: number | null = null,
  ) {
    super(message);
  }
}

/** Upper bound on a server's Retry-After. */
const longestWaitMs = 60_000;
const shownOfAnswer = 200;

type Answer = { choices?: { message?: { content?: unknown } }[]; error?: { message?: unknown; code?: unknown } };

export class ApiModel {
  private readonly options: Required<ApiModelOptions>;

  constructor(options: ApiModelOptions) {
    this.options = { timeoutMs: 120_000, tries: 5, retryMs: 1000, fetch: globalThis.fetch, ...options };
  }

  /** null: the conversation exceeds the model's context. */
  async reply(messages: readonly ChatTurnMessage[], asking: Asking): Promise<string | null> {
    const { tries, retryMs } = this.options;
    for (let k = 1; ; k++) {
      try {
        return await this.ask(messages, asking);
      } catch (error) {
        asking.signal.throwIfAborted();
        if (!(error instanceof TryFailed)) throw error;
        if (!error.passes || k === tries) throw this.failure(error, k);
        await pause(error.afterMs ?? retryMs * 2 ** (k - 1), asking.signal);
      }
    }
  }

  private failure({ message }: TryFailed, tries: number): ApiModelError {
    const { address, model } = this.options;
    return new ApiModelError(
      `${model} at ${address} did not answer${tries > 1 ? ` in ${tries} tries` : ''}: ${message}. Check the address, the model's name and the key.`,
    );
  }

  private async ask(messages: readonly ChatTurnMessage[], { temperature, maxTokens, seed, signal }: Asking) {
    // Called as a free function: a browser's fetch must not be called as a method of another object.
    const { address, model, timeoutMs, fetch } = this.options;
    const key = this.options.key();
    const response = await fetch(`${address.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(key && { Authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, messages, temperature, max_tokens: maxTokens, seed }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }).catch((error: Error) => {
      const why = error.name === 'TimeoutError' ? `no answer within ${timeoutMs} ms` : reasonOf(error);
      throw new TryFailed(why, true);
    });
    const text = await response.text().catch((error: Error) => {
      throw new TryFailed(`its answer broke off: ${error.message}`, true);
    });
    return this.read(response, text);
  }

  private read({ ok, status, headers }: Response, text: string): string | null {
    const answer = parse(text);
    if (!ok) {
      if (answer?.error?.code === 'context_length_exceeded') return null;
      const message = this.withoutKey(String(answer?.error?.message ?? text).slice(0, shownOfAnswer));
      const seconds = Number(headers.get('retry-after') ?? Number.NaN);
      const afterMs = Number.isFinite(seconds) ? Math.min(seconds * 1000, longestWaitMs) : null;
      throw new TryFailed(`HTTP ${status}: ${message}`, status === 429 || status === 408 || status >= 500, afterMs);
    }
    const content = answer?.choices?.[0]?.message?.content;
    if (typeof content === 'string') return content;
    throw new TryFailed(`its answer holds no text: ${this.withoutKey(text.slice(0, shownOfAnswer))}`, answer === null);
  }

  /** Some servers repeat the request in their errors. */
  private withoutKey(text: string): string {
    const key = this.options.key();
    return key ? text.replaceAll(key, '***') : text;
  }
}

/** fetch reports only "fetch failed"; its cause has the reason. */
const reasonOf = ({ message, cause }: Error) => (cause instanceof Error && cause.message ? cause.message : message);

function parse(text: string): Answer | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}
