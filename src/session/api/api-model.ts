/**
 * Client for a model behind an OpenAI-compatible server, one reply at a time
 * (platform.openai.com/docs/api-reference/chat/create). The key is held only here, and appears in no document, message
 * or error. Temporary failures are retried, a field that the server refuses is left out, and lasting failures throw a
 * named error. `api-answer.ts` reads the answers.
 */
import type { FunctionTool } from '../../envs/tools.ts';
import { AnswerError, boundedText } from '../../envs/transport/http.ts';
import type { ChatReply, ChatTurnMessage } from '../../rl/episode/chat-episode.ts';
import { type EmptyReason, type Outcome, readAnswer } from './api-answer.ts';
import { parsed } from './fault.ts';
import type { OptionalField } from './fault-kinds.ts';

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
  /** Attempts per request, without those after which the server stated a pause. */
  tries?: number;
  /** Delay before the second attempt; doubles before each further one. */
  retryMs?: number;
  /** Longest total of the pauses that the server states before one reply. */
  patienceMs?: number;
  fetch?: typeof fetch;
}

export interface Asking {
  temperature: number;
  maxTokens: number;
  seed: number;
  signal: AbortSignal;
  /** Tools that the model may call. */
  tools?: readonly FunctionTool[];
  /** Receives a sentence when the client adapts to its server, once for each change. */
  onNotice?(words: string): void;
}

/** Number of first replies that must all lack text before the model counts as unable to reply. */
const silentReplies = 32;
/**
 * Minimum that a stated pause counts towards the longest total, in milliseconds: a series of very short pauses ends.
 */
const leastCostMs = 10_000;
/** A pause that is worth a notice. */
const longPauseMs = 10_000;

/** Largest answer. A reply of 128,000 tokens takes about half a megabyte, its reasoning as much again. */
const mostBytes = 8 << 20;

/** Characters of a key that are hidden where a text was cut within it. */
const leastKeyPart = 3;

/** Stands for an empty reply, for servers that refuse empty messages (Mistral, Anthropic). */
const noReply = '(no reply)';

const emptyWords: { readonly [reason in EmptyReason]: string } = {
  length: 'cut off before any text (finish_reason length: allow more tokens per reply)',
  refusal: 'refusals',
  tool: 'tool calls without text',
  filter: "stopped by the server's filter",
  reasoning: 'reasoning without a reply',
  none: 'without any reason',
};

/** Meaning of a request without the field. */
const leftOut: { readonly [field in OptionalField]: string } = {
  temperature: "the server's own temperature applies",
  seed: 'replies cannot be repeated',
  max_tokens: 'max_completion_tokens is sent instead',
  max_completion_tokens: "the server's own limit of a reply applies",
};

type PromptAnswer = { choices?: readonly { logprobs?: unknown }[] } | undefined;

type Lasting = { words: string; remedy: string };

export class ApiModel {
  private readonly options: Required<ApiModelOptions>;
  /** Fields that the server has refused. */
  private readonly refused = new Set<OptionalField>();
  /** Content that is sent for an empty reply. */
  private emptyContent = '';
  private paused = false;
  private replies = 0;
  private readonly empty = new Map<EmptyReason, number>();

  constructor(options: ApiModelOptions) {
    const usual = { timeoutMs: 120_000, tries: 5, retryMs: 1000, patienceMs: 600_000, fetch: globalThis.fetch };
    this.options = { ...usual, ...options };
  }

  /** The text of a reply, or the reason why the conversation has no room. */
  async reply(messages: readonly ChatTurnMessage[], asking: Asking): Promise<ChatReply> {
    const spent = { patience: this.options.patienceMs, failures: 0 };
    for (;;) {
      asking.signal.throwIfAborted();
      const { emptyContent } = this;
      const outcome = await this.ask(messages, asking);
      if (outcome.kind === 'reply') return this.counted(outcome, asking);
      if (outcome.kind === 'no-room') return { noRoom: this.withoutKey(outcome.words) };
      if (outcome.kind === 'failed') {
        if (!this.fillsEmpty(messages, emptyContent, outcome, asking)) throw this.failure(outcome, spent.failures + 1);
      } else if (outcome.kind === 'refused') this.leaveOut(outcome, asking);
      else await this.wait(outcome, spent, asking);
    }
  }

