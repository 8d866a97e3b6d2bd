/** Sites over TLS: a site's own certificate is accepted only if it is configured, and only with that key. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../proxies/config.ts';
import { findChromium } from '../../scripts/machine.mjs';
import { HostileSite } from './hostile-site.ts';
import { type Opened, openOver } from './opened.ts';
import { Client } from './playing.ts';
import type { SixSites } from './six-sites.ts';

const skip = !findChromium();
if (skip) console.log('skipped: there is no Chromium-family browser (TABGYM_CHROMIUM names one)');

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}.pem`, import.meta.url));

/** Response time of `/slow`. */
const slowMs = 600;

function listen(name: string, forbidden: string): Promise<Server> {
  const keys = { key: readFileSync(fixture(`${name}.key`)), cert: readFileSync(fixture(`${name}.cert`)) };
  const server = createServer(keys, (request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.url === '/away') return void response.writeHead(302, { location: forbidden }).end();
    const send = (text: string) => response.end(`<title>${name}</title><h1>${text}</h1><a href="/slow">Slow</a>`);
    if (request.url === '/slow') return void setTimeout(() => send('Slow page'), slowMs);
    send(request.url === '/large' ? 'large '.repeat(500_000) : `The ${name} of ${request.headers.host}`);
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}
const addressOf = (name: string, server: Server) =>
  `https://${name}.secure.localhost:${(server.address() as AddressInfo).port}`;

const base = { storage_state: null, intent: 'x', eval: { eval_types: ['string_match'], reference_answers: {} } };
const tasks = [
  { ...base, task_id: 0, sites: ['shopping'], start_url: '__SHOPPING__/' },
  { ...base, task_id: 1, sites: ['reddit'], start_url: '__REDDIT__/' },
];

describe.skipIf(skip)('a site over TLS', () => {
  let servers: Server[];
  let hostile: HostileSite;
  let opened: Opened;
  let client: Client;
  let config: { [site: string]: { address: string; certificate?: string } };

  beforeAll(async () => {
    hostile = await new HostileSite().listen();
    servers = await Promise.all(['shop', 'forum'].map((name) => listen(name, `${hostile.forbidden}/away`)));
    config = {
      shopping: { address: addressOf('shop', servers[0]), certificate: fixture('shop.cert') },
      reddit: { address: addressOf('forum', servers[1]) },
    };
    const limits = { episodeMegabytes: 2, loadSeconds: 10 };
    opened = await openOver({ config } as unknown as SixSites, tasks, { sites: config, limits });
    client = new Client(opened.proxy);
  });
  afterAll(async () => {
    await opened?.close();
    hostile?.close();
    for (const server of servers ?? []) server.close().closeAllConnections();
  });

  it('is visited with its configured certificate; its pages are waited for, its bytes are counted', async () => {
    const env = await client.create();
    const { observation, why } = await client.reset(env, 0);
    expect([why, observation]).toEqual([
      undefined,
      expect.stringContaining(`The shop of ${new URL(config.shopping.address).host}`),
    ]);
    const link = /\[(\d+)\] link 'Slow'/.exec(observation)![1];
    const slow = await client.step(env, `click [${link}]`);
    expect(slow.observation).toContain('Slow page');
    const large = await client.step(env, `goto [${config.shopping.address}/large]`);
    expect(large).toMatchObject({ terminated: true, info: { failure: 'EpisodeTooLarge' } });
    await client.close(env);
  }, 60_000);

  it('leads only to configured addresses', async () => {
    const env = await client.create();
    await client.reset(env, 0);
    const { info } = await client.step(env, `goto [${config.shopping.address}/away]`);
    expect([info?.fail_error, info?.refused].join(' ')).toContain('ForbiddenAddress');
    expect(hostile.reached).toEqual([]);
    await client.close(env);
  }, 60_000);

  it('is refused without a configured certificate, whatever another site has', async () => {
    const env = await client.create();
    expect((await client.reset(env, 1)).observation).toBe('TimeoutError');
    expect(opened.errors.map(({ message }) => message).join()).toContain('ERR_CERT_AUTHORITY_INVALID');
    await client.close(env);
  }, 60_000);
});

it('a site with an invalid certificate is refused by path', async () => {
  const config = { shopping: { address: 'https://shop.localhost', certificate: fixture('shop.key') } };
  const opening = openOver({ config } as unknown as SixSites, tasks.slice(0, 1), { sites: config });
  await expect(opening).rejects.toThrow(ConfigError);
  await expect(opening).rejects.toThrow(/webarena\.sites\.shopping\.certificate: .*is not a certificate/);
});
