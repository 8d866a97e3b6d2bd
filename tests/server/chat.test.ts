/** Chat completions: requests that are read or refused, and a real tiny policy that replies to its world's texts. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openServedPolicy, readPolicyAt } from '../../src/cli/served-policy.ts';
import type { Task, World, WorldOptions } from '../../src/envs/env.ts';
import { chatModel } from '../../src/library/chat-model.ts';
import { nodeEngines } from '../../src/library/node/engines.ts';
import { rollout } from '../../src/rl/episode/rollout.ts';
import { type ChatModel, type ChatRequest, ChatRequestError } from '../../src/server/openai/chat-model.ts';
import type { Server } from '../../src/server/server.ts';
import { worldTurns } from '../../src/session/completion.ts';
import { openRunEngine } from '../../src/session/service/loaded-policy.ts';
import { unzip } from '../../src/store/zip.ts';
import { openWorld, worldModule } from '../../src/worlds/registry.ts';
import { rowsHere } from '../worlds.ts';
import { get, post, startServer } from './helpers.ts';

vi.mock('../../src/workers/spawn-world.ts', async () => ({
  openGuardedWorld: (await import('../../src/worlds/registry.ts')).openWorld,
  settingsFromEnvironment: () => ({}),
}));

const machine = { device: 'wasm', threads: 1 } as const;

/** The policy of a file as the server's chat model. */
async function openPolicyModel(path: string) {
  const { id, policy } = await openServedPolicy(path, machine);
  return { model: chatModel(id, policy), close: policy.close };
}

const messages = [{ role: 'user', content: 'hello' }];

/** Replies with the messages it received. */
class Echo implements ChatModel {
  readonly id = 'echo';
  readonly created = 1;
  readonly mostReplies = 2;
  received: ChatRequest[] = [];
  async complete(request: ChatRequest) {
    this.received.push(request);
    const text = request.messages.map(({ role, content }) => `${role}:${content}`).join('|');
    const reply = { text, ending: 'stop' as const };
    return {
      replies: Array.from({ length: request.n }, () => reply),
      promptTokens: 3,
      completionTokens: 2 * request.n,
    };
  }
}

let server: Server;
afterEach(() => server?.close());
const ask = (body: unknown) => post(server, '/v1/chat/completions', body);

