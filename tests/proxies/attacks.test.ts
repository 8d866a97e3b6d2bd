/**
 * Hostile pages: each causes a named failure of its own episode only, no forbidden address is reached, and memory is
 * freed again.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gate } from '../../proxies/network/gate.ts';
import { Hosts } from '../../proxies/network/hosts.ts';
import { findChromium } from '../../scripts/machine.mjs';
import { HostileSite } from './hostile-site.ts';
import { type Opened, openOver } from './opened.ts';
import { Client, type Stepped } from './playing.ts';
import type { SixSites } from './six-sites.ts';

const skip = !findChromium();
if (skip) console.log('skipped: there is no Chromium-family browser (TABGYM_CHROMIUM names one)');

const limits = {
  pages: 6,
  popups: 20,
  dialogs: 10,
  responseMegabytes: 8,
  episodeMegabytes: 32,
  documentCharacters: 1_000_000,
  memoryMegabytes: 400,
  stepSeconds: 6,
  loadSeconds: 3,
};
const task = {
  task_id: 0,
  sites: ['shopping'],
  storage_state: null,
  start_url: '__SHOPPING__/calm',
  intent: 'Stay calm.',
  eval: { eval_types: ['string_match'], reference_answers: { exact_match: 'calm' } },
};

let site: HostileSite;
let opened: Opened;
let client: Client;
/** Its episode continues while others end. */
let bystander: number;
/** Attacks that do not end their episode run in this one, one after another. */
let visitor: number;

beforeAll(async () => {
  if (skip) return;
  site = await new HostileSite().listen();
  const config = { shopping: { address: site.address } };
  opened = await openOver({ config } as unknown as SixSites, [task], { sites: config, limits, details: true });
  client = new Client(opened.proxy);
  [bystander, visitor] = await Promise.all([client.create(), client.create()]);
  await Promise.all([bystander, visitor].map((env) => client.reset(env, 0)));
});
afterAll(async () => {
  await opened?.close();
  site?.close();
});

/** Opens a hostile page from a calm one and takes one more step. */
async function attack(path: string): Promise<Stepped[]> {
  const { observation } = await client.step(visitor, `goto [${site.address}/calm]`);
  expect(observation).toContain("heading 'Calm'");
  const first = await client.step(visitor, `goto [${site.address}${path}]`);
  return [first, await client.step(visitor, 'scroll [down]')];
}

const errorsOf = (answers: Stepped[]) =>
  answers.map(({ info }) => [info?.fail_error, info?.refused].join(' ')).join('\n');

/** Checks that the page of another episode can still be clicked. */
async function othersGoOn(): Promise<void> {
  const { info, observation } = await client.step(bystander, 'go_back');
  expect(info?.failure).toBeUndefined();
  expect(observation).toContain('Tab 0 (current)');
  const { observation: calm } = await client.step(bystander, `goto [${site.address}/calm]`);
  expect(calm).toContain("heading 'Calm'");
}

