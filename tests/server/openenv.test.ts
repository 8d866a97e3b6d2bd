/**
 * OpenEnv: every frame of its socket, every route, and the response to invalid ones. The frames follow its
 * specification.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Server } from '../../src/server/server.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { hasWorlds } from '../worlds.ts';
import { get, post, startServer } from './helpers.ts';

let server: Server;
let address: string;
const open: WebSocket[] = [];
const listen = async (...args: Parameters<typeof startServer>) => {
  server = await startServer(...args);
  address = (await server.app.listen({ port: 0 })).replace('http', 'ws');
};
afterEach(async () => {
  for (const socket of open.splice(0)) socket.terminate();
  await server?.close();
});

/** Sends a message and waits for the response, as OpenEnv's own client does. */
class Client {
  readonly frames: unknown[] = [];
  closed: { code: number; reason: string } | null = null;
  private waiting: (() => void)[] = [];

  private constructor(readonly socket: WebSocket) {
    open.push(socket);
    const wake = () => this.waiting.splice(0).forEach((resolve) => resolve());
    socket.on('message', (data) => {
      this.frames.push(JSON.parse(String(data)));
      wake();
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) };
      wake();
    });
  }

  static async connect(path: string, options = {}): Promise<Client> {
    const client = new Client(new WebSocket(`${address}${path}`, options));
    await new Promise((resolve, reject) => {
      client.socket.once('open', resolve);
      client.socket.once('error', reject);
    });
    return client;
  }

  // biome-ignore lint/suspicious/noExplicitAny: whatever a server answers.
  async next(): Promise<any> {
    while (this.frames.length === 0) {
      if (this.closed) throw new Error(`closed: ${this.closed.code} ${this.closed.reason}`);
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    return this.frames.shift();
  }

  ask(message: unknown) {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    return this.next();
  }

  async gone() {
    while (!this.closed) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.closed;
  }
}

const error = (code: string, more = {}) => ({
  type: 'error',
  data: expect.objectContaining({ code, message: expect.any(String), ...more }),
});