describe('the protocol', () => {
  test('clients of other interfaces are told of this one, in their own form', async () => {
    server = await startServer(['textcraft'], { models: [new Echo()] });
    for (const path of ['/v1/messages', '/v1/messages?beta=true', '/v1/messages/count_tokens', '/v1/responses']) {
      const { status, json } = await post(server, path, { model: 'echo', max_tokens: 9, messages });
      expect([status, json.type, json.error.type]).toEqual([404, 'error', 'not_found_error']);
      expect(json.error.message).toMatch(/^\/v1\/(messages|responses) is not served: .* at \/v1\/chat\/completions/);
    }
    expect((await post(server, '/v1/elsewhere', {})).json).toEqual({ detail: 'Not Found' });
  });

  test('models, a completion, its parts', async () => {
    const echo = new Echo();
    server = await startServer(['textcraft'], { models: [echo] });
    expect((await get(server, '/v1/models')).json).toEqual({
      object: 'list',
      data: [{ id: 'echo', object: 'model', created: 1, owned_by: 'tabgym' }],
    });
    expect((await get(server, '/v1/models/echo')).json.id).toBe('echo');
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    const answer = await ask({
      model: 'echo',
      messages: [
        { role: 'developer', content: 'x' },
        { role: 'user', content: parts },
      ],
      n: 2,
      temperature: 0.5,
      max_tokens: 7,
      stop: 'end',
      seed: 4,
      user: 'whoever',
    });
    expect(answer).toMatchObject({
      status: 200,
      json: {
        object: 'chat.completion',
        model: 'echo',
        choices: [
          { index: 0, message: { role: 'assistant', content: 'system:x|user:ab' }, finish_reason: 'stop' },
          { index: 1 },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      },
    });
    expect(echo.received[0]).toMatchObject({
      temperature: 0.5,
      maxTokens: 7,
      stop: ['end'],
      seed: 4,
      n: 2,
      choices: null,
    });
    await ask({ model: 'echo', messages });
    expect(echo.received[1]).toMatchObject({ temperature: 1, maxTokens: null, stop: [], seed: null, n: 1 });
  });

  test('server-sent events', async () => {
    server = await startServer(['textcraft'], { models: [new Echo()] });
    const payload = JSON.stringify({ model: 'echo', messages, stream: true, stream_options: { include_usage: true } });
    const headers = { 'content-type': 'application/json' };
    const response = await server.app.inject({ method: 'POST', url: '/v1/chat/completions', headers, payload });
    expect(response.headers['content-type']).toMatch(/^text\/event-stream/);
    const events = response.body.split('\n\n').filter((each) => each);
    expect(events.at(-1)).toBe('data: [DONE]');
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.replace(/^data: /, '')));
    expect(new Set(chunks.map(({ id, object }) => `${id} ${object}`)).size).toBe(1);
    expect(
      chunks
        .flatMap(({ choices }) => choices.map(({ delta }: { delta: { content?: string } }) => delta.content ?? ''))
        .join(''),
    ).toBe('user:hello');
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null, 'stop', undefined]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 5 } });
  });

  test('text is streamed before the reply is complete; a failure after that is an event', async () => {
    let go = () => {};
    let end: (error: Error | null) => void = () => {};
    const slow = {
      ...{ id: 'slow', created: 1, mostReplies: 2 },
      async complete({ onPiece }: ChatRequest) {
        await new Promise<void>((done) => {
          go = done;
        });
        onPiece?.(1, 'one ');
        const error = await new Promise<Error | null>((done) => {
          end = done;
        });
        if (error) throw error;
        const replies = [
          { text: 'two', ending: 'stop' as const },
          { text: 'one more', ending: 'length' as const },
        ];
        return { replies, promptTokens: 1, completionTokens: 2 };
      },
    };
    const reports: unknown[] = [];
    server = await startServer(['textcraft'], { models: [slow], report: (error) => reports.push(error) });
    const address = await server.app.listen({ port: 0, host: '127.0.0.1' });
    const begin = async () => {
      const body = JSON.stringify({ model: 'slow', messages, stream: true, n: 2 });
      const headers = { 'content-type': 'application/json' };
      const asking = fetch(`${address}/v1/chat/completions`, { method: 'POST', headers, body });
      await vi.waitFor(() => expect(go).not.toBe(nothing));
      go();
      const reader = (await asking).body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      while (!text.includes('one ')) text += (await reader.read()).value;
      const rest = async () => {
        for (let each = await reader.read(); !each.done; each = await reader.read()) text += each.value;
        return text;
      };
      return rest;
    };
    const nothing = () => {};
    go = nothing;
    const rest = await begin();
    end(null);
    const texts = ['', ''];
    for (const event of (await rest()).split('\n\n').filter((each) => each.startsWith('data: {')))
      for (const { index, delta } of JSON.parse(event.slice(6)).choices) texts[index] += delta.content ?? '';
    expect(texts).toEqual(['two', 'one more']);
    go = nothing;
    const broken = await begin();
    end(new Error('broken'));
    expect(JSON.parse((await broken()).trim().split('\n\n').at(-1)!.slice(6)).error.type).toBe('server_error');
    expect(reports).toEqual([new Error('broken')]);
  });

  test('a stream that fails before its first event has an error status', async () => {
    const unable = {
      ...{ id: 'unable', created: 1, mostReplies: 1 },
      complete: () => Promise.reject(new ChatRequestError('no', 'messages', 'context_length_exceeded')),
    };
    server = await startServer(['textcraft'], { models: [unable] });
    expect(await ask({ model: 'unable', messages, stream: true })).toMatchObject({
      status: 400,
      json: { error: { code: 'context_length_exceeded' } },
    });
  });

  test("invalid requests get an error in the protocol's form, with the field", async () => {
    const echo = new Echo();
    server = await startServer(['textcraft'], { models: [echo] });
    const wrong: [object, number, object][] = [
      [{ model: 'other', messages }, 404, { code: 'model_not_found', param: 'model' }],
      [{ model: 'echo', messages: [] }, 400, { param: 'messages' }],
      [{ model: 'echo' }, 400, { param: 'messages' }],
      [{ messages }, 400, { param: 'model' }],
      [{ model: 'echo', messages, temperature: 3 }, 400, { param: 'temperature' }],
      [{ model: 'echo', messages, n: 3 }, 400, { param: 'n' }],
      [{ model: 'echo', messages, max_tokens: 0 }, 400, { param: 'max_tokens' }],
      [{ model: 'echo', messages, stop: ['a', 'b', 'c', 'd', 'e'] }, 400, { param: 'stop' }],
      [{ model: 'echo', messages, top_p: 0.5 }, 400, { param: 'top_p', code: 'unsupported_parameter' }],
      [{ model: 'echo', messages, tools: [{}] }, 400, { param: 'tools' }],
      [{ model: 'echo', messages: [{ role: 'tool', content: 'x' }] }, 400, { param: 'messages.0.role' }],
      [[1], 400, { type: 'invalid_request_error' }],
    ];
    for (const [body, status, error] of wrong)
      expect(await ask(body)).toMatchObject({ status, json: { error: { message: expect.any(String), ...error } } });
    const headers = { 'content-type': 'application/json' };
    const broken = await server.app.inject({ method: 'POST', url: '/v1/chat/completions', headers, payload: '{' });
    expect([broken.statusCode, broken.json().error.type]).toEqual([400, 'invalid_request_error']);
    expect((await ask({ model: 'echo', messages, top_p: 1, presence_penalty: 0, tools: [] })).status).toBe(200);
  });

  test('without a policy the error explains how to serve one', async () => {
    server = await startServer(['textcraft']);
    expect((await get(server, '/v1/models')).json.data).toEqual([]);
    expect(await ask({ model: 'x', messages })).toMatchObject({
      status: 404,
      json: { error: { message: expect.stringContaining('--policy') } },
    });
  });
});

