/** Training episodes that are played on other machines. */
import type { RolloutParts, RolloutRequest } from './episode/rollout.ts';
import type { Trajectory } from './episode/trajectory.ts';

/** Episodes of a step. */
export interface ElsewherePlays {
  step: number;
  request: RolloutRequest;
  /** Episodes of the next step, if they are known before this step's update. */
  ahead: RolloutRequest | null;
}

/** Plays a step's training episodes. `parts`: the trainer's own policy and worlds, which are idle meanwhile. */
export interface Elsewhere {
  play(plays: ElsewherePlays, parts: RolloutParts, signal?: AbortSignal): Promise<Trajectory[]>;
}
