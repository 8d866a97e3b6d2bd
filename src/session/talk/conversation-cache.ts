/**
 * One conversation in a policy's K/V cache. A text that continues the conversation in the cache is appended to it, so
 * each message is read once and sampled tokens stay as they are; any other text replaces it.
 */
import type { Actor, GeneratedTurn, Sampling } from '../../policy/policy.ts';

const SLOT = 0;

interface Texts {
  encode(text: string): Int32Array;
  /** Text of the token that closes a turn. */
  endOfTurn: { token: number; text: string };
}

export class ConversationCache {
  /** Text in the cache; null: none. */
  private held: string | null = null;
  /** Tokens of the placed text that still wait to be run. */
  private waiting = new Int32Array(0);

  constructor(
    private readonly policy: Actor,
    private readonly texts: Texts,
  ) {}

  /** Empties the cache. */
  clear(): void {
    if (this.held !== null) this.policy.release([SLOT]);
    this.held = null;
  }

  /**
   * Places a prompt, a text with its tokens, with room for `more` tokens after it. Returns the number of tokens that must
   * be read for it.
   */
  async place({ text, tokens: prompt }: { text: string; tokens: Int32Array }, more: number): Promise<number> {
    const { held } = this;
    const rest = held !== null && text.startsWith(held) ? this.texts.encode(text.slice(held.length)) : null;
    if (rest?.length && rest.length + more <= this.policy.room(SLOT)) {
      this.waiting = Int32Array.from(rest);
      this.held = text;
      return rest.length;
    }
    this.clear();
    await this.policy.admit([{ key: 0, prompt, slots: [SLOT], rowKeys: [SLOT] }]);
    this.held = text;
    this.waiting = new Int32Array(0);
    return prompt.length;
  }

  /** Runs a few tokens of the reply. Null: the reply goes on. */
  async round(sampling: Sampling, signal: AbortSignal): Promise<GeneratedTurn | null> {
    const row = { slot: SLOT, append: this.waiting, constraint: null };
    const [turn] = await this.policy.generate([row], sampling, signal);
    this.waiting = new Int32Array(0);
    return turn;
  }

  /** Adds a finished reply, as it appears in later texts, to the held text. */
  keep(reply: string, { tokens }: GeneratedTurn): void {
    const { token, text } = this.texts.endOfTurn;
    if (this.held !== null) this.held += tokens.at(-1) === token ? reply + text : reply;
  }

  sampledSoFar(): readonly number[] {
    return this.policy.sampledSoFar?.(SLOT) ?? [];
  }
}
