/**
 * What of a record is play: the world's first words and what was done, without the instruction that opens it and its
 * acknowledgement. Pure functions of text; knows no world but its rule for replies.
 */
import { lastAction, type ReplyRule } from '../../envs/reply.ts';
import { isPreface } from '../files/messages.ts';
import type { Message, TrajectoryRecord } from '../files/record.ts';

export interface RecordedTurn {
  /** All that was said, a thought before the action included. */
  reply: string;
  /** Whether the file wants it to be learnt; what it does not say, it wants. */
  learnt: boolean;
  /** The world's answer; null: the file ends before it. */
  answer: string | null;
}

export interface RecordedPlay {
  /** The world's first words. */
  opening: string;
  turns: RecordedTurn[];
}

/** A trajectory of a file that a run cannot learn from: why. */
export class UnmappedError extends Error {
  override name = 'UnmappedError';
}

/** Messages of one side that follow each other are one; a system's words stand before the first of the world's. */
function merged(messages: readonly Message[]): Message[] {
  const out: Message[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = out.at(-1);
    if (last?.role === role) out[out.length - 1] = { ...last, content: `${last.content}\n${message.content}` };
    else out.push({ ...message, role });
  }
  return out;
}

/** Throws UnmappedError where it holds no play. */
export function playOf({ messages }: Pick<TrajectoryRecord, 'messages'>): RecordedPlay {
  if (!messages) throw new UnmappedError('it names a task and holds no messages');
  const own = messages.filter(({ role }) => role !== 'system');
  const play = merged(isPreface(own) ? own.slice(2) : own);
  if (play[0]?.role !== 'user') throw new UnmappedError('it does not begin with words of the world');
  const turns = play
    .slice(1)
    .flatMap((message, i): RecordedTurn[] =>
      message.role === 'assistant'
        ? [{ reply: message.content, learnt: message.trained !== false, answer: play[i + 2]?.content ?? null }]
        : [],
    );
  if (turns.length === 0) throw new UnmappedError('nothing is done in it');
  return { opening: play[0].content, turns };
}

/** The action in a reply: by the world's rule, else behind AgentGym's "Action:", else the whole reply. */
export function actionIn(reply: string, rule: ReplyRule | undefined): string {
  return rule?.(reply).action || lastAction(reply).action || reply.trim();
}