describe('the socket', () => {
  test('plays an episode: reset, state, steps to the end, reset again, close', async () => {
    await listen(['textcraft']);
    const client = await Client.connect('/ws');
    expect(await client.ask({ type: 'state' })).toMatchObject({
      type: 'state',
      data: { episode_id: null, step_count: 0 },
    });
    const started = await client.ask({
      type: 'reset',
      data: { seed: 42, episode_id: 'e1', split: 'train', index: 3, unknown_key: 1 },
    });
    const world = await openWorld('textcraft');
    const [task] = (await world.tasks({}, 'train')).slice(3);
    const [first] = await world.reset([0], [task]);
    expect(started).toEqual({
      type: 'observation',
      data: {
        observation: { text: first.observation, valid: true, valid_actions: first.validActions },
        reward: null,
        done: false,
      },
    });
    const [plan] = await world.oracle([0]);
    for (const [k, message] of plan!.entries()) {
      const [expected] = await world.step([0], [message]);
      const response = await client.ask({ type: 'step', data: { message } });
      expect(response.data).toMatchObject({ reward: expected.reward, done: expected.done });
      expect(response.data.observation.text).toBe(expected.observation);
      expect(await client.ask({ type: 'state' })).toMatchObject({
        data: { episode_id: 'e1', step_count: k + 1, split: 'train', index: 3, item: task.id, done: expected.done },
      });
    }
    expect(await client.ask({ type: 'step', data: { message: 'inventory' } })).toEqual(error('EXECUTION_ERROR'));
    expect((await client.ask({ type: 'reset' })).data.done).toBe(false);
    client.socket.send('{"type":"close"}');
    expect(await client.gone()).toMatchObject({ code: 1000 });
  });

  test('stays open after these errors', async () => {
    await listen(['textcraft']);
    const client = await Client.connect('/textcraft/ws');
    expect(await client.ask('{"type":')).toEqual(error('INVALID_JSON'));
    expect(await client.ask('[1]')).toEqual(error('VALIDATION_ERROR'));
    expect(await client.ask({ type: 'fly' })).toEqual(error('UNKNOWN_TYPE'));
    expect(await client.ask({ data: {} })).toEqual(error('UNKNOWN_TYPE'));
    expect(await client.ask({ type: 'toString' })).toEqual(error('UNKNOWN_TYPE'));
    expect(await client.ask({ type: 'step', data: { message: 'x' } })).toEqual(error('EXECUTION_ERROR'));
    expect(await client.ask({ type: 'reset', data: { index: -1 } })).toEqual(error('VALIDATION_ERROR'));
    expect(await client.ask({ type: 'reset', data: { split: 'dev' } })).toEqual(error('VALIDATION_ERROR'));
    await client.ask({ type: 'reset', data: {} });
    for (const data of [{}, { message: 1 }, { message: 'x', other: 1 }, { action: { message: 'x' } }, null])
      expect(await client.ask({ type: 'step', data })).toEqual(
        error('VALIDATION_ERROR', { errors: expect.any(Array) }),
      );
    expect((await client.ask({ type: 'step', data: { message: 'inventory', metadata: {} } })).type).toBe('observation');
  });

  test.skipIf(!hasWorlds('babyai'))('begins the same task for the same seed', async () => {
    await listen(['babyai']);
    const client = await Client.connect('/babyai/ws');
    const texts: string[] = [];
    for (const seed of [42, 42, 43, -1, 2 ** 40])
      texts.push((await client.ask({ type: 'reset', data: { seed } })).data.observation.text);
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });

  test('answers messages one by one, in order', async () => {
    await listen(['textcraft']);
    const client = await Client.connect('/ws');
    client.socket.send('{"type":"reset","data":{"index":0}}');
    for (let k = 0; k < 50; k++)
      client.socket.send(k % 2 ? '{"type":"state"}' : '{"type":"step","data":{"message":"x"}}');
    expect((await client.next()).type).toBe('observation');
    for (let k = 0; k < 50; k++) {
      const response = await client.next();
      expect(response).toMatchObject(
        k % 2 ? { type: 'state', data: { step_count: (k + 1) / 2 } } : { type: 'observation' },
      );
    }
  });

  test('is closed with an error beyond the most sessions; a close makes room again', async () => {
    await listen(['textcraft'], { sessions: 1 });
    const first = await Client.connect('/ws');
    const second = await Client.connect('/ws');
    expect(await second.next()).toEqual(error('CAPACITY_REACHED', { active_sessions: 1, max_sessions: 1 }));
    expect((await second.gone()).code).toBe(1013);
    first.socket.close();
    await first.gone();
    await vi.waitFor(async () => {
      const third = await Client.connect('/ws');
      expect((await third.ask({ type: 'reset' })).type).toBe('observation');
    });
  });

  test('is closed with the reason when idle', async () => {
    await listen(['textcraft'], { idleSeconds: 0.1 });
    const client = await Client.connect('/ws');
    expect(await client.next()).toEqual(error('SESSION_ERROR'));
    expect((await client.gone()).code).toBe(1008);
  });

  test('is closed after a hundred megabytes, and no other is', async () => {
    await listen(['textcraft']);
    const [client, other] = [await Client.connect('/ws'), await Client.connect('/ws')];
    client.socket.on('error', () => {});
    client.socket.send(Buffer.alloc(100 << 20, 120).toString('latin1'));
    expect((await client.gone()).code).toBe(1009);
    expect((await other.ask({ type: 'reset' })).type).toBe('observation');
  });

  test('is closed if its client never reads, and no other is', async () => {
    await listen(['textcraft'], { idleSeconds: 600 });
    const [deaf, other] = [await Client.connect('/ws'), await Client.connect('/ws')];
    deaf.socket.pause();
    deaf.socket.send('{"type":"reset","data":{"index":0}}');
    const large = JSON.stringify({ type: 'step', data: { message: `get 1 ${'x'.repeat(500_000)}` } });
    for (let k = 0; k < 60; k++) deaf.socket.send(large);
    expect((await other.ask({ type: 'reset' })).type).toBe('observation');
    await vi.waitFor(async () => expect((await get(server, '/health')).status).toBe(200));
    await vi.waitFor(() => expect(server.sessions()).toBe(1), { timeout: 20_000 });
    expect((await other.ask({ type: 'state' })).type).toBe('state');
  });

  test('is refused to a foreign page and at an unknown path', async () => {
    await listen(['textcraft'], { origins: ['http://localhost:5173'] });
    await Client.connect('/ws', { origin: 'http://localhost:5173' });
    await expect(Client.connect('/ws', { origin: 'https://elsewhere.example' })).rejects.toThrow(/403/);
    await expect(Client.connect('/nowhere')).rejects.toThrow(/404/);
  });

  test('returns its session when the client disappears', async () => {
    await listen(['textcraft']);
    const client = await Client.connect('/ws');
    expect(server.sessions()).toBe(1);
    client.socket.terminate();
    await vi.waitFor(() => expect(server.sessions()).toBe(0));
  });
});

