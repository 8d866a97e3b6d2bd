/**
 * The server's door over real connections: hosts, tokens and their delays, slow requests, shutdown. The proxy uses the
 * same door (tests/proxies/door.test.ts).
 */
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { exposureWarning, listenProblem } from '../../src/server/door.ts';
import { Guesses, TooManyGuesses } from '../../src/server/guesses.ts';
import type { Server } from '../../src/server/server.ts';
import { post, sendRaw, startServer } from './helpers.ts';

let server: Server;
afterEach(() => server?.close());

const portOf = async () => Number(new URL(await server.app.listen({ port: 0, host: '127.0.0.1' })).port);

const getWith = (port: number, headers: string, path = '/') =>
  sendRaw(port, `GET ${path} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);

describe('hosts', () => {
  it('of loopback, of the arrival and of the settings are answered, others refused by name', async () => {
    server = await startServer(['textcraft'], { hosts: ['lab.example', 'desk.example:81'] });
    const port = await portOf();
    for (const host of [
      'localhost',
      'LOCALHOST:9',
      `127.0.0.1:${port}`,
      '[::1]:80',
      'lab.example:7',
      'desk.example:81',
    ])
      expect(await getWith(port, `Host: ${host}\r\n`), host).toMatch(/^HTTP\/1.1 200/);
    const foreign = [
      'evil.example',
      'desk.example:82',
      'desk.example',
      'localhost.evil.example',
      '0.0.0.0',
      '8.8.8.8',
      ':80',
    ];
    for (const host of foreign) {
      const answer = await getWith(port, `Host: ${host}\r\n`);
      expect(answer, host).toMatch(/^HTTP\/1.1 403/);
      expect(answer, host).toContain('"type":"ForeignHost"');
    }
    expect(await getWith(port, 'Host: evil.example\r\n')).toContain('--allow-host');
  });

  it('must be named exactly once', async () => {
    server = await startServer(['textcraft']);
    const port = await portOf();
    expect(await getWith(port, 'Host: \r\n')).toContain('ForeignHost');
    expect(await getWith(port, 'Host: localhost\r\nHost: evil.example\r\n')).toContain('must have one Host header');
    expect(await getWith(port, '')).toMatch(/^HTTP\/1.1 400/);
    expect(await sendRaw(port, 'GET / HTTP/1.0\r\n\r\n')).toContain('ForeignHost');
  });

  it('are checked for sockets too, and long ones are shortened', async () => {
    server = await startServer(['textcraft']);
    const port = await portOf();
    const upgrade = `GET /ws HTTP/1.1\r\nHost: ${'e'.repeat(5000)}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
    const answer = await sendRaw(port, upgrade);
    expect(answer).toMatch(/^HTTP\/1.1 403/);
    expect(answer.length).toBeLessThan(500);
  });
});

