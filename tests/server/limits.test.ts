/**
 * Client behaviour that the server must withstand: too many sessions, idle sessions, foreign pages, unreadable or
 * oversized messages.
 */
import { connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { SessionLimit } from '../../src/envs/serving/form.ts';
import type { Server } from '../../src/server/server.ts';
import { SessionLedger } from '../../src/server/sessions.ts';
import { hasWorlds } from '../worlds.ts';
import { get, post, startServer } from './helpers.ts';

let server: Server;
afterEach(() => server?.close());

describe('sessions', () => {
  test.skipIf(!hasWorlds('search'))(
    'one too many is refused in the form of the protocol, and a close makes room again',
    async () => {
      server = await startServer(['textcraft', 'search'], { sessions: 2 });
      await post(server, '/textcraft/create', {});
      await post(server, '/searchqa/create', { id: 0 });
      const refused = await post(server, '/textcraft/create', {});
      expect(refused).toMatchObject({ status: 200, json: { error: expect.stringContaining('2 is the most') } });
      expect(await post(server, '/searchqa/create', { id: 0 })).toMatchObject({
        status: 503,
        json: { detail: expect.stringContaining('--sessions') },
      });
      await post(server, '/textcraft/close', { id: 0 });
      expect((await post(server, '/textcraft/create', {})).json.id).toBe(1);
    },
  );

  test.skipIf(!hasWorlds('maze'))('a thousand at once have a world each', async () => {
    server = await startServer(['maze'], { sessions: 1000 });
    const ids = await Promise.all(Array.from({ length: 1000 }, async () => (await post(server, '/create')).json.id));
    expect(new Set(ids).size).toBe(1000);
    await Promise.all(ids.map((id) => post(server, '/reset', { id, game: id % 25 })));
    const observations = await Promise.all(
      ids.map(async (id) => (await post(server, '/step', { id, action: 'x' })).json.observation),
    );
    const byGame = new Map<number, string>();
    for (const [k, id] of ids.entries()) {
      if (!byGame.has(id % 25)) byGame.set(id % 25, observations[k]);
      expect(observations[k]).toBe(byGame.get(id % 25));
    }
    expect(new Set(byGame.values()).size).toBe(25);
  });

  test('an idle one expires, and the error for its id gives the reason', async () => {
    server = await startServer(['textcraft'], { idleSeconds: 0.05 });
    await post(server, '/create', {});
    expect((await get(server, '/observation?id=0')).json).toMatch(/^Crafting commands/);
    await vi.waitFor(async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect((await get(server, '/observation?id=0')).json).toEqual({
        error: 'The id 0 is not valid: it was idle for 0.05 s and has expired.',
      });
    });
    expect((await get(server, '/observation?id=1')).json).toEqual({ error: 'The id 1 is not valid.' });
  });

  test('one with a call in progress is not idle, nor is one that is queried', async () => {
    let now = 0;
    const ledger = new SessionLedger({ sessions: 2, idleSeconds: 10 }, () => now);
    const ended: string[] = [];
    const open = (name: string) => {
      const tracked = ledger.begin(() => {
        ended.push(name);
        ledger.forget(tracked);
      });
      return tracked;
    };
    const [working, asked] = [open('working'), open('asked')];
    let finish = () => {};
    const call = ledger.during(working, () => new Promise<void>((resolve) => (finish = resolve)));
    now = 9_000;
    ledger.touch(asked);
    now = 12_000;
    expect(() => ledger.begin(() => {})).toThrow(SessionLimit);
    expect(ended).toEqual([]);
    finish();
    await call;
    now = 22_000;
    ledger.sweep();
    expect(ended).toEqual(['asked', 'working'].sort().reverse());
    ledger.close();
  });
});

describe('origins', () => {
  const ask = (method: 'GET' | 'POST' | 'OPTIONS', origin?: string, more = {}) =>
    server.app.inject({
      method,
      url: '/create',
      headers: { ...(origin && { origin }), 'content-type': 'application/json', ...more },
      ...(method === 'POST' && { payload: '{}' }),
    });
  const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };

  test('a listed page is allowed, another is not; programs send none', async () => {
    server = await startServer(['textcraft'], { origins: ['http://localhost:5173'] });
    const before = await ask('OPTIONS', 'http://localhost:5173', preflight);
    expect(before.statusCode).toBe(200);
    expect(before.headers).toMatchObject({
      'access-control-allow-origin': 'http://localhost:5173',
      'access-control-allow-headers': 'content-type',
    });
    expect((await ask('POST', 'http://localhost:5173')).headers['access-control-allow-origin']).toBe(
      'http://localhost:5173',
    );
    expect((await ask('POST')).statusCode).toBe(200);
    const foreign = await ask('POST', 'https://elsewhere.example');
    expect(foreign.statusCode).toBe(403);
    expect(foreign.json()).toMatchObject({ type: 'ForeignOrigin' });
    expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
    const preflightResponse = await ask('OPTIONS', 'https://elsewhere.example', preflight);
    expect(preflightResponse.headers['access-control-allow-origin']).toBeUndefined();
    // The refused request created no session.
    expect((await ask('POST')).json().id).toBe(2);
  });
});

describe('messages', () => {
  test('one that is too large is refused, and the next is answered', async () => {
    server = await startServer(['textcraft']);
    await post(server, '/create', {});
    const large = await post(server, '/step', { id: 0, action: 'x'.repeat(2 << 20) });
    expect(large).toMatchObject({ status: 413, json: { detail: expect.stringContaining('1048576 bytes') } });
    expect((await post(server, '/step', { id: 0, action: 'inventory' })).status).toBe(200);
  });

  test('a hundred megabytes are refused before they are read', async () => {
    server = await startServer(['textcraft']);
    const address = new URL(await server.app.listen({ port: 0 }));
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(address.port), '127.0.0.1');
      socket.once('data', (data) => resolve(String(data)));
      socket.once('error', reject);
      socket.write(
        `POST /step HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n{`,
      );
    });
    expect(answer).toMatch(/^HTTP\/1.1 413/);
  });

  test('nonsense gets an error status and harms no other session', async () => {
    server = await startServer(['textcraft']);
    const send = async (payload: string | Buffer, type = 'application/json') =>
      (await server.app.inject({ method: 'POST', url: '/step', headers: { 'content-type': type }, payload }))
        .statusCode;
    expect(await send('{"id":')).toBe(422);
    // Bytes that are not text, and JSON beyond Python's recursion limit: FastAPI answers 400.
    expect(await send(Buffer.from([0xff, 0xfe, 0x00]))).toBe(400);
    expect(await send('['.repeat(200_000))).toBe(400);
    expect(await send('{"id":1e999,"action":"x"}')).toBe(422);
    expect(await send('{"__proto__":{"id":0},"action":"x"}')).toBe(422);
    expect(await send('{"id":0,"action":"x"}', 'text/html')).toBe(422);
    expect((await server.app.inject({ method: 'GET', url: '/%zz' })).statusCode).toBe(400);
    await post(server, '/create', {});
    expect(await send('{"id":0,"action":"inventory"}')).toBe(200);
  });
});
