/**
 * A model behind an OpenAI-compatible server, asked for one reply at a time (platform.openai.com/docs/api-reference/chat/create). Its key
 * lives here alone: no document, no message and no error holds it. What may pass is tried again; what stays wrong is a named failure.
 */
import type { ChatTurnMessage } from '../../rl/episode/chat-episode.ts';

/** The server could not be asked: why, and what to do. */
export class ApiModelError extends Error {
  override name = 'ApiModelError';
}

export interface ApiModelOptions {
  /** Before /chat/completions. */
  address: string;
  model: string;
  /** Asked for at each request. */
  key(): string | null;
  /** Longest that one reply may take. */
  timeoutMs?: number;
  /** Tries of one request. */
  tries?: number;
  /** Waits this long before the second try, and twice as long before each further one. */
  retryMs?: number;
  fetch?: typeof fetch;
}

export interface Asking {
  temperature: number;
  maxTokens: number;
  seed: number;
  signal: AbortSignal;
}

/** What a failed try was: whether another may do better, and when. */
class TryFailed extends Error {
  constructor(
    message: string,
    readonly passes: boolean,
    readonly afterMs: number | null = null,
  ) {
    super(message);
  }
}

/** Longest that a server's Retry-After is heeded. */
const longestWaitMs = 60_000;
const shownOfAnswer = 200;

type Answer = { choices?: { message?: { content?: unknown } }[]; error?: { message?: unknown; code?: unknown } };

export class ApiModel {
  private readonly options: Required<ApiModelOptions>;

  constructor(options: ApiModelOptions) {
    this.options = { timeoutMs: 120_000, tries: 5, retryMs: 1000, fetch: globalThis.fetch, ...options };
  }

  /** null: the conversation is longer than the model reads. */
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
    // By itself: a browser's fetch is no method of another object.
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
      const told = this.withoutKey(String(answer?.error?.message ?? text).slice(0, shownOfAnswer));
      const seconds = Number(headers.get('retry-after') ?? Number.NaN);
      const afterMs = Number.isFinite(seconds) ? Math.min(seconds * 1000, longestWaitMs) : null;
      throw new TryFailed(`HTTP ${status}: ${told}`, status === 429 || status === 408 || status >= 500, afterMs);
    }
    const content = answer?.choices?.[0]?.message?.content;
    if (typeof content === 'string') return content;
    throw new TryFailed(`its answer holds no text: ${this.withoutKey(text.slice(0, shownOfAnswer))}`, answer === null);
  }

  /** Some servers repeat what they were sent. */
  private withoutKey(text: string): string {
    const key = this.options.key();
    return key ? text.replaceAll(key, '***') : text;
  }
}

/** fetch says "fetch failed", and why in its cause. */
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
