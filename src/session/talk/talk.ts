/** A conversation with a language model, in its own chat template: messages in, a streamed reply out. */
import type { Sampling } from '../../policy/policy.ts';
import type { ChatMessage } from '../../policy/text/chat-template.ts';
import { type CompletionPolicy, MessagesError, PromptTooLong } from '../completion.ts';
import type { TalkProgress, TalkReply, TalkRequest } from '../talk-protocol.ts';
import { ConversationCache } from './conversation-cache.ts';

export interface ReplyOptions {
  signal: AbortSignal;
  onProgress(progress: TalkProgress): void;
}

/** Few, because each round is shown. */
const ROUND_TOKENS = 4;

type Asked = Pick<TalkRequest, 'messages' | 'temperature' | 'maxTokens' | 'seed'>;

/** A text may end in the middle of a character that further tokens complete. */
const wholeCharacters = (text: string) => text.replace(/\uFFFD+$/, '');

export class Talk {
  private readonly cache: ConversationCache;

  constructor(private readonly completionPolicy: CompletionPolicy) {
    const { policy, conversation } = completionPolicy;
    const { tokenizer, endOfTurn: token } = conversation;
    const endOfTurn = { token, text: tokenizer.token(token) ?? '' };
    this.cache = new ConversationCache(policy, { encode: (text) => tokenizer.encode(text), endOfTurn });
  }

  /** Forgets the conversation in the cache, for example because other weights were loaded. */
  forget(): void {
    this.cache.clear();
  }

  /** Resolves with the text so far if the signal is aborted after the reply has begun. */
  async reply(asked: Asked, { signal, onProgress }: ReplyOptions): Promise<Omit<TalkReply, 'step'>> {
    const { capacity } = this.completionPolicy.policy;
    const maxTokens = Math.min(asked.maxTokens, capacity.completionTokens - 1);
    const { leftOut, ...prompt } = this.fitting(asked.messages);
    const started = performance.now();
    let tokens: ArrayLike<number> = [];
    let began = started;
    const done = (ending: TalkReply['ending'], readTokens: number): Omit<TalkReply, 'step'> => ({
      text: wholeCharacters(this.textOf(tokens)),
      ending,
      readTokens,
      readMs: began - started,
      tokens: tokens.length,
      replyMs: performance.now() - began,
      leftOut,
    });
    let read = 0;
    try {
      onProgress({ phase: 'reading', tokens: prompt.tokens.length });
      read = await this.cache.place(prompt, maxTokens);
      for (;;) {
        // The first round reads the prompt and samples one token; the reply's time begins at its end.
        const roundTokens = tokens.length ? ROUND_TOKENS : 1;
        const turn = await this.cache.round({ ...this.samplingOf(asked, maxTokens), roundTokens }, signal);
        if (!tokens.length) began = performance.now();
        tokens = turn?.tokens ?? this.cache.sampledSoFar();
        if (turn) {
          const reply = done(turn.ending === 'stop' ? 'stop' : 'length', read);
          this.cache.keep(reply.text, turn);
          return reply;
        }
        const ms = performance.now() - began;
        onProgress({ phase: 'replying', text: wholeCharacters(this.textOf(tokens)), tokens: tokens.length, ms });
      }
    } catch (error) {
      this.cache.clear();
      if (!signal.aborted) throw error;
      return done('stopped', read);
    }
  }

  private samplingOf({ temperature, seed }: Asked, maxTokens: number): Sampling {
    return { temperature, seed, stream: 0, maxTokens, stopTokens: this.completionPolicy.conversation.stopTokens };
  }

  private textOf(tokens: ArrayLike<number>): string {
    return this.completionPolicy.conversation.replyText(Int32Array.from(tokens));
  }

  /** The conversation's text, without its oldest exchanges if it is longer than the policy's prompts may be. */
  private fitting(messages: readonly ChatMessage[]): { text: string; tokens: Int32Array; leftOut: number } {
    const { policy, conversation } = this.completionPolicy;
    const { render } = conversation.format;
    if (!render) throw new MessagesError('This model has no chat template, so it cannot hold a conversation.');
    const most = policy.capacity.promptTokens;
    const system = messages.filter(({ role }) => role === 'system');
    const turns = messages.filter(({ role }) => role !== 'system');
    for (let leftOut = 0; ; leftOut += 2) {
      const text = render([...system, ...turns.slice(leftOut)]);
      const tokens = conversation.tokenizer.encode(text);
      if (tokens.length <= most) return { text, tokens, leftOut };
      if (leftOut + 2 >= turns.length) throw new PromptTooLong(tokens.length, most);
    }
  }
}
