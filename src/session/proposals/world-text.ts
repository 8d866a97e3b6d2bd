/** Description of an experiment's world for a request of reward functions. */
import type { World } from '../../envs/env.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { WorldText } from '../../rl/rewards/proposals.ts';
import { worldModule } from '../../worlds/registry.ts';

/** The first world in words, with the first observation of its first training task. Closes the world. */
export async function worldTextOf({ worlds }: Experiment, open: (name: string) => Promise<World>): Promise<WorldText> {
  const [{ name, options }] = worlds;
  const { title, summary, instruction } = worldModule(name);
  const world = await open(name);
  try {
    const [task] = await world.tasks(options, 'train');
    const [first] = await world.reset([0], [task]);
    const { code } = options;
    return { title, summary, instruction, example: first.observation, ...(typeof code === 'string' && { code }) };
  } finally {
    await world.close();
  }
}
