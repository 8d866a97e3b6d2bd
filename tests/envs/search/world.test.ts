import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task, WorldOptions } from '../../../src/envs/env.ts';
import { randomAction } from '../../../src/envs/random-player.ts';
import { worldModule } from '../../../src/worlds/registry.ts';
import { searchDescription } from '../../../src/worlds/search/description.ts';
import { firstTestUniverse, Search } from '../../../src/worlds/search/world.ts';
import { fuzzSearch } from '../../../tools/fuzz/play-search.ts';
import { replaySearch } from '../../../tools/replay/search.ts';
import { goldenFolder, hasGolden } from './golden.ts';

let world: Search;
beforeAll(async () => {
  world = await Search.open();
});
afterAll(() => world.close());

const task = (id: number, options: WorldOptions = {}): Task => ({ world: 'search', id, options, strata: {} });
const start = async (id: number, options: WorldOptions = {}) => (await world.reset([0], [task(id, options)]))[0];
const say = async (action: string) => (await world.step([0], [action]))[0];
const planOf = async () => (await world.oracle([0]))[0]!;
const chain = { hops: [2], documents: 1 };

describe('tasks', () => {
  it('number universes and questions; held-out universes are others', async () => {
    const options = { universes: 3, testUniverses: 2, questions: 4, hops: [1, 3] };
    const train = await world.tasks(options, 'train');
    const test = await world.tasks(options, 'test');
    expect(train.map(({ id }) => id)).toEqual(Array.from({ length: 12 }, (_, k) => k));
    expect(test.map(({ id }) => id)).toEqual(Array.from({ length: 8 }, (_, k) => firstTestUniverse * 4 + k));
    expect(train.slice(0, 4).map(({ strata }) => strata.hops)).toEqual([1, 3, 1, 3]);
    expect((await world.tasks({}, 'test')).at(-1)!.id).toBeLessThan(2 ** 31);
  });
  it('refuses options out of range by path and bound', async () => {
    await expect(world.tasks({ articles: 19 }, 'train')).rejects.toThrow(/options\.articles: must be at least 20/);
    await expect(world.tasks({ hops: [5] }, 'train')).rejects.toThrow(/options\.hops\.0: must be at most 4/);
    await expect(world.tasks({ depth: 1 }, 'train')).rejects.toThrow(/no such option/);
  });
  it('are the same each time, whatever was played before', async () => {
    const first = await start(7, chain);
    for (const action of await planOf()) await say(action);
    await start(8, { ...chain, seed: 3 });
    expect(await start(7, chain)).toEqual(first);
  });
});

describe('words left out', () => {
  const short = { ...chain, omitted: 50 };
  const wordsOf = (text: string) => text.trim().split(/\s+/);

  it('are missing from a training question, and the rest is in order', async () => {
    let [left, all] = [0, 0];
    for (let id = 0; id < 40; id++) {
      const whole = await start(id, chain);
      const asked = await start(id, short);
      const words = wordsOf(whole.observation);
      let place = 0;
      for (const word of wordsOf(asked.observation)) place = words.indexOf(word, place) + 1 || Number.NaN;
      expect(place).not.toBeNaN();
      expect(asked.validActions).toEqual(whole.validActions);
      all += words.length;
      left += words.length - wordsOf(asked.observation).length;
    }
    // Half of the words, without names and the last one.
    expect(left / all).toBeGreaterThan(0.2);
    expect(left / all).toBeLessThan(0.5);
  });
  it('change no answer: the oracle, which reads the whole question, is right', async () => {
    await start(5, short);
    const answers = [];
    for (const action of await planOf()) answers.push(await say(action));
    expect(answers.at(-1)).toMatchObject({ reward: 1, done: true });
  });
  it('are never missing from a held-out question', async () => {
    const held = firstTestUniverse * 20 + 3;
    expect(await start(held, short)).toEqual(await start(held, chain));
  });
});

