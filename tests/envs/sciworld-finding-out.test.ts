// The oracle that finds out: every thing it names appeared in a text before, and its answers follow from those texts.
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { Players } from '../../src/rl/episode/players.ts';
import { investigationPlans } from '../../src/worlds/sciworld/investigation-plans.ts';
import { sciworldSuites } from '../../src/worlds/sciworld/suites.ts';
import { SciWorld } from '../../src/worlds/sciworld/world.ts';

beforeAll(() => buildWasm());

const names = Object.keys(investigationPlans);
const optionsOf = (name: string) => ({ tasks: [name], validActions: false, oracle: 'finds out' });

interface Turn {
  action: string;
  /** All text shown before the action. */
  read: string;
}

/** Plays some training variations of a task with the oracle. */
async function played(name: string, count: number): Promise<{ id: number; reward: number; turns: Turn[] }[]> {
  const world = await SciWorld.open();
  const all = await world.tasks(optionsOf(name), 'train');
  const episodes = [];
  for (const task of all.filter((_, k) => k % Math.ceil(all.length / count) === 0)) {
    let [feedback] = await world.reset([0], [task]);
    let read = feedback.observation;
    const [plan] = await world.oracle([0]);
    const turns: Turn[] = [];
    for (const action of plan ?? []) {
      turns.push({ action, read });
      [feedback] = await world.step([0], [action]);
      read += `\n${feedback.observation}`;
    }
    episodes.push({ id: task.id, reward: feedback.reward, turns });
  }
  return episodes;
}

describe('the oracle that finds out', () => {
  it.each(names)('solves %s within 30 turns', async (name) => {
    for (const { id, reward, turns } of await played(name, 24)) {
      expect([id, reward]).toEqual([id, 1]);
      expect(turns.length).toBeLessThanOrEqual(30);
    }
  });

  it.each(['find-animal', 'find-living-thing'])('names an animal in %s as the room lists it', async (name) => {
    for (const { id, turns } of await played(name, 24)) {
      const focused = turns.filter(({ action }) => action.startsWith('focus on '));
      expect(focused.length).toBeGreaterThan(0);
      for (const { action, read } of focused)
        expect(
          read.split('\n').map((line) => line.trim()),
          `${id}`,
        ).toContain(`a ${action.slice(9)}`);
    }
  });

  it.each(names)('names in %s only things that appeared in a text before', async (name) => {
    for (const { id, turns } of await played(name, 12)) {
      for (const { action, read } of turns) {
        const thing =
          /^(?:focus on|pick up|connect .* to|look at) (?:cathode in |anode in )?(.+?)(?: in .*| terminal \d)?$/;
        const name = thing.exec(action)?.[1];
        // The poles of a battery and the product of a mixture are known from physics, not from the room.
        if (name === undefined || name === 'battery cathode') continue;
        for (const word of name.toLowerCase().split(' '))
          expect(read.toLowerCase(), `${id}: ${action}`).toContain(word);
      }
    }
  });

  it('chooses the box by the lamp for every thing: the box for conductors if it is on, else the other', async () => {
    let [on, off] = [0, 0];
    for (const name of ['test-conductivity', 'test-conductivity-of-unknown-substances'])
      for (const { id, turns } of await played(name, 40)) {
        const { action, read } = turns[turns.length - 1];
        if (read.includes('if water is')) continue;
        const [conductive, other] = [...read.matchAll(/place it in the (\w+ box)/g)].map((m) => m[1]);
        const lit = /light bulb, which is (on|off)/.exec(read.split('\n').at(-1)!)![1] === 'on';
        expect(action.endsWith(`to ${lit ? conductive : other}`), `${id}: ${action}`).toBe(true);
        if (lit) on++;
        else off++;
      }
    expect(Math.min(on, off)).toBeGreaterThan(10);
  });

  it.each(['measure-melting-point-known-substance', 'measure-melting-point-unknown-substance'])(
    'measures in %s before it answers, unless the state at room temperature is enough',
    async (name) => {
      let measurable = 0;
      const episodes = await played(name, 60);
      for (const { id, turns } of episodes) {
        // In a cup that blocks the cold, measuring takes too many moves, so the oracle that knows gives the answer.
        if (!turns.some(({ action }) => action === 'pick up thermometer')) continue;
        measurable++;
        const { read } = turns.at(-1)!;
        const bound = Number(/is above (-?[\d.]+) degrees/.exec(read)![1]);
        const liquid = read.includes("You can't pick up a liquid");
        const room = Number(/thermometer, currently reading a temperature of (-?\d+)/.exec(read)![1]);
        const measured = turns.some(({ action }) => action.startsWith('use thermometer'));
        expect([id, measured]).toEqual([id, liquid ? bound < room : bound > room]);
      }
      expect(measurable).toBeGreaterThan(0.97 * episodes.length);
    },
  );

  it('leaves the other tasks to the oracle that knows', async () => {
    const world = await SciWorld.open();
    const plans = [];
    for (const oracle of ['knows', 'finds out']) {
      const tasks = await world.tasks({ ...optionsOf('use-thermometer'), oracle }, 'train');
      await world.reset([0], tasks.slice(0, 1));
      plans.push((await world.oracle([0]))[0]);
    }
    expect(plans[1]).toEqual(plans[0]);
  });
});

