/**
 * The contract of a world, which a WASM worker, an AgentGym server over HTTP and a proxy all fulfil.
 *
 * A `World` is a batch of worlds of one kind behind one message channel. Every call names its slots (worlds), is
 * asynchronous, takes an AbortSignal, and is bounded by a timeout. This layer deals with text, rewards and tasks; it
 * has no tokens, policies or gradients.
 */

import type { SeatRules } from './game.ts';
import type { ReplyRule } from './reply.ts';
import type { CallRules, FunctionTool } from './tools.ts';

/** A value that survives JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Options of a world, as an experiment states them (TextCraft: `{depths, distractors, listSeed}`). */
export type WorldOptions = { [key: string]: Json };

/** A task: its world, item and options. The same task always gives the same world. */
export interface Task {
  world: string;
  /** Id of the item in its world (TextCraft: index into the list of goals). */
  id: number;
  options: WorldOptions;
  /** Groups by which success is reported (TextCraft: `{depth: 1}`). */
  strata: { [name: string]: number | string };
}

export type Split = 'train' | 'test';

/** Result of `reset` and of `step`. */
export interface Feedback {
  /** Text of the world, exactly as the model sees it. */
  observation: string;
  reward: number;
  done: boolean;
  /** False if the world refused the action. True on reset. */
  valid: boolean;
  /**
   * The valid actions that the text offers; null: unchanged since the last feedback; undefined: the world lists none.
   */
  validActions?: readonly string[] | null;
  /** Reason, if the world itself failed (trap, hang, lost server). Such an episode ends as `world-failure`. */
  failure?: string;
  /** The world's memory of the episode, if it was asked for. */
  memory?: string;
}

/**
 * Valid actions after an answer, given those before it; null if the world lists none. All readers of `validActions` use
 * this function.
 */
export function validActionsAfter(before: readonly string[] | null, feedback: Feedback): readonly string[] | null {
  return feedback.validActions === null ? before : (feedback.validActions ?? null);
}

/** An oracle's next action, with the preceding thought for a policy that thinks before it acts. */
export interface Advice {
  thought?: string;
  action: string;
}

/**
 * A random draw in training. Different keys give different instances of a task; the members of a group share the first
 * observation.
 */
export interface Draw {
  /** An integer from 0 to 2^32 - 1. */
  key: number;
  member: number;
}

/** Properties of a world that its players need. The world's module (`module.ts`) adds the others. */
export interface WorldDescription {
  /** Name in documents, and name of the world's folder. */
  name: string;
  title: string;
  /** A one-sentence description for people. */
  summary: string;
  /** Instruction of the original client, for language models; tiny policies do not get it. */
  instruction: string;
  /** The model's answer to the instruction, as the prompt shows it. Default: that of most of the original clients. */
  acknowledgement?: string;
  /**
   * Finds the action in a language model's reply, as the original client does. Default: the whole reply is the action.
   */
  reply?: ReplyRule;
  /** Writes an action so that `reply` finds it. Default: on a line after `Action:`. */
  writeReply?(action: string): string;
  /** Rules that differ under these options, such as a person's own instruction or another action format. */
  under?(options: WorldOptions): Partial<PromptRules>;
  /** Paper, repository and licence of the original. */
  credit: string;
  /** Tools of a world that is played by calls (`tools.ts`). Absent: its actions are texts alone. */
  tools?: readonly FunctionTool[];
  /** Instruction where the tools are listed beside it, as a chat template does. Default: `instruction`. */
  callInstruction?: string;
  /** Present if a language model is to call the tools in its chat template's own form. */
  calls?: CallRules;
  /** Present if the policy takes one of several seats. */
  seats?: SeatRules;
  hasOracle: boolean;
  /** True if the world can list the valid actions. Without a list there is no mask and no chance baseline. */
  hasValidActions: boolean;
  /** True if `inspect(slot, 'memory')` gives a text of what the agent has, which may stand for earlier turns. */
  hasMemory?: boolean;
  /** Reward at which an episode counts as a success. */
  successReward: number;
  /**
   * True if the world is remote and slow: each row continues when its own world has answered, without waiting for the
   * others.
   */
  freeRunning: boolean;
  /**
   * Returns the function that gives another instance of a training task for each draw, or null if the options ask for
   * no draws. The function is pure. Evaluations draw nothing.
   */
  drawing?(options: WorldOptions): ((task: Task, draw: Draw) => Task) | null;
  /**
   * Other options, by name, under which the world's own generators make training tasks that these options do not: another
   * depth, another level.
   */
  others?(options: WorldOptions): readonly { name: string; options: WorldOptions }[];
  /**
   * True if the world is deterministic: a lost world is rebuilt by replaying its actions. If false, its episode ends as
   * a world failure.
   */
  replayable: boolean;
}

