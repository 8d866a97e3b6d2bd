/**
 * A model behind an API: requests and failures of its client, episodes as messages, and the kind of policy in an
 * evaluation.
 */
import { describe, expect, test } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import type { Feedback, World } from '../../src/envs/env.ts';
import type { WorldSuite } from '../../src/envs/suite.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { apiPolicy } from '../../src/experiment/policies/api.ts';
import { presets } from '../../src/experiment/presets.ts';
import { ChatEvaluator } from '../../src/rl/chat-evaluator.ts';
import {
  ChatPlay,
  type ChatReply,
  type ChatTurnMessage,
  type Replier,
  withinContext,
} from '../../src/rl/episode/chat-episode.ts';
import type { ItemResult } from '../../src/rl/evaluation/suite-results.ts';
import { KeptTries } from '../../src/rl/kept-tries.ts';
import { taskKey } from '../../src/rl/schedule/tasks.ts';
import { ApiModel, ApiModelError } from '../../src/session/api/api-model.ts';
import { PlaysOnlyError } from '../../src/session/engine.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { openWorld } from '../../src/worlds/registry.ts';

const key = 'sk-very-secret';
const asking = { temperature: 0.5, maxTokens: 9, seed: 3, signal: new AbortController().signal };
const messages: ChatTurnMessage[] = [{ role: 'user', content: 'hello' }];
const completion = (content: unknown) => Response.json({ choices: [{ message: { content } }] });
const refused = (status: number, error: object, headers = {}) => Response.json({ error }, { status, headers });

function modelOf(answers: (Response | Error)[], options = {}) {
  const requests: { url: string; init: RequestInit }[] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    requests.push({ url, init });
    const answer = answers.shift()!;
    if (answer instanceof Error) throw answer;
    return answer;
  }) as unknown as typeof globalThis.fetch;
  const model = new ApiModel({ address: 'http://x/v1/', model: 'm', key: () => key, retryMs: 1, fetch, ...options });
  return { model, requests };
}

describe('the client', () => {
  test('sends the request, with its key only as a header', async () => {
    const { model, requests } = modelOf([completion('hi')]);
    expect(await model.reply(messages, asking)).toBe('hi');
    const [{ url, init }] = requests;
    expect(url).toBe('http://x/v1/chat/completions');
    expect(JSON.parse(init.body as string)).toEqual({ model: 'm', messages, temperature: 0.5, max_tokens: 9, seed: 3 });
    expect(init.headers).toMatchObject({ Authorization: `Bearer ${key}` });
    expect(String(init.body) + url).not.toContain(key);
  });

  test('repeats a request after a passing failure, not after a lasting one', async () => {
    const passing = modelOf([
      new TypeError('fetch failed'),
      refused(503, { message: 'busy' }),
      refused(429, {}, { 'retry-after': '0' }),
      completion('hi'),
    ]);
    expect(await passing.model.reply(messages, asking)).toBe('hi');
    expect(passing.requests).toHaveLength(4);
    const wrong = modelOf([refused(401, { message: `bad key ${key}` })]);
    const failure = await wrong.model.reply(messages, asking).catch((error) => error);
    expect(failure).toBeInstanceOf(ApiModelError);
    expect(failure.message).toContain('HTTP 401');
    expect(failure.message).not.toContain(key);
    expect(wrong.requests).toHaveLength(1);
    // An error's words end after 300 characters, here within the key.
    for (const length of [280, 285, 290]) {
      const cut = modelOf([refused(401, { message: `${'x'.repeat(length)} ${key}` })]);
      const { message } = await cut.model.reply(messages, asking).catch((error) => error);
      expect(message).toMatch(/x \*\*\*(…|\.)/);
    }
    const html = modelOf([new Response('<html>'), new Response('<html>')], { tries: 2 });
    await expect(html.model.reply(messages, asking)).rejects.toThrow(/in 2 tries.*no text: a web page/);
    const nothing = modelOf([completion(null)]);
    expect(await nothing.model.reply(messages, asking)).toBe('');
  });

  test('treats a conversation that is too long as an ending, and stops an aborted one at once', async () => {
    const long = modelOf([refused(400, { message: 'too long', code: 'context_length_exceeded' })]);
    expect(await long.model.reply(messages, asking)).toEqual({ noRoom: 'too long' });
    const control = new AbortController();
    const slow = modelOf([new TypeError('fetch failed')], { retryMs: 60_000 });
    const reply = slow.model.reply(messages, { ...asking, signal: control.signal });
    setTimeout(() => control.abort(new Error('enough')), 5);
    await expect(reply).rejects.toThrow('enough');
  });
});

