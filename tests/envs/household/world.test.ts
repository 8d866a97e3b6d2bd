// The household: houses, both oracles, commands and texts, and the bounds of its memory.
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../../scripts/build-wasm.mjs';
import type { Feedback, WorldOptions } from '../../../src/envs/env.ts';
import { suiteTasks } from '../../../src/rl/evaluator.ts';
import { furnishingText, isHeldOut } from '../../../src/worlds/household/made/draw-house.ts';
import { taskKinds } from '../../../src/worlds/household/made/task-kinds.ts';
import { parseHousehold } from '../../../src/worlds/household/options.ts';
import { madeHouse } from '../../../src/worlds/household/tasks.ts';
import type { HouseholdView } from '../../../src/worlds/household/view-data.ts';
import { Household } from '../../../src/worlds/household/world.ts';
import { worldModule } from '../../../src/worlds/registry.ts';
import { fuzzedOptions, fuzzWorld } from '../../../tools/fuzz/play-small.ts';
import { play } from '../small-worlds.ts';

let world: Household;
beforeAll(async () => {
  await buildWasm();
  world = await Household.open();
});

const all = { tasks: [...taskKinds] };
const begin = async (options: WorldOptions, index = 0): Promise<Feedback> => {
  const tasks = await world.tasks(options, 'train');
  return (await world.reset([0], [tasks[index]]))[0];
};
const planOf = async () => (await world.oracle([0]))[0]!;
const viewOf = async () => (await world.view(0)) as HouseholdView;

describe('houses', () => {
  it.each(['sees', 'explores'])('of every kind are solved by an oracle that %s', async (oracle) => {
    for (const split of ['train', 'test'] as const)
      for (const task of await world.tasks({ ...all, oracle, houses: 4, testHouses: 4, sharedPlaces: 10 }, split)) {
        await world.reset([0], [task]);
        const answers = await play(world, 0, await planOf());
        expect([task.id, answers.every(({ valid }) => valid), answers.findIndex(({ done }) => done)]).toEqual([
          task.id,
          true,
          answers.length - 1,
        ]);
        expect(answers.at(-1)!.reward).toBe(1);
        const { reached, all: wanted } = (await world.inspect(0, 'subgoals')) as { reached: number; all: number };
        expect(reached).toBe(wanted);
      }
  });
  it('are held out by their furnishing, which no training house has', async () => {
    const furnishings = async (split: 'train' | 'test') => {
      const options = { ...all, houses: 30, testHouses: 20, receptacles: 8 };
      const found = new Set<string>();
      for (const { id } of await world.tasks(options, split)) {
        const house = madeHouse(id, parseHousehold(options));
        const names = [...new Set(house.rooms)];
        // A room's place in the text is its place among the drawn rooms, which for one room is the first.
        const pieces = house.receptacles.map(({ kind }, r) => ({ kind: kind!, room: names.indexOf(house.rooms![r]) }));
        const text = furnishingText(names, pieces);
        expect(isHeldOut(text)).toBe(split === 'test');
        found.add(text);
      }
      return found;
    };
    const [train, test] = [await furnishings('train'), await furnishings('test')];
    expect([...test].filter((each) => train.has(each))).toEqual([]);
    expect(train.size).toBeGreaterThan(80);
    expect(test.size).toBeGreaterThan(20);
  });
  it('of the suite are played by no training and by no evaluation of a run', async () => {
    const [suite] = worldModule('household').suites!;
    const tasks = await suiteTasks(suite, new Map([['household', world]]), 'household');
    const columns = tasks.map(suite.columnOf);
    expect(suite.columns.map((column) => columns.filter((each) => each === column).length)).toEqual(Array(6).fill(50));
    const ids = new Set([...(await world.tasks({}, 'train')), ...(await world.tasks({}, 'test'))].map(({ id }) => id));
    expect(tasks.filter(({ id }) => ids.has(id))).toEqual([]);
    const furnishings = tasks.map(({ id, options }) => {
      const { receptacles, rooms } = madeHouse(id, parseHousehold(options));
      return furnishingText(
        [rooms![0]],
        receptacles.map(({ kind }) => ({ kind: kind!, room: 0 })),
      );
    });
    expect(furnishings.filter((text) => !isHeldOut(text))).toEqual([]);
    expect(new Set(furnishings).size).toBeGreaterThan(200);
  });
  it('keep their kinds: a closed place, a second room, two conditions', async () => {
    const options = parseHousehold({ ...all, houses: 12 });
    for (const { id, strata } of await world.tasks(options, 'train')) {
      const { goal, objects, receptacles, rooms } = madeHouse(id, options);
      const targets = objects.filter(({ kind }) => kind === goal.at(-1)!.object);
      const places = targets.flatMap(({ inside }) => inside);
      if (strata.task === 'closed') expect(places.every((r) => receptacles[r].openable)).toBe(true);
      if (strata.task === 'second-room') {
        const [clause] = goal;
        const to = receptacles.findIndex(({ kind }) => clause.type === 'place' && kind === clause.receptacle);
        expect(places.every((r) => rooms![r] !== rooms![to])).toBe(true);
      }
      if (strata.task === 'both')
        expect(goal.length === 2 || (goal[0].type === 'place' && goal[0].states.length === 2)).toBe(true);
    }
  });
  it('are the same for the same seed, in a batch as alone, and others for another', async () => {
    const options = { ...all, houses: 3 };
    const tasks = await world.tasks(options, 'train');
    const other = await Household.open();
    const slots = tasks.map((_, k) => k);
    const batch = await other.reset(slots, tasks);
    for (const k of slots) expect((await world.reset([0], [tasks[k]]))[0]).toEqual(batch[k]);
    const again = await world.tasks({ ...options, seed: 2 }, 'train');
    const changed = await other.reset(slots, again);
    expect(changed.filter(({ observation }, k) => observation === batch[k].observation).length).toBeLessThan(3);
  });
});

