/** Sockets through the proxy whose client or server breaks off, floods, or does not read; sites whose answers are not HTTP's. */
import { createServer as createHttpServer, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { readConfig } from '../../proxies/config.ts';
import { Gate } from '../../proxies/network/gate.ts';
import { Hosts } from '../../proxies/network/hosts.ts';
import { type OpenedProxy, openProxy } from '../../proxies/service.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Address of a server that listens on a free port, and is closed after the test. */
async function addressOf(server: Server): Promise<string> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket.on('error', () => {}));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closers.push(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A proxy to one server, and the address of its sockets. */
async function proxyTo(address: string): Promise<{ proxy: OpenedProxy; port: number; path: string }> {
  const proxy = await openProxy(readConfig({ forward: [{ name: 'odd', address }] }, 'the test'), {
    version: '0',
    report: () => {},
  });
  closers.push(() => proxy.close());
  const port = Number(new URL(await proxy.app.listen({ host: '127.0.0.1', port: 0 })).port);
  return { proxy, port, path: `/${proxy.token}/forward/odd/ws` };
}

/** Server of sockets. */
async function socketServer(each: (socket: WebSocket) => void): Promise<string> {
  const http = createHttpServer();
  new WebSocketServer({ server: http }).on('connection', each);
  return addressOf(http);
}

const closed = (socket: WebSocket) => new Promise((resolve) => socket.once('close', () => resolve('closed')));
const megabyte = Buffer.alloc(1 << 20);
const flood = (socket: WebSocket, megabytes: number) => {
  for (let k = 0; k < megabytes; k++) socket.send(megabyte);
};

const upgrade = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

describe('a socket through the proxy', () => {
  it('that is reset while its token is checked ends nothing', async () => {
    const { proxy, port, path } = await proxyTo(await socketServer(() => {}));
    const reset = (at: string, ms: number) =>
      new Promise<void>((done) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(upgrade(at));
          setTimeout(() => socket.resetAndDestroy(), ms);
        });
        socket.on('error', () => {}).on('close', () => done());
      });
    // From the eleventh wrong token on, answers are delayed.
    for (let k = 0; k < 14; k++) await reset(`/${'x'.repeat(24)}/forward/odd/ws`, 20);
    await Promise.all(Array.from({ length: 16 }, (_, k) => reset(path, k % 4)));
    expect((await fetch(`http://127.0.0.1:${port}/${proxy.token}/`)).status).toBe(200);
  });

  it.each(['websocket', 'h2c'])(
    'that asks for %s behind another request, without a token, ends nothing',
    async (kind) => {
      const { proxy, port, path } = await proxyTo(await socketServer(() => {}));
      const asked = `GET / HTTP/1.1\r\nHost: localhost\r\n\r\n${upgrade('/').replace('websocket', kind)}`;
      const answer = await new Promise<string>((resolve) => {
        let text = '';
        const socket = connect(port, '127.0.0.1', () => socket.write(asked));
        closers.push(() => socket.destroy());
        socket.on('data', (data) => {
          text += data;
          if (text.match(/WrongToken/g)?.length === 2) resolve(text);
        });
      });
      expect(answer.match(/HTTP\/1\.1 403/g)).toHaveLength(2);
      const client = new WebSocket(`ws://127.0.0.1:${port}${path}`);
      await new Promise((open) => client.once('open', open));
      client.close();
      expect((await fetch(`http://127.0.0.1:${port}/${proxy.token}/`)).status).toBe(200);
    },
  );

  it('is cut when its client does not read', async () => {
    const cut = new Promise((resolve) => {
      void socketServer((socket) => {
        void closed(socket).then(resolve);
        flood(socket, 64);
      }).then(async (address) => {
        const { port, path } = await proxyTo(address);
        const client = connect(port, '127.0.0.1', () => client.write(upgrade(path)));
        client.on('error', () => {}).pause();
        closers.push(() => client.destroy());
      });
    });
    expect(await cut).toBe('closed');
  });

  it.each(['does not read', 'never answers the handshake'])('is cut when its server %s', async (what) => {
    const address = what.startsWith('never')
      ? await addressOf(createServer())
      : await socketServer((socket) => socket.pause());
    const { port, path } = await proxyTo(address);
    const client = new WebSocket(`ws://127.0.0.1:${port}${path}`);
    client.on('error', () => {});
    await new Promise((open) => client.once('open', open));
    const cut = closed(client);
    flood(client, 64);
    expect(await cut).toBe('closed');
  });
});

describe('a site that an episode asks', () => {
  it.each([
    ['HTTP/1.1 000 X\r\n\r\n', 'its status is 0, below 100'],
    ['HTTP/1.1 099 X\r\ncontent-length: 2\r\n\r\nhi', 'its status is 99, below 100'],
    ['HTTP/1.1 101 X\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n', 'it switched protocols unasked'],
    ['\0\0\0', 'HPE_'],
  ])('and that answers %j is named, and the gate lives on', async (text, why) => {
    const site = await addressOf(createServer((socket) => socket.once('data', () => socket.end(text))));
    const events = { refused: () => {}, tooLarge: () => {} };
    const gate = await Gate.open(
      await Hosts.open({ sites: [site], also: [] }),
      { responseBytes: 1e6, episodeBytes: 1e6 },
      events,
    );
    closers.push(() => gate.close());
    const { port } = new URL(gate.address);
    for (let attempt = 0; attempt < 2; attempt++) {
      const answer = await new Promise((resolve, reject) => {
        const asked = request({ host: '127.0.0.1', port, path: `${site}/x` }, (response) => {
          let body = '';
          response.on('data', (data) => (body += data)).on('end', () => resolve([response.statusCode, body]));
        });
        asked.on('error', reject).end();
      });
      expect(answer).toEqual([502, expect.stringContaining(`The site did not answer: ${why}`)]);
    }
  });
});
