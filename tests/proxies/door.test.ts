/** Access to the proxy, and the values that its configuration allows. */
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../proxies/config.ts';
import { HostError, Hosts, isPrivate } from '../../proxies/network/hosts.ts';
import { openServer } from '../../proxies/service.ts';
import { newToken } from '../../src/server/door.ts';

const token = newToken();
const page = 'http://localhost:4173';
const config = readConfig({ origins: [page], forward: [{ name: 'a', address: 'http://127.0.0.1:1' }] }, 'the test');
const app = openServer(config, token, {
  version: '0',
  report: (error) => {
    throw error;
  },
});
const seen: string[] = [];

beforeAll(async () => {
  app.get('/hello', async (incoming) => {
    seen.push(incoming.url);
    return { hello: 1 };
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

interface Answer {
  status: number;
  body: string;
  headers: { [name: string]: string | string[] | undefined };
}

function ask(path: string, headers: { [name: string]: string } = {}, method = 'GET'): Promise<Answer> {
  const { port } = app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      let body = '';
      answer.on('data', (chunk) => {
        body += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode!, body, headers: answer.headers }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

describe('the door', () => {
  it('accepts programs by the token in the path, and removes it before routing', async () => {
    expect(await ask(`/${token}/hello?a=1`)).toMatchObject({ status: 200, body: '{"hello":1}' });
    expect(seen.at(-1)).toBe('/hello?a=1');
  });
  it.each([
    ['/hello', 'WrongToken'],
    ['/', 'WrongToken'],
    [`/${'x'.repeat(32)}/hello`, 'WrongToken'],
    [`/${token.slice(0, -1)}/hello`, 'WrongToken'],
    [`//${token}/hello`, 'WrongToken'],
  ])('refuses %s', async (path, type) => {
    const { status, body } = await ask(path);
    expect(status).toBe(403);
    expect(JSON.parse(body).type).toBe(type);
    expect(body).not.toContain(token);
  });
  it('refuses a foreign page, its preflight and its socket, with any token', async () => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const { status, body, headers } = await ask(`/${token}/hello`, { origin: 'http://evil.example' }, method);
      expect([status, JSON.parse(body).type]).toEqual([403, 'ForeignPage']);
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
    expect((await ask(`/${token}/hello`, { origin: 'null' })).status).toBe(403);
  });
  it('gives a listed page and its preflight their headers', async () => {
    const { status, headers } = await ask(`/${token}/hello`, { origin: page });
    expect([status, headers['access-control-allow-origin']]).toEqual([200, page]);
    const preflightHeaders = {
      origin: page,
      'access-control-request-method': 'POST',
      'access-control-request-private-network': 'true',
    };
    const preflight = await ask(`/${token}/hello`, preflightHeaders, 'OPTIONS');
    expect(preflight.status).toBe(200);
    expect(preflight.headers['access-control-allow-private-network']).toBe('true');
    const wrong = await ask('/hello', { origin: page });
    expect([wrong.status, wrong.headers['access-control-allow-origin']]).toEqual([403, page]);
  });
  it.each(['evil.example', 'evil.example:80', 'localhost.evil.example', '0.0.0.0', '127.0.0.1.nip.io'])(
    'refuses the Host %s, a name made to lead here',
    async (host) => {
      const { status, body } = await ask(`/${token}/hello`, { host });
      expect([status, JSON.parse(body).type]).toEqual([403, 'ForeignHost']);
    },
  );
});

const refusal = (given: unknown): string => {
  try {
    readConfig(given, 'the file');
    return 'taken';
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message;
  }
};

describe('a configuration', () => {
  const webarena = { tasks: 't.json', sites: { shopping: { address: 'http://127.0.0.1:7770/' } } };
  it('gets its defaults', () => {
    const read = readConfig({ webarena }, 'x');
    expect(read.host).toBe('127.0.0.1');
    expect(read.webarena!.sites.shopping!.address).toBe('http://127.0.0.1:7770');
    expect(read.webarena!.limits.pages).toBe(12);
    expect(read.webarena!.viewport).toEqual({ width: 1280, height: 720 });
  });
  it.each([
    [{ webarena: { ...webarena, limits: { pages: 0 } } }, 'webarena.limits.pages: must be at least 1 (it is 0)'],
    [{ webarena: { ...webarena, tries: 3 } }, 'webarena.tries: is not a setting'],
    [{ webarena: { sites: webarena.sites } }, 'webarena.tasks: is missing'],
    [
      { webarena: { ...webarena, sites: { shopping: { address: 'ftp://a' } } } },
      'webarena.sites.shopping.address: must be an address',
    ],
    [{ webarena: { ...webarena, sites: {} } }, 'webarena.sites: must name a site'],
    [{ webarena, port: 70_000 }, 'port: must be at most 65535 (it is 70000)'],
    [{ webarena, token: 'short' }, 'token: must have 16 to 128 characters'],
    [{ webarena, origins: ['http://a/b'] }, 'origins.0: must be an origin'],
    [
      { retrieval: { source: { kind: 'google' } } },
      'retrieval.source.kind: must be "corpus", "search-r1" or "opensearch"',
    ],
    [{}, 'names none of webarena, retrieval and forward'],
    [
      {
        forward: [
          { name: 'a', address: 'http://a' },
          { name: 'a', address: 'http://b' },
        ],
      },
      'two servers have the name "a"',
    ],
  ])('%j is refused by its path', (given, message) => expect(refusal(given)).toContain(message));
  it('never shows a token or a password', () => {
    const sites = { shopping: { address: 'http://a', login: { username: 'u', password: 5 } } };
    expect(refusal({ webarena: { ...webarena, sites }, token: 'secret!' })).not.toMatch(/secret|5/);
  });
});

describe('hosts', () => {
  it.each([
    ['127.0.0.1', true],
    ['10.1.2.3', true],
    ['169.254.169.254', true],
    ['172.31.0.1', true],
    ['172.32.0.1', false],
    ['192.168.1.1', true],
    ['100.64.0.1', true],
    ['0.0.0.0', true],
    ['8.8.8.8', false],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['::ffff:7f00:1', true],
    ['64:ff9b::7f00:1', true],
    ['fd00::1', true],
    ['fe80::1', true],
    ['2606:4700::1111', false],
  ])('%s is private: %s', (address, expected) => expect(isPrivate(address)).toBe(expected));

  it('are looked up only once', async () => {
    const answers = ['93.184.216.34', '127.0.0.1'];
    const hosts = await Hosts.open({ sites: ['http://shop.example:7770'], also: [] }, async () => answers.shift()!);
    expect(hosts.target('shop.example', 7770)).toEqual({ host: 'shop.example', port: 7770, address: '93.184.216.34' });
    expect(hosts.targetOf('http://SHOP.example:7770/x')!.address).toBe('93.184.216.34');
    expect(answers).toEqual(['127.0.0.1']);
  });
  it('allow only the configured addresses, in any spelling', async () => {
    const hosts = await Hosts.open(
      { sites: ['http://127.0.0.1:7770'], also: ['cdn.example'] },
      async () => '93.184.216.34',
    );
    const through = [
      'http://127.0.0.1:7770/a',
      'http://2130706433:7770/',
      'http://127.1:7770/',
      'https://cdn.example/x',
    ];
    expect(through.every((url) => hosts.targetOf(url))).toBe(true);
    const not = [
      'http://127.0.0.1:7771/',
      'http://[::1]:7770/',
      'http://[::ffff:127.0.0.1]:7770/',
      'http://localhost:7770/',
      'file:///etc/passwd',
      'chrome://version',
      'view-source:http://127.0.0.1:7770',
      'ws://127.0.0.1:7770',
      'https://127.0.0.1/',
      'http://127.0.0.1.cdn.example/',
    ];
    expect(not.filter((url) => hosts.targetOf(url))).toEqual([]);
  });
  it('must be public if they are only listed beside the sites', async () => {
    const opening = Hosts.open({ sites: [], also: ['inside.example'] }, async () => '10.0.0.7');
    await expect(opening).rejects.toThrow(HostError);
  });
});
