// The shop: oracle, pages, actions, splits, options, prices.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Feedback, type Task, validActionsAfter, type World, type WorldOptions } from '../../../src/envs/env.ts';
import { suiteTasks } from '../../../src/rl/evaluator.ts';
import { openWorld, worldModule } from '../../../src/worlds/registry.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld('shop');
});

const few = { products: 200, instances: 12, testInstances: 12 };

/** Plays the oracle's actions to the end. Returns the last answer and the actions that were not listed. */
async function solve(task: Task): Promise<{ last: Feedback; unlisted: string[] }> {
  let [feedback] = await world.reset([0], [task]);
  let listed = feedback.validActions!;
  const unlisted: string[] = [];
  for (let turns = 0; turns < 20; turns++) {
    const [plan] = await world.oracle([0]);
    if (!listed.includes(plan![0])) unlisted.push(plan![0]);
    [feedback] = await world.step([0], [plan![0]]);
    listed = validActionsAfter(listed, feedback)!;
    expect([task.id, feedback.valid]).toEqual([task.id, true]);
    if (feedback.done) return { last: feedback, unlisted };
  }
  throw new Error(`The oracle does not end task ${task.id}.`);
}

const begin = async (options: WorldOptions, id = 0) => {
  const task = { world: 'shop', id, options: { ...few, ...options }, strata: {} };
  const [first] = await world.reset([0], [task]);
  return { first, task, act: async (action: string) => (await world.step([0], [action]))[0] };
};

