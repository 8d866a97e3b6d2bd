// OpenEnv servers as a world: frames, limited places, action schemas as text, and servers that misbehave.
import { afterEach, describe, expect, it } from 'vitest';
import { promptRulesOf, type Task } from '../../src/envs/env.ts';
import { RemoteWorld } from '../../src/envs/transport/remote.ts';
import { checkOpenEnv } from '../../src/worlds/openenv/check.ts';
import { openenv } from '../../src/worlds/openenv/index.ts';
import { listedActions, observationText } from '../../src/worlds/openenv/observation.ts';
import { actionForm, actionFrom, formText } from '../../src/worlds/openenv/schema.ts';
import { addressesOf, OpenEnvWorld } from '../../src/worlds/openenv/world.ts';
import { type Manners, OpenEnvServer, refuse } from './openenv-server.ts';

const servers: OpenEnvServer[] = [];
const worlds: RemoteWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
  for (const server of servers.splice(0)) await server.close();
});

async function started(manners: Manners = {}) {
  const server = new OpenEnvServer(manners);
  servers.push(server);
  return { server, address: await server.listen() };
}

const quick = { connectMs: 1000, answerMs: 300, againMs: 10, patienceMs: 100 };

async function played(manners: Manners = {}, options = quick) {
  const { server, address } = await started(manners);
  const world = new RemoteWorld(openenv, await OpenEnvWorld.open({ address }, options));
  worlds.push(world);
  return { server, address, world };
}

const taskOf = (id: number, options = {}): Task => ({ world: 'openenv', id, options, strata: {} });
const message = { properties: { message: { type: 'string' } }, required: ['message'] };

describe('an episode', () => {
  it('is a reset with a seed and steps with bare fields, on one socket', async () => {
    const { server, world } = await played({ schema: message });
    const [first] = await world.tasks({ trainItems: '7-8' }, 'train');
    const [opening] = await world.reset([0], [first]);
    expect(opening).toMatchObject({ observation: 'Seed 7.', reward: 0, done: false, valid: true });
    const [on] = await world.step([0], ['look']);
    expect(on).toMatchObject({ observation: 'You said {"message":"look"}.', done: false });
    const [end] = await world.step([0], ['win']);
    expect(end).toMatchObject({ observation: 'You won.', done: true });
    expect(end.reward).toBeCloseTo(1.1);
    expect(server.frames).toEqual([
      { type: 'reset', data: { seed: 7 } },
      { type: 'step', data: { message: 'look' } },
      { type: 'step', data: { message: 'win' } },
    ]);
    await world.reset([0], [taskOf(9)]);
    expect([server.open, server.most]).toEqual([1, 1]);
    await world.close();
    await expect.poll(() => server.open).toBe(0);
  });

  it('may be a task of a split, scored by its last reward', async () => {
    const { server, world } = await played();
    const options = { taskBy: 'index', reward: 'last', testItems: '4' };
    const [task] = await world.tasks(options, 'test');
    expect((await world.reset([0], [task]))[0].observation).toBe('Task 4 of test.');
    expect(server.frames[0]).toEqual({ type: 'reset', data: { index: 4, split: 'test' } });
    await world.step([0], ['look']);
    expect((await world.step([0], ['win']))[0].reward).toBe(1);
  });

  it('counts as a success from the reward set in its options', () => {
    expect(promptRulesOf(openenv, taskOf(0, { successReward: 0.5, instruction: 'Win.' }))).toMatchObject({
      successReward: 0.5,
      instruction: 'Win.',
    });
    expect(promptRulesOf(openenv, taskOf(0)).reply!('Thought: so\n\nAction:\ngo left')).toEqual({ action: 'go left' });
    expect(promptRulesOf(openenv, taskOf(0)).reply!(' go left ')).toEqual({ action: 'go left' });
  });
});

