/**
 * Calls to the worlds of a rollout, between rounds of decoding. `BatchedWorlds` (batched-worlds.ts) sends one message
 * to a world for all its rows and waits for every answer; `FreeRunningWorlds` (free-running-worlds.ts) makes one call
 * per row and takes the answers that have arrived. The rollout loop uses both through this interface.
 */
import type { Feedback, Task, World } from '../../envs/env.ts';
import { limitIn, type PlayLimit, turnsFor } from '../schedule/horizon.ts';
import type { Episode } from './episode.ts';

/** Episodes whose world answered: after a reset, and after an action. The answer may have ended an episode. */
export interface AnsweredEpisodes {
  started: readonly Episode[];
  stepped: readonly Episode[];
}

export interface WorldScheduler {
  /** Sends resets and actions. `receive` returns the answers. */
  send(starting: readonly Episode[], stepping: readonly Episode[]): void;
  /** Writes the worlds' answers into their episodes and returns these. Throws the error of a call that failed. */
  receive(): Promise<AnsweredEpisodes>;
  /** Aborts the calls under way and resolves when all have ended. */
  abort(reason?: unknown): Promise<void>;
}

/** The parts of a rollout that a scheduler needs. */
export interface SchedulerParts {
  worlds: ReadonlyMap<string, World>;
  /** Maximum number of tokens of a prompt. */
  promptTokens: number;
  limit: PlayLimit;
  /** Turns beyond the limit for a task; absent: none for any. */
  turnsBeyond?(task: Task): number;
  signal?: AbortSignal;
  /** Gives the policy's slots of ended episodes back. */
  release(ended: readonly Episode[]): void;
  /** Awaited after each answered action, before the next turn. */
  onAnswer(episode: Episode, world: World, feedback: Feedback): void | Promise<void>;
}

/** Sets an episode's horizon from its oracle's turns (null: no plan). */
export function setHorizon(
  episode: Episode,
  world: World,
  { limit: all, turnsBeyond }: Pick<SchedulerParts, 'limit' | 'turnsBeyond'>,
  oracleTurns: number | null,
): void {
  const limit = limitIn(all, episode.task.world);
  // A relative horizon needs the oracle's plan. An oracle that returned none is a failure of the world, not of the run.
  if (oracleTurns === null && world.describe().hasOracle && typeof limit !== 'number')
    episode.fail("The world's oracle gave no plan, which the horizon needs.");
  else episode.setHorizon(turnsFor(limit, oracleTurns) + (turnsBeyond?.(episode.task) ?? 0), oracleTurns);
}

/** Steps a world for these episodes. A refused reply is answered by its refusal, and the world does not move. */
export async function stepWorld(world: World, episodes: readonly Episode[], signal?: AbortSignal): Promise<Feedback[]> {
  const moving = episodes.filter((episode) => episode.refusal === null);
  const slots = moving.map((episode) => episode.slot);
  const actions = moving.map((episode) => episode.action);
  const feedback = moving.length ? await world.step(slots, actions, signal) : [];
  let next = 0;
  return episodes.map(({ refusal }) =>
    refusal === null
      ? feedback[next++]
      : { observation: refusal, reward: 0, done: false, valid: false, validActions: null },
  );
}