describe('the shop', () => {
  it.each<WorldOptions>([{}, { observation: 'brief', perPage: 4 }, { upstream: true, observation: 'rich' }])(
    'is solved by its oracle under %o',
    async (options) => {
      const tasks = [
        ...(await world.tasks({ ...few, ...options }, 'train')),
        ...(await world.tasks({ ...few, ...options }, 'test')),
      ];
      expect(tasks).toHaveLength(24);
      const results = [];
      for (const task of tasks) results.push(await solve(task));
      expect(results.map(({ last }) => last.reward)).toEqual(tasks.map(() => 1));
      // A search for the whole title is not listed; it is needed only where no listed search finds a right product.
      expect(results.filter(({ unlisted }) => unlisted.length).length).toBeLessThan(3);
    },
  );

  it('shows the pages of WebShop in both forms', async () => {
    const { first, act } = await begin({ perPage: 2 });
    expect(first.observation).toMatch(/^WebShop \[SEP\] Instruction: \[SEP\] .+ \[SEP\] Search$/);
    const results = await act('search[jackets]');
    expect(results.observation).toMatch(
      /^Instruction: \[SEP\] .+ \[SEP\] Back to Search \[SEP\] Page 1 \(Total results: \d+\) \[SEP\] Next > \[SEP\] B0T\w{7} \[SEP\] .+ \[SEP\] \$[\d.]+/,
    );
    expect(results.validActions!.slice(0, 2)).toEqual(['click[back to search]', 'click[next >]']);
    const rich = await begin({ perPage: 2, observation: 'rich' });
    expect((await rich.act('search[jackets]')).observation).toMatch(/\[button\] Next > \[button_\]\n\n\[button\] B0T/);
  });

  it('goes on, back, to sub-pages, and marks what was chosen and visited', async () => {
    const { act } = await begin({ perPage: 2, observation: 'rich' });
    const { validActions } = await act('search[jackets]');
    const item = await act(validActions!.at(-1)!);
    const option = item.validActions!.at(-1)!.slice('click['.length, -1);
    expect((await act(`click[${option}]`)).observation).toContain(`You have clicked ${option}.\n`);
    expect((await act('click[features]')).observation).toContain('Material: ');
    expect((await act('click[< prev]')).observation).toContain(`[clicked button] ${option} [clicked button_]`);
    expect((await act('click[< prev]')).observation).toMatch(/\[clicked button\] B0T\w{7} \[clicked button_\]/);
    expect((await act('click[next >]')).observation).toContain('Page 2 ');
    expect((await act('click[< prev]')).observation).toContain('Page 1 ');
    expect((await act('click[back to search]')).observation).toMatch(/^WebShop/);
  });

  it.each(['dance', 'click[nothing]', 'search[]', 'click[buy now]', 'Search[x]', 'click[search]'])(
    'refuses %j and shows the same page',
    async (action) => {
      const { first, act } = await begin({});
      expect(await act(action)).toMatchObject({ observation: first.observation, valid: false, done: false, reward: 0 });
    },
  );

  it('searches only where there is a search bar, and as upstream everywhere', async () => {
    const own = await begin({});
    await own.act('search[jackets]');
    expect(await own.act('search[lamps]')).toMatchObject({ valid: false });
    const theirs = await begin({ upstream: true });
    await theirs.act('search[jackets]');
    expect(await theirs.act('search[table lamps]')).toMatchObject({
      valid: true,
      observation: expect.stringMatching(/Lamp/),
    });
  });

  it('adds prices of options, and judges the sum', async () => {
    for (let id = 0; id < 40; id++) {
      const { act } = await begin({}, id);
      const [plan] = await world.oracle([0]);
      await act(plan![0]);
      const view = (await world.view(0)) as unknown as { listed: { press: string }[] };
      const item = await act(`click[${view.listed[0].press}]`);
      const range = /Price: \$([\d.]+) to \$([\d.]+)/.exec(item.observation);
      if (!range) continue;
      const names = (await world.view(0)) as unknown as { item: { options: { values: { value: string }[] }[] } };
      for (const { values } of names.item.options) await act(`click[${values.at(-1)!.value}]`);
      const price = /Price: \$([\d.]+) \[SEP\]/.exec((await act('click[dance]')).observation);
      expect(Number(price![1])).toBe(Number(range[2]));
      return;
    }
    throw new Error('No product has options with prices.');
  });

  it('keeps products, brands and wordings of held-out tasks apart', async () => {
    const seen = async (split: 'train' | 'test') => {
      const tasks = await world.tasks({ ...few, instances: 30, testInstances: 30 }, split);
      const firsts = await world.reset([...tasks.keys()], tasks);
      const results = await world.step(
        [...tasks.keys()],
        tasks.map(() => 'search[table lamps slim fit]'),
      );
      return {
        firsts: firsts.map(({ observation }) => observation),
        asins: results.flatMap(({ observation }) => observation.match(/B0[TH]\w{7}/g)!),
      };
    };
    const [train, test] = [await seen('train'), await seen('test')];
    expect(train.asins.every((asin) => asin.startsWith('B0T'))).toBe(true);
    expect(test.asins.every((asin) => asin.startsWith('B0H'))).toBe(true);
    const heldOut = /As a present|My last order/;
    expect(train.firsts.filter((text) => heldOut.test(text))).toEqual([]);
    expect(test.firsts.filter((text) => !heldOut.test(text))).toEqual([]);
  });

  it('has a suite of wishes that neither training nor the evaluations of a run play', async () => {
    const [suite] = worldModule('shop').suites!;
    const tasks = await suiteTasks(suite, new Map([['shop', world]]), 'shop');
    expect([tasks.length, new Set(tasks.map(suite.columnOf)).size]).toEqual([300, suite.columns.length]);
    const ids = new Set([...(await world.tasks({}, 'train')), ...(await world.tasks({}, 'test'))].map(({ id }) => id));
    expect(tasks.filter(({ id }) => ids.has(id))).toEqual([]);
    const policy = { perPage: 4, results: 8, observation: 'brief' };
    const options = { ...policy, ...suite.options };
    const few = tasks
      .filter((_, k) => k % 20 === 0)
      .map((task) => ({ ...task, options: { ...task.options, ...options } }));
    for (const task of few) expect((await solve(task)).last.reward).toBe(1);
    const texts = (await world.reset([...few.keys()], few)).map(({ observation }) => observation);
    expect(texts.every((text) => /as a present|my last order/i.test(text))).toBe(true);
  });

  it('gives the same episode for the same task, and others for another seed', async () => {
    const { first, task } = await begin({});
    expect((await world.reset([1], [task]))[0]).toEqual(first);
    const [other] = await world.reset([1], [{ ...task, options: { ...task.options, seed: 2 } }]);
    expect(other.observation).not.toBe(first.observation);
  });

  it('ends with the purchase, and has a view with its judgement', async () => {
    const { act } = await begin({});
    const [plan] = await world.oracle([0]);
    for (const action of plan!) await act(action);
    expect(await act('click[buy now]')).toMatchObject({
      valid: false,
      done: true,
      reward: 1,
      observation: 'The episode is over.',
    });
    expect((await world.oracle([0]))[0]).toBeNull();
    const view = await world.view(0);
    expect(view).toMatchObject({ kind: 'shop', place: 'done', outcome: { reward: 1, type: 1 } });
    expect(view.text).toContain('scores 1.00 of 1');
  });

  it('names a task and a shop that it does not have', async () => {
    await expect(begin({}, 2_000_000)).rejects.toThrow(/from 0 to 1999999/);
    await expect(world.tasks({ shop: 'none' }, 'train')).rejects.toThrow(/no shop named "none"/);
    await expect(world.step([77], ['x'])).rejects.toThrow(/Slot 77/);
  });
});
