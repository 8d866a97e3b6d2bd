/** A turn of a rollout as its listeners see it: the page's views, and stored live turns. */
import type { Feedback, Task, World } from '../../envs/env.ts';
import type { Episode } from './episode.ts';

/** A turn of a row, reported when its world has answered. */
export interface TurnEvent {
  task: Task;
  group: number;
  member: number;
  turn: number;
  /** Maximum number of turns of this episode. */
  horizon: number;
  action: string;
  thought?: string;
  reply?: string;
  observation: string;
  reward: number;
  done: boolean;
  world: World;
  slot: number;
}

/** The event of an episode's last turn. */
export function turnEvent(episode: Episode, world: World, feedback: Feedback): TurnEvent {
  const { task, group, member, slot, action, reply, lastThought } = episode;
  return {
    task,
    group,
    member,
    turn: episode.turnCount - 1,
    horizon: episode.turnLimit,
    action,
    thought: lastThought,
    reply: reply ?? undefined,
    observation: feedback.observation,
    reward: feedback.reward,
    done: episode.ended,
    world,
    slot,
  };
}