describe('places', () => {
  it('are waited for, and released when an episode ends or is left', async () => {
    const { server, world } = await played({ places: 2 });
    const slots = [0, 1, 2, 3];
    const startedSlots: number[] = [];
    const waiting = slots.map(async (slot) => {
      const [feedback] = await world.reset([slot], [taskOf(slot)]);
      startedSlots.push(slot);
      return feedback;
    });
    await expect.poll(() => startedSlots.length).toBe(2);
    await world.step([startedSlots[0]], ['win']);
    await expect.poll(() => startedSlots.length).toBe(3);
    // The episode reaches its horizon; no response of the world signals this.
    world.leave([startedSlots[1]]);
    const openings = await Promise.all(waiting);
    expect(openings.map(({ failure }) => failure)).toEqual(slots.map(() => undefined));
    expect(openings.map(({ observation }) => observation)).toEqual(slots.map((slot) => `Seed ${slot}.`));
    expect(server.most).toBe(2);
    expect((await world.step([startedSlots[3]], ['look']))[0].observation).toContain('look');
  });

  it('that others keep are reported after some patience', async () => {
    const { world } = await played({ places: 0 });
    expect((await world.reset([0], [taskOf(1)]))[0].failure).toMatch(/all 0 sessions of the server are in use/);
  });

  it('are no longer waited for after an abort', async () => {
    const { world } = await played({ places: 1 }, { ...quick, againMs: 60_000 });
    await world.reset([0], [taskOf(1)]);
    const stop = new AbortController();
    const waiting = world.reset([1], [taskOf(2)], stop.signal);
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('an action as text', () => {
  const click = {
    properties: {
      x: { type: 'integer', description: 'from the left' },
      button: { $ref: '#/$defs/Button' },
      hold: { anyOf: [{ type: 'boolean' }, { type: 'null' }], default: null },
      metadata: { type: 'object' },
    },
    required: ['x', 'button'],
    $defs: { Button: { enum: ['left', 'right'] } },
  };

  it.each([
    [message, 'hello', { message: 'hello' }],
    [{ properties: { move: { type: 'integer' }, note: { type: 'string' } }, required: ['move'] }, ' 3', { move: 3 }],
    [{ properties: { go: { enum: ['N', 'S'] } } }, 'S', { go: 'S' }],
    [{ properties: { go: { allOf: [{ $ref: '#/$defs/Go' }] } }, $defs: { Go: { enum: ['N'] } } }, 'N', { go: 'N' }],
    [{ properties: { on: { type: 'boolean' } }, required: ['on'] }, 'True', { on: true }],
    [click, 'I click. {"x": 3, "button": "left"}', { x: 3, button: 'left' }],
    [{}, '{"type": "list_tools"}', { type: 'list_tools' }],
  ])('from schema %j: %s', (schema, text, action) => expect(actionFrom(text, actionForm(schema))).toEqual(action));

  it.each([
    [{ properties: { move: { type: 'integer' } } }, 'left', /"move" must be a value of type integer/],
    [{ properties: { move: { type: 'integer' } } }, '12345678901234567890', /"move" must be a value of type integer/],
    [{ properties: { go: { enum: ['N', 'S'] } } }, 'W', /"go" must be one of: N, S/],
    [click, 'left', /one JSON object/],
    [click, '{"x": ', /one JSON object/],
  ])('is refused by schema %j: %s', (schema, text, reason) => {
    expect(() => actionFrom(text, actionForm(schema))).toThrow(reason);
  });

  it('with several fields is described first, and has a form', async () => {
    const { world } = await played({ schema: click });
    const [opening] = await world.reset([0], [taskOf(1)]);
    expect(opening.observation).toBe(
      'Seed 1.\n\nYour action is a JSON object with these fields:\n- "x" (integer): from the left\n- "button" (one of "left", "right")\n- "hold" (boolean, may be left out)',
    );
    const [refused] = await world.step([0], ['left']);
    expect(refused).toMatchObject({ observation: 'An action must be one JSON object.', valid: false, done: false });
    expect(await world.view(0)).toMatchObject({ kind: 'openenv', text: 'Seed 1.', fields: [{ name: 'x' }, {}, {}] });
    expect(formText(actionForm(message))).toBe('');
  });

  it('may have its schema from a person if the server gives none', async () => {
    const { server, world } = await played();
    await world.reset([0], [taskOf(1)]);
    await world.step([0], ['hello']);
    expect(server.frames.at(-1)!.data).toEqual({ message: 'hello' });
    const actionSchema = JSON.stringify({ properties: { action_str: { type: 'string' } }, required: ['action_str'] });
    await world.reset([0], [taskOf(1, { actionSchema })]);
    await world.step([0], ["click('13')"]);
    expect(server.frames.at(-1)!.data).toEqual({ action_str: "click('13')" });
    expect(() => openenv.options({ actionSchema: '[1]' })).toThrow(/options\.actionSchema: must be a JSON Schema/);
  });
});

it.each([
  [{ message: 'hi', reward: 1, done: false }, '', 'hi'],
  [{ goal: 'buy', text: 'a page', axtree_txt: 'tree' }, '', 'a page'],
  [{ echoed_message: 'hi', message_length: 2 }, '', 'hi'],
  [{ board: [1, 2], turn: 'x' }, '', '{\n "board": [\n  1,\n  2\n ],\n "turn": "x"\n}'],
  [{ state: { text: 'deep' } }, 'state.text', 'deep'],
  [{ state: null }, 'state.text', ''],
  // TextArena repeats the prompt at each turn; what happened stands in the messages (github.com/huggingface/OpenEnv/pull/99).
  [
    {
      prompt: 'Wordle-v0',
      messages: [{ sender_id: -1, content: 'A R I S E\nY G Y X X', category: 'MESSAGE' }],
      info: {},
    },
    '',
    'A R I S E\nY G Y X X',
  ],
  [{ prompt: 'Guess a word.', messages: [], legal_players: [], info: {} }, '', 'Guess a word.'],
  // Git's: the output and the error lie beside a status (envs/git_env/models.py).
  [
    { success: false, message: 'Failed', error: 'no such ref' },
    '',
    '{\n "success": false,\n "message": "Failed",\n "error": "no such ref"\n}',
  ],
  // Numbers beside a message (envs/grid_world_env/models.py).
  [{ x: 1, y: 2, message: 'Keep going...' }, '', '{\n "x": 1,\n "y": 2,\n "message": "Keep going..."\n}'],
  [
    { info_state: [0, 1], legal_actions: [0, 2] },
    '',
    '{\n "info_state": [\n  0,\n  1\n ],\n "legal_actions": [\n  0,\n  2\n ]\n}',
  ],
  [{ tool_name: 'echo', result: { content: [{ type: 'text', text: 'hi' }], is_error: false }, error: null }, '', 'hi'],
  [{ tool_name: 'ech', result: null, error: { error_type: 'tool_not_found', message: 'No ech' } }, '', 'Error: No ech'],
  [{}, '', ''],
])('reads %j', (observation, field, text) => expect(observationText(observation, field)).toBe(text));

// OpenSpiel and Connect Four list numbers (github.com/huggingface/OpenEnv, envs/openspiel_env/models.py).
it.each([
  [{ legal_actions: [0, 3] }, ['0', '3']],
  [{ available_actions: ['go', 'stay'] }, ['go', 'stay']],
  [{ legal_actions: [{ column: 3 }] }, undefined],
])('lists the actions of %j', (observation, actions) => expect(listedActions(observation)).toEqual(actions));

// An environment of MCP tools: `tool_name` alone is required, and the tools are listed by JSON-RPC
// (github.com/huggingface/OpenEnv/issues/491).
describe('an MCP environment', () => {
  const call = {
    properties: {
      type: { const: 'call_tool', type: 'string' },
      tool_name: { type: 'string' },
      arguments: { type: 'object' },
    },
    required: ['tool_name'],
  };
  const tools = [
    { name: 'echo', description: 'Echoes.', inputSchema: { properties: { message: { type: 'string' } } } },
    { name: 'look', description: null, input_schema: {} },
  ];

  it.each([call, { properties: { metadata: { type: 'object' } } }])(
    'is played by calls of its tools: %j',
    async (schema) => {
      const { server, world } = await played({ schema, tools, observe: () => ({}) });
      const [opening] = await world.reset([0], [taskOf(1)]);
      expect(opening.observation).toBe(
        'Your action is one call of a tool, as JSON: {"tool_name": "...", "arguments": {...}}\nTools:\n' +
          '- echo: Echoes.\n  arguments: {"properties":{"message":{"type":"string"}}}\n- look: \n  arguments: {}',
      );
      await world.step([0], ['{"tool_name": "echo", "arguments": {"message": "win"}}']);
      const echoed = { type: 'call_tool', tool_name: 'echo', arguments: { message: 'win' } };
      expect(server.frames.at(-1)).toEqual({ type: 'step', data: echoed });
      await world.step([0], ['{"name": "look"}']);
      expect(server.frames.at(-1)!.data).toEqual({ type: 'call_tool', tool_name: 'look', arguments: {} });
    },
  );

  it('is only one with tools', async () => {
    const { world } = await played({ schema: {} });
    expect((await world.reset([0], [taskOf(1)]))[0].observation).toBe('Seed 1.\n\nYour action is a JSON object.');
  });
});

type Mishap = (socket: Parameters<NonNullable<Manners['mishap']>>[1]) => boolean;
const send =
  (text: string): Mishap =>
  (socket) => {
    socket.send(text);
    return true;
  };
const cut: Mishap = (socket) => {
  socket.terminate();
  return true;
};

describe('a server that misbehaves', () => {
  it.each([
    ['a refused action', refuse('VALIDATION_ERROR', 'message: too long'), null],
    [
      'a refused action with reasons',
      send(
        '{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"loc":["column"],"msg":"Input should be a valid integer","type":"int_parsing"}]}}',
      ),
      null,
    ],
    ['a failed step', refuse('EXECUTION_ERROR', 'KeyError'), /the server reports EXECUTION_ERROR: KeyError/],
    [
      'an infinite reward',
      send('{"type": "observation", "data": {"observation": {}, "reward": 1e999}}'),
      /not an observation/,
    ],
    ['nonsense', send('}{'), /not JSON: \}\{/],
    ['another frame', send('{"type":"state","data":{}}'), /answer is not an observation/],
    ['silence', () => true, /did not give an answer within 0\.3 s/],
    ['an end', cut, /closed the connection \(code 1006\)/],
  ] as [string, Mishap, RegExp | null][])(
    'costs one episode, by name, and the others continue: %s',
    async (_, mishap, reason) => {
      const { address, world } = await played({
        schema: message,
        mishap: (action, socket) => action.message === 'ill' && mishap(socket),
      });
      await world.reset([0, 1], [taskOf(1), taskOf(2)]);
      const [ill, well] = await world.step([0, 1], ['ill', 'well']);
      expect(well.observation).toContain('well');
      if (reason) {
        expect(ill).toMatchObject({ done: true, failure: expect.stringMatching(reason) });
        expect(ill.failure).not.toContain(new URL(address).port);
      } else
        expect(ill).toMatchObject({
          observation: expect.stringMatching(
            /^message: too long$|^Invalid message: column: Input should be a valid integer$/,
          ),
          valid: false,
          done: false,
        });
      expect((await world.reset([0], [taskOf(3)]))[0]).toMatchObject({ observation: 'Seed 3.', done: false });
      expect((await world.step([1], ['on']))[0].observation).toContain('on');
    },
  );

  it('is unreachable', async () => {
    const { server, address, world } = await played();
    await server.close();
    servers.length = 0;
    expect((await world.reset([0], [taskOf(1)]))[0].failure).toMatch(/the server could not be reached/);
    expect((await checkOpenEnv({ address })).findings[0].kind).toBe('unreachable');
  });
});

describe('the check of a server', () => {
  it('reports its name, its speed, and the number of places', async () => {
    const { server, address } = await started({
      places: 1,
      schema: message,
      metadata: { name: 'doors', description: 'Open doors.', version: '1.2' },
    });
    const report = await checkOpenEnv({ address });
    expect(report).toMatchObject({
      works: true,
      description: 'doors: Open doors.',
      version: '1.2',
      findings: [{ kind: 'places', detail: '1' }],
    });
    expect(report.ms).toBeGreaterThan(0);
    expect(server.frames.every(({ type }) => type === 'state')).toBe(true);
  });

  it('reports a server that refuses pages, and one without free places', async () => {
    const { address } = await started();
    const { findings, works } = await checkOpenEnv({ address });
    expect([works, findings.map(({ kind }) => kind)]).toEqual([true, ['no-version', 'no-schema']]);
    const full = await started({ places: 0 });
    expect((await checkOpenEnv({ address: full.address })).findings[0].kind).toBe('full');
    expect((await checkOpenEnv({ address: 'ftp://box' })).findings[0].kind).toBe('bad-address');
  });

  it.each([
    ['127.0.0.1:8000', 'http://127.0.0.1:8000', 'ws://127.0.0.1:8000/ws'],
    ['wss://worlds.example/textcraft/ws', 'https://worlds.example/textcraft', 'wss://worlds.example/textcraft/ws'],
    ['https://name.hf.space', 'https://name.hf.space', 'wss://name.hf.space/ws'],
  ])('finds %s', (address, http, socket) => expect(addressesOf({ address })).toEqual({ http, socket }));
});
