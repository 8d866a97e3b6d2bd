/** Requests that wait for a policy: clients take turns, a full queue refuses the client with the most. */
import { Agent, request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import type { ChatModel } from '../../src/server/openai/chat-model.ts';
import { QueueFull, Turns } from '../../src/server/openai/turns.ts';
import type { Server } from '../../src/server/server.ts';
import { startServer } from './helpers.ts';

const never = () => new AbortController().signal;

/** Queues calls behind one that runs; returns their names in the order in which they ran. */
async function order(calls: readonly (readonly [name: string, path: readonly unknown[]])[]): Promise<string[]> {
  const turns = new Turns();
  const ran: string[] = [];
  let release = () => {};
  const first = turns.during([], never(), () => new Promise<void>((resolve) => (release = resolve)));
  const all = calls.map(([name, path]) =>
    turns
      .during(path, never(), async () => {
        ran.push(name);
      })
      .catch((error) => {
        if (!(error instanceof QueueFull)) throw error;
        ran.push(`${name} refused`);
      }),
  );
  await Promise.resolve();
  release();
  await Promise.all([first, ...all]);
  return ran;
}

test('clients take turns by address, then by key, then by connection; each has its order', async () => {
  const hog = Array.from({ length: 5 }, (_, k) => [`hog ${k}`, ['A', 'k', 1]] as const);
  const calls = [...hog, ['b', ['B', 'k', 2]], ['key', ['A', 'l', 3]], ['connection', ['A', 'k', 4]]] as const;
  expect(await order(calls)).toEqual(['hog 0', 'b', 'key', 'connection', 'hog 1', 'hog 2', 'hog 3', 'hog 4']);
});

test('a full queue refuses the last request of the client with the most', async () => {
  const hog = Array.from({ length: 256 }, (_, k) => [`hog ${k}`, ['A', 'k', k % 3]] as const);
  const ran = await order([...hog, ['b', ['B', 'k', 9]], ['late hog', ['A', 'k', 9]]]);
  expect(ran.filter((name) => name.endsWith('refused'))).toHaveLength(2);
  expect(ran).not.toContain('b refused');
  expect(ran.filter((name) => !name.endsWith('refused'))[1]).toBe('b');
  // Nobody has more than the newcomer: it is refused itself.
  const each = Array.from({ length: 257 }, (_, k) => [`${k}`, [k]] as const);
  expect((await order(each)).filter((name) => name.endsWith('refused'))).toEqual(['256 refused']);
});

test('a client that leaves gives up its place, and a failed call passes the turn on', async () => {
  const turns = new Turns();
  let fail = (_: Error) => {};
  const first = turns.during(['A'], never(), () => new Promise((_, reject) => (fail = reject)));
  const leaving = new AbortController();
  const left = turns.during(['A'], leaving.signal, async () => 'ran');
  const last = turns.during(['A'], never(), async () => 'last');
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  await expect(turns.during(['A'], leaving.signal, async () => 'ran')).rejects.toThrow('left');
  fail(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  expect(await last).toBe('last');
  expect(await turns.during(['A'], never(), async () => 'again')).toBe('again');
});

let server: Server;
afterEach(() => server?.close());

test('a client with 300 requests over 300 connections leaves another its turn', async () => {
  let answered = 0;
  let queue = Promise.resolve();
  const model: ChatModel = {
    ...{ id: 'm', created: 0, mostReplies: 1 },
    async complete() {
      queue = queue.then(() => new Promise((done) => setTimeout(done, 10)));
      await queue;
      answered++;
      return { replies: [{ text: 'x', ending: 'stop' }], promptTokens: 1, completionTokens: 1 };
    },
  };
  server = await startServer(['textcraft'], { models: [model] });
  const port = Number(new URL(await server.app.listen({ port: 0 })).port);
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] });
  const ask = (key: string, agent: Agent) =>
    new Promise<number>((resolve) => {
      const headers = { authorization: `Bearer ${key}`, 'content-length': body.length };
      const asked = request({ port, path: '/v1/chat/completions', method: 'POST', agent, headers }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode!));
      });
      asked.once('error', () => resolve(0)).end(body);
    });
  const agent = new Agent({ maxSockets: 1000 });
  const hogs = Array.from({ length: 300 }, () => ask('hog', agent));
  await expect.poll(() => answered).toBeGreaterThan(3);
  const before = answered;
  expect(await ask('other', new Agent())).toBe(200);
  // Without turns it would be refused, as the queue of 256 is full. Some are answered until it has connected.
  expect(answered - before).toBeLessThan(100);
  agent.destroy();
  await Promise.all(hogs);
});