describe('whole replies', () => {
  test('are parsed by the world’s own rule, and those that its client refuses never reach the world', async () => {
    await listen(['textcraft']);
    const client = await Client.connect('/textcraft/ws');
    await client.ask({ type: 'reset', data: { split: 'train', index: 0, replies: true } });
    const found = await client.ask({ type: 'step', data: { message: 'Thought: what have I?\nAction: inventory' } });
    expect(found.data.observation).toMatchObject({ text: expect.stringContaining('Inventory'), valid: true });
    const refused = await client.ask({ type: 'step', data: { message: 'Action: inventory\nAction: inventory' } });
    expect(refused.data.observation).toMatchObject({ text: expect.stringMatching(/^Error: Only one/), valid: false });
    // Without `replies` the whole message is the action.
    await client.ask({ type: 'reset', data: { split: 'train', index: 0 } });
    const whole = await client.ask({ type: 'step', data: { message: 'Action: inventory' } });
    expect(whole.data.observation.valid).toBe(false);
  });
});

describe('routes', () => {
  test.each(['', '/textcraft', '/openenv/textcraft'])('all exist at "%s"', async (base) => {
    server = await startServer(['textcraft']);
    expect((await get(server, `${base}/health`)).json).toEqual({ status: 'healthy' });
    expect((await get(server, `${base}/metadata`)).json).toMatchObject({
      name: 'textcraft',
      description: expect.stringContaining('TextCraft'),
      readme_content: expect.stringContaining('craft'),
      version: expect.any(String),
    });
    const schema = (await get(server, `${base}/schema`)).json;
    expect(Object.keys(schema).sort()).toEqual(['action', 'observation', 'state']);
    expect(schema.action.required).toEqual(['message']);
    expect(schema.action.properties.message.type).toBe('string');
    const openapi = (await get(server, `${base}/openapi.json`)).json;
    expect(openapi).toMatchObject({ openapi: expect.stringMatching(/^3\./), info: { version: '1.0.0' } });
    for (const path of ['/reset', '/step', '/state']) expect(Object.keys(openapi.paths)).toContain(path);
    expect((await get(server, `${base}/state`)).json).toMatchObject({ episode_id: null, step_count: 0 });
    const started = await post(server, `${base}/reset`, { seed: 3 });
    expect(started).toMatchObject({ status: 200, json: { reward: null, done: false } });
    expect(started.json.observation.text).toMatch(/^Crafting commands/);
    expect((await post(server, `${base}/reset`, {})).status).toBe(200);
    const stepped = await post(server, `${base}/step`, { action: { message: 'inventory' }, timeout_s: 5 });
    expect(stepped).toMatchObject({ status: 200, json: { reward: 0, done: false } });
    expect(stepped.json.observation.text).toBe('Inventory: You are not carrying anything.');
    // OpenEnv's validator adds reward and done to the observation, and compares with a schema that allows no other field.
    for (const { json } of [started, stepped])
      expect(Object.keys({ ...json.observation, reward: json.reward, done: json.done }).sort()).toEqual(
        Object.keys(schema.observation.properties).sort(),
      );
    expect((await post(server, `${base}/step`, { action: { message: 'x', other: 1 } })).status).toBe(422);
    expect((await post(server, `${base}/mcp`, {})).json).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
    expect(server.sessions()).toBe(0);
  });

  test('reset opens a separate world for each call, and a full server refuses', async () => {
    server = await startServer(['textcraft'], { sessions: 1 });
    await post(server, '/create', {});
    expect(await post(server, '/openenv/textcraft/reset', {})).toMatchObject({
      status: 503,
      json: { active_sessions: 1, max_sessions: 1 },
    });
  });

  test('the Task API', async () => {
    server = await startServer([]);
    const names = (await get(server, '/list_environments')).json;
    expect(names).toContain('textcraft');
    for (const name of names) {
      expect((await get(server, `/${name}/splits`)).json).toEqual([
        { name: 'train', type: 'train' },
        { name: 'test', type: 'test' },
      ]);
      const { num_tasks } = (await post(server, `/${name}/num_tasks`, { split: 'test' })).json;
      const last = (await post(server, `/${name}/task`, { split: 'test', index: num_tasks - 1 })).json.task;
      expect(last).toMatchObject({ split: 'test', index: num_tasks - 1, id: `${name}/test/${num_tasks - 1}` });
      expect((await post(server, `/${name}/task`, { split: 'test', index: num_tasks })).status).toBe(400);
      expect((await post(server, `/${name}/task`, { split: 'dev', index: 0 })).status).toBe(422);
    }
    const all = (await post(server, '/textcraft/tasks', { split: 'test' })).json;
    expect(all.env_name).toBe('textcraft');
    expect(all.tasks).toHaveLength(100);
    const some = (await post(server, '/textcraft/task_range', { split: 'test', start: 2, stop: 5 })).json.tasks;
    expect(some).toEqual(all.tasks.slice(2, 5));
    expect((await post(server, '/textcraft/task_range', { split: 'test', start: 2, stop: 500 })).status).toBe(400);
    expect((await get(server, '/nowhere/splits')).status).toBe(404);
    expect((await post(server, '/nowhere/tasks', { split: 'test' })).status).toBe(404);
    // A reset with a listed task begins that task.
    const [first] = all.tasks;
    const started = await post(server, '/openenv/textcraft/reset', { split: 'test', index: first.index });
    const world = await openWorld('textcraft');
    const [expected] = await world.reset([0], [{ world: 'textcraft', id: first.item, options: {}, strata: {} }]);
    expect(started.json.observation.text).toBe(expected.observation);
  });

  test.skipIf(!hasWorlds('wordle'))("a body with AgentGym's fields is handled by AgentGym's protocol", async () => {
    server = await startServer(['wordle']);
    expect((await post(server, '/reset', { seed: 3 })).status).toBe(422);
    expect((await post(server, '/reset', { split: 'test', index: 0 })).json).toMatchObject({ done: false });
    expect((await post(server, '/step', { action: 'x' })).status).toBe(422);
    expect((await post(server, '/openenv/wordle/reset', { seed: 3 })).status).toBe(200);
  });
});