/** The part of a description that sets an episode's prompt and its success. */
export type PromptRules = Pick<
  WorldDescription,
  'instruction' | 'acknowledgement' | 'reply' | 'writeReply' | 'calls' | 'successReward'
>;

/** Rules for an episode of this task. */
export const promptRulesOf = (
  description: PromptRules & Pick<WorldDescription, 'under'>,
  { options }: Pick<Task, 'options'>,
): PromptRules => (description.under ? { ...description, ...description.under(options) } : description);

/**
 * Data of a view: each kind has its own fields (`view-data.ts` in the world's folder) and an element that draws it
 * (`view/`).
 */
export interface WorldView {
  kind: string;
  /** The same as text, for people who cannot see the picture. */
  text: string;
}

/** Rules for whole episodes that need only the world (`baseline-play.ts`). */
export interface BaselineRules {
  /** Maximum number of turns, absolute or relative to the oracle's. */
  turns: number | { oraclePlus: number };
  /** If true, a refused action ends the episode. */
  endOnInvalid: boolean;
  /** Seed of the random choices, which are also keyed by each episode's own key. */
  seed: number;
}

/** One such episode: its player, its task and the key of its random choices. */
export interface BaselineEpisode {
  player: 'chance' | 'oracle';
  task: Task;
  key: number;
}

/** Result of one episode. */
export interface BaselineResult {
  success: boolean;
  /** Reward of its last turn. */
  score: number;
  turns: number;
  /** True if the world failed, so that the result shows nothing about the player. */
  failed?: true;
}

/**
 * A batch of worlds of one kind. Arrays are index-aligned with `slots`. A call can be cancelled by its signal: it
 * rejects with the signal's reason, and its slots must be reset before they are used again. A world that answers
 * immediately may ignore the signal.
 */
export interface World {
  describe(): WorldDescription;
  /**
   * All tasks of a split under these options, in the world's own order. Throws if an option is out of range, with its
   * path and bound.
   */
  tasks(options: WorldOptions, split: Split, signal?: AbortSignal): Promise<Task[]>;
  reset(slots: readonly number[], tasks: readonly Task[], signal?: AbortSignal): Promise<Feedback[]>;
  step(slots: readonly number[], actions: readonly string[], signal?: AbortSignal): Promise<Feedback[]>;
  /** The oracle's remaining actions in each world, or null if it has no plan. */
  oracle(slots: readonly number[], signal?: AbortSignal): Promise<(string[] | null)[]>;
  /**
   * The oracle's thought and next action in each world, whoever took the previous actions; null if it has no advice.
   * Default: no thought, and the first action of `oracle`.
   */
  advise?(slots: readonly number[], signal?: AbortSignal): Promise<(Advice | null)[]>;
  /**
   * Tasks that lie between the start and the goal of each task, in the order in which they are reached. The world plays
   * and judges them like its other tasks; none is a held-out goal. Default: it names none.
   */
  subgoals?(tasks: readonly Task[], signal?: AbortSignal): Promise<Task[][]>;
  view(slot: number, signal?: AbortSignal): Promise<WorldView>;
  /**
   * Marks these episodes as over, however they ended, so that their slots' resources can be reused. Absent if there is
   * nothing to share.
   */
  leave?(slots: readonly number[]): void;
  /**
   * Plays whole episodes in slots from 0 on, where the world runs: `playAlone` without a message for each turn. If
   * absent, they are played turn by turn.
   */
  playBaselines?(episodes: readonly BaselineEpisode[], play: BaselineRules): Promise<BaselineResult[]>;
  /** Further state of a slot, by name (Wordle: `possible words`), for the server that stands in for the original. */
  inspect?(slot: number, what: string, signal?: AbortSignal): Promise<Json>;
  close(): Promise<void>;
}

/** A named error of this layer. Its message contains what happened, the values, and what to do. */
export class WorldError extends Error {
  override name = 'WorldError';
}

/** The oracle's advice: from `advise`, or else the first action of its plan. */
export async function adviceOf(
  world: World,
  slots: readonly number[],
  signal?: AbortSignal,
): Promise<(Advice | null)[]> {
  if (world.advise) return world.advise(slots, signal);
  const plans = await world.oracle(slots, signal);
  return plans.map((plan) => (plan?.length ? { action: plan[0] } : null));
}
