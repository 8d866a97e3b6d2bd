/** A trajectory of a file in any format, and the errors of reading one. Format modules are elsewhere. */
import type { Json } from '../../envs/env.ts';

export type JsonObject = { [key: string]: Json };

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  /** True if imitation trains on it; null: the file does not specify. */
  trained: boolean | null;
  /** Reasoning before the answer, if it is a separate field. */
  reasoning: string | null;
  /** Original object and its form, so that writing in the same form restores it. */
  source: Source | null;
}

/** Object of a file, with all its fields. */
interface Source {
  form: string;
  fields: JsonObject;
}

export interface TrajectoryRecord {
  /** Id in the file ("textcraft_12"); null: none. */
  itemId: string | null;
  /** World and item number, if the id contains them. */
  world: string | null;
  item: number | null;
  /** Null: the file lists tasks without episodes. */
  messages: Message[] | null;
  reward: number | null;
  success: boolean | null;
  /** Training step, if the file has it. */
  step?: number;
  source: Source | null;
}

/** Maximum number of characters of a message. */
const longestMessage = 600;

/** A file or a record does not have the form that it claims. */
export class TrajectoryFileError extends Error {
  override name = 'TrajectoryFileError';

  /** A message may quote the file, so it is cut. */
  constructor(message: string) {
    super(message.length > longestMessage ? `${message.slice(0, longestMessage)}...` : message);
  }
}

/** One record that was passed over. */
export interface RecordProblem {
  /** Line, from 1. */
  line: number;
  message: string;
}

/**
 * "babyai_12" is item 12 of BabyAI. A bare number names no world. AgentGym's rule: the part after the last underscore.
 */
export function parseItemId(itemId: string | number | null): Pick<TrajectoryRecord, 'world' | 'item'> {
  const text = itemId === null ? '' : String(itemId);
  const [, world, digits] = /^(?:(.+)_)?(\d{1,15})$/.exec(text) ?? [];
  return { world: world ?? null, item: digits === undefined ? null : Number(digits) };
}

/** A turn as text, in the form of AgentGym's clients: the thought, then the action. */
export const withThought = (thought: string, action: string): string => `Thought:\n${thought}\n\nAction:\n${action}`;

/** Thought before the action in a reply of that form; undefined: none. */
export const thoughtIn = (reply: string): string | undefined => /^\s*Thought:([\s\S]*?)Action:/.exec(reply)?.[1].trim();
