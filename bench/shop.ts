/**
 * Measures the shop at the World contract, in this process: the time to open shops of 1,000 to 100,000 products, and
 * resets, steps and searches per second. Measured in CPU time, which a busy machine does not change. Beside WebShop's own
 * environment: `shop-original.ts`.
 */
import { type Task, validActionsAfter } from '../src/envs/env.ts';
import { randomAction } from '../src/envs/random-player.ts';
import { Shop } from '../src/worlds/shop/world.ts';
import { cell, cpu, cpuSeconds, type Result } from './result.ts';
import type { SearchRow } from './search.ts';

/** Episodes of random actions, with turns and seconds. */
async function playRandomly(world: Shop, tasks: readonly Task[], seconds: number) {
  const start = cpuSeconds();
  let [turns, episodes] = [0, 0];
  while (cpuSeconds() - start < seconds) {
    const [first] = await world.reset([0], [tasks[episodes % tasks.length]]);
    let listed = first.validActions!;
    for (let turn = 0, done = false; turn < 15 && !done; turn++, turns++) {
      const [answer] = await world.step([0], [randomAction(listed, 1, episodes, turn)]);
      listed = validActionsAfter(listed, answer)!;
      done = answer.done;
    }
    episodes++;
  }
  return { turns, episodes, took: cpuSeconds() - start };
}

async function shopRows(products: number, seconds: number): Promise<SearchRow[]> {
  const world = await Shop.open();
  const tasks = await world.tasks({ products, instances: 2000 }, 'train');
  const started = cpuSeconds();
  await world.reset([0], [tasks[0]]);
  const opened = cpuSeconds() - started;
  const { turns, took } = await playRandomly(world, tasks, seconds);
  const name = `${products.toLocaleString('en-US')} products`;
  await world.close();
  return [
    { name: `opening ${name}`, value: opened, unit: 's' },
    { name: `steps with ${name}`, value: turns / took, unit: 'steps/s' },
  ];
}

export async function benchShop(match?: string): Promise<Result> {
  const warm = await Shop.open();
  await warm.reset([0], await warm.tasks({ products: 100, instances: 1 }, 'train'));
  await warm.close();
  const details: SearchRow[] = [];
  for (const products of [1_000, 10_000, 100_000])
    if (!match || String(products).includes(match)) details.push(...(await shopRows(products, 2)));
  for (const { name, value, unit } of details) console.log(`${name}: ${cell(value)} ${unit}`);
  const rows = details.map(({ name, value, unit }) => [name, value, unit]);
  return { on: cpu(), adapter: null, columns: ['', 'value', 'unit'], rows, details };
}
