/**
 * Play in a record: the first observation and the actions, without the opening instruction and its acknowledgement.
 * Pure functions of text; of a world they use only its rule for replies.
 */
import { lastAction, type ReplyRule } from '../../envs/reply.ts';
import { callTexts, isPreface, otherParts, withCallTexts } from '../files/messages.ts';
import type { Message, TrajectoryRecord } from '../files/record.ts';

interface RecordedTurn {
  /** Full reply, with the thought before the action. */
  reply: string;
  /** True if the file marks it as trained, or has no mark. */
  learnt: boolean;
  /** The world's answer; null: the file ends before it. */
  answer: string | null;
}

export interface RecordedPlay {
  /** First observation. */
  opening: string;
  turns: RecordedTurn[];
}

/** A run cannot learn from a trajectory of a file; the message gives the reason. */
export class UnmappedError extends Error {
  override name = 'UnmappedError';
}

/**
 * A message with its tool calls as text, so that a reply of calls alone is learnt as them. Throws UnmappedError for a
 * call without a name.
 */
function withCalls(message: Message): Message {
  if (message.role !== 'assistant') return message;
  if (!callTexts(message)) throw new UnmappedError('it has a tool call without a name');
  return withCallTexts(message);
}

/** Joins consecutive messages of one side. A system message is put before the world's first one. */
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

/** Throws UnmappedError if the record holds no play. */
export function playOf({ messages }: Pick<TrajectoryRecord, 'messages'>): RecordedPlay {
  if (!messages) throw new UnmappedError('it names a task and holds no messages');
  const own = messages.filter(({ role }) => role !== 'system');
  const [strange] = own.flatMap(otherParts);
  if (strange) throw new UnmappedError(`it has a part of the type "${strange.slice(0, 40)}"; only texts can be learnt`);
  const play = merged((isPreface(own) ? own.slice(2) : own).map(withCalls));
  if (play[0]?.role !== 'user') throw new UnmappedError('it does not begin with a message of the world');
  const turns = play
    .slice(1)
    .flatMap((message, i): RecordedTurn[] =>
      message.role === 'assistant'
        ? [{ reply: message.content, learnt: message.trained !== false, answer: play[i + 2]?.content ?? null }]
        : [],
    );
  if (turns.length === 0) throw new UnmappedError('it contains no action');
  if (!turns.some(({ learnt }) => learnt)) throw new UnmappedError('none of its replies is marked as trained');
  const empty = turns.findIndex(({ reply, learnt }) => learnt && reply.trim() === '');
  if (empty >= 0) throw new UnmappedError(`its reply ${empty + 1} has no text and calls no tool`);
  return { opening: play[0].content, turns };
}

/** Action in a reply: by the world's rule, else after AgentGym's "Action:", else the whole reply. */
export function actionIn(reply: string, rule: ReplyRule | undefined): string {
  return rule?.(reply).action || lastAction(reply).action || reply.trim();
}