describe.skipIf(skip)('a hostile page', () => {
  const isForbidden = async (path: string) => {
    const answers = await attack(path);
    expect(errorsOf(answers)).toContain('ForbiddenAddress');
    expect(errorsOf(answers)).toContain(new URL(site.forbidden).host);
    expect(answers.some(({ observation }) => observation.includes('the secret'))).toBe(false);
    expect(site.reached).toEqual([]);
  };

  it.each(['/redirect', '/fetch'])('reaches no forbidden address by %s', { timeout: 60_000 }, isForbidden);

  it.each(['/navigate', '/refresh', '/socket', '/image', '/frame'])(
    'reaches no forbidden address by %s',
    { tags: 'slow', timeout: 60_000 },
    isForbidden,
  );

  it('cannot reach an address in another spelling, of another scheme, or of no host', {
    tags: 'slow',
    timeout: 120_000,
  }, async () => {
    const port = new URL(site.forbidden).port;
    const spelled = ['2130706433', '0x7f.1', '127.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost', '169.254.169.254'];
    const addresses = [
      ...spelled.map((host) => `http://${host}:${port}/`),
      'file:///etc/passwd',
      'chrome://version',
      `view-source:${site.address}/calm`,
      'data:text/html,<h1>x',
      'javascript:alert(1)',
      'ftp://127.0.0.1/',
      'devtools://devtools/bundled/inspector.html',
    ];
    await client.step(visitor, `goto [${site.address}/calm]`);
    for (const address of addresses) {
      const { info, observation, reward } = await client.step(visitor, `goto [${address}]`);
      expect([address, info?.fail_error]).toEqual([address, expect.stringMatching(/^ForbiddenAddress/)]);
      expect(observation).toContain("heading 'Calm'");
      expect(reward).toBe(0);
    }
    expect(site.reached).toEqual([]);
  });

  it('reaches nothing by a service worker, and gets no network candidates and no download', {
    tags: 'slow',
    timeout: 90_000,
  }, async () => {
    await attack('/worker');
    expect(site.reached).toEqual([]);
    expect((await attack('/rtc')).at(-1)!.observation).toContain('candidates 0');
    const [, after] = await attack('/download');
    expect(after.info?.failure).toBeUndefined();
  });

  const endsItsEpisode = async (path: string, name: string) => {
    const env = await client.create();
    await client.reset(env, 0);
    let last = await client.step(env, `goto [${site.address}${path}]`);
    for (let k = 0; k < 8 && !last.terminated; k++) last = await client.step(env, 'scroll [down]');
    expect(last).toMatchObject({ terminated: true, reward: 0, info: { failure: name } });
    await othersGoOn();
    // The same environment plays its next episode.
    expect((await client.reset(env, 0)).observation).toContain("heading 'Calm'");
    await client.close(env);
  };

  it.each([
    ['/huge', 'ResponseTooLarge'],
    ['/hog', 'PageCrashed'],
  ])('at %s ends its own episode as %s', { timeout: 120_000 }, endsItsEpisode);

  it.each([
    ['/grown', 'DocumentTooLarge'],
    ['/lying', 'DocumentTooLarge'],
    ['/loop', 'PageHung'],
    ['/popups', 'TooManyPages'],
    ['/alerts', 'TooManyDialogs'],
  ])('at %s ends its own episode as %s', { tags: 'slow', timeout: 120_000 }, endsItsEpisode);

  it('that never finishes loading is read as it is', async () => {
    const [first, second] = await attack('/endless');
    expect(first.info?.fail_error).toMatch(/Timeout/);
    expect(first.observation).toContain('This page never ends.');
    expect(second.info?.failure).toBeUndefined();
    const { observation } = await client.step(visitor, `goto [${site.address}/calm]`);
    expect(observation).toContain("heading 'Calm'");
    await othersGoOn();
  }, 60_000);
  it('that asks to stay is left by every way', { tags: 'slow', timeout: 60_000 }, async () => {
    for (const leave of [`goto [${site.address}/calm]`, 'go_back']) {
      await client.step(visitor, `goto [${site.address}/calm]`);
      const { observation } = await client.step(visitor, `goto [${site.address}/staying]`);
      // A page may only ask after a person has used it.
      await client.step(visitor, `click [${/\[(\d+)\] button 'Stay'/.exec(observation)![1]}]`);
      const left = await client.step(visitor, leave);
      expect([left.info?.fail_error, left.observation]).toEqual(['', expect.stringContaining("heading 'Calm'")]);
    }
  });
  it('that never finishes loading is waited for only once', { tags: 'slow', timeout: 60_000 }, async () => {
    await client.step(visitor, `goto [${site.address}/calm]`);
    await client.step(visitor, `goto [${site.address}/waiting]`);
    const began = performance.now();
    for (let k = 0; k < 3; k++) await client.step(visitor, 'scroll [down]');
    expect(performance.now() - began).toBeLessThan(3 * limits.loadSeconds * 1000);
  });
});

describe('the gate', () => {
  it('keeps the first address of a name, even if the name later leads elsewhere', async () => {
    const server = await new HostileSite().listen();
    const { port } = new URL(server.address);
    const answers = ['127.0.0.1', '10.255.255.1'];
    const hosts = await Hosts.open({ sites: [`http://shop.example:${port}`], also: [] }, async () => answers.shift()!);
    const refused: string[] = [];
    const gate = await Gate.open(
      hosts,
      { responseBytes: 1e6, episodeBytes: 1e6 },
      { refused: (host) => refused.push(host), tooLarge: () => {} },
    );
    const { request } = await import('node:http');
    const ask = (url: string) =>
      new Promise<number>((done, fail) => {
        const { hostname, port: at } = new URL(gate.address);
        request({ host: hostname, port: at, path: url, headers: { host: new URL(url).host } }, (answer) =>
          done(answer.resume().statusCode!),
        )
          .once('error', fail)
          .end();
      });
    expect(await ask(`http://shop.example:${port}/calm`)).toBe(200);
    expect(await ask(`http://shop.example:${port}/calm`)).toBe(200);
    expect(await ask(`${server.forbidden}/x`)).toBe(403);
    expect(await ask(`http://other.example:${port}/calm`)).toBe(403);
    expect(refused).toEqual([new URL(server.forbidden).host, `other.example:${port}`]);
    expect(server.reached).toEqual([]);
    gate.close();
    server.close();
  });
});
