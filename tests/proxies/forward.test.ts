/**
 * Forwarding to servers that send no CORS headers: routes, sockets, and the report that the page's Connect makes of
 * them.
 */
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { readConfig } from '../../proxies/config.ts';
import { type OpenedProxy, openProxy } from '../../proxies/service.ts';
import { checkAgentGym } from '../../src/worlds/agentgym/check.ts';
import { agentGymKinds } from '../../src/worlds/agentgym/index.ts';
import { worldModule, worldModules } from '../../src/worlds/registry.ts';
import { AgentGymServer, dialects } from '../envs/agentgym-server.ts';
import { OpenEnvServer } from '../envs/openenv-server.ts';
import { openOver } from './opened.ts';
import { SixSites } from './six-sites.ts';

const page = 'http://localhost:4173';
const kindOf = (name: string) => agentGymKinds(worldModules).find(({ kind }) => kind === name)!;

/** Server that answers every request with this text. */
async function rawServer(text: string) {
  const server = createServer((socket) => {
    // A proxy that refuses the text closes the connection.
    socket.on('error', () => {});
    socket.once('data', () => socket.end(text));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A proxy that forwards to one address under the name `odd`. */
async function proxyOf(address: string) {
  const other = await openProxy(readConfig({ forward: [{ name: 'odd', address }] }, 'the test'), {
    version: '0.1.0',
    report: () => {},
  });
  return { other, there: `${await other.app.listen({ host: '127.0.0.1', port: 0 })}/${other.token}/forward/odd/` };
}

let games: AgentGymServer;
let rooms: OpenEnvServer;
let proxy: OpenedProxy;
let base: string;

beforeEach(async () => {
  games = new AgentGymServer(dialects.textcraft);
  rooms = new OpenEnvServer({});
  const forward = [
    { name: 'textcraft', address: await games.listen() },
    { name: 'rooms', address: await rooms.listen() },
  ];
  proxy = await openProxy(readConfig({ forward }, 'the test'), {
    version: '0.1.0',
    report: (error) => {
      throw error;
    },
  });
  base = `${await proxy.app.listen({ host: '127.0.0.1', port: 0 })}/${proxy.token}`;
});
afterEach(async () => {
  await proxy.close();
  await Promise.all([games.close(), rooms.close()]);
});

describe('forwarding', () => {
  it('plays an AgentGym server as if it were called directly', async () => {
    const module = worldModule('agentgym-textcraft');
    const world = await module.open({ address: `${base}/forward/textcraft` });
    const [task] = await world.tasks({}, 'train');
    const [started] = await world.reset([0], [task]);
    expect(started.observation).toContain('Task');
    await world.step([0], ['get 1 log']);
    await world.close();
    expect(games.requests.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/create', '/reset', '/step', '/close']),
    );
    expect(games.requests.find(({ path }) => path === '/step')!.body).toMatchObject({ action: expect.any(String) });
  });
  it.each(['000', '050', '099', '600', '999'])(
    'answers 502 to the status %s of a server, and lives on',
    async (status) => {
      const odd = await rawServer(`HTTP/1.1 ${status} Odd\r\ncontent-length: 2\r\n\r\nhi`);
      const { other, there } = await proxyOf(odd.address);
      for (let attempt = 0; attempt < 2; attempt++) {
        const answer = await fetch(there);
        expect(answer.status).toBe(502);
        expect(await answer.json()).toEqual({
          detail: `The server "odd" answered with status ${Number(status)}, which is not one of HTTP's (100 to 599).`,
        });
      }
      await other.close();
      odd.server.close();
    },
  );
  it('passes on no headers of the connection to a server, and lives on after a trailer without chunks', async () => {
    const odd = await rawServer(
      'HTTP/1.1 200 OK\r\nconnection: x-a, close\r\nkeep-alive: timeout=99999\r\ntrailer: x-t\r\nupgrade: h2c\r\ncontent-length: 2\r\n\r\nhi',
    );
    const { other, there } = await proxyOf(odd.address);
    for (let attempt = 0; attempt < 2; attempt++) {
      const answer = await fetch(there);
      expect([answer.status, await answer.text()]).toEqual([200, 'hi']);
      expect([answer.headers.get('trailer'), answer.headers.get('upgrade')]).toEqual([null, null]);
    }
    await other.close();
    odd.server.close();
  });
  it.each([
    ['a status of four digits', 'HTTP/1.1 1000 X\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nhi'],
    ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nhi'],
    ['another protocol', 'HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'],
    ['informal answers alone', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50)],
    ['headers of 200 KB', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(200_000)}\r\n\r\n`],
    ['what is not HTTP', '\0'.repeat(1000)],
    ['nothing', ''],
  ])('names a server that answers with %s, and lives on', async (_what, text) => {
    const odd = await rawServer(text);
    const { other, there } = await proxyOf(odd.address);
    for (let attempt = 0; attempt < 2; attempt++) {
      const answer = await fetch(there);
      expect([502, 503]).toContain(answer.status);
      expect((await answer.json()).detail).toMatch(/^The server "odd" did not answer as HTTP requires: .{1,200}$/);
    }
    await other.close();
    odd.server.close();
  });
  it('answers a body that breaks off with an error of its own', async () => {
    const odd = await rawServer('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhi');
    const { other, there } = await proxyOf(odd.address);
    expect([500, 502]).toContain((await fetch(there)).status);
    await other.close();
    odd.server.close();
  });

  it('gives a page its own CORS headers, and none of the server', async () => {
    const answer = await fetch(`${base}/forward/textcraft/`, { headers: { origin: page } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, page]);
    expect(await answer.json()).toBe('This is environment TextCraft.');
    const foreign = await fetch(`${base}/forward/textcraft/`, { headers: { origin: 'http://evil.example' } });
    expect(foreign.status).toBe(403);
  });
  it('carries a socket only past the door', async () => {
    const open = (address: string, origin?: string) =>
      new Promise<WebSocket | number>((resolve) => {
        const socket = new WebSocket(address, { ...(origin && { origin }) });
        socket.once('open', () => resolve(socket));
        socket.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode!));
        socket.once('error', () => resolve(0));
      });
    const address = base.replace('http', 'ws');
    expect(await open(`${address}/forward/rooms/ws`, 'http://evil.example')).toBe(403);
    expect(await open(`${address.slice(0, -1)}/forward/rooms/ws`)).toBe(403);
    const socket = (await open(`${address}/forward/rooms/ws`, page)) as WebSocket;
    const answer = new Promise((resolve) => socket.once('message', (text) => resolve(JSON.parse(String(text)))));
    socket.send(JSON.stringify({ type: 'reset', data: {} }));
    expect(await answer).toMatchObject({ type: 'observation' });
    socket.close();
  });
  it('is reported by Connect: the server, its speed, and a wrong token', async () => {
    const report = await checkAgentGym(kindOf('textcraft'), { address: `${base}/forward/textcraft` });
    expect(report).toMatchObject({
      works: true,
      description: 'This is environment TextCraft.',
      ms: expect.any(Number),
    });
    const wrong = await checkAgentGym(kindOf('textcraft'), { address: `${base.slice(0, -2)}xx/forward/textcraft` });
    expect(wrong).toMatchObject({ works: false, findings: [{ kind: 'refused' }] });
    expect(wrong.findings[0].detail).toContain('the first part of the address is not the token');
    expect(JSON.stringify(wrong)).not.toContain(proxy.token);
  });
});

describe('Connect', () => {
  it('reports WebArena’s version and what is missing', async () => {
    const sites = await new SixSites().listen();
    const judged = { eval_types: ['string_match'], reference_answers: { fuzzy_match: 'N/A' } };
    const task = { task_id: 7, sites: ['shopping'], start_url: '__SHOPPING__', intent: 'x', eval: judged };
    const opened = await openOver(sites, [task]);
    const address = await opened.proxy.app.listen({ host: '127.0.0.1', port: 0 });
    const report = await checkAgentGym(kindOf('webarena'), { address: `${address}/${opened.proxy.token}/webarena` });
    expect(report).toMatchObject({ works: true, description: 'ok', version: '0.1.0' });
    const [{ kind, detail }] = report.findings;
    expect([kind, detail]).toEqual(['lacks', expect.stringMatching(/^1 of 1 tasks are refused: its answer needs/)]);
    await opened.close();
    await sites.close();
  });
});