test('a tiny policy skips system messages and the instruction, and joins neighbours of one role', () => {
  const say = (role: 'system' | 'user' | 'assistant', content: string) => ({ role, content });
  const opening = [say('system', 's'), say('user', 'rules'), say('assistant', 'Ok.')];
  expect(
    worldTurns([...opening, say('user', 'o1'), say('assistant', 'a1'), say('user', 'o2'), say('user', 'o3')]),
  ).toEqual([say('user', 'o1'), say('assistant', 'a1'), say('user', 'o2\no3')]);
  expect(worldTurns([say('user', 'o1'), say('assistant', 'Ok then')])).toHaveLength(2);
});

describe('the actions found in a text are those that the world offers', () => {
  const terse = {
    observation: 'terse',
    verbs: ['click'],
    sites: ['shop', 'forum', 'tracker'],
    instances: 4,
    testInstances: 4,
  };
  const cases: [string, WorldOptions][] = [
    ['textcraft', {}],
    ['babyai', {}],
    ['maze', {}],
    ['web', terse],
  ];
  test.each(rowsHere(cases))('%s', async (name, options) => {
    const world = await openWorld(name);
    const { listedActions } = worldModule(name);
    if (!listedActions) throw new Error('it has none');
    const tasks = [...(await world.tasks(options, 'train')), ...(await world.tasks(options, 'test'))];
    for (const task of tasks.filter((_, k) => k % 3 === 0)) {
      const [first] = await world.reset([0], [task]);
      const observations = [first.observation];
      expect([...listedActions(observations, options)!].sort()).toEqual([...first.validActions!].sort());
      const [next] = await world.step([0], [first.validActions![0]]);
      observations.push(next.observation);
      if (next.validActions && !next.done)
        expect([...listedActions(observations, options)!].sort()).toEqual([...next.validActions].sort());
    }
  });
});

