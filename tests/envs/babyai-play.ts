/** Tasks and play of BabyAI for its tests. */
import type { Feedback, Task, World, WorldOptions } from '../../src/envs/env.ts';

export const taskOf = (id: number, options: WorldOptions = {}): Task => ({ world: 'babyai', id, options, strata: {} });

/** Answers to the actions, taken one after the other. */
export async function played(world: World, slot: number, actions: readonly string[]): Promise<Feedback[]> {
  const answers: Feedback[] = [];
  for (const action of actions) answers.push(...(await world.step([slot], [action])));
  return answers;
}
