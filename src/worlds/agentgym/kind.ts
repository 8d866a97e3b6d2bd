/**
 * The interface that each file in `kinds/` implements for a kind of AgentGym server. Servers use JSON over HTTP
 * (AgentGym, arXiv 2406.04151, github.com/WooooDyy/AgentGym, MIT) with the routes create, reset, step, observe, and
 * some of them close. Kinds differ in field names, in the form of ids, in the route of the first observation and in the
 * content of answers. Independent of HTTP.
 */
import type * as v from 'valibot';
import type { Json, Split, WorldOptions } from '../../envs/env.ts';
import type { LanguageBudget, SmallBudget, VocabularySource, WorldModule } from '../../envs/module.ts';
import type { ReplyRule } from '../../envs/reply.ts';
import type { WorldSuite } from '../../envs/suite.ts';

/** Requests to one environment of a server; its id is added to each. */
export interface EnvironmentRequests {
  get(path: string): Promise<unknown>;
  post(path: string, body?: { [field: string]: Json }): Promise<unknown>;
}

/** First observation of an episode. */
export interface Opening {
  observation: string;
  validActions?: string[];
}

/** Result of an action. */
export interface Answer {
  observation: string;
  reward: number;
  done: boolean;
  validActions?: string[];
}

/** Format of a language model's actions: ReAct, a JSON object that names a function, or a call in Python. */
export type Format = 'react' | 'function_calling' | 'code_as_action';

export interface AgentGymKind {
  /** AgentGym's name of the kind, which is also the name of its file here. */
  kind: string;
  title: string;
  summary: string;
  /** Our own wording. A user may load the original's from an AgentTraj file. */
  instruction: string;
  /** Reply to the instruction that the original's client attributes to the model. */
  acknowledgement: string;
  reply: ReplyRule;
  /** Further action formats of the original's client. */
  formats?: { readonly [format in Exclude<Format, 'react'>]: { reply: ReplyRule; instruction: string } };
  credit: string;
  successReward: number;
  /** True if observations or answers list the valid actions. */
  hasValidActions: boolean;
  vocabulary?: VocabularySource;
  /** Token budget of a language model, without the instruction. */
  budget: LanguageBudget;
  /** Token budget of a tiny policy; absent if no tiny policy can play this kind. */
  tiny?: SmallBudget;
  /** Options of this kind only. */
  options?: v.ObjectEntries;
  /** Default ids of a split. */
  items(split: Split): readonly number[];
  /** Evaluations with published results. */
  suites?: readonly WorldSuite[];
  /** Strata by which success is reported. */
  strata?(item: number): { [name: string]: number | string };
  /** Timeout of one call. */
  timeoutMs?: number;

  /** Answer to GET /. A server with another answer has another kind. */
  greeting: string;
  /** Path appended to the address if it is missing, for servers that serve several worlds. */
  prefix?: string;
  /** Field of the environment's id in requests. */
  idField: 'id' | 'env_idx';
  create: { body?: { [field: string]: Json }; id(answer: unknown): number };
  /** True if the server can close an environment. Otherwise environments stay on the server and are reused. */
  closes: boolean;
  /** Request made once for each new environment; its result is passed to `reset`. */
  prepare?(requests: EnvironmentRequests): Promise<unknown>;
  reset(requests: EnvironmentRequests, item: number, options: WorldOptions, prepared: unknown): Promise<Opening>;
  /** Parses the answer to POST /step. */
  answer(value: unknown): Answer;
  /** Observation under the given options and the actions it offers, from the server's text. */
  readObservation?(text: string, options: WorldOptions): Opening;
  /** Converts an action to the text that is posted. Default: the action itself. */
  formatAction?(action: string): string;
  /** Pattern of observations that report a refused action. */
  refused?: RegExp;
}

/**
 * A kind with the same rules as one of our own worlds. It takes texts, budgets or items from that world's module and is
 * available only with it.
 */
export interface ModelledKind {
  own: string;
  kind(own: WorldModule): AgentGymKind;
}

export const modelledOn = (own: string, kind: ModelledKind['kind']): ModelledKind => ({ own, kind });

/** Whole numbers from `first` to `last`, both included. */
export const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, k) => first + k);

/** Split that holds out the first `count` of `all` items, for kinds whose published items are not known. */
export const firstHeldOut = (all: number, count: number) => (split: Split) =>
  split === 'test' ? range(0, count - 1) : range(count, all - 1);
