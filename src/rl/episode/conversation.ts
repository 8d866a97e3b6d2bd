/**
 * Turns an episode's text into tokens, for a tiny policy and a language model alike: the pieces before and after the
 * world's text, and the end of the policy's turn. Tokens that were sampled are never rewritten.
 *
 * A tiny policy: `<bos> <obs> observation <act>`, then each turn `action <eot> <obs> observation <act>`. A language
 * model: the pieces of its own chat template (policy/text/chat-template.ts), opened by the world's instruction and an
 * acknowledgement, as AgentGym's client does (https://arxiv.org/abs/2406.04151). The world's text is encoded together
 * with the pieces around it, so a prompt equals the model's template token for token. A turn that the policy produced
 * is followed by the next piece and not encoded again.
 */
import type { ChatMessage, ChatPieces } from '../../policy/text/chat-template.ts';
import { endOfThought, type Tokenizer } from '../../policy/text/tokenizer.ts';
import { TokenSource } from './trajectory.ts';

export interface ConversationFormat {
  pieces: ChatPieces;
  /** True if the world's instruction opens the conversation. */
  instructs: boolean;
  /** True if the world's parser finds the action in the reply; false: the reply is the action. */
  parsesReplies: boolean;
  /** Writes a conversation of another form with the model's own template, up to where the assistant's turn begins. */
  render?(messages: readonly ChatMessage[]): string;
  /** Tokens that end a turn besides the template's own. */
  stopTokens: readonly number[];
}

export interface SourcedTokens {
  tokens: Int32Array;
  /** TokenSource of each token. */
  source: Uint8Array;
}

/** A conversation cannot be written with this template and tokenizer. */
export class ConversationError extends Error {
  override name = 'ConversationError';
}

/** Format of a tiny policy: no instruction, and one token for each place that a template would fill. */
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

/** Framed texts kept in the cache. */
const mostFramings = 1024;

/** Reply that the original client puts into the conversation as the model's answer to its instruction. */
export const acknowledgement = "OK. I'll follow your instructions and try my best to solve the task.";

export class Conversation {
  /** Token that closes the policy's turn in the template. */
  readonly endOfTurn: number;
  /** Every token that ends a turn when it is sampled. */
  readonly stopTokens: number[];
  /** Token that ends a thought; -1: this policy does not think before it acts. */
  readonly endOfThought: number;
  private readonly endText: string;
  /** Recently framed texts: a group's members begin with the same text, and worlds repeat texts. */
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

  /** Tokens before the policy's first token. Equal for the members of a group, if their world begins the same. */
  prompt(observation: string, instruction = '', acknowledged: string = acknowledgement): SourcedTokens {
    const { beforeFirstUser, beforeShownReply, betweenTurns } = this.format.pieces;
    const opening =
      this.format.instructs && instruction
        ? `${beforeFirstUser}${this.user(instruction)}${beforeShownReply}${acknowledged}${betweenTurns}`
        : beforeFirstUser;
    return this.framed(opening, observation);
  }

  /** Tokens between a closed turn and the policy's next token: the world's text and the pieces around it. */
  observation(text: string): SourcedTokens {
    return this.framed(this.format.pieces.betweenTurns.slice(this.endText.length), text);
  }

  private user(text: string): string {
    return this.format.pieces.trimsUser ? text.trim() : text;
  }

  /** Returns shared arrays: do not write to them. */
  private framed(before: string, text: string): SourcedTokens {
    const key = `${before.length} ${before}${text}`;
    const known = this.framings.get(key);
    if (known) return known;
    if (this.framings.size >= mostFramings) this.framings.clear();
    const framing = this.frame(before, text);
    this.framings.set(key, framing);
    return framing;
  }

  /** Encodes piece and text as one text. A token across their border belongs to the world. */
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

  /** Tokens of an action as the policy would produce it, with the end of turn. */
  action(text: string): Int32Array {
    return concat([this.tokenizer.encode(text), Int32Array.of(this.endOfTurn)]);
  }

  /** Tokens of a thought as the policy would produce it, with its end; empty if the policy does not think. */
  thought(text: string): Int32Array {
    if (this.endOfThought < 0) return new Int32Array(0);
    return concat([this.tokenizer.encode(text), Int32Array.of(this.endOfThought)]);
  }

  /**
   * Reply from which the world's parser reads this action; `write`: the world's own format. If no token ends a thought,
   * the thought is part of the reply, as AgentGym's instruction requests.
   */
  reply(action: string, write = (text: string) => `Action:\n${text}`, thought = ''): string {
    if (!this.format.parsesReplies) return action;
    const aloud = thought && this.endOfThought < 0 ? `Thought:\n${thought}\n\n` : '';
    return `${aloud}${write(action)}`;
  }

  /** Text of a reply without the end of its turn. A character that the limit cut in two is dropped. */
  replyText(tokens: Int32Array): string {
    const stop = tokens.findIndex((token) => this.stopTokens.includes(token));
    return this.tokenizer.partialText(stop < 0 ? tokens : tokens.subarray(0, stop)).trim();
  }

  /**
   * Tokens that close a sampled turn which its limit cut, or which ended with a stop token other than the template's.
   */
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