describe('tools', () => {
  const call = (method: string, params = {}, path = '/mcp') =>
    post(server, path, { jsonrpc: '2.0', id: 7, method, params }).then(({ json }) => json);

  test('over HTTP: listed, called in a session, refused with a message', async () => {
    server = await startServer(['textcraft'], { sessions: 2 });
    const { tools } = (await call('tools/list')).result;
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['act', 'new_episode']);
    for (const tool of tools)
      expect(tool).toMatchObject({ description: expect.any(String), input_schema: { type: 'object' } });
    const created = (await call('openenv/session/create', { split: 'train', index: 0 })).result;
    expect(created.observation.text).toMatch(/^Crafting commands/);
    const { session_id } = created;
    const acted = (await call('tools/call', { session_id, name: 'act', arguments: { message: 'inventory' } })).result;
    expect(acted).toMatchObject({
      isError: false,
      content: [{ type: 'text', text: 'Inventory: You are not carrying anything.' }],
      structuredContent: { reward: 0, done: false },
    });
    const direct = (await call('tools/call', { name: 'act', arguments: { message: 'inventory' } })).result;
    expect(direct.content).toEqual(acted.content);
    expect(await call('tools/call', { session_id, name: 'fly', arguments: {} })).toMatchObject({
      id: 7,
      error: { code: -32602 },
    });
    expect(await call('tools/call', { session_id, name: 'act', arguments: { x: 1 } })).toMatchObject({
      error: { code: -32602 },
    });
    expect(await call('initialize')).toMatchObject({ error: { code: -32601 } });
    expect(await call('tools/call', { session_id: 'no', name: 'act', arguments: { message: 'x' } })).toMatchObject({
      error: { code: -32000 },
    });
    await call('openenv/session/create');
    expect(await call('openenv/session/create')).toMatchObject({
      error: { code: -32000, message: expect.stringContaining('2 is the most') },
    });
    expect((await call('openenv/session/close', { session_id })).result).toMatchObject({ closed: true });
    expect(server.sessions()).toBe(1);
    const headers = { 'content-type': 'application/json' };
    const broken = await server.app.inject({ method: 'POST', url: '/mcp', headers, payload: '{' });
    expect([broken.statusCode, broken.json().error.code]).toEqual([200, -32700]);
  });

  test('over the socket: as messages and as actions, and over a separate socket', async () => {
    await listen(['textcraft']);
    const client = await Client.connect('/ws');
    const rpc = (method: string, params = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
    expect(await client.ask({ type: 'mcp', data: rpc('tools/list') })).toMatchObject({
      type: 'mcp',
      data: { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'act' }, { name: 'new_episode' }] } },
    });
    const early = { name: 'act', arguments: { message: 'inventory' } };
    expect((await client.ask({ type: 'mcp', data: rpc('tools/call', early) })).data.result.isError).toBe(true);
    await client.ask({ type: 'reset', data: { index: 0 } });
    expect((await client.ask({ type: 'mcp', data: rpc('tools/call', early) })).data.result.isError).toBe(false);
    const listed = await client.ask({ type: 'step', data: { type: 'list_tools' } });
    expect(listed.data.observation.tools[0]).toMatchObject({ name: 'act', input_schema: { type: 'object' } });
    const called = await client.ask({
      type: 'step',
      data: { type: 'call_tool', tool_name: 'act', arguments: { message: 'inventory' } },
    });
    expect(called.data.observation).toMatchObject({ tool_name: 'act', error: null, result: { valid: true } });
    const unknown = await client.ask({ type: 'step', data: { type: 'call_tool', tool_name: 'fly' } });
    expect(unknown.data.observation).toMatchObject({
      result: null,
      error: { message: expect.stringContaining('fly') },
    });
    expect(await client.ask({ type: 'state' })).toMatchObject({ data: { step_count: 2 } });
    const own = await Client.connect('/mcp');
    expect(await own.ask(rpc('tools/call', { name: 'new_episode', arguments: { index: 1 } }))).toMatchObject({
      id: 1,
      result: { isError: false },
    });
    expect(await own.ask('{')).toMatchObject({ error: { code: -32700 } });
  });
});

