/**
 * How an episode's text becomes tokens, for a tiny policy and a language model alike: what stands before the world's words,
 * after them, and what closes the policy's turn, put around tokens that are never rewritten.
 *
 * A tiny policy: `<bos> <obs> observation <act>`, then each turn `action <eot> <obs> observation <act>`. A language model:
 * the pieces of its own chat template (policy/text/chat-template.ts), opened by the world's instruction and an acknowledgement, as
 * AgentGym's client does (https://arxiv.org/abs/2406.04151). The world's words are encoded together with the pieces around them, so that a
 * prompt is token for token what the model's template gives; a turn the policy said is followed, not encoded again.
 */
import type { ChatMessage, ChatPieces } from '../../policy/text/chat-template.ts';
import { endOfThought, type Tokenizer } from '../../policy/text/tokenizer.ts';
import { TokenSource } from './trajectory.ts';

export interface ConversationFormat {
  pieces: ChatPieces;
  /** Whether the world's instruction opens the conversation. */
  instructs: boolean;
  /** Whether the action is to be found in the reply by the world's parser; else the reply is the action. */
  parsesReplies: boolean;
  /** The model's own template, for a conversation of another form; ends where the assistant begins to speak. */
  render?(messages: readonly ChatMessage[]): string;
  /** Tokens that end a turn besides the template's own. */
  stopTokens: readonly number[];
}

export interface SourcedTokens {
  tokens: Int32Array;
  /** TokenSource of each. */
  source: Uint8Array;
}

/** A conversation that cannot be written with this template and tokenizer. */
export class ConversationError extends Error {
  override name = 'ConversationError';
}

/** What a tiny policy is told: no instruction, and a token for each place a template would fill. */
export const tinyFormat: ConversationFormat = {
  pieces: {
    beforeFirstUser: '<bos><obs>',
    beforeReply: '<act>',
    beforeShownReply: '<act>',
    betweenTurns: '<eot><obs>',
    trimsUser: false,
  },
  instructs: false,
  parsesReplies: false,
  stopTokens: [],
};

/** Framings that are remembered. */
const mostFramings = 1024;

/** What the original client has the model answer to its instruction. */
export const acknowledgement = "OK. I'll follow your instructions and try my best to solve the task.";

export class Conversation {
  /** The token that closes the policy's turn, in the template's eyes. */
  readonly endOfTurn: number;
  /** Every token that ends a turn where it is sampled. */
  readonly stopTokens: number[];
  /** The token that ends a thought; -1: this policy does not think before it acts. */
  readonly endOfThought: number;
  private readonly endText: string;
  /** Words that were framed lately: a group's members begin with the same, and worlds repeat themselves. */
  private readonly framings = new Map<string, SourcedTokens>();

  constructor(
    readonly tokenizer: Tokenizer,
    readonly format: ConversationFormat = tinyFormat,
  ) {
    const { betweenTurns } = format.pieces;
    this.endOfTurn = tokenizer.encode(betweenTurns)[0] ?? -1;
    this.endText = tokenizer.token(this.endOfTurn) ?? '';
    if (!tokenizer.isAdded(this.endOfTurn) || !betweenTurns.startsWith(this.endText)) {
      throw new ConversationError(
        `The chat template closes a turn with ${JSON.stringify(betweenTurns)}, which begins with no token of its own: the policy ` +
          'could not end its turn. Give the model a template whose turns end with a special token.',
      );
    }
    this.endOfThought = tokenizer.has(endOfThought) ? tokenizer.id(endOfThought) : -1;
    this.stopTokens = [...new Set([this.endOfTurn, ...format.stopTokens])];
  }

  /** Tokens up to the policy's first. Shared by a group: same task, same prompt. */
  prompt(observation: string, instruction = '', acknowledged: string = acknowledgement): SourcedTokens {
    const { beforeFirstUser, beforeShownReply, betweenTurns } = this.format.pieces;
    const opening =
      this.format.instructs && instruction
        ? `${beforeFirstUser}${this.user(instruction)}${beforeShownReply}${acknowledged}${betweenTurns}`
        : beforeFirstUser;
    return this.framed(opening, observation);
  }

  /** What follows a closed turn: the world's words, up to the policy's next token. */
  observation(text: string): SourcedTokens {
    return this.framed(this.format.pieces.betweenTurns.slice(this.endText.length), text);
  }

  private user(text: string): string {
    return this.format.pieces.trimsUser ? text.trim() : text;
  }

  /** The arrays are shared: do not write to them. */
  private framed(before: string, text: string): SourcedTokens {
    const key = `${before.length} ${before}${text}`;
    const known = this.framings.get(key);
    if (known) return known;
    if (this.framings.size >= mostFramings) this.framings.clear();
    const framing = this.frame(before, text);
    this.framings.set(key, framing);
    return framing;
  }

  /** Encoded as one text. A token that spans an edge is the world's. */
  private frame(before: string, text: string): SourcedTokens {
    const { tokenizer } = this;
    const after = this.format.pieces.beforeReply;
    const tokens = tokenizer.encode(`${before}${this.user(text)}${after}`);
    const start = commonPrefix(tokens, tokenizer.encode(before));
    const end = tokens.length - commonSuffix(tokens.subarray(start), tokenizer.encode(after));
    const source = new Uint8Array(tokens.length).fill(TokenSource.template);
    source.fill(TokenSource.world, start, end);
    return { tokens, source };
  }

  /** A text as the policy would say it, end of turn included. */
  action(text: string): Int32Array {
    return concat([this.tokenizer.encode(text), Int32Array.of(this.endOfTurn)]);
  }

  /** A thought as the policy would say it, its end included; empty where it does not think. */
  thought(text: string): Int32Array {
    if (this.endOfThought < 0) return new Int32Array(0);
    return concat([this.tokenizer.encode(text), Int32Array.of(this.endOfThought)]);
  }

  /**
   * How the policy would put an action into words that the world's parser finds it in; `write`: the world's own way. Where no token ends a
   * thought, it is said in the reply, as AgentGym's instruction asks for it.
   */
  reply(action: string, write = (text: string) => `Action:\n${text}`, thought = ''): string {
    if (!this.format.parsesReplies) return action;
    const aloud = thought && this.endOfThought < 0 ? `Thought:\n${thought}\n\n` : '';
    return `${aloud}${write(action)}`;
  }

  /** What the policy said, without the end of its turn; one that was cut within a character, without that character. */
  replyText(tokens: Int32Array): string {
    const stop = tokens.findIndex((token) => this.stopTokens.includes(token));
    return this.tokenizer.partialText(stop < 0 ? tokens : tokens.subarray(0, stop)).trim();
  }

  /** What a sampled turn lacks to be closed: its limit cut it, or it ended with another stop token than the template's. */
  closing(tokens: Int32Array): Int32Array {
    return tokens.at(-1) === this.endOfTurn ? new Int32Array(0) : Int32Array.of(this.endOfTurn);
  }
}

function commonPrefix(a: Int32Array, b: Int32Array): number {
  let n = 0;
  while (n < a.length && n < b.length && a[n] === b[n]) n++;
  return n;
}

function commonSuffix(a: Int32Array, b: Int32Array): number {
  let n = 0;
  while (n < a.length && n < b.length && a[a.length - 1 - n] === b[b.length - 1 - n]) n++;
  return n;
}

export function concat(parts: readonly Int32Array[]): Int32Array {
  const out = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}