describe('calls of tools', () => {
  const tools = [{ type: 'function' as const, function: { name: 'look', description: 'Looks.', parameters: {} } }];
  const called = (tool_calls: unknown) => Response.json({ choices: [{ message: { content: null, tool_calls } }] });

  test('are requested with the tools and read from the answer, in the forms of servers', async () => {
    const whole = { id: 'a1', type: 'function', function: { name: 'look', arguments: '{"at": 1}' } };
    const { model, requests } = modelOf([
      called([whole]),
      called([{ function: { name: 'look', arguments: { at: 1 } } }, { function: { name: 'look' } }]),
      called([null, ' '].map((given) => ({ function: { name: 'look', arguments: given } }))),
      called([{ function: {} }]),
    ]);
    expect(await model.reply(messages, { ...asking, tools })).toEqual({ text: '', calls: [whole] });
    expect(JSON.parse(requests[0].init.body as string).tools).toEqual(tools);
    expect(await model.reply(messages, { ...asking, tools })).toEqual({
      text: '',
      calls: [
        { id: 'call_0', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
        { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } },
      ],
    });
    const none = { type: 'function', function: { name: 'look', arguments: '{}' } };
    expect(await model.reply(messages, { ...asking, tools })).toEqual({
      text: '',
      calls: [
        { id: 'call_0', ...none },
        { id: 'call_1', ...none },
      ],
    });
    expect(await model.reply(messages, { ...asking, tools })).toBe('');
    expect(model.silence()).toContain('1 of 4 replies');
  });

  test('without tools in the request are a reply without text', async () => {
    const { model, requests } = modelOf([
      called([{ id: 'a', type: 'function', function: { name: 'look', arguments: '' } }]),
    ]);
    expect(await model.reply(messages, asking)).toBe('');
    expect(JSON.parse(requests[0].init.body as string)).not.toHaveProperty('tools');
    expect(model.silence()).toContain('tool calls without text');
  });
});

