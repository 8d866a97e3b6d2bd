/**
 * A trajectory: one episode of one task under one policy, token by token, exactly as sampled.
 *
 * Token ids are never re-encoded from text ("token-in-token-out"): what was sampled is what is trained on.
 */
import type { Task } from '../../envs/env.ts';

/** How an episode ended. Each ending has its count in the metrics. */
export type Ending = 'success' | 'done' | 'horizon' | 'context' | 'invalid-action' | 'world-failure';

/** Why a token is in the sequence. `template`: whoever plays it put it there, to be read and not trained on; so are a demonstration's random actions. */
export const TokenSource = { world: 0, policy: 1, template: 2 } as const;

export interface Turn {
  /** The action text that was sent to the world. */
  action: string;
  /** What it thought before, where it thinks. */
  thought?: string;
  /** All the policy said, where the action was found in it. */
  reply?: string;
  /** The world's answer, as the model sees it. */
  observation: string;
  reward: number;
  valid: boolean;
  /** Half-open range of this turn's action tokens in the trajectory. */
  actionStart: number;
  /** Where the thought ends that the turn begins with; absent: none. */
  thoughtEnd?: number;
  actionEnd: number;
  /** Half-open range of the observation tokens that follow (empty after the last turn). */
  observationStart: number;
  observationEnd: number;
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
  /** (T) turn of each token; -1 in the prompt. */
  turnOf: Int16Array;
  /** (T) log-probability when sampled, at the sampling temperature and under the mask; 0 for tokens the policy did not choose. */
  logprob: Float32Array;
  /**
   * Allowed tokens at each position that the policy chose among several, as CSR: row r is for position `choicePosition[r]`.
   * Absent where decoding was unconstrained. A policy token without a row was forced: one allowed token, logprob 0.
   */
  choices: { position: Int32Array; offsets: Int32Array; tokens: Int32Array } | null;
  turns: Turn[];
  /** Return of the episode. Reward of the last step, as AgentGym-RL does. */
  score: number;
  success: boolean;
  ending: Ending;
  /** Largest number of turns allowed, and the oracle's number where known. */
  horizon: number;
  oracleTurns: number | null;
  /** Of the episode as a whole, for a person: what its group's comparison gave, or the mean of its tokens'. */
  advantage: number;
  /** (K) of each trained token, in the order of `chosenPositions`; empty until credit is given. */
  advantages: Float32Array;
}
