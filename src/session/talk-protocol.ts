/** Types of a conversation with a language model between page and session: requests, replies, progress and methods. */
import type { ChatMessage } from '../policy/text/chat-template.ts';

export interface TalkRequest {
  /** A run, whose last committed adapter replies; or an experiment that no run has yet. */
  policy: { runId: string } | { experiment: unknown };
  /** True: the language model without the run's adapter. */
  untrained: boolean;
  /** The whole conversation; the last message is a user's. */
  messages: readonly ChatMessage[];
  /** 0: the most likely token at each position. */
  temperature: number;
  /** Maximum number of tokens in the reply. */
  maxTokens: number;
  seed: number;
}

export interface TalkReply {
  text: string;
  /** `length`: cut at `maxTokens` or at the end of the context; `stopped`: cut by `stopTalking`. */
  ending: 'stop' | 'length' | 'stopped';
  /** Step of the adapter that replied; 0: the untrained language model. */
  step: number;
  /** Tokens that were read for this reply. Those of the conversation so far are kept from the reply before. */
  readTokens: number;
  readMs: number;
  /** Tokens of the reply. The time of the first one is part of `readMs`. */
  tokens: number;
  /** Time from the first to the last token of the reply. */
  replyMs: number;
  /** Oldest messages that no longer fit into the context and were left out. */
  leftOut: number;
}

/** State of a reply that is being made. `opening`: the model is loaded. `reading`: the messages are read. */
export type TalkProgress =
  | { phase: 'opening'; what: string; done: number; total: number | null }
  | { phase: 'reading'; tokens: number }
  | { phase: 'replying'; text: string; tokens: number; ms: number };

export interface TalkApi {
  /** Replies to a conversation, with `talk` events on the way. Pauses any training and keeps the model for the next. */
  talk(request: TalkRequest): Promise<TalkReply>;
  /** Ends the reply in progress, which resolves with its text so far. */
  stopTalking(): Promise<void>;
}