  /**
   * The answer's `logprobs` for these tokens as a prompt (`/completions` with `echo`), as the server sends it. One more
   * token is asked for, since many servers refuse none; it comes last and means nothing.
   */
  async promptLogprobs(tokens: Int32Array, asking: Pick<Asking, 'signal'>): Promise<unknown> {
    const spent = { patience: this.options.patienceMs, failures: 0 };
    const request = { prompt: [...tokens], max_tokens: 1, echo: true, logprobs: 1, temperature: 1 };
    for (;;) {
      asking.signal.throwIfAborted();
      const { outcome, answer } = await this.post('/completions', request, [], asking);
      // A prompt that a filter refused is a reply without choices.
      if (outcome.kind === 'reply') return (parsed(answer) as PromptAnswer)?.choices?.[0]?.logprobs;
      if (outcome.kind !== 'later') throw this.failure(promptFailure(outcome, tokens.length), spent.failures + 1);
      await this.wait(outcome, spent, asking);
    }
  }

  /** Waits before the next try. Throws if there is none. */
  private async wait(
    { words, afterMs }: Extract<Outcome, { kind: 'later' }>,
    spent: { patience: number; failures: number },
    asking: Pick<Asking, 'signal' | 'onNotice'>,
  ): Promise<void> {
    const { tries, retryMs } = this.options;
    const stated = afterMs || null;
    if (stated === null && ++spent.failures >= tries) throw this.failure(lasting(words), spent.failures);
    if (stated !== null) spent.patience -= Math.max(stated, leastCostMs);
    if (spent.patience < 0) throw this.failure(lasting(`${words}; it asks for a pause of ${seconds(stated!)}`), 1);
    if (stated !== null) this.announcePause(words, stated, asking);
    const ms = stated === null ? retryMs * 2 ** (spent.failures - 1) : stated * (1 + Math.random() / 4);
    await pause(ms, asking.signal);
  }

  /** A sentence on the replies without text so far; null: all had one. */
  silence(): string | null {
    const count = this.emptyReplies;
    if (count === 0) return null;
    const parts = [...this.empty].map(([reason, n]) => `${n} ${emptyWords[reason]}`);
    return `${count} of ${this.replies} replies of ${this.options.model} had no text: ${parts.join(', ')}.`;
  }

  private get emptyReplies(): number {
    return [...this.empty.values()].reduce((sum, n) => sum + n, 0);
  }

  private counted({ text, calls, empty: reason }: Extract<Outcome, { kind: 'reply' }>, { tools }: Asking): ChatReply {
    this.replies++;
    const called = tools !== undefined && calls.length > 0;
    const empty = called ? null : reason;
    if (empty) this.empty.set(empty, (this.empty.get(empty) ?? 0) + 1);
    const silent = this.emptyReplies;
    if (silent === this.replies && silent >= silentReplies) throw new ApiModelError(this.silence()!);
    return called ? { text, calls } : text;
  }

  /** Later requests lack the field. Requests that were already under way report the same refusal. */
  private leaveOut({ fields, value, words }: Extract<Outcome, { kind: 'refused' }>, asking: Asking): void {
    const { model } = this.options;
    const named = fields.map((field) => `${field} = ${this.valuesOf(asking)[field]}`).join(', ');
    if (value) throw this.failure({ words, remedy: `The server refuses ${named}: choose another value.` }, 1);
    for (const field of fields) {
      if (this.refused.has(field)) continue;
      this.refused.add(field);
      asking.onNotice?.(
        `${model} refuses ${field} (${this.withoutKey(words)}): it is left out, and ${leftOut[field]}.`,
      );
    }
  }

  /**
   * True if the refused request contains an empty reply; from now on empty replies are sent as another text.
   * `sentEmpty`: the text that the refused request had for them. Requests sent before the change may be refused too.
   */
  private fillsEmpty(
    messages: readonly ChatTurnMessage[],
    sentEmpty: string,
    { words }: Lasting,
    asking: Asking,
  ): boolean {
    const possible = sentEmpty === '' && messages.some(({ content }) => content.trim() === '');
    if (!possible || !/HTTP 4\d\d/.test(words) || !/assistant|content|empty|message/i.test(words)) return false;
    if (this.emptyContent !== '') return true;
    this.emptyContent = noReply;
    const { model } = this.options;
    asking.onNotice?.(`${model} refuses empty messages: an empty reply is sent back to it as "${noReply}".`);
    return true;
  }

  /** Reported once: further requests meet the same limit. */
  private announcePause(words: string, ms: number, { onNotice }: Pick<Asking, 'onNotice'>): void {
    if (ms < longPauseMs || this.paused) return;
    this.paused = true;
    onNotice?.(
      `${this.options.model} asks for pauses, such as ${seconds(ms)}, which are kept: ${this.withoutKey(words)}`,
    );
  }

