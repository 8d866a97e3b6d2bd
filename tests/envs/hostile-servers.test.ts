/**
 * Servers of worlds and models whose answers have values of other types, depths and lengths in every field: each call
 * gives an answer of the right form, or a failure that is named and short, and never a JavaScript error's words.
 */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import type { Task, World } from '../../src/envs/env.ts';
import { RemoteWorld } from '../../src/envs/transport/remote.ts';
import { ApiModel } from '../../src/session/api/api-model.ts';
import { agentGymKinds } from '../../src/worlds/agentgym/index.ts';
import { AgentGymWorld } from '../../src/worlds/agentgym/world.ts';
import { OpenEnvWorld } from '../../src/worlds/openenv/world.ts';
import { worldModules } from '../../src/worlds/registry.ts';
import { apiJudge } from '../../src/worlds/search/survey/own/judge.ts';

const values: { readonly [name: string]: string } = {
  ...{ nothing: 'null', infinite: '1e999', negative: '-1', fraction: '0.1', truth: 'true', empty: '""' },
  ...{ digits: '"12"', half: '"\\ud800\\u0000"', list: '[]', object: '{}', several: '[1,2,3]' },
  names: '{"__proto__":1,"constructor":2,"toString":3,"toJSON":4,"then":5,"length":6}',
  deep: '['.repeat(20_000) + ']'.repeat(20_000),
  deepObject: `${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`,
  long: `"${'x'.repeat(100_000)}"`,
};

const usual: { readonly [field: string]: string } = {
  ...{ observation: '"text"', state: '"text"', reward: '0', score: '0', done: 'false', id: '0', env_idx: '0' },
  ...{ data: '{"observation":{"text":"a"},"reward":0,"done":false}', type: '"observation"', error: 'null' },
  ...{ choices: '[{"message":{"content":"a"}}]', available_actions: '["a"]' },
};
const bodyWith = (field: string, value: string) =>
  `{${Object.entries(usual).map(([name, text]) => `"${name}":${name === field ? value : text}`)}}`;

/** Places of a value in an answer. */
const places: readonly ((value: string) => string)[] = [
  (value) => value,
  ...Object.keys(usual).map((field) => (value: string) => bodyWith(field, value)),
  ...['observation', 'reward', 'done'].map(
    (field) => (value: string) =>
      bodyWith('data', `{"observation":{"text":"a"},"reward":0,"done":false,"${field}":${value}}`),
  ),
  (value) => bodyWith('choices', `[${value}]`),
  (value) => bodyWith('choices', `[{"message":{"content":${value}},"finish_reason":${value}}]`),
  (value) =>
    bodyWith('choices', `[{"message":{"tool_calls":[{"id":${value},"function":{"name":"a","arguments":${value}}}]}}]`),
  (value) => `{"error":{"message":${value},"type":${value},"code":${value}}}`,
  (value) => `{"error":{"message":"a","loc":[${value}],"metadata":{"headers":{"retry-after":${value}}}}}`,
];
const bodies = Object.entries(values).flatMap(([name, value]) =>
  places.map((place, k) => [`${name} ${k}`, place(value)] as const),
);

let [body, status, address] = ['{}', 200, ''];
const server: Server = createServer((request, response) => {
  request.resume();
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
});
const sockets = new WebSocketServer({ server, path: '/ws' });
sockets.on('connection', (socket) => socket.on('message', () => socket.send(body)));

beforeAll(async () => {
  await buildWasm();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterAll(() => {
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
  server.close();
});

const quick = { attempts: 1, pauseMs: 1, attemptMs: 5000, connectMs: 5000, answerMs: 5000 };
const errorsOfOurs =
  /^(?:WorldError|ServerError|AnswerError|RefusedError|DeadlineError|UnreachableError|ApiModelError)$/;
const ofTheEngine = /call stack|is not a function|Cannot |of undefined|not iterable|primitive value/;

const faultsOf = (words: string) => [
  ...(ofTheEngine.test(words) ? [words] : []),
  ...(words.length > 1500 ? [`${words.length} characters`] : []),
];

/** What is wrong with a call's answers or with its error. */
async function faults(call: () => Promise<unknown>): Promise<string[]> {
  try {
    const answers = await call();
    return [answers].flat().flatMap((answer) => faultsOf((answer as { failure?: string } | undefined)?.failure ?? ''));
  } catch (error) {
    const { name, message } = error as Error;
    return [...(errorsOfOurs.test(name) ? [] : [`${name}: ${message}`]), ...faultsOf(message)];
  }
}

async function played(title: string, open: () => Promise<World>): Promise<string[]> {
  const found: string[] = [];
  for (const [name, text] of bodies) {
    body = text;
    const world = await open();
    const task = { world: 'w', id: 0, options: {}, strata: {} } as Task;
    const all = [
      ...(await faults(() => world.reset([0], [task]))),
      ...(await faults(() => world.step([0], ['go']))),
      ...(await faults(() => world.close())),
    ];
    found.push(...all.map((fault) => `${title}, ${name}: ${fault}`));
  }
  return found;
}

describe('a server that answers with other values', () => {
  it.each(agentGymKinds(worldModules).map((kind) => [kind.kind, kind] as const))(
    'fails the episode by name: AgentGym, %s',
    async (_, kind) => {
      const module = worldModules.find(({ name }) => name === `agentgym-${kind.kind}`)!;
      const open = async () =>
        new RemoteWorld(module, await AgentGymWorld.open(module, kind, { address }, { ...quick }));
      expect(await played(kind.kind, open)).toEqual([]);
    },
    60_000,
  );

  it('fails the episode by name: OpenEnv', async () => {
    const module = worldModules.find(({ name }) => name === 'openenv')!;
    const open = async () => new RemoteWorld(module, await OpenEnvWorld.open({ address }, { ...quick }));
    expect(await played('openenv', open)).toEqual([]);
  }, 60_000);

  it.each([200, 400, 429, 500])(
    'is a model or a judge that gives no usable reply, with status %i',
    async (code) => {
      status = code;
      try {
        const found: string[] = [];
        for (const [name, text] of bodies) {
          body = text;
          const { signal } = new AbortController();
          const model = new ApiModel({ address, model: 'm', key: () => 'a-key', tries: 1, retryMs: 1, patienceMs: 1 });
          const asking = { temperature: 1, maxTokens: 5, seed: 1, signal, tools: [] };
          const judge = apiJudge({ address, token: 't', model: 'm' });
          const all = [
            ...(await faults(() => model.reply([{ role: 'user', content: 'a' }], asking))),
            ...(code === 200 ? await faults(() => judge({ title: 'a', sentences: ['b'] }, ['c'])) : []),
          ];
          found.push(...all.map((fault) => `${name}: ${fault}`));
        }
        expect(found).toEqual([]);
      } finally {
        status = 200;
      }
    },
    60_000,
  );

  it('is cut where an answer never ends', async () => {
    const endless = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      const piece = Buffer.alloc(1 << 20, 'x');
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more);
      more();
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const at = `http://127.0.0.1:${(endless.address() as { port: number }).port}`;
    try {
      const model = new ApiModel({ address: at, model: 'm', key: () => null, tries: 1 });
      const { signal } = new AbortController();
      const asked = model.reply([{ role: 'user', content: 'a' }], { temperature: 1, maxTokens: 5, seed: 1, signal });
      await expect(asked).rejects.toThrow('longer than 8 MB');
    } finally {
      endless.closeAllConnections();
      endless.close();
    }
  });
});