describe('playing', () => {
  it('offers the commands of the original, sorted, or only those that act', async () => {
    const { validActions } = await begin({ tasks: ['heat'] });
    expect(validActions).toContain('help');
    expect(validActions).toEqual([...validActions!].sort());
    expect(validActions!.filter((each) => !each.startsWith('go to '))).toEqual(['help', 'inventory', 'look']);
    const acting = await begin({ tasks: ['heat'], commands: 'acting', dialect: 'put' });
    expect(acting.validActions!.every((each) => each.startsWith('go to '))).toBe(true);
    const [answer] = await world.step([0], ['look']);
    expect([answer.valid, answer.validActions]).toEqual([true, null]);
    expect((await world.step([0], ['help']))[0]).toMatchObject({ valid: false, observation: 'Nothing happens.' });
  });
  it('refuses commands that are not exactly written, and strips the space around them', async () => {
    await begin({ tasks: ['heat'] });
    for (const text of [
      'go to Fridge 1',
      'go to  fridge 1',
      'goto fridge 1',
      'fridge 1',
      'go to fridge 2',
      'take x from y',
      '',
    ])
      expect((await world.step([0], [text]))[0]).toEqual({
        observation: 'Nothing happens.',
        reward: 0,
        done: false,
        valid: false,
        validActions: null,
      });
    expect((await world.step([0], ['\u2003go to fridge 1\n']))[0].observation).toBe(
      'You arrive at fridge 1. The fridge 1 is closed.',
    );
  });
  it('rewards subgoals with half of their share, if asked, and the end with 1', async () => {
    await begin({ tasks: ['heat'], partial: true });
    const rewards = (await play(world, 0, await planOf())).map(({ reward }) => reward);
    expect(rewards.at(-1)).toBe(1);
    expect([...new Set(rewards)]).toEqual([0, 0.5 / 3, 1 / 3, 1]);
    expect((await world.step([0], ['look']))[0]).toMatchObject({ reward: 0, done: true, valid: false });
  });
  it('has a brief form with the same facts', async () => {
    const start = await begin({ tasks: ['heat'], observation: 'brief' });
    expect(start.observation).toMatch(/^task: .*\nplaces: (\w+ \d+, )+\w+ \d+$/);
    const answers = await play(world, 0, ['go to fridge 1', 'open fridge 1', 'close fridge 1', 'inventory']);
    expect(answers.map(({ observation }) => observation)).toEqual([
      'fridge 1 closed',
      expect.stringMatching(/^fridge 1: (nothing|\w+ \d+(, \w+ \d+)*)$/),
      'fridge 1 closed',
      'holding nothing',
    ]);
  });
  it('shows what the agent has seen', async () => {
    await begin({ tasks: ['heat'] });
    const before = await viewOf();
    expect(before.rooms.flatMap(({ places }) => places).filter(({ seen }) => seen)).toEqual([]);
    expect(before.subgoals.map(({ text }) => text.split(' ')[0])).toEqual(['take', 'heat', 'place']);
    await play(world, 0, await planOf());
    const after = await viewOf();
    expect([after.won, after.subgoals.every(({ done }) => done)]).toEqual([true, true]);
    expect(after.text).toContain('The task is done.');
  });
  it('refuses options and tasks out of range', async () => {
    await expect(world.tasks({ receptacles: 7 }, 'train')).rejects.toThrow(/options\.receptacles.*at least 8/s);
    await expect(world.tasks({ tasks: ['fly'] }, 'train')).rejects.toThrow(/options\.tasks/);
    const [task] = await world.tasks({}, 'train');
    for (const id of [-1, 0.5, 15]) await expect(world.reset([0], [{ ...task, id }])).rejects.toThrow(/no task/);
    await expect(world.step([99], ['look'])).rejects.toThrow(/World 99 has not begun/);
  });
  it('answers any text', async () => {
    const report = await fuzzWorld(world, fuzzedOptions.household, 4000, 3);
    expect(report.problems).toEqual([]);
    expect(report.valid).toBeGreaterThan(1000);
  });
  it('keeps its memory bounded over many episodes', async () => {
    const fresh = await Household.open();
    const slots = Array.from({ length: 32 }, (_, k) => k);
    const round = async (seed: number) => {
      const tasks = (await fresh.tasks({ ...all, houses: 4, seed, receptacles: 8 + (seed % 4) }, 'train')).slice(0, 32);
      await fresh.reset(slots, tasks);
      await fresh.oracle(slots);
      await fresh.step(
        slots,
        slots.map(() => 'look'),
      );
    };
    for (let seed = 0; seed < 4; seed++) await round(seed);
    const settled = fresh.memoryBytes();
    for (let seed = 4; seed < 12; seed++) await round(seed);
    expect(fresh.memoryBytes()).toBe(settled);
  });
});