describe('the oracle that guesses', () => {
  /** Plans of the oracles that know and guess for 60 variations, and how many the guesses solve. */
  async function guessedOn(name: string) {
    const world = await SciWorld.open();
    const plansOf = async (oracle: string) => {
      const tasks = (await world.tasks({ tasks: [name], validActions: false, oracle }, 'train')).slice(0, 60);
      const slots = tasks.map((_, k) => k);
      await world.reset(slots, tasks);
      return { slots, plans: await world.oracle(slots) };
    };
    const known = await plansOf('knows');
    const { slots, plans } = await plansOf('guesses');
    const rewards = [];
    for (const slot of slots) {
      let reward = 0;
      for (const action of plans[slot]!) reward = (await world.step([slot], [action]))[0].reward;
      rewards.push(reward);
    }
    return { known: known.plans, plans, solved: rewards.filter((reward) => reward === 1).length };
  }

  it.each(['use-thermometer', 'test-conductivity', 'measure-melting-point-known-substance'])(
    'draws the answer of %s, and otherwise acts like the oracle that knows',
    async (name) => {
      const { known, plans, solved } = await guessedOn(name);
      // The number of heads in 60 throws of a fair coin is outside this range in 3 of 10,000 cases.
      expect(solved).toBeGreaterThanOrEqual(16);
      expect(solved).toBeLessThanOrEqual(44);
      plans.forEach((plan, k) => {
        const other = plan!.filter((action, i) => action !== known[k]![i]);
        expect([plan!.length, other.length <= 1]).toEqual([known[k]!.length, true]);
        for (const action of other) expect(action).toMatch(/ box$/);
      });
      expect((await guessedOn(name)).plans).toEqual(plans);
    },
  );

  it('has nothing to draw if there is one box', async () => {
    const { known, plans, solved } = await guessedOn('find-plant');
    expect(plans).toEqual(known);
    expect(solved).toBe(60);
  });

  it('gives a suite the success rate of guessing', async () => {
    const [{ guesses, options, turns, ids }] = sciworldSuites;
    const world = await SciWorld.open();
    const all = await world.tasks(options, 'test');
    const tasks = ids!.map((id) => all.find((task) => task.id === id)!);
    const players = new Players(new Map([['sciworld', world]]), 1, false);
    const rate = (played: readonly { success: boolean }[]) => played.filter(({ success }) => success).length / 200;
    expect(await players.guesses({ turns }, tasks)).toBeNull();
    const [knows, guess] = [await players.oracle(tasks, turns), await players.guesses({ guesses, turns }, tasks)];
    expect(rate(knows)).toBeGreaterThan(0.9);
    // Two in three of these tasks ask for one of two boxes.
    expect(rate(guess!)).toBeGreaterThan(0.5);
    expect(rate(guess!)).toBeLessThan(0.8);
  });
});

it('the suite for tuning shares no variation with the test set or with training', async () => {
  const world = await SciWorld.open();
  const [test, dev] = sciworldSuites;
  expect(dev.ids!.length).toBe(test.ids!.length);
  expect(dev.columns).toEqual(test.columns);
  const idsOf = async (split: 'train' | 'test', options: object) =>
    new Set((await world.tasks({ ...dev.options, ...options }, split)).map(({ id }) => id));
  const [evaluated, train, held] = [
    await idsOf('test', {}),
    await idsOf('train', {}),
    await idsOf('test', { heldOut: 'test' }),
  ];
  for (const id of dev.ids!)
    expect([id, evaluated.has(id), train.has(id), held.has(id)]).toEqual([id, true, false, false]);
});
