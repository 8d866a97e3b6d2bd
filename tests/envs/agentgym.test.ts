// AgentGym's servers as worlds: an episode of every kind, servers that misbehave, limits of a page, and the recordings.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { promptRulesOf, type Task, WorldError } from '../../src/envs/env.ts';
import { itemsIn } from '../../src/envs/item-list.ts';
import type { WorldModule } from '../../src/envs/module.ts';
import { JsonServer, serverAddress } from '../../src/envs/transport/http.ts';
import { RemoteWorld } from '../../src/envs/transport/remote.ts';
import { instructionOf } from '../../src/worlds/agentgym/agenttraj.ts';
import { checkAgentGym } from '../../src/worlds/agentgym/check.ts';
import { agentGymKinds } from '../../src/worlds/agentgym/index.ts';
import { listed } from '../../src/worlds/agentgym/kinds/babyai.ts';
import { offeredBy } from '../../src/worlds/agentgym/kinds/textcraft.ts';
import { AgentGymWorld } from '../../src/worlds/agentgym/world.ts';
import { openWorld, worldModules } from '../../src/worlds/registry.ts';
import { replayAgentGym } from '../../tools/replay/agentgym.ts';
import { hasWorlds } from '../worlds.ts';
import { AgentGymServer, dialects, type Mishap, mishaps } from './agentgym-server.ts';
import { goldenFolder, hasGolden } from './helpers.ts';

beforeAll(() => buildWasm());

const servers: AgentGymServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const kinds = agentGymKinds(worldModules);
const kindOf = (name: string) => kinds.find(({ kind }) => kind === name)!;
const moduleOf = (name: string) => worldModules.find((module) => module.name === `agentgym-${name}`)!;
const quick = { attempts: 3, pauseMs: 1, attemptMs: 2000 };

async function started(name: string) {
  const server = new AgentGymServer(dialects[name]);
  servers.push(server);
  return { server, address: await server.listen() };
}

/** An address at which nothing listens. */
async function nowhere(): Promise<string> {
  const server = new AgentGymServer(dialects.textcraft);
  const address = await server.listen();
  await server.close();
  return address;
}

/** With the same guard as sessions use. */
async function played(name: string, options = quick) {
  const { server, address } = await started(name);
  const module = moduleOf(name);
  const world = await AgentGymWorld.open(module, kindOf(name), { address }, options);
  return { server, address, world: new RemoteWorld(module, world) };
}

const taskOf = (module: WorldModule, id: number, options = {}): Task => ({
  world: module.name,
  id,
  options,
  strata: {},
});

describe.each(kinds.map(({ kind }) => kind))('the %s server', (name) => {
  it('is created, reset, stepped, ended, used again and closed by its own protocol', async () => {
    const { server, world } = await played(name);
    const module = moduleOf(name);
    const [task] = await world.tasks({}, 'test');
    expect(task.world).toBe(module.name);
    const [opening] = await world.reset([3], [task]);
    expect(opening).toMatchObject({ reward: 0, done: false, valid: true });
    expect(opening.observation).toContain(String(task.id));
    const [on] = await world.step([3], ['wait']);
    expect(on).toMatchObject({ reward: 0, done: false });
    expect(on.observation).toContain('wait');
    const [end] = await world.step([3], ['win']);
    expect(end.observation).toContain('You won.');
    expect(end).toMatchObject({ done: true, reward: ['sciworld', 'babyai'].includes(name) ? 100 : 1 });
    expect(end.reward).toBeGreaterThanOrEqual(module.successReward);
    await world.reset([3], [task]);
    const prefix = dialects[name].prefix ?? '';
    expect(server.count(`${prefix}/create`)).toBe(1);
    await world.close();
    expect(server.count(`${prefix}/close`)).toBe(dialects[name].closed === undefined ? 0 : 1);
  });

  it('lists its valid actions if its texts list them', async () => {
    const { world } = await played(name);
    const module = moduleOf(name);
    const [opening] = await world.reset([0], [taskOf(module, 1)]);
    expect(Array.isArray(opening.validActions)).toBe(module.hasValidActions);
    const [answer] = await world.step([0], ['wait']);
    if (!module.hasValidActions) expect(answer.validActions).toBeUndefined();
  });
});

