/**
 * A family of tools over generated data: its templates of tasks, and the instance that a template makes from a seed.
 * Knows nothing of replies, rewards or slots.
 */
import type { Json } from '../../envs/env.ts';
import type { Random } from '../../envs/random.ts';
import type { Literal } from '../../python/literal.ts';
import type { ToolsOptions } from './options.ts';
import type { Arguments, Call, Tool } from './tool.ts';
import type { StateTable } from './view-data.ts';

/** Answer of a tool. */
export interface Answer {
  /** False if the tool could not do what was asked; `value` is then the reason. */
  ok: boolean;
  value: Json;
  /** Effects on the state, one sentence each. */
  changed?: readonly string[];
}

export const refusal = (reason: string): Answer => ({ ok: false, value: reason });
export const result = (value: Json): Answer => ({ ok: true, value });

/** Kind of a task: a question, a change of the state, both, or one that cannot be done. */
export type TaskKind = 'question' | 'change' | 'both' | 'impossible';

/** Answer to a task that cannot be done. */
export const impossible = 'impossible';
/** Answer to a task that asks only for a change. */
export const doneAnswer = 'done';

/** One task of a family: its data, its goal and what reaches it. */
export interface Instance {
  readonly goal: string;
  /** The answer to give at the end. */
  readonly answer: Json;
  /** Calls whose answers a solver needs before it changes or answers anything, in their order. */
  readonly reads: readonly Call[];
  /** Number that grows whenever `offers` may have changed. */
  readonly version: number;
  /** Calls a tool other than `finish`. The arguments follow its schema. */
  call(call: Call): Answer;
  /** Calls that bring the state from where it is to the goal's; null if none do any more. */
  changes(): Call[] | null;
  /** An answer in few words, for tiny policies. */
  brief(call: Call, answer: Answer): string;
  /** Name of what an argument stands for, if the argument is an id. */
  nameOf?(parameter: string, value: Json): string | undefined;
  /** Arguments for a tool made of the texts seen so far; for `finish`, its answers. */
  offers(tool: Tool): Arguments[];
  tables(): StateTable[];
  /** The original's fault on a reset without an item: the user's place becomes the date. */
  restartedWithoutItem?(): void;
  /** The original's own rules over the same data. */
  original(): Original;
}

/** The original environment's functions, over the same data: values print as Python prints them. */
export interface Original {
  /** Calls a function with what the agent wrote as its input. Throws PythonError. */
  call(name: string, input: Literal): OriginalAnswer;
  /** Results that count as subgoals. */
  readonly subgoals: readonly Literal[];
  /** True if the state equals the goal's, as the original compares them. */
  stateMatches(): boolean;
  /** Share of the goal that is reached, in the place of the subgoals' share. */
  share?(): number;
}

export interface OriginalAnswer {
  observation: Literal;
  /** Texts that are compared with the subgoals. */
  subgoal: Literal;
}

/** An exception of the original's Python: its class and message are part of the observation. */
export class PythonError extends Error {
  override name = 'PythonError';
  constructor(
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}

/** Data from which a template draws. */
export interface Draw {
  random: Random;
  /** True for held-out tasks, whose data have other names. */
  heldOut: boolean;
  options: ToolsOptions;
}

export interface Template {
  name: string;
  kind: TaskKind;
  /** True if only held-out tasks use it. */
  heldOut?: boolean;
  make(draw: Draw): Instance;
}

export interface ToolFamily {
  tools: readonly Tool[];
  templates: readonly Template[];
  /** The original's rule for a whole step. */
  original: OriginalRules;
}

/** Differences between the original environments. */
export interface OriginalRules {
  /** Reward from the best share of subgoals so far and, at the end, the state. */
  reward(share: number, ended: boolean, stateMatches: boolean): number;
  /** Text of an action that ends the episode; by default `finish` or `Finish` anywhere. */
  ends?: RegExp;
  /** True if an exception of a tool counts as a step, which does not end. */
  countsErrors?: boolean;
  /** Answer to an unknown tool. */
  unknown?(name: string, tools: readonly Tool[]): string;
  /** Other names of tools that the original accepts. */
  aliases?: { readonly [name: string]: string };
}