describe('an episode', () => {
  it('is won by the oracle with one search per hop and an answer', async () => {
    for (let id = 0; id < 20; id++) {
      const started = await start(id, chain);
      expect(started).toMatchObject({ reward: 0, done: false, valid: true });
      const plan = await planOf();
      expect(plan).toHaveLength(3);
      let last = started;
      for (const [k, action] of plan.entries()) {
        last = await say(action);
        expect(last.done).toBe(k === plan.length - 1);
      }
      expect(last).toMatchObject({ reward: 1, done: true, observation: 'Right.' });
    }
  });
  it('offers searches for seen names and answers with seen texts', async () => {
    const { validActions } = await start(0, chain);
    expect(validActions).toHaveLength(2);
    const [search] = await planOf();
    expect(validActions).toContain(search);
    const shown = await say(search);
    expect(shown.validActions!.length).toBeGreaterThan(4);
    for (const action of shown.validActions!) {
      const [, name] = /^(?:search|answer) (.+)$/.exec(action)!;
      expect(shown.observation + (await world.view(0)).text).toContain(name);
    }
    expect((await say('dance')).validActions).toBeNull();
  });
  it.each([
    ['first-answer', true],
    ['retry', false],
  ])('with ending %s, a wrong answer ends it: %s', async (ending, done) => {
    await start(1, { ...chain, ending });
    expect(await say('answer nobody')).toMatchObject({ reward: 0, done, valid: true, observation: 'Wrong.' });
  });
  it('with ending search-r1, the third reply is the last and searches no more', async () => {
    await start(1, { ...chain, ending: 'search-r1' });
    const plan = await planOf();
    expect((await say('nonsense')).done).toBe(false);
    expect((await say(plan[0])).done).toBe(false);
    expect(await say(plan[1])).toMatchObject({ reward: 0, done: true });
    expect((await world.view(0)) as object).toMatchObject({ searches: [{}], right: false });
  });
  it('reports that it is over', async () => {
    await start(1, chain);
    await say('answer nobody');
    expect(await say('answer nobody')).toMatchObject({ done: true, valid: false, observation: 'The episode is over.' });
  });
  it('understands tags, and treats no query as FTS5 syntax', async () => {
    await start(2, chain);
    expect(await say('<think>hm</think> <search> NEAR("a" OR *:b </search>')).toMatchObject({
      valid: true,
      done: false,
    });
    const thought = '<think>maybe <answer>nobody</answer></think><search>Mira</search>';
    expect(await say(thought)).toMatchObject({ valid: true, done: false });
    expect(await say('search: "')).toMatchObject({ valid: true, observation: 'Nothing was found.' });
    expect(await say('search')).toMatchObject({ valid: false });
  });
  it('shows the chain of evidence as it is found', async () => {
    await start(3, chain);
    const plan = await planOf();
    expect(await world.view(0)).toMatchObject({
      kind: 'search',
      hops: 2,
      chain: [{ title: '' }, { title: '' }],
      golds: [],
    });
    await say(plan[0]);
    const view = await world.view(0);
    expect(view).toMatchObject({ chain: [{ found: true }, { found: false, title: '' }], answer: null, right: null });
    await say('answer nobody');
    expect(await world.view(0)).toMatchObject({ answer: 'nobody', right: false });
  });
  it("keeps AgentGym's texts under upstream, and continues after a wrong answer", async () => {
    const { observation, validActions } = await start(4, { upstream: true });
    expect(observation).toMatch(/\n\n Question: .+\?$|\n\n Question: .+\.$/);
    expect(validActions![0]).toMatch(/^<search>.+<\/search>$/);
    expect((await say('<answer>nobody</answer>')).observation).toBe(
      'Sorry, your answer is incorrect. Please try again.',
    );
    for (const action of await planOf()) await say(action);
    expect(await world.view(0)).toMatchObject({ right: true });
  });
});

it("finds the action in a language model's reply", () => {
  const { reply } = worldModule('search');
  expect(reply!('Thought: hm\nAction:\nsearch Mira Tolson</s>')).toEqual({ action: 'search Mira Tolson' });
  expect(reply!('<think>Action: look</think><search>Mira</search>').action).toBe(
    '<think>Action: look</think><search>Mira</search>',
  );
  expect(reply!('answer 1204')).toEqual({ action: 'answer 1204' });
});

it("has its own instruction unless a person's replaces it, which may be empty", () => {
  expect(searchDescription.under!({})).toEqual({});
  expect(searchDescription.under!({ instruction: '' })).toEqual({ instruction: '' });
});

describe('an aborted call', () => {
  it('rejects with the reason, and the world can be reset', async () => {
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    await start(0, chain);
    await expect(world.reset([0], [task(0, chain)], signal)).rejects.toBe(reason);
    await expect(world.step([0], ['search Mira'], signal)).rejects.toBe(reason);
    expect((await start(0, chain)).done).toBe(false);
  });
});

describe('many worlds', () => {
  it('are the same in one batch and alone', async () => {
    const slots = Array.from({ length: 16 }, (_, k) => k);
    const tasks = slots.map((k) => task(5 * k, { universes: 10, documents: 1 + (k % 3) }));
    const starts = await world.reset(slots, tasks);
    const actions = starts.map(({ validActions }, k) => randomAction(validActions!, 1, k, 0));
    const batched = await world.step(slots, actions);
    for (const k of slots) {
      const other = await Search.open();
      expect((await other.reset([0], [tasks[k]]))[0]).toEqual(starts[k]);
      expect((await other.step([0], [actions[k]]))[0]).toEqual(batched[k]);
      await other.close();
    }
  });
  it('answer 2,000 random strings in the right form', async () => {
    const { problems, actions } = await fuzzSearch(world, 2000, 1);
    expect(problems).toEqual([]);
    expect(actions).toBeGreaterThanOrEqual(2000);
  });
  it('are cached up to a limit: old universes are dropped, and their episodes continue', async () => {
    const small = new Search(undefined, 200);
    await small.reset([0], [task(0)]);
    const [plan] = await small.oracle([0]);
    for (let k = 1; k < 12; k++) {
      await small.reset([1], [task(20 * k)]);
      await small.step([1], ['search Mira']);
    }
    for (const action of plan!) await small.step([0], [action]);
    expect(await small.view(0)).toMatchObject({ right: true });
    await small.close();
  });
});

describe('universes of one batch', () => {
  it('stay open, also if they are more than the limit', async () => {
    const small = new Search(undefined, 200);
    await small.reset([0], [task(0)]);
    await small.step([0], ['search Mira']);
    await small.reset([0], [task(400)]);
    const slots = Array.from({ length: 12 }, (_, k) => k);
    await small.reset(
      slots,
      slots.map((k) => task(20 * k)),
    );
    const plans = await small.oracle(slots);
    for (const [slot, plan] of plans.entries()) for (const action of plan!) await small.step([slot], [action]);
    for (const slot of slots) expect(await small.view(slot)).toMatchObject({ right: true });
    await small.close();
  });
});

it.for(['episodes', 'search-r1', 'scoring'])('agrees with the recorded %s', async (name, { skip }) => {
  if (!hasGolden()) skip(`no recordings at ${goldenFolder}/search (TABGYM_GOLDEN names the folder)`);
  const { agree, total, first } = await replaySearch(`${goldenFolder}/search/${name}.jsonl.gz`);
  expect(first).toBeNull();
  expect(total).toBeGreaterThan(0);
  expect(agree).toBe(total);
});