describe('the policy that comes with the page', () => {
  let opened: Awaited<ReturnType<typeof openPolicyModel>>;
  beforeAll(async () => {
    opened = await openPolicyModel('public/sample-policy.zip');
  });
  afterAll(() => opened.close());

  /** Actions of the policy's greedy episodes, played by the rollout that it was trained with. */
  async function inRollouts(world: World, tasks: readonly Task[], turns: number): Promise<string[][]> {
    const path = 'public/sample-policy.zip';
    const engine = await openRunEngine(nodeEngines(machine), readPolicyAt(path), path, (experiment) => experiment);
    const completionPolicy = await engine.completionPolicy!();
    const rules = { invalidAction: 'continue' as const };
    const sampling = { temperature: 0, maskActions: true, maxTokensPerTurn: 32, seed: 1, stream: 0 };
    const trajectories = await rollout(
      { ...completionPolicy, worlds: new Map([['textcraft', world]]) },
      { tasks, groupSize: 1, limit: turns, rules, ...sampling },
    );
    await engine.close();
    return trajectories.map(({ turns: each }) => each.map(({ action }) => action));
  }

  test('replies as in its own rollouts; a seed repeats the reply', async () => {
    server = await startServer(['textcraft'], { models: [opened.model] });
    const world = await openWorld('textcraft');
    const tasks = (await world.tasks({}, 'train')).slice(0, 12);
    const turns = 4;
    const actions = await inRollouts(world, tasks, turns);
    for (const [k, task] of tasks.entries()) {
      const [first] = await world.reset([0], [task]);
      const conversation: { role: string; content: string }[] = [{ role: 'user', content: first.observation }];
      for (let turn = 0; turn < actions[k].length; turn++) {
        const { json } = await ask({ model: opened.model.id, messages: conversation, temperature: 0 });
        const action = json.choices[0].message.content as string;
        expect(action).toBe(actions[k][turn]);
        const [answer] = await world.step([0], [action]);
        conversation.push({ role: 'assistant', content: action }, { role: 'user', content: answer.observation });
      }
    }
    expect(actions.flat().length).toBeGreaterThan(tasks.length);
    const [{ observation, validActions }] = await world.reset([0], [tasks[0]]);
    const dialogue = [{ role: 'user', content: observation }];
    const twice = [1, 2].map(() => ask({ model: opened.model.id, messages: dialogue, seed: 5, n: 4 }));
    const [one, again] = await Promise.all(twice);
    expect(one.json.choices).toEqual(again.json.choices);
    for (const { message } of one.json.choices) expect(validActions).toContain(message.content);
    const chosen = await ask({ model: opened.model.id, messages: dialogue, guided_choice: ['inventory', 'dance'] });
    expect(['inventory', 'dance']).toContain(chosen.json.choices[0].message.content);
  });

  test('a streamed reply grows and adds up to the whole', async () => {
    const signal = new AbortController().signal;
    const request = { n: 3, temperature: 1.5, maxTokens: 24, seed: 3, choices: null, signal };
    const conversation = [{ role: 'user' as const, content: 'Crafting commands:\nno list here' }];
    for (const stop of [[], ['s'], ['not in it']]) {
      const streamedTexts = ['', '', ''];
      let pieces = 0;
      const onPiece = (reply: number, piece: string) => {
        streamedTexts[reply] += piece;
        pieces++;
      };
      const { replies } = await opened.model.complete({ ...request, messages: conversation, stop, onPiece });
      const quiet = await opened.model.complete({ ...request, messages: conversation, stop });
      expect(quiet.replies).toEqual(replies);
      for (const [k, { text }] of replies.entries()) expect(text.startsWith(streamedTexts[k])).toBe(true);
      if (stop.length === 0) expect(pieces).toBeGreaterThan(2);
    }
  });

  test('a client of AgentGym is answered in its form', async () => {
    server = await startServer(['textcraft'], { models: [opened.model] });
    const world = await openWorld('textcraft');
    const [task] = await world.tasks({}, 'train');
    const [{ observation }] = await world.reset([0], [task]);
    const opening = [
      { role: 'user', content: world.describe().instruction },
      { role: 'assistant', content: "OK. I'll follow your instructions and try my best to solve the task." },
    ];
    const answer = await ask({
      model: opened.model.id,
      temperature: 0,
      messages: [...opening, { role: 'user', content: observation }],
    });
    const reply = answer.json.choices[0].message.content as string;
    expect(reply).toMatch(/^Thought:\n\nAction:\n(craft|get) /);
    const bare = await ask({
      model: opened.model.id,
      temperature: 0,
      messages: [{ role: 'user', content: observation }],
    });
    expect(reply.endsWith(bare.json.choices[0].message.content)).toBe(true);
    expect(world.describe().reply!(reply).action).toBe(bare.json.choices[0].message.content);
    // Only the action of the policy's own earlier reply is kept.
    const next = [
      { role: 'assistant', content: reply },
      { role: 'user', content: 'Got 1 stick' },
    ];
    expect(
      (await ask({ model: opened.model.id, messages: [...opening, { role: 'user', content: observation }, ...next] }))
        .status,
    ).toBe(200);
  });

  test('refuses a conversation that is too long or malformed', async () => {
    server = await startServer(['textcraft'], { models: [opened.model] });
    const long = [{ role: 'user', content: 'stick '.repeat(5000) }];
    expect(await ask({ model: opened.model.id, messages: long })).toMatchObject({
      status: 400,
      json: { error: { code: 'context_length_exceeded', param: 'messages' } },
    });
    const ended = [...messages, { role: 'assistant', content: 'x' }];
    expect(await ask({ model: opened.model.id, messages: ended })).toMatchObject({
      status: 400,
      json: { error: { param: 'messages' } },
    });
  });

  test('a folder of the same files is the same policy; a folder without them is refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'policy-'));
    try {
      await expect(openPolicyModel(folder)).rejects.toThrow(/contains no policy/);
      const files = unzip(new Uint8Array(readFileSync('public/sample-policy.zip')));
      for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
      const other = await openPolicyModel(folder);
      const request = {
        messages: [{ role: 'user' as const, content: 'hello' }],
        n: 1,
        temperature: 0,
        maxTokens: 8,
        stop: [],
        seed: 1,
        choices: null,
      };
      const signal = new AbortController().signal;
      expect(await other.model.complete({ ...request, signal })).toEqual(
        await opened.model.complete({ ...request, signal }),
      );
      await other.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
