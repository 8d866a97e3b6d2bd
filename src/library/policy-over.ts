/** A loaded policy as callers have it, over one that is open on this platform. */
import type { OpenedPolicy } from './opened-policy.ts';

/** A message of a conversation: the world's observation (`user`) or the policy's action (`assistant`). */
export interface PolicyMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ActOptions {
  /** Number of replies. Default: 1. */
  n?: number;
  /** 0: the most likely token at each position. Default: 1. */
  temperature?: number;
  /** Maximum number of tokens of a reply. Default: the policy's own limit for a turn. */
  maxTokens?: number | null;
  /** A reply ends before the first of these texts. Default: none. */
  stop?: readonly string[];
  /** Seed of the sampling. Default: 1. */
  seed?: number;
  /**
   * The reply is one of these texts, sampled by likelihood. Default: the actions that the observation lists, for a
   * policy that was trained to choose among them; otherwise any text.
   */
  choices?: readonly string[] | null;
  /** @internal Ends the request. Node only: a worker cannot be handed a signal. */
  signal?: AbortSignal;
  /** @internal Called with each piece added to a reply. Node only. */
  onPiece?(reply: number, piece: string): void;
}

/** Replies to a conversation, with the numbers of tokens that were read and written. */
export interface PolicyCompletion {
  /** `stop`: the reply is whole; `length`: it was cut at `maxTokens`. */
  replies: { text: string; ending: 'stop' | 'length' }[];
  promptTokens: number;
  completionTokens: number;
}

/** Log-probability of a reply in nats, summed over its tokens, and their number. */
export interface ActionScore {
  logprob: number;
  tokens: number;
}

/** A loaded policy. Requests run one after another. */
export interface Policy {
  /** Maximum number of replies of one request. */
  readonly mostReplies: number;
  /** Replies to a conversation, which must end with a message of the user, with their numbers of tokens. */
  complete(messages: readonly PolicyMessage[], options?: ActOptions): Promise<PolicyCompletion>;
  /** The texts of such replies. */
  act(messages: readonly PolicyMessage[], options?: ActOptions): Promise<string[]>;
  /**
   * Scores texts as the next reply, over the whole vocabulary (without the mask of valid actions).
   *
   * @param options.temperature divides the logits. Default: 1.
   */
  score(
    messages: readonly PolicyMessage[],
    texts: readonly string[],
    options?: { temperature?: number },
  ): Promise<ActionScore[]>;
  /** Releases the device. */
  close(): Promise<void>;
}

/** The policy of one that is open. */
export function policyOver({ policy, mostReplies, close }: OpenedPolicy): Policy {
  const complete: Policy['complete'] = (
    messages,
    { n = 1, temperature = 1, maxTokens = null, stop = [], seed = 1, choices = null, ...live } = {},
  ) => policy.complete({ messages, n, temperature, maxTokens, stop, seed, choices, ...live });
  return {
    mostReplies,
    complete,
    act: async (...asked) => (await complete(...asked)).replies.map(({ text }) => text),
    score: (messages, texts, { temperature = 1 } = {}) => policy.score(messages, texts, temperature),
    close,
  };
}