describe('episodes as messages', () => {
  const options = { signal: new AbortController().signal };
  const request = { groupSize: 1, limit: 6, endOnInvalid: false, atOnce: 4, contextTurns: 0 };

  test('the oracle as a model wins, and the opening is AgentGym’s', async () => {
    await buildWasm();
    const world = await openWorld('textcraft');
    const tasks = (await world.tasks({}, 'train')).filter(({ strata }) => strata.depth === 1).slice(0, 6);
    const plans = new Map<string, string[]>();
    for (const task of tasks) {
      const [{ observation }] = await world.reset([9], [task]);
      plans.set(observation, (await world.oracle([9]))[0]!);
    }
    const openings: ChatTurnMessage[][] = [];
    const say = async (all: readonly ChatTurnMessage[]) => {
      const turn = (all.length - 3) / 2;
      if (turn === 0) openings.push([...all]);
      return `Thought:\nI know.\n\nAction:\n${plans.get(all[2].content)![turn]}`;
    };
    const worlds = new Map([['textcraft', world]]);
    const episodes = await new ChatPlay(worlds, say, { ...request, tasks, groupSize: 2 }, options).play();
    expect(episodes).toHaveLength(12);
    for (const [k, { success, score, turns, task }] of episodes.entries()) {
      expect(task).toBe(tasks[Math.floor(k / 2)]);
      expect([success, score]).toEqual([true, 1]);
      expect(turns).toBeLessThanOrEqual(6);
    }
    expect(openings[0].map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(openings[0][0].content).toBe(world.describe().instruction);
    expect(openings[0][1].content).toMatch(/^OK\. I'll follow/);
  });

  test('end by the horizon, a refusal of the client, no room, or a failing world', async () => {
    const world = await openWorld('textcraft');
    const tasks = (await world.tasks({}, 'train')).slice(0, 1);
    const play = (say: () => Promise<ChatReply>, more = {}, other: World = world) =>
      new ChatPlay(new Map([['textcraft', other]]), say, { ...request, tasks, ...more }, options).play();
    expect(await play(async () => 'Action: inventory')).toMatchObject([
      { turns: 6, success: false, overflowed: false },
    ]);
    expect(await play(async () => 'Action: a\nAction: b', { endOnInvalid: true })).toMatchObject([{ turns: 1 }]);
    let said = 0;
    const once = async () => (said++ ? { noRoom: 'too long' } : 'Action: inventory');
    expect(await play(once)).toMatchObject([{ turns: 1, overflowed: true }]);
    await expect(play(async () => ({ noRoom: '9 tokens are too many' }))).rejects.toThrow(
      /no room for the first turn of TextCraft in its only episode: 9 tokens are too many/,
    );
    const failing = new Proxy(world, {
      get: (target, name) => {
        if (name === 'step')
          return async (): Promise<Feedback[]> => [
            { observation: '', reward: 0, done: true, valid: false, failure: 'gone' },
          ];
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await expect(play(async () => 'Action: inventory', {}, failing)).rejects.toThrow(/TextCraft failed.*gone/);
    await expect(
      play(async () => {
        throw new ApiModelError('no server');
      }),
    ).rejects.toThrow(ApiModelError);
  });

  test('send only the last turns, after the opening', () => {
    const all: ChatTurnMessage[] = Array.from({ length: 9 }, (_, k) => ({
      role: k % 2 ? 'assistant' : 'user',
      content: String(k),
    }));
    expect(withinContext(all, 0)).toBe(all);
    expect(withinContext(all, 3)).toBe(all);
    expect(withinContext(all, 1).map(({ content }) => content)).toEqual(['0', '1', '2', '7', '8']);
  });
});

describe('the kind of policy', () => {
  const experiment = (policy: object) => parseExperiment({ ...(presets[0] as object), policy, stages: undefined });

  test('stores an address and a name, and no key', () => {
    expect(experiment(apiPolicy('https://api.example/v1', 'm')).policy).toEqual({
      kind: 'api',
      address: 'https://api.example/v1',
      name: 'm',
      contextTurns: 0,
      replyTokens: 256,
    });
    expect(() => experiment(apiPolicy('https://me:secret@api.example/v1', 'm'))).toThrow(/policy.address/);
    expect(() => experiment(apiPolicy('file:///etc/passwd', 'm'))).toThrow(/policy.address/);
    expect(() => experiment({ ...apiPolicy('https://x', 'm'), key: 'k' })).toThrow(/key/);
  });

  test('opens to play and not to train', async () => {
    const machine = { open: () => Promise.reject(new Error('no device is needed')) };
    const engines = new Assembly({ machine, openWorld });
    const options = { assets: null, choices: null, onProgress: () => {}, signal: new AbortController().signal };
    await expect(
      engines.open(experiment(apiPolicy('http://x', 'm')), { ...options, purpose: 'train' }),
    ).rejects.toThrow(PlaysOnlyError);
    const engine = await engines.open(experiment(apiPolicy('http://x', 'm')), { ...options, purpose: 'watch' });
    expect(engine.training).toBeNull();
    await expect(engine.load({ tensors: new Map(), optimizerStep: 0 })).rejects.toThrow(PlaysOnlyError);
    await engine.close();
  });
});

describe('a suite', () => {
  const suite: WorldSuite = {
    name: 's',
    label: 'S',
    sentence: '',
    options: {},
    split: 'train',
    turns: 2,
    columns: ['All'],
    columnOf: () => 'All',
  };
  const sampling = { world: 'textcraft', samples: 2, temperature: 1, seed: 1 };

  test('keeps each finished try, and continues with the others', async () => {
    await buildWasm();
    const world = await openWorld('textcraft');
    const ids = (await world.tasks({}, 'train')).slice(0, 3).map(({ id }) => id);
    const few = { ...suite, ids };
    const asked: number[] = [];
    const evaluatorWith = (say: Replier) =>
      new ChatEvaluator(parseExperiment(presets[0]), {
        worlds: new Map([['textcraft', world]]),
        replierWith: () => say,
        atOnce: 1,
        contextTurns: 0,
      });
    const say: Replier = async (_, key) => {
      asked.push(key);
      if (key === 3) throw new ApiModelError('gone');
      return 'Action: inventory';
    };
    let kept: readonly ItemResult[] = [];
    const onItems = (items: readonly ItemResult[]) => {
      kept = JSON.parse(JSON.stringify(items));
    };
    await expect(evaluatorWith(say).suite(few, sampling, { onItems })).rejects.toThrow('gone');
    expect(kept.map(({ tries }) => tries.map(({ member }) => member))).toEqual([[0, 1], [0]]);
    asked.length = 0;
    const patient: Replier = async (_, key) => {
      asked.push(key);
      return 'Action: inventory';
    };
    const items = await evaluatorWith(patient).suite(few, sampling, { kept, onItems });
    expect([...new Set(asked)]).toEqual([3, 4, 5]);
    expect(items.map(({ tries }) => tries.length)).toEqual([2, 2, 2]);
    expect(items.flatMap(({ tries }) => tries).every((one) => !('member' in one) && one.turns === 2)).toBe(true);
    expect(items[0].chance).toHaveLength(16);
  });

  test('counts tries without room as in one go when it is continued', async () => {
    await buildWasm();
    const world = await openWorld('textcraft');
    const ids = (await world.tasks({}, 'train')).slice(0, 3).map(({ id }) => id);
    const few = { ...suite, ids };
    const worlds = new Map([['textcraft', world]]);
    const play = async (say: Replier, kept: readonly ItemResult[] = []) => {
      let last = kept;
      const onItems = (items: readonly ItemResult[]) => {
        last = JSON.parse(JSON.stringify(items));
      };
      const parts = { worlds, replierWith: () => say, atOnce: 1, contextTurns: 0 };
      const playing = new ChatEvaluator(parseExperiment(presets[0]), parts).suite(few, sampling, { kept, onItems });
      const items = await playing.catch((error: Error) => error.message);
      return { items, kept: last };
    };
    const tooLong: Replier = async (_, key) => (key === 0 ? 'Action: inventory' : { noRoom: 'too long' });
    const whole = await play(tooLong);
    expect((whole.items as ItemResult[]).flatMap(({ tries }) => tries.map(({ overflowed }) => overflowed))).toEqual([
      ...[false, true, true, true, true, true],
    ]);
    const cut = await play(async (messages, key, signal) => {
      if (key === 1) throw new ApiModelError('gone');
      return tooLong(messages, key, signal);
    });
    expect([cut.items, cut.kept.length]).toEqual(['gone', 1]);
    expect((await play(tooLong, cut.kept)).items).toEqual(whole.items);
    // A model that had room for nothing stops the evaluation, and is asked for all again.
    const none = await play(async () => ({ noRoom: 'too long' }));
    expect(none.items).toMatch(
      /^The model has no room for the first turn of TextCraft in each of its first 6 episodes/,
    );
    expect((await play(async () => ({ noRoom: 'too long' }), none.kept)).items).toBe(none.items);
    const roomy = await play(async () => 'Action: inventory', none.kept);
    expect((roomy.items as ItemResult[]).flatMap(({ tries }) => tries).every(({ turns }) => turns === 2)).toBe(true);
  });

  test('does not keep tries whose world failed', () => {
    const failed = { success: false, score: 0, turns: 0, failure: 'gone', member: 1 };
    const tries = new KeptTries(suite, [task(0)], 2, {
      kept: [
        {
          key: taskKey(task(0)),
          column: 'All',
          tries: [{ ...failed, failure: undefined, member: 0 }, failed],
          chance: [],
          oracle: null,
        },
      ],
    });
    expect([tries.isPlayed(0), tries.isPlayed(1)]).toEqual([true, false]);
  });

  const task = (id: number) => ({ world: 'textcraft', id, options: {}, strata: {} });
});
