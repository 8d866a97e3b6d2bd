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
import { withPlainCalls } from '../../envs/call-forms.ts';
import { beforeObservation, type CallRules, type FunctionTool, isCallText, type ToolCall } from '../../envs/tools.ts';
import type { CallPieces } from '../../policy/text/call-pieces.ts';
import type { ChatMessage, ChatPieces } from '../../policy/text/chat-template.ts';
import { endOfThought, type Tokenizer } from '../../policy/text/tokenizer.ts';
import { TokenSource } from './trajectory.ts';

/** A chat template's form of a conversation in which the assistant calls tools. */
interface CallFormat {
  pieces: CallPieces;
  /** Reply that makes the call after the given words. */
  write(call: ToolCall, content: string): string;
}

export interface ConversationFormat {
  pieces: ChatPieces;
  /**
   * Form of a conversation with these tools; absent: this policy knows none. `closing`: text of the token that closes a
   * turn. Throws if its template does not list tools, or writes no calls.
   */
  calls?(tools: readonly FunctionTool[], closing: string): CallFormat;
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

/** Text that requests a summary of a language model. A tiny policy has no words for it and receives an empty answer. */
const summaryRequest =
  'The conversation so far will be removed. Write down what you need to remember to finish the task, in a few short sentences.';

const underAction = (action: string) => `Action:\n${action}`;

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
  private readonly callFormats = new Map<readonly FunctionTool[], CallFormat>();

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

  /**
   * Tokens before the policy's first token. Equal for the members of a group, if their world begins the same. With calls,
   * the instruction and the observation are one message beside the list of tools.
   */
  prompt(
    observation: string,
    instruction = '',
    acknowledged: string = acknowledgement,
    calls?: CallRules,
  ): SourcedTokens {
    const own = this.callFormat(calls);
    if (own) return this.callPrompt(observation, instruction, own.pieces);
    const { pieces } = this.format;
    const opening =
      this.format.instructs && instruction
        ? `${pieces.beforeFirstUser}${this.user(instruction)}${pieces.beforeShownReply}${acknowledged}${pieces.betweenTurns}`
        : pieces.beforeFirstUser;
    return this.framed(opening, this.user(observation), pieces.beforeReply);
  }

  private callPrompt(observation: string, instruction: string, pieces: CallPieces): SourcedTokens {
    const { beforeFirstUser, beforeReply, trimsUser } = pieces;
    const words = beforeObservation(instruction);
    return this.framed(
      `${beforeFirstUser}${trimsUser ? words.trimStart() : words}`,
      trimsUser ? observation.trim() : observation,
      beforeReply,
    );
  }

  /** Tokens between a closed turn and the policy's next token: the world's text and the pieces around it. */
  observation(text: string, calls?: CallRules): SourcedTokens {
    const own = this.callFormat(calls)?.pieces;
    if (own)
      return this.framed(
        own.beforeResult.slice(this.endText.length),
        own.trimsResults ? text.trim() : text,
        own.afterResult,
      );
    const { betweenTurns, beforeReply } = this.format.pieces;
    return this.framed(betweenTurns.slice(this.endText.length), this.user(text), beforeReply);
  }

  /** Tokens between a closed turn and the policy's summary. */
  summaryRequest(calls?: CallRules): SourcedTokens {
    return this.observation(this.format.instructs ? summaryRequest : '', calls);
  }

  /** First text of a window after a summary: the task, the summary and the last answer. */
  afterSummary(task: string, summary: string, answer: string): string {
    if (!this.format.instructs) return `${task}\n${summary}\n${answer}`;
    return `${task}\n\nYour notes so far:\n${summary}\n\n${answer}`;
  }

  /** Form of a conversation with these tools; null: without calls, or a policy that knows none. */
  private callFormat(calls: CallRules | undefined): CallFormat | null {
    if (!calls || !this.format.calls) return null;
    const known = this.callFormats.get(calls.tools);
    if (known) return known;
    const made = this.format.calls(calls.tools, this.endText);
    const [{ function: tool }] = calls.tools;
    const example = made.write({ name: tool.name, arguments: {} }, '');
    // Replies reach the world without special tokens.
    const said = this.tokenizer.decode(this.tokenizer.encode(example));
    if (!isCallText(withPlainCalls(said)))
      throw new ConversationError(
        `This model's chat template writes a call as ${JSON.stringify(example)}, and worlds read calls as JSON. Switch off "Calls by the chat template", or choose another model.`,
      );
    this.callFormats.set(calls.tools, made);
    return made;
  }

  private user(text: string): string {
    return this.format.pieces.trimsUser ? text.trim() : text;
  }

  /** Returns shared arrays: do not write to them. */
  private framed(before: string, text: string, after: string): SourcedTokens {
    const key = `${before.length} ${before}${text}${after}`;
    const known = this.framings.get(key);
    if (known) return known;
    if (this.framings.size >= mostFramings) this.framings.clear();
    const framing = this.frame(before, text, after);
    this.framings.set(key, framing);
    return framing;
  }

  /** Encodes piece and text as one text. A token across their border belongs to the world. */
  private frame(before: string, text: string, after: string): SourcedTokens {
    const { tokenizer } = this;
    const tokens = tokenizer.encode(`${before}${text}${after}`);
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
   * Reply from which the world's parser reads this action, in the world's own format (`write`) or as a call. If no token ends a
   * thought, the thought is part of the reply, as AgentGym's instruction requests.
   */
  reply(action: string, write = underAction, thought = '', calls?: CallRules): string {
    if (!this.format.parsesReplies) return action;
    const spoken = thought && this.endOfThought < 0;
    const own = this.callFormat(calls);
    if (own) {
      const call = calls!.callOf(action);
      return call ? own.write(call, spoken ? thought : '') : action;
    }
    const aloud = spoken ? `Thought:\n${thought}\n\n` : '';
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
