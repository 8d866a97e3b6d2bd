/**
 * AgentGym's protocol: replays recordings of its servers against ours, and tests the cases that the recordings lack.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openWorld } from '../../src/worlds/registry.ts';
import { Search } from '../../src/worlds/search/world.ts';
import { readServed, replayRecords, replayServed, type ServedRecord } from '../../tools/replay/served.ts';
import { goldenFolder, hasGolden } from '../envs/helpers.ts';
import { hasWorlds } from '../worlds.ts';
import { get, post, startServer } from './helpers.ts';

/** Recorded requests to the servers whose worlds are in this build; AgentGym serves Maze and Wordle as `lmrlgym`. */
const fixture = (
  JSON.parse(readFileSync(new URL('fixtures/agentgym.json', import.meta.url), 'utf8')) as ServedRecord[]
).filter(({ server }) => server !== 'lmrlgym' || hasWorlds('maze', 'wordle'));

/** As many items as the original, all empty. */
class EmptySearch extends Search {
  override async tasks(options: object, split: string) {
    const count = split === 'train' ? 221_328 : 0;
    return Array.from({ length: count }, (_, id) => ({ world: 'search', id, options: { ...options }, strata: {} }));
  }
}
const emptySource = {
  retriever: { retrieve: async () => [], close: async () => {} },
  question: () => ({ text: '?', golds: [], hops: null, evidence: [] }),
  namedBy: () => [],
  mentionsOf: () => [],
};

describe('recorded requests', () => {
  test('are answered as recorded (a small part of them, by hashes)', async () => {
    const open = (name: string) =>
      name === 'search' ? Promise.resolve(new EmptySearch(async () => emptySource)) : openWorld(name);
    const { differences, agree, total } = await replayRecords(fixture, open);
    expect(differences).toEqual([]);
    expect(total).toBeGreaterThan(hasWorlds('maze', 'wordle') ? 300 : 100);
    expect(agree).toBe(total);
  });

  test('make a wrong answer show up as a difference', async () => {
    const [record] = fixture;
    const wrong = { ...record, exchanges: [{ ...record.exchanges[0], hash: '0123456789abcdef' }] };
    const { agree, total } = await replayRecords([wrong], openWorld);
    expect([agree, total]).toEqual([0, 1]);
  });

  test.skipIf(!hasGolden('agentgym')).each(['textcraft', 'searchqa', 'lmrlgym'])(
    'are answered as recorded: all of %s',
    async (name) => {
      const file = resolve(goldenFolder, `agentgym/${name}.jsonl.gz`);
      const { differences, agree, total } = await replayServed(file);
      expect(differences).toEqual([]);
      expect(agree).toBe(total);
      expect(total).toBe(readServed(file).reduce((sum, { exchanges }) => sum + exchanges.length, 0));
    },
  );
});