it('reads the same lists from TextCraft’s texts as its own world', async () => {
  const textcraft = await openWorld('textcraft');
  const tasks = await textcraft.tasks({}, 'test');
  const openings = await textcraft.reset([...tasks.keys()], tasks);
  for (const { observation, validActions } of openings) expect(offeredBy(observation)).toEqual(validActions);
});

it.skipIf(!hasWorlds('babyai'))('reads the same lists from BabyAI’s texts as its own world', async () => {
  const babyai = await openWorld('babyai');
  const goals = (await babyai.tasks({}, 'test')).slice(0, 60);
  for (const { observation, validActions } of await babyai.reset([...goals.keys()], goals))
    expect(listed(observation)).toEqual(validActions);
});

describe('a server that misbehaves', () => {
  const three = (module: WorldModule) => [0, 1, 2].map((id) => taskOf(module, id));

  it.each([
    ['nonsense', /text that is not JSON: \}\{/],
    ['html', /a web page: <!doctype html>/],
    ['empty', /text that is not JSON \(nothing\)/],
    ['status 500', /status 500: Internal Server Error/],
    ['another shape', /observation must be a text/],
    ['NaN', /text that is not JSON: .*NaN/],
    ['a true reward', /reward must be a number/],
    ['a reward in quotes', /reward must be a number/],
    ['a null reward', /reward must be a number/],
    ['an infinite reward', /reward must be finite/],
    ['no reward', /reward/],
    ['a number for done', /done must be true or false/],
    ['status 201', /status 201/],
    ['its own error', /the server refuses POST \/step: The id 99 is not valid\./],
    ['an end', /request failed \(POST \/step\)/],
    ['half an answer', /request failed \(POST \/step\)/],
    ['nothing', /POST \/step had no answer within 2 s/],
  ] as const)('costs one episode, by name, and the others continue: %s', async (name, reason) => {
    // Only the server that never answers is waited for.
    const attemptMs = name === 'nothing' ? 2000 : 60_000;
    const { server, address, world } = await played('textcraft', { ...quick, attemptMs });
    const module = moduleOf('textcraft');
    await world.reset([0, 1, 2], three(module));
    const ill = server.requests.findIndex(({ body }) => (body as { data_idx?: number }).data_idx === 1);
    const { id } = server.requests[ill].body as { id: number };
    server.mishaps.set(id, [mishaps[name] as Mishap]);
    const before = server.count('/step');
    const answers = await world.step([0, 1, 2], ['a', 'b', 'c']);
    expect(server.count('/step') - before).toBe(3);
    expect([answers[0].observation, answers[2].observation]).toEqual(['You said a.', 'You said c.']);
    expect(answers[1]).toMatchObject({ done: true, valid: false, failure: expect.stringMatching(reason) });
    expect(answers[1].failure).not.toContain(new URL(address).port);
    const [again] = await world.reset([1], [taskOf(module, 7)]);
    expect(again).toMatchObject({ observation: 'Task 7.', done: false });
  });

  it('gets a request again if that does no harm, and a step only if it reports that nothing was done', async () => {
    const { server, world } = await played('textcraft');
    const busy: Mishap = (response) => response.writeHead(503).end();
    server.onPath.set('/create', [mishaps['status 500'], mishaps['an end']]);
    server.onPath.set('/reset', [busy, busy]);
    const [opening] = await world.reset([0], [taskOf(moduleOf('textcraft'), 4)]);
    expect(opening.observation).toBe('Task 4.');
    expect([server.count('/create'), server.count('/reset')]).toEqual([3, 3]);
    server.onPath.set('/step', [busy]);
    expect((await world.step([0], ['a']))[0].observation).toBe('You said a.');
    expect(server.count('/step')).toBe(2);
  });

  it('that was restarted gives a new environment for the next episode', async () => {
    const { server, world } = await played('textcraft');
    const module = moduleOf('textcraft');
    await world.reset([0], [taskOf(module, 1)]);
    server.forget();
    expect((await world.step([0], ['a']))[0].failure).toMatch(/The id 0 is not valid/);
    expect((await world.reset([0], [taskOf(module, 2)]))[0].observation).toBe('Task 2.');
    expect(server.count('/create')).toBe(2);
  });

  it('does not delay a caller that aborts', async () => {
    const { server, world } = await played('textcraft');
    await world.reset([0], [taskOf(moduleOf('textcraft'), 1)]);
    server.mishaps.set(0, [mishaps.nothing]);
    const stop = new AbortController();
    const waiting = world.step([0], ['a'], stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    // The environment may still be running that step.
    await world.reset([0], [taskOf(moduleOf('textcraft'), 2)]);
    expect(server.count('/create')).toBe(2);
  });

  it('is unreachable', async () => {
    const module = moduleOf('textcraft');
    const settings = { address: await nowhere() };
    const world = new RemoteWorld(module, await AgentGymWorld.open(module, kindOf('textcraft'), settings, quick));
    const [answer] = await world.reset([0], [taskOf(module, 1)]);
    expect(answer.failure).toBe('The world failed: the request failed (POST /create): nothing listens at its address.');
  });

  it('cannot fill the memory', async () => {
    const endless: typeof fetch = async () => new Response('x'.repeat(4096));
    const server = new JsonServer('http://127.0.0.1:9', { fetch: endless, mostBytes: 1024, attempts: 1 });
    await expect(server.get('/')).rejects.toThrow(/longer than/);
  });

  it.each([
    ['a date', () => new Date(Date.now() + 2000).toUTCString()],
    ['two numbers of a proxy and its server', () => '1, 1'],
  ])('states a pause as %s', async (_, header) => {
    let calls = 0;
    const busy: typeof fetch = async () =>
      calls++ ? Response.json({ ok: true }) : new Response('', { status: 503, headers: { 'Retry-After': header() } });
    const server = new JsonServer('http://127.0.0.1:9', { fetch: busy, pauseMs: 1 });
    const began = performance.now();
    expect(await server.post('/step', {})).toEqual({ ok: true });
    expect(performance.now() - began).toBeGreaterThan(900);
  });
});

describe('an address', () => {
  it.each([
    ['127.0.0.1:36001', 'http://127.0.0.1:36001'],
    ['http://box:8000/', 'http://box:8000'],
    ['https://worlds.example/textcraft/', 'https://worlds.example/textcraft'],
  ])('%s becomes %s', (typed, address) => expect(serverAddress(typed)).toBe(address));

  it.each(['', 'http://', 'ftp://box', 'http://user:key@box', 'http://box/?q=1', 'file:///etc/passwd'])(
    '%j is refused',
    (typed) => expect(() => serverAddress(typed)).toThrow(/address/),
  );

  it.skipIf(!hasWorlds('maze'))('may include LMRL-Gym’s prefix or not', async () => {
    const { server, address } = await started('maze');
    for (const typed of [address, `${address}/maze`]) {
      const module = moduleOf('maze');
      const world = await AgentGymWorld.open(module, kindOf('maze'), { address: typed }, quick);
      expect((await world.reset([0], [taskOf(module, 5)]))[0].observation).toBe('Task 5.');
    }
    expect(server.count('/maze/create')).toBe(2);
  });
});

describe('the check of a server', () => {
  const look = (name: string, address: string, options = {}) =>
    checkAgentGym(kindOf(name), { address }, undefined, { ...quick, attempts: 1, ...options });

  it('reports the server and its speed, and creates nothing', async () => {
    const { server, address } = await started('textcraft');
    const report = await look('textcraft', address);
    expect(report).toMatchObject({ works: true, description: 'This is environment TextCraft.', version: '' });
    expect(report.ms).toBeGreaterThan(0);
    expect(report.findings.map(({ kind }) => kind)).toEqual(['no-version']);
    expect(server.count('/create')).toBe(0);
  });

  it('detects another kind, a server that keeps environments open, and a missing one', async () => {
    const { address } = await started('babyai');
    expect((await look('textcraft', address)).findings).toContainEqual({
      kind: 'another-kind',
      detail: 'This is environment BabyAI.',
    });
    const { address: shop } = await started('webshop');
    const { works, findings } = await look('webshop', shop);
    expect([works, findings.map(({ kind }) => kind)]).toEqual([true, ['no-version', 'stays-open']]);
    expect((await look('textcraft', await nowhere())).findings[0].kind).toBe('unreachable');
    expect((await look('textcraft', 'ftp://box')).findings[0].kind).toBe('bad-address');
    expect((await look('textcraft', '')).findings[0].kind).toBe('no-address');
  });

  it('reads version and routes if the server describes itself', async () => {
    const { server, address } = await started('textcraft');
    const described =
      (paths: string[]): Mishap =>
      (response) =>
        response.end(
          JSON.stringify({ info: { version: '0.1.0' }, paths: Object.fromEntries(paths.map((path) => [path, {}])) }),
        );
    server.onPath.set('/openapi.json', [
      described(['/create', '/reset', '/step', '/close']),
      described(['/create', '/step']),
    ]);
    expect(await look('textcraft', address)).toMatchObject({ works: true, version: '0.1.0', findings: [] });
    expect(await look('textcraft', address)).toMatchObject({
      works: false,
      findings: [{ kind: 'routes-missing', detail: '/reset, /close' }],
    });
  });
});

describe('in a page', () => {
  /** Follows the browser's rule: a page reads a response only if the server allows the page's origin or all origins. */
  const asPage =
    (allows: (path: string) => boolean): typeof fetch =>
    async (input, init) => {
      const response = await fetch(input, { ...init, mode: undefined });
      if (init?.mode === 'no-cors') return response;
      if (!allows(new URL(String(input)).pathname)) throw new TypeError('Failed to fetch');
      return response;
    };
  const page = (allows: (path: string) => boolean) => ({ ...quick, inPage: true, fetch: asPage(allows) });

  it('a server that does not allow pages is reported', async () => {
    const { address } = await started('textcraft');
    const options = page(() => false);
    const module = moduleOf('textcraft');
    const world = new RemoteWorld(module, await AgentGymWorld.open(module, kindOf('textcraft'), { address }, options));
    const [answer] = await world.reset([0], [taskOf(module, 1)]);
    expect(answer.failure).toMatch(/this server does not allow pages; use the proxy or the command line/);
    const report = await checkAgentGym(kindOf('textcraft'), { address }, undefined, options);
    expect(report.findings).toEqual([{ kind: 'closed-to-pages', detail: '' }]);
    const closed = page((path) => path === '/');
    const closedReport = await checkAgentGym(kindOf('textcraft'), { address }, undefined, closed);
    expect(closedReport.findings.map(({ kind }) => kind)).toContain('may-not-post');
  });

  it('a failure does not count as refusing pages: a 500 has no CORS headers', async () => {
    const { address } = await started('textcraft');
    const module = moduleOf('textcraft');
    const options = page((path) => path !== '/step');
    const world = new RemoteWorld(module, await AgentGymWorld.open(module, kindOf('textcraft'), { address }, options));
    await world.reset([0], [taskOf(module, 1)]);
    expect((await world.step([0], ['a']))[0].failure).toMatch(/could not be read: the server failed/);
  });

  it('with isolation a refusal cannot be distinguished from an unreachable server, and both are named', async () => {
    const { address } = await started('textcraft');
    const options = { ...page(() => false), isolated: true };
    const report = await checkAgentGym(kindOf('textcraft'), { address }, undefined, options);
    expect(report.findings).toEqual([
      {
        kind: 'unreachable',
        detail:
          'nothing answers at its address, or this server does not allow pages; use the proxy or the command line',
      },
    ]);
  });

  it('an unreachable server is reported', async () => {
    const server = new JsonServer(
      await nowhere(),
      page(() => true),
    );
    await expect(server.get('/')).rejects.toThrow(/the request failed/);
  });
});

describe('options', () => {
  it('select items', async () => {
    expect(itemsIn('3, 0-2,7')).toEqual([3, 0, 1, 2, 7]);
    for (const wrong of ['a', '5-3', '1,,2', '-1', '0-9999999']) expect(itemsIn(wrong)).toBeNull();
    const { world } = await played('weather');
    const ids = async (options: object) => (await world.tasks(options as never, 'train')).map(({ id }) => id);
    expect(await ids({ trainItems: '5-7' })).toEqual([5, 6, 7]);
    expect((await ids({})).slice(0, 2)).toEqual([20, 21]);
    expect(() => moduleOf('weather').options({ trainItems: 'some' })).toThrow(
      /options\.trainItems: must be item numbers/,
    );
  });

  it('keep training items apart from held-out ones', async () => {
    // AgentGym's maze has 25 games, used both for training and for the test.
    for (const { kind, items } of kinds.filter(({ kind }) => kind !== 'maze')) {
      const heldOut = new Set(items('test'));
      expect([kind, heldOut.size > 0, items('train').filter((id) => heldOut.has(id))]).toEqual([kind, true, []]);
    }
  });

  it('set a person’s own instruction, with the original’s acknowledgement as default', () => {
    const module = moduleOf('searchqa');
    expect(promptRulesOf(module, { options: {} })).toMatchObject({
      instruction: module.instruction,
      acknowledgement: 'Ok.',
    });
    const options = { instruction: 'Find it.', acknowledgement: 'Yes.' };
    expect(promptRulesOf(module, { options })).toMatchObject(options);
    const { promptTokens } = module.budget.language({ instruction: 'x'.repeat(3000) });
    expect(promptTokens - module.budget.language({}).promptTokens).toBe(1000);
  });
});

describe('the instruction of an AgentTraj file', () => {
  const messages = (...values: [string, string][]) => ({
    conversations: values.map(([from, value]) => ({ from, loss: null, value })),
    item_id: 'textcraft_1',
  });
  const right = messages(['human', 'Craft it.'], ['gpt', 'OK.'], ['human', 'Goal: craft stick.']);
  const found = { instruction: 'Craft it.', acknowledgement: 'OK.' };

  it.each([
    ['a list', JSON.stringify([right, right]), found],
    ['a line each', `${JSON.stringify(right)}\n${JSON.stringify(right)}\n`, found],
    ['one', JSON.stringify(right), found],
  ])('is found in %s', (_, text, expected) => expect(instructionOf(text)).toEqual(expected));

  it.each(['', '[]', '{', '[{"conversations":[]}]', JSON.stringify([messages(['gpt', 'a'], ['human', 'b'])])])(
    'is not in %s',
    (text) => expect(() => instructionOf(text)).toThrow(/not an AgentTraj file/),
  );
});

describe('actions as functions', () => {
  const acted = (name: string, format: string, text: string) =>
    promptRulesOf(moduleOf(name), { options: { format } }).reply!(text);
  const call = (function_name: string, args: object) =>
    `Here: ${JSON.stringify({ thought: 'I think', function_name, arguments: args })}`;

  const json: [string, string, string][] = [
    ['webshop', call('search', { keywords: 'red lamp' }), 'search[red lamp]'],
    ['webshop', call('click', { item: 'buy now' }), 'click[buy now]'],
    ['alfworld', call('take', { obj: 'mug 1', recep: 'desk 2' }), 'take mug 1 from desk 2'],
    ['alfworld', call('put', { obj: 'mug 1', recep: 'desk 2' }), 'put mug 1 in/on desk 2'],
    ['alfworld', call('inventory', {}), 'inventory'],
    ['sciworld', call('wait', { duration: 1 }), 'wait1'],
    ['sciworld', call('choose', { option: 0 }), '0'],
    ['sciworld', call('dunk', { container: 'cup', liq: 'water' }), 'dunk cup in water'],
    ['sciworld', '{"thought": "two\nlines", "function_name": "lookaround", "arguments": {}}', 'look around'],
  ];
  it.each(json.filter(([name]) => moduleOf(name)))('%s reads JSON: %s', (name, text, action) =>
    expect(acted(name, 'function_calling', text)).toEqual({ action }),
  );

  const python: [string, string, string][] = [
    ['webshop', '```python\n# I look\nsearch("red lamp")\n```', 'search[red lamp]'],
    ['webshop', "click(item='it\\'s')", "click[it's]"],
    ['alfworld', '```python\ntake("mug 1", recep="desk 2")\n```', 'take mug 1 from desk 2'],
    ['alfworld', 'examine("desk 1")', 'examine desk 1'],
    ['alfworld', 'toggle(recep="lamp 1")', 'toggle lamp 1'],
    ['sciworld', 'use("thermometer", "water")  # warm?', 'use thermometer on water'],
    ['sciworld', 'use("stove", "")', 'use stove'],
    ['sciworld', 'wait(\n  1,\n)', 'wait1'],
    ['sciworld', 'lookaround()', 'look around'],
  ];
  it.each(python.filter(([name]) => moduleOf(name)))('%s reads Python: %s', (name, text, action) =>
    expect(acted(name, 'code_as_action', text)).toEqual({ action }),
  );

  it.skipIf(!hasWorlds('sciworld')).each([
    ['function_calling', 'look around'],
    ['function_calling', '{"function_name": "task", "arguments": {}}'],
    ['function_calling', call('teleport', { loc: 'kitchen' })],
    ['function_calling', call('open', { door: 'kitchen' })],
    ['function_calling', call('constructor', {})],
    ['code_as_action', 'open()'],
    ['code_as_action', 'open("a", "b")'],
    ['code_as_action', 'open("a" + "b")'],
    ['code_as_action', 'open("a"); close("b")'],
    ['code_as_action', '__import__("os").system("ls")'],
    ['code_as_action', 'toString()'],
    ['code_as_action', 'open("a", obj="b")'],
    ['code_as_action', '('],
  ])('are refused with the last observation: %s, %s', (format, text) => {
    const refused = { action: '', refusal: 'Invalid Action.\n\n', again: true };
    expect(acted('sciworld', format, text)).toEqual(refused);
  });
});

it('refuse a step before a task, and list the functions of a world after its start', async () => {
  const { world } = await played('textcraft');
  await expect(world.step([0], ['a'])).rejects.toThrow(WorldError);
  await world.reset([0], [taskOf(moduleOf('textcraft'), 1)]);
  await world.step([0], ['a']);
  expect(await world.view(0)).toEqual({ kind: 'text', text: 'You said a.' });
  expect(await world.oracle([0])).toEqual([null]);
});

describe('recordings of the original', () => {
  const files = ['clients', 'weather', 'cors', 'textcraft', 'searchqa', 'lmrlgym', 'webarena'];

  it.skipIf(!hasGolden('agentgym')).each(files)('%s: every record agrees', async (name) => {
    const text = gunzipSync(readFileSync(resolve(goldenFolder, `agentgym/${name}.jsonl.gz`))).toString();
    const { agree, total, first } = await replayAgentGym(text);
    expect(first).toBeNull();
    expect([agree, total > 10]).toEqual([total, true]);
  });

  const step = (text: string, sent: string[], reward: number) => ({
    ...{ kind: 'step', client: 'babyai', text, sent, n: 1 },
    result: { state: 'O', reward, done: false },
  });
  const header = {
    kind: 'header',
    step_reply: { babyai: { observation: 'O', reward: 0.5, score: 0.75, done: false } },
  };
  const lines = (...rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

  it.skipIf(!hasWorlds('babyai'))('are compared, and a difference is found', async () => {
    const right = step('Action: look', ['look'], 0.75);
    expect(await replayAgentGym(lines(header, right))).toMatchObject({ agree: 1, total: 1, first: null });
    for (const wrong of [step('Action: look', ['look'], 0.5), step('Action: look', ['Look'], 0.75)])
      expect(await replayAgentGym(lines(header, right, wrong))).toMatchObject({ agree: 1, total: 2 });
  });
});
