// What a world pays a try, beside what it tells a newcomer: a world without a sentence of its own pays 1 or 0.
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { Random } from '../../src/envs/random.ts';
import { openWorld, worldModules } from '../../src/worlds/registry.ts';

beforeAll(() => buildWasm());

/** Tries in turn: a random player's, the oracle's, and the oracle's without its end. */
const players = [
  { oracle: false, turns: 12 },
  { oracle: true, turns: 12 },
  { oracle: true, turns: 2 },
];

/** Last rewards of a few training tasks. */
async function lastRewards(name: string): Promise<number[]> {
  const world = await openWorld(name);
  const random = new Random(7);
  const tasks = await world.tasks({}, 'train');
  const rewards: number[] = [];
  for (let attempt = 0; attempt < 24; attempt++) {
    const { oracle, turns } = players[attempt % players.length];
    let [feedback] = await world.reset([0], [random.pick(tasks)]);
    for (let turn = 0; turn < turns && !feedback.done; turn++) {
      const [plan] = oracle ? await world.oracle([0]) : [null];
      [feedback] = await world.step([0], [plan?.[0] ?? random.pick(feedback.validActions ?? ['wait'])]);
    }
    rewards.push(feedback.reward);
  }
  await world.close();
  return rewards;
}

/** Worlds that play here; a world whose code the user writes has no task of its own. */
const played = worldModules.filter(({ connection, codeOptions }) => connection.kind === 'wasm' && !codeOptions);

describe.each(played.map((module) => [module.name, module] as const))('%s', (name, { pays }) => {
  it(`pays ${pays ? 'as its sentence says, and not 1 or 0 alone' : '1 or 0'}`, { timeout: 120_000 }, async () => {
    const others = (await lastRewards(name)).filter((reward) => reward !== 0 && reward !== 1);
    if (pays) expect(others).not.toEqual([]);
    else expect(others).toEqual([]);
  });
});
