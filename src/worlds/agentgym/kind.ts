/**
 * What a kind of AgentGym server is: the one interface that the files of `kinds/` fill in. A server speaks JSON over HTTP (AgentGym,
 * arXiv 2406.04151, github.com/WooooDyy/AgentGym, MIT): create, reset, step, observe, and with some of them close. The kinds differ in
 * the names of fields, in what an id is, in where the first words come from and in what an answer holds. Knows no HTTP.
 */
import type * as v from 'valibot';
import type { Json, Split, WorldOptions } from '../../envs/env.ts';
import type { LanguageBudget, SmallBudget, VocabularySource, WorldModule } from '../../envs/module.ts';
import type { ReplyRule } from '../../envs/reply.ts';
import type { WorldSuite } from '../../envs/suite.ts';

/** One environment of a server, asked with its id in place. */
export interface Line {
  get(path: string): Promise<unknown>;
  post(path: string, body?: { [field: string]: Json }): Promise<unknown>;
}

/** What a world says after a reset. */
export interface Opening {
  observation: string;
  validActions?: string[];
}

/** What it says after an action. */
export interface Answer {
  observation: string;
  reward: number;
  done: boolean;
  validActions?: string[];
}

/** How a language model writes its action: in ReAct's way, as a JSON object that names a function, or as a call in Python. */
export type Format = 'react' | 'function_calling' | 'code_as_action';

export interface AgentGymKind {
  /** As AgentGym names it, and its file here. */
  kind: string;
  title: string;
  summary: string;
  /** Our own words; a person may load the original's (an AgentTraj file carries them). */
  instruction: string;
  /** What the original's client has the model answer to it. */
  acknowledgement: string;
  reply: ReplyRule;
  /** Further ways to write an action, where the original's client has them. */
  formats?: { readonly [format in Exclude<Format, 'react'>]: { reply: ReplyRule; instruction: string } };
  credit: string;
  successReward: number;
  /** Where its texts list the valid actions. */
  hasValidActions: boolean;
  vocabulary?: VocabularySource;
  /** The instruction not counted. */
  budget: LanguageBudget;
  /** Room of a tiny policy; absent: none can play it. */
  tiny?: SmallBudget;
  /** Options of this kind alone. */
  options?: v.ObjectEntries;
  /** Ids of a split, where nothing else is said. */
  items(split: Split): readonly number[];
  /** Published evaluations. */
  suites?: readonly WorldSuite[];
  /** What success is reported by. */
  strata?(item: number): { [name: string]: number | string };
  /** Longest that one call may take. */
  timeoutMs?: number;

  /** What GET / answers; who answers otherwise is of another kind. */
  hello: string;
  /** Appended to the address where it is not there yet: one server of several worlds. */
  prefix?: string;
  /** The name of an environment's id in requests. */
  idField: 'id' | 'env_idx';
  create: { body?: { [field: string]: Json }; id(answer: unknown): number };
  /** Whether an environment can be closed; where it cannot, it stays with the server, and is used again. */
  closes: boolean;
  /** What is asked once of a new environment. */
  prepare?(line: Line): Promise<unknown>;
  reset(line: Line, item: number, options: WorldOptions, prepared: unknown): Promise<Opening>;
  /** Of what POST /step answers. */
  answer(value: unknown): Answer;
  /** Of what the server says, what is told under these options, and the actions that it offers. */
  told?(said: string, options: WorldOptions): Opening;
  /** What is posted for an action, where a bare one would not be understood. */
  phrase?(action: string): string;
  /** Whether the world refused an action, by its words. */
  refused?: RegExp;
}

/** A kind whose rules one of our own worlds shares: it takes texts, budget or items from that world's module, and needs it. */
export interface ModelledKind {
  own: string;
  kind(own: WorldModule): AgentGymKind;
}

export const modelledOn = (own: string, kind: ModelledKind['kind']): ModelledKind => ({ own, kind });

/** Whole numbers from the first to the last. */
export const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, k) => first + k);

/** Held out: the first `count` of `all`. Where the published items are not known, and said so. */
export const firstHeldOut = (all: number, count: number) => (split: Split) =>
  split === 'test' ? range(0, count - 1) : range(count, all - 1);
