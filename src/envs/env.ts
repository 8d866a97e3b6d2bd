/**
 * The contract of a world: what a WASM worker, an AgentGym server over HTTP and a proxy all meet.
 *
 * A `World` is a batch of worlds of one kind behind one message channel: every call names the slots (worlds) it is about,
 * is asynchronous, takes an AbortSignal, and is bounded by a timeout. This layer knows text, rewards and tasks; it has never heard of a token,
 * a policy or a gradient.
 */

import type { ReplyRule } from './reply.ts';

/** A value that survives JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Options of a world, as an experiment states them (TextCraft: `{depths, distractors, listSeed}`). */
export type WorldOptions = { [key: string]: Json };

/** One task: which world, which item, under which options. Same task, same world. */
export interface Task {
  world: string;
  /** The item's id in its world (TextCraft: index into the goal list). */
  id: number;
  options: WorldOptions;
  /** Strata that success is reported by (TextCraft: `{depth: 1}`). */
  strata: { [name: string]: number | string };
}

export type Split = 'train' | 'test';

/** What a world answers to `reset` and to `step`. */
export interface Feedback {
  /** The world's words, exactly as the model sees them. */
  observation: string;
  reward: number;
  done: boolean;
  /** False where the world refused the action. True on reset. */
  valid: boolean;
  /** The valid actions as the text offers them; null: unchanged since the last feedback; undefined: the world knows none. */
  validActions?: readonly string[] | null;
  /** Set where the world itself failed (trap, hang, lost server): why. Such an episode ends as `world-failure`. */
  failure?: string;
}

/** The valid actions after an answer, given those before it; null: the world knows none. The one reading of `validActions`. */
export function validActionsAfter(before: readonly string[] | null, feedback: Feedback): readonly string[] | null {
  return feedback.validActions === null ? before : (feedback.validActions ?? null);
}

/** An oracle's next action, with the thought before it for a policy that thinks before it acts. */
export interface Advice {
  thought?: string;
  action: string;
}

/** Which draw of training a task is for: other keys, other instances of it; a draw's members share what they are told first. */
export interface Draw {
  /** From 0 to 2^32 - 1. */
  key: number;
  member: number;
}

/** What whoever plays a world has to know of it. Each world's module (`module.ts`) says the rest. */
export interface WorldDescription {
  /** Its name in documents, and its folder's. */
  name: string;
  title: string;
  /** One sentence for a person. */
  summary: string;
  /** Instruction of the original client, for language models; tiny policies do not get it. */
  instruction: string;
  /** What the model is shown as its answer to the instruction; absent: what the original clients of most worlds show. */
  acknowledgement?: string;
  /** How the original client finds the action in a language model's reply; absent: the whole reply is the action. */
  reply?: ReplyRule;
  /** How a language model puts an action into words in which `reply` finds it; absent: on a line after `Action:`. */
  writeReply?(action: string): string;
  /** What is otherwise under these options: a person's own instruction, another way to write an action. */
  under?(options: WorldOptions): Partial<PromptRules>;
  /** Paper, repository and licence of the original. */
  credit: string;
  hasOracle: boolean;
  /** Whether it can list the valid actions. Without them there is no mask, and no chance to compare with. */
  hasValidActions: boolean;
  /** Reward at which an episode counts as a success. */
  successReward: number;
  /** Remote and slow: a row goes on when its own world has answered, and waits for no other. */
  freeRunning: boolean;
  /** Under options that ask for it: another instance of a training task at each draw, as a pure function. Evaluations draw nothing. */
  drawing?(options: WorldOptions): ((task: Task, draw: Draw) => Task) | null;
  /** Deterministic: a world that was lost is rebuilt by replaying its actions. Else its episode ends as a world failure. */
  replayable: boolean;
}

/** Of a description, what an episode is told and judged by. */
export type PromptRules = Pick<
  WorldDescription,
  'instruction' | 'acknowledgement' | 'reply' | 'writeReply' | 'successReward'
>;

/** What holds for an episode of this task. */
export const promptRulesOf = (
  description: PromptRules & Pick<WorldDescription, 'under'>,
  { options }: Pick<Task, 'options'>,
): PromptRules => (description.under ? { ...description, ...description.under(options) } : description);

/** What a view draws: each kind has its own fields (`view-data.ts` in the world's folder) and an element that draws it (`view/`). */
export interface WorldView {
  kind: string;
  /** The same in words, for those who cannot see it. */
  text: string;
}

/** Rules of whole episodes that need the world alone (`alone.ts`). */
export interface LonePlay {
  /** Most turns, or so many more than the oracle needs. */
  turns: number | { oraclePlus: number };
  /** Whether a refused action ends the episode. */
  endOnInvalid: boolean;
  /** What the choices of chance are keyed by, beside each episode's own key. */
  seed: number;
}

/** One such episode: who plays which task, and what its choices are keyed by. */
export interface LoneEpisode {
  player: 'chance' | 'oracle';
  task: Task;
  key: number;
}

/** What playing one task once came to. */
export interface Played {
  success: boolean;
  /** The reward of its last turn. */
  score: number;
  turns: number;
}

/**
 * A batch of worlds of one kind. Arrays are index-aligned with `slots`. Each call may be given up by its signal: it then rejects with
 * the signal's reason, and its slots are to be reset before they are used again. A world that answers at once need not look at it.
 */
export interface World {
  describe(): WorldDescription;
  /** All tasks of a split under these options, in the world's own order. Options out of range are refused by path and bound. */
  tasks(options: WorldOptions, split: Split, signal?: AbortSignal): Promise<Task[]>;
  reset(slots: readonly number[], tasks: readonly Task[], signal?: AbortSignal): Promise<Feedback[]>;
  step(slots: readonly number[], actions: readonly string[], signal?: AbortSignal): Promise<Feedback[]>;
  /** The oracle's remaining actions in each world, or null where it knows none. */
  oracle(slots: readonly number[], signal?: AbortSignal): Promise<(string[] | null)[]>;
  /**
   * What the oracle thinks and does now in each world, after whatever was done there by whomever; null where it knows nothing.
   * Absent: it thinks nothing, and does the first of the `oracle`'s actions.
   */
  advise?(slots: readonly number[], signal?: AbortSignal): Promise<(Advice | null)[]>;
  view(slot: number, signal?: AbortSignal): Promise<WorldView>;
  /** These episodes are over, however they ended: what their slots hold may serve others. A world with nothing to share has none. */
  leave?(slots: readonly number[]): void;
  /** Whole episodes in slots from 0 on, where the world is: `playAlone` without a message a turn. Absent: play them turn by turn. */
  playAlone?(episodes: readonly LoneEpisode[], play: LonePlay): Promise<Played[]>;
  /** What else a world tells of a slot, by its name (Wordle: `possible words`): for the server that stands in for its original. */
  inspect?(slot: number, what: string, signal?: AbortSignal): Promise<Json>;
  close(): Promise<void>;
}

/** A named error of this layer: says what, with which values, and what to do. */
export class WorldError extends Error {
  override name = 'WorldError';
}

/** The oracle's advice, from a world with `advise` or by the first action of its plan. */
export async function adviceOf(
  world: World,
  slots: readonly number[],
  signal?: AbortSignal,
): Promise<(Advice | null)[]> {
  if (world.advise) return world.advise(slots, signal);
  const plans = await world.oracle(slots, signal);
  return plans.map((plan) => (plan?.length ? { action: plan[0] } : null));
}