describe.skipIf(!hasWorlds('sql'))('the tools of a world', () => {
  test('are listed with their schemas, and called by name', async () => {
    await listen(['sql']);
    const rpc = async (method: string, params: object = {}) =>
      (await post(server, '/sql/mcp', { jsonrpc: '2.0', id: 1, method, params })).json;
    const { tools } = (await rpc('tools/list')).result;
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'act',
      'new_episode',
      'tables',
      'describe',
      'query',
      'answer',
    ]);
    expect(tools.find(({ name }: { name: string }) => name === 'query').inputSchema).toMatchObject({
      type: 'object',
      properties: { sql: { type: 'string' } },
      required: ['sql'],
    });
    const { session_id } = (await rpc('openenv/session/create', { index: 0 })).result;
    const called = await rpc('tools/call', { session_id, name: 'query', arguments: { sql: 'SELECT 6 * 7 AS n' } });
    expect(called.result).toMatchObject({ isError: false, content: [{ type: 'text', text: 'n\n42\n(1 row)' }] });
    const refused = await rpc('tools/call', { session_id, name: 'query', arguments: { statement: 'SELECT 1' } });
    expect(refused.result.structuredContent.observation).toMatchObject({ valid: false });
    const { paths } = (await get(server, '/sql/openapi.json')).json;
    const requests = paths['/mcp'].post.requestBody.content['application/json'].schema.anyOf;
    expect(requests.map(({ title }: { title: string }) => title)).toContain('describe');
    const listed = new Map(tools.map((tool: { name: string; inputSchema: object }) => [tool.name, tool.inputSchema]));
    for (const { title, properties } of requests.slice(1))
      expect(properties.params.properties.arguments).toEqual(listed.get(title));
    for (const [path, item] of Object.entries<{ parameters?: { name: string }[] }>(paths))
      expect((item.parameters ?? []).map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
  });

  test('are called over the socket', async () => {
    await listen(['sql']);
    const client = await Client.connect('/sql/ws');
    await client.ask({ type: 'reset', data: { index: 0 } });
    const called = await client.ask({ type: 'step', data: { type: 'call_tool', tool_name: 'tables', arguments: {} } });
    expect(called.data.observation).toMatchObject({ tool_name: 'tables', error: null });
    expect(called.data.observation.result.text).toMatch(/rows/);
  });
});
