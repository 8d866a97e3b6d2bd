/** The oracle's play of one task, for checks that it solves them all. */
import type { Task, World } from '../../src/envs/env.ts';

/** Reward at the end of the oracle's plan, or 0 if it has none. Plays in slot 0. */
export async function oracleReward(world: World, task: Task): Promise<number> {
  await world.reset([0], [task]);
  const [plan] = await world.oracle([0]);
  let reward = 0;
  for (const action of plan ?? []) reward = (await world.step([0], [action]))[0].reward;
  return reward;
}
