/** State of the conversation with a language model. */
import type { TalkProgress, TalkReply } from '../../session/talk-protocol.ts';

export interface TalkMessage {
  role: 'user' | 'assistant';
  content: string;
  /** Of a reply: the name of its model, and its counts. */
  from?: { name: string; reply: TalkReply };
}

export interface TalkState {
  messages: readonly TalkMessage[];
  /** Reply in progress; null: none. */
  progress: TalkProgress | null;
  busy: boolean;
  /** Reason why the last message has no reply, in a sentence. */
  problem: string;
}

export const noTalk: TalkState = { messages: [], progress: null, busy: false, problem: '' };