  private failure({ words, remedy }: Lasting, tries: number): ApiModelError {
    const { address, model } = this.options;
    const reason = this.withoutKey(words).replace(/\.$/, '');
    return new ApiModelError(
      `${model} at ${address} did not answer${tries > 1 ? ` in ${tries} tries` : ''}: ${reason}. ${remedy}`,
    );
  }

  private valuesOf({ temperature, maxTokens, seed }: Asking): { [field in OptionalField]: number } {
    return { temperature, max_tokens: maxTokens, max_completion_tokens: maxTokens, seed };
  }

  /** Names of the fields that are sent: the newer name of the limit only where the older one was refused. */
  private get fields(): OptionalField[] {
    const limit = this.refused.has('max_tokens') ? 'max_completion_tokens' : 'max_tokens';
    return (['temperature', limit, 'seed'] as const).filter((field) => !this.refused.has(field));
  }

  private async ask(messages: readonly ChatTurnMessage[], asking: Asking): Promise<Outcome> {
    const { fields } = this;
    const values = this.valuesOf(asking);
    const isSilent = ({ content, tool_calls }: ChatTurnMessage) => content.trim() === '' && !tool_calls;
    const sent = messages.map((each) => (isSilent(each) ? { ...each, content: this.emptyContent } : each));
    const { tools } = asking;
    const limits = Object.fromEntries(fields.map((field) => [field, values[field]]));
    const request = { messages: sent, ...(tools && { tools }), ...limits };
    return (await this.post('/chat/completions', request, fields, asking)).outcome;
  }

  /** One request, and the text of its answer. `sent`: its optional fields. */
  private async post(
    path: string,
    request: object,
    sent: readonly OptionalField[],
    { signal }: Pick<Asking, 'signal'>,
  ): Promise<{ outcome: Outcome; answer: string }> {
    // Called as a free function: a browser's fetch must not be called as a method of another object.
    const { address, model, timeoutMs, fetch } = this.options;
    const failed = (outcome: Outcome) => ({ outcome, answer: '' });
    const key = this.options.key();
    try {
      const response = await fetch(`${baseOf(address)}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(key && { Authorization: `Bearer ${key}` }) },
        body: JSON.stringify({ model, ...request }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      const answer = await boundedText(response, mostBytes);
      return { outcome: readAnswer(response, answer, sent), answer };
    } catch (error) {
      signal.throwIfAborted();
      const { name } = error as Error;
      if (error instanceof AnswerError)
        return failed({ kind: 'failed', words: error.message, remedy: 'Check the server.' });
      const words = name === 'TimeoutError' ? `no answer within ${timeoutMs} ms` : reasonOf(error as Error);
      if (/redirect/i.test(words)) return failed({ kind: 'failed', words, remedy: 'Check the address.' });
      return failed({ kind: 'later', words, afterMs: null });
    }
  }

  /** Some servers repeat the request in their errors. Words that were cut off may end in a part of the key. */
  private withoutKey(text: string): string {
    const key = this.options.key();
    if (!key) return text;
    const whole = text.replaceAll(key, '***');
    for (let length = key.length - 1; length >= leastKeyPart; length--) {
      const end = `${key.slice(0, length)}…`;
      if (whole.endsWith(end)) return `${whole.slice(0, -end.length)}***…`;
    }
    return whole;
  }
}

/** Address without the path of a request, which is often copied with it. */
export const baseOf = (address: string) => address.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');

const seconds = (ms: number) => `${Math.ceil(ms / 1000)} s`;

/** A failure that was expected to pass, and did not. */
const lasting = (words: string): Lasting => ({
  words,
  remedy: "Check that the server runs, its address, the model's name and the key.",
});

/** A prompt whose log-probabilities the server does not give. */
function promptFailure(outcome: Exclude<Outcome, { kind: 'reply' | 'later' }>, length: number): Lasting {
  const remedy = {
    'no-room': `The context has ${length} tokens: serve the model with more, or lower sampling.completionTokens.`,
    refused: 'It must answer /completions with echo and logprobs for a prompt of token ids.',
  };
  return outcome.kind === 'failed' ? outcome : { words: outcome.words, remedy: remedy[outcome.kind] };
}

/** fetch reports only "fetch failed"; its cause has the reason. */
const reasonOf = ({ message, cause }: Error) => (cause instanceof Error && cause.message ? cause.message : message);

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
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