describe('a token', () => {
  const token = 'a-token-of-the-tests';
  it('stays in the address where a redirect adds or drops a slash', async () => {
    server = await startServer(['textcraft', 'maze'], { token });
    const port = await portOf();
    const slash = await getWith(port, 'Host: localhost\r\n', `/${token}/textcraft?a=b`);
    expect(slash).toMatch(/^HTTP\/1.1 307/);
    expect(slash).toContain(`location: /${token}/textcraft/?a=b\r\n`);
    const none = await getWith(port, `Host: localhost\r\nAuthorization: Bearer ${token}\r\n`, '/health/');
    expect(none).toContain('location: /health\r\n');
  });

  it('is taken from the path or as a bearer token, for requests and sockets', async () => {
    server = await startServer(['textcraft'], { token });
    const port = await portOf();
    expect(await getWith(port, 'Host: localhost\r\n', `/${token}/`)).toMatch(/^HTTP\/1.1 200/);
    expect(await getWith(port, `Host: localhost\r\nAuthorization: Bearer ${token}\r\n`)).toMatch(/^HTTP\/1.1 200/);
    for (const path of ['/', `/${token}x/`, `/%61${token.slice(1)}/`, `//${token}/`])
      expect(await getWith(port, 'Host: localhost\r\nAuthorization: Bearer x\r\n', path)).toContain('WrongToken');
    const opened = (path: string) =>
      new Promise<boolean>((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
        socket.on('open', () => socket.close());
        socket.on('close', (code) => resolve(code !== 1006));
        socket.on('error', () => {});
      });
    expect([await opened(`/${token}/ws`), await opened('/ws')]).toEqual([true, false]);
  });

  it('guessed wrong delays the next answers, up to a refusal; the right one from this machine never waits', () => {
    let now = 1e6;
    const guesses = new Guesses(() => now);
    const waits = Array.from({ length: 20 }, () => guesses.wait('127.0.0.1', false));
    expect(waits.slice(0, 11)).toEqual([...Array(10).fill(0), 50]);
    expect(waits.slice(11, 14)).toEqual([150, 350, 750]);
    expect(() => Array.from({ length: 9 }, () => guesses.wait('127.0.0.1', false))).toThrow(TooManyGuesses);
    expect(guesses.wait('127.0.0.1', true)).toBe(0);
    expect(guesses.wait('10.0.0.2', false)).toBe(0);
    now += 3_600_000;
    expect(guesses.wait('127.0.0.1', false)).toBe(0);
  });

  it('right after wrong ones, all from another machine, waits as they do', () => {
    const guesses = new Guesses(() => 1e6);
    expect(guesses.wait('10.0.0.2', true)).toBe(0);
    for (let k = 0; k < 13; k++) guesses.wait('10.0.0.2', false);
    expect(guesses.wait('10.0.0.2', true)).toBe(350);
    expect(guesses.wait('10.0.0.2', true)).toBe(0);
  });
});

describe('slow requests', () => {
  it('are cut, headers and bodies alike', async () => {
    server = await startServer(['textcraft'], { requestMs: 400 });
    const port = await portOf();
    const head =
      'POST /create HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 999\r\n';
    const drip = (text: string) =>
      new Promise<string>((resolve) => {
        let answer = '';
        const socket = connect(port, '127.0.0.1', () => socket.write(text));
        const dripping = setInterval(() => socket.write('a'), 50);
        socket.on('data', (data) => (answer += data));
        socket.on('error', () => {});
        socket.on('close', () => {
          clearInterval(dripping);
          resolve(answer);
        });
      });
    const answers = await Promise.all([drip(`${head}\r\n{`), drip(head)]);
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 408/);
  });
});

it('a closed server has no session left, and its sockets are closed with "going away"', async () => {
  server = await startServer(['textcraft']);
  const port = await portOf();
  await post(server, '/create', {});
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  await new Promise((resolve) => socket.on('open', resolve));
  expect(server.sessions()).toBe(2);
  const closed = new Promise((resolve) => socket.on('close', resolve));
  await server.close();
  expect(await closed).toBe(1001);
  expect(server.sessions()).toBe(0);
});

describe('words at the start', () => {
  it('warn of addresses beyond loopback, and of no other', () => {
    for (const host of ['127.0.0.1', 'localhost', '::1', '127.8.0.1']) expect(exposureWarning(host, null)).toBeNull();
    for (const host of ['0.0.0.0', '::', '10.0.0.3', 'desk.example', '127.0.0.1.evil.example'])
      expect(exposureWarning(host, null)).toContain('not a loopback address');
    expect(exposureWarning('0.0.0.0', 'x')).toContain('has the token');
    expect(exposureWarning('0.0.0.0', 'x', { encrypted: true, secret: 'code' })).toMatch(
      /has the code can use this server\.$/,
    );
  });

  it('name a port in use in one line', async () => {
    server = await startServer(['textcraft']);
    const port = await portOf();
    const other = await startServer(['textcraft']);
    const error = await other.app.listen({ port, host: '127.0.0.1' }).catch((reason) => reason);
    await other.close();
    expect(listenProblem(error, '127.0.0.1', port)).toBe(
      `Port ${port} of 127.0.0.1 is in use: stop the other server, or choose another port.`,
    );
    expect(listenProblem(new Error('another'), '127.0.0.1', port)).toBeNull();
  });
});