describe.skipIf(!hasWorlds('babyai'))('BabyAI', () => {
  test('gives the goal in the first text and on request, not in a step; adds up the score; refuses steps of a finished task', async () => {
    const server = await startServer(['babyai']);
    expect((await get(server, '/')).json).toBe('This is environment BabyAI.');
    expect((await post(server, '/create')).json).toEqual({ id: 0 });
    expect((await get(server, '/observation?id=0')).json).toEqual({
      observation: 'Environment not initialized',
      reward: 0,
      score: 0,
      done: false,
      deleted: false,
    });
    const start = (await post(server, '/reset', { id: 0, data_idx: 0 })).json;
    expect(Object.keys(start).sort()).toEqual(['deleted', 'done', 'observation', 'reward', 'score']);
    expect(start.observation).toMatch(
      /^Your goal: go to the red ball\nIn front of you.*\nAvailable actions: \["turn left",/,
    );
    const turned = (await post(server, '/step', { id: 0, action: 'turn left' })).json;
    expect(Object.keys(turned).sort()).toEqual(['done', 'observation', 'reward', 'score']);
    expect(turned.observation).not.toContain('Your goal');
    const shown = (await get(server, '/observation?id=0')).json;
    expect(shown.observation).toBe(`Your goal: go to the red ball\n${turned.observation}`);
    await post(server, '/step', { id: 0, action: 'turn right' });
    const won = (await post(server, '/step', { id: 0, action: 'go to red ball 1' })).json;
    expect(won).toMatchObject({ done: true, score: won.reward });
    expect(won.reward).toBeGreaterThan(0.5);
    expect((await post(server, '/step', { id: 0, action: 'drop' })).json).toEqual({
      error: 'The task with environment 0 has finished.',
    });
    expect((await post(server, '/reset', { id: 0, data_idx: -1 })).json.error).toMatch(/Seed/);
    expect((await post(server, '/close', { id: 0 })).json).toBe(true);
    expect((await post(server, '/close', { id: 0 })).json).toBe(false);
    await server.close();
  });

  test('item n is level n % 40 + 1 with seed n // 40, as upstream counts', async () => {
    const server = await startServer(['babyai']);
    await post(server, '/create');
    const [world] = [await openWorld('babyai')];
    const item = 45 * 40 + 2;
    const [direct] = await world.reset([0], [{ world: 'babyai', id: item, options: { upstream: true }, strata: {} }]);
    expect((await post(server, '/reset', { id: 0, data_idx: item })).json.observation).toBe(direct.observation);
    await server.close();
  });
});

describe.skipIf(!hasWorlds('sciworld'))('ScienceWorld', () => {
  test('separates task and text; gives the score in points and its increase; distinguishes deleted from unknown ids', async () => {
    const server = await startServer(['sciworld']);
    await post(server, '/create');
    expect((await post(server, '/step', { id: 0, action: 'look around' })).json.error).toMatch(/reset/);
    const start = (await post(server, '/reset', { id: 0, data_idx: 3 })).json;
    expect(start).toMatchObject({ task_name: 'boil', var_num: 3, reward: 0, score: 0, deleted: false, done: false });
    expect(start.task_description).toMatch(/^Your task is to boil water/);
    expect(start.observation).toMatch(/^This outside location/);
    const opened = (await post(server, '/step', { id: 0, action: 'open door to kitchen' })).json;
    expect(opened).toEqual({ observation: 'The door is now open.', reward: 3, score: 3, done: false });
    const waited = (await post(server, '/step', { id: 0, action: 'wait1' })).json;
    expect(waited).toMatchObject({ reward: 0, score: 3 });
    const failed = (await post(server, '/step', { id: 0, action: 'focus on axe' })).json;
    expect(failed).toMatchObject({ reward: -103, score: -100, done: true });
    expect((await post(server, '/step', { id: 0, action: 'wait1' })).json.error).toMatch(/has finished/);
    expect((await post(server, '/reset', { id: 0, data_idx: -1 })).json.task_name).toBe('identify-life-stages-2');
    expect((await post(server, '/reset', { id: 0, data_idx: 4639 })).json.error).toBe('list index out of range');
    const { possible_actions, possible_objects } = (await get(server, '/action_hint?id=0')).json;
    expect(possible_actions).toContain('open OBJ');
    expect(possible_objects).toContain('agent');
    expect((await get(server, '/state?id=0')).json).toMatchObject({ current_moves: 0 });
    expect(
      (await post(server, '/step_visual', { id: 0, action: 'Thought: x\nAction: look around</s>' })).json,
    ).toMatchObject({
      inventory: expect.stringContaining('In your inventory'),
      done: false,
    });
    expect((await post(server, '/close', { id: 0 })).json).toBe(true);
    expect((await post(server, '/step', { id: 0, action: 'wait1' })).json.error).toMatch(/has been deleted/);
    expect((await post(server, '/step', { id: 1, action: 'wait1' })).json.error).toBe('The id 1 is not valid.');
    expect((await post(server, '/close', { id: 1 })).status).toBe(500);
    await server.close();
  });
});

describe.skipIf(!hasWorlds('wordle'))('Wordle', () => {
  test('takes a seed of any size', async () => {
    const server = await startServer(['lmrlgym']);
    for (const id of [0, 1]) await post(server, '/wordle/create').then(({ json }) => expect(json).toEqual({ id }));
    const seeds = ['123456789012345678901234567890', '-123456789012345678901234567890'];
    const games: string[][] = [];
    for (const [id, seed] of seeds.entries()) {
      const payload = `{"id": ${id}, "seed": ${seed}}`;
      const headers = { 'content-type': 'application/json' };
      const reset = await server.app.inject({ method: 'POST', url: '/wordle/reset', headers, payload });
      expect(reset.json()).toEqual({ id, observation: "Let's start Wordle!" });
      const observations: string[] = [];
      for (const action of ['panic', 'solar', 'shire'])
        observations.push((await post(server, '/wordle/step', { id, action })).json.observation);
      games.push(observations);
    }
    // Python seeds its generator with the absolute value.
    expect(games[0]).toEqual(games[1]);
    await server.close();
  });
});

describe.skipIf(!hasWorlds('web'))('the web', () => {
  test('gives page and objective at a reset and the whole text on request; finds the action in the reply; reports a failed reset', async () => {
    const server = await startServer(['webarena']);
    expect((await post(server, '/create')).json).toEqual({ env_idx: 0 });
    const start = (await post(server, '/reset', { env_idx: 0, seed: 0, idx: 0 })).json;
    expect(start.observation).toMatch(/^Tab 0 \(current\): .*\n\n\[\d+\] RootWebArea/);
    const text = (await get(server, '/observation?env_idx=0')).json;
    expect(text).toBe(
      `OBSERVATION:\n${start.observation}\nURL: ${/URL: (.*)/.exec(text)![1]}\nOBJECTIVE: ${start.object}\nPREVIOUS ACTION: None`,
    );
    const unread = (await post(server, '/step', { env_idx: 0, action: 'click [1]' })).json;
    expect(unread).toMatchObject({ observation: expect.stringMatching(/^Cannot parse action/), terminated: false });
    const stopped = (await post(server, '/step', { env_idx: 0, action: 'I am done: ```stop [nothing]```' })).json;
    expect(stopped).toMatchObject({ terminated: true, truncated: false, reward: 0 });
    expect((await post(server, '/reset', { env_idx: 0, seed: 0, idx: -1 })).json).toEqual({
      object: 'Error',
      observation: 'TimeoutError',
      sites: 'Error',
    });
    expect((await post(server, '/close', { env_idx: 0 })).json).toEqual({ closed: 'closed' });
    expect((await post(server, '/close', { env_idx: 0 })).json.closed).toMatch(/Error/);
    await server.close();
  });
});

describe('several worlds on one port', () => {
  test('have their own name and that of their server upstream, with ids of their own', async () => {
    const server = await startServer([]);
    const { worlds } = (await get(server, '/')).json;
    expect(worlds).toContain('textcraft');
    expect((await post(server, '/textcraft/create', {})).json.id).toBe(0);
    if (hasWorlds('babyai')) expect((await post(server, '/babyai/create')).json.id).toBe(0);
    expect((await post(server, '/search/create', { id: 0 })).json).toBe(0);
    expect((await post(server, '/searchqa/create', { id: 0 })).json).toBe(1);
    expect((await get(server, '/textcraft/')).json).toBe('This is environment TextCraft.');
    expect((await post(server, '/create', {})).status).toBe(404);
    await server.close();
  });

  test('an unknown world is refused by name', async () => {
    await expect(startServer(['nowhere'])).rejects.toThrow(/no world "nowhere".*textcraft/);
  });
});
