/** Texts of the web while its oracles play: the same on Node, in Chromium's frames and in Firefox's. */
import type { Task } from '../../src/envs/env.ts';
import { idOf } from '../../src/worlds/web/tasks/index.ts';
import { Web } from '../../src/worlds/web/world.ts';

export const webTask = (index: number, number = 3): Task => ({
  world: 'web',
  id: idOf(index, number),
  options: { screenLines: 30 },
  strata: {},
});

/** Every observation, action, reward and list of valid actions of each task, played in this process. */
export async function playOracles(tasks: readonly Task[]): Promise<string[][]> {
  const world = await Web.open();
  const episodes: string[][] = [];
  for (const task of tasks) {
    const [start] = await world.reset([0], [task]);
    const texts = [start.observation, start.validActions!.join('\n')];
    const [plan] = await world.oracle([0]);
    for (const action of plan ?? ['no plan']) {
      const [{ observation, reward, validActions }] = await world.step([0], [action]);
      texts.push(action, observation, String(reward), (validActions ?? []).join('\n'));
    }
    episodes.push(texts);
  }
  return episodes;
}
