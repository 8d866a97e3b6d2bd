/**
 * Trajectory: one episode of one task under one policy, token by token, exactly as sampled.
 *
 * Token ids are never re-encoded from text ("token-in-token-out"): training uses the sampled tokens.
 */
import type { Task } from '../../envs/env.ts';
import type { TokenDistributions } from '../../policy/policy.ts';

/** Ending of an episode. Each ending has its count in the metrics. */
export type Ending = 'success' | 'done' | 'horizon' | 'context' | 'invalid-action' | 'world-failure';

/**
 * Origin of a token. `template`: put there by the player, to be read and not trained on, like a demonstration's
 * missteps.
 */
export const TokenSource = { world: 0, policy: 1, template: 2 } as const;

export interface Turn {
  /** Text of the action sent to the world. */
  action: string;
  /** Thought before the action, if the policy thinks. */
  thought?: string;
  /** Full reply of the policy, if the action was found in it. */
  reply?: string;
  /** The world's answer, as the model sees it. */
  observation: string;
  reward: number;
  valid: boolean;
  /** Half-open range of this turn's action tokens in the trajectory. */
  actionStart: number;
  /** End of the thought that begins the turn; absent: no thought. */
  thoughtEnd?: number;
  actionEnd: number;
  /** Half-open range of the observation tokens that follow (empty after the last turn). */
  observationStart: number;
  observationEnd: number;
}

/** Summary that the policy wrote at the end of a window, with its range of tokens. */
export type Summary = { text: string; start: number; end: number };

/** Context of the turns from `turn` on, until the next window: a head, then the trajectory's tokens from `from` on. */
export interface Window {
  turn: number;
  /**
   * Head: the task, the task and the world's memory, the answer before the kept turns, or the task with the policy's
   * summary and the last answer.
   */
  form: 'last' | 'task' | 'memory' | 'summary';
  /** Null: the trajectory's prompt. */
  head: Int32Array | null;
  from: number;
  /** Summary in the head, written at the end of the window before. */
  summary?: Summary;
}

/** Reward of an episode and its parts, by column. */
interface ComposedReward {
  total: number | null;
  parts: { readonly [column: string]: number | null };
}

export interface Trajectory {
  task: Task;
  /** Index of the group (one task) within the step, and of this trajectory within its group. */
  group: number;
  member: number;
  /** First observation. */
  prompt: string;
  /** Number of leading tokens that the whole group shares. */
  promptLength: number;
  /** (T) token ids. */
  tokens: Int32Array;
  /** (T) TokenSource of each token. */
  source: Uint8Array;
  /** (T) turn of each token; -1 in the prompt. A thought that ran out of room before its turn has the number of `turns`. */
  turnOf: Int16Array;
  /**
   * (T) log-probability when sampled, at the sampling temperature and under the mask; 0 for tokens the policy did not
   * choose.
   */
  logprob: Float32Array;
  /**
   * Allowed tokens at each position that the policy chose among several, in CSR form: row r belongs to `position[r]`.
   * Null if decoding was unconstrained. A policy token without a row was forced: one allowed token, logprob 0.
   */
  choices: { position: Int32Array; offsets: Int32Array; tokens: Int32Array } | null;
  turns: Turn[];
  /** Member of the group whose first turns this episode repeated, and their number. Absent: it was played from the start. */
  branch?: { member: number; turns: number };
  /** Windows after the first, which begins with the prompt (window.ts). Absent: each turn read the whole episode. */
  windows?: readonly Window[];
  /** The world's score: the reward of the last step, as in AgentGym-RL. */
  score: number;
  /**
   * Reward that the experiment composes, and the values of its parts before their weights; null: a part had no value.
   * Absent: the reward is the score.
   */
  rewards?: ComposedReward;
  success: boolean;
  ending: Ending;
  /** Reason, if the world failed. */
  failure?: string;
  /** Maximum number of turns allowed, and the oracle's number of turns if known. */
  horizon: number;
  oracleTurns: number | null;
  /** (K) log-probability of each trained token under a teacher; NaN: none. Absent: no teacher was asked. */
  teacher?: Float32Array;
  /** (K) a teacher's distribution at each trained token; absent: none was asked for. */
  distributions?: TokenDistributions;
  /**
   * Advantage of the episode as a whole, for display: the group's comparison, or the mean of its tokens' advantages.
   */
  advantage: number;
  /** (K) advantage of each trained token, in the order of `chosenPositions`; empty until credit is assigned. */
  advantages: Float32Array;
}
