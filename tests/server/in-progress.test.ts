/** What a client keeps open: the requests of one connection are bounded and end with it, a refused socket is closed. */
import { connect } from 'node:net';
import fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { worldsPlugin } from '../../src/library/server.ts';
import { AgentGymHost } from '../../src/server/agentgym/host.ts';
import type { ChatModel } from '../../src/server/openai/chat-model.ts';
import type { ServedWorld } from '../../src/server/served-world.ts';
import type { Server } from '../../src/server/server.ts';
import { sendRaw, startServer } from './helpers.ts';

let server: Server;
afterEach(() => server?.close());

const listen = async () => Number(new URL(await server.app.listen({ port: 0 })).port);

test('a connection has at most 32 requests in progress; the others are refused by name', async () => {
  server = await startServer(['textcraft']);
  let begun = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  server.app.get('/slow', async () => {
    begun++;
    await released;
    return {};
  });
  const port = await listen();
  const one = 'GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const last = 'GET /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
  const answers = sendRaw(port, one.repeat(39) + last);
  await expect.poll(() => begun).toBe(32);
  release();
  const statuses = [...(await answers).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses).toEqual([...Array(32).fill('200'), ...Array(8).fill('429')]);
  // The connection's count goes down again, and other connections have their own.
  expect(await sendRaw(port, last)).toContain('200 OK');
});

test('all requests of a connection end when it closes, those too whose answers wait for an earlier one', async () => {
  const signals: AbortSignal[] = [];
  const model = (id: string): ChatModel => ({
    ...{ id, created: 0, mostReplies: 1 },
    complete: ({ signal }) =>
      new Promise((_, reject) => {
        signals.push(signal);
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  const reported: unknown[] = [];
  // Each model answers one request at a time.
  const models = ['a', 'b', 'c'].map(model);
  server = await startServer(['textcraft'], { models, report: (error) => reported.push(error) });
  const port = await listen();
  const asked = models.map(({ id }) => {
    const body = JSON.stringify({ model: id, messages: [{ role: 'user', content: 'x' }] });
    return `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  });
  const socket = connect(port, '127.0.0.1', () => socket.write(asked.join('')));
  socket.on('error', () => {});
  await expect.poll(() => signals.length).toBe(3);
  socket.destroy();
  await expect.poll(() => signals.filter(({ aborted }) => aborted).length).toBe(3);
  // A client that leaves is not a failure of the server.
  expect(reported).toEqual([]);
});

test('a refused socket is closed though its client keeps its side open', async () => {
  server = await startServer(['textcraft']);
  const port = await listen();
  const upgrade = `Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let answer = '';
  client.on('data', (data) => (answer += data)).on('error', () => {});
  client.write(`GET /no/such/socket HTTP/1.1\r\n${upgrade}`);
  await expect.poll(() => answer).toContain('404 Not Found');
  const open = () => new Promise((resolve) => server.app.server.getConnections((_error, count) => resolve(count)));
  await expect.poll(open).toBe(0);
  client.destroy();
});

const upgradeTo = (protocol: string) =>
  `Host: localhost\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

test('a request for another protocol is answered after the earlier requests of its connection', async () => {
  server = await startServer(['textcraft']);
  const port = await listen();
  const plain = 'GET /textcraft/ HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const h2c = `GET /textcraft/ HTTP/1.1\r\n${upgradeTo('h2c')}`;
  const last = 'GET /textcraft/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
  const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses(await sendRaw(port, plain + h2c + plain + h2c + last))).toEqual(Array(5).fill('200'));
  const socket = `GET /no/such/socket HTTP/1.1\r\n${upgradeTo('websocket')}`;
  expect(statuses(await sendRaw(port, plain + socket))).toEqual(['200', '404']);
});

test('a connection with many requests for another protocol gathers no listeners', async () => {
  server = await startServer(['textcraft']);
  const counts: number[] = [];
  server.app.server.on('connection', (socket) => counts.push(socket.listenerCount('error')));
  const h2c = `GET /textcraft/ HTTP/1.1\r\n${upgradeTo('h2c')}`;
  const last = 'GET /textcraft/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
  expect((await sendRaw(await listen(), h2c.repeat(30) + last)).match(/200 OK/g)).toHaveLength(31);
  expect(Math.max(...counts)).toBeLessThan(5);
});

test('mounts of one application answer a request for another protocol once, and refuse unknown sockets', async () => {
  const app = fastify();
  for (const prefix of ['/a', '/b']) await app.register(worldsPlugin, { prefix, worlds: ['textcraft'] });
  const port = Number(new URL(await app.listen({ port: 0 })).port);
  const create = `POST /b/textcraft/create HTTP/1.1\r\nContent-Length: 2\r\n${upgradeTo('h2c')}{}`;
  const last =
    'POST /b/textcraft/create HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}';
  expect([...(await sendRaw(port, create + last)).matchAll(/"id":(\d+)/g)].map(([, id]) => id)).toEqual(['0', '1']);
  expect(await sendRaw(port, `GET /c/ws HTTP/1.1\r\n${upgradeTo('websocket')}`)).toContain('404 Not Found');
  await app.close();
});

test('a list of the open environments keeps none of them from expiring', () => {
  const touched: number[] = [];
  let opened = 0;
  const world = {
    open: () => {
      const id = opened++;
      return { touch: () => touched.push(id), close: () => {} };
    },
  };
  const host = new AgentGymHost(world as unknown as ServedWorld);
  const sessions = [host.create(), host.create(), host.create()];
  host.close(sessions[1]);
  expect(host.openIds()).toEqual([0, 2]);
  expect(touched).toEqual([]);
});
