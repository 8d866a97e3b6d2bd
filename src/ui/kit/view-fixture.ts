/** Contract of a world's fixture: a world on the page without a trainer, for the gallery and for tests. */
import type { Task, World, WorldOptions, WorldView } from '../../envs/env.ts';

/** A turn of a replayed episode. */
export interface FixtureTurn {
  turn: number;
  action: string;
  observation: string;
  view: WorldView;
}

/** A made-up answer to a person's action. */
export interface FixtureFrame {
  observation: string;
  reward: number;
  done: boolean;
  valid: boolean;
  success: boolean;
  actions: string[] | null;
  view: WorldView;
}

export interface ViewFixture {
  /** Name of the world, and of the gallery's state that shows it. */
  world: string;
  /** Options of the world in the gallery's experiment. Absent: the state keeps the gallery's usual experiment. */
  options?: WorldOptions;
  /** Opens the real world, for a person to play. */
  open?(): Promise<World>;
  /** Turns of a run's episode, played in the real world. `member`: its number in its group. */
  replay?(member: number): Promise<FixtureTurn[]>;
  /** First observation of a made-up episode. */
  opening?: string;
  /** View after a number of turns of a made-up episode. */
  view?(turn: number): WorldView;
  /** Answer to the last of these actions of a person, made up. */
  played?(actions: readonly string[]): FixtureFrame;
}

/** Turns of the oracle's episode of a task, which stands for a run's. `first`: actions before the oracle's plan. */
export async function oracleTurns(world: World, task: Task, first: readonly string[] = []): Promise<FixtureTurn[]> {
  await world.reset([0], [task]);
  const [plan] = await world.oracle([0]);
  const turns: FixtureTurn[] = [];
  for (const [turn, action] of [...first, ...plan!].entries()) {
    const [{ observation }] = await world.step([0], [action]);
    turns.push({ turn, action, observation, view: await world.view(0) });
  }
  return turns;
}
