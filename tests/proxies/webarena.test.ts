/**
 * WebArena in a real Chromium over the six sites: log in, reset, act, evaluate; many episodes at once; a browser lost
 * in the middle.
 */

import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/machine.mjs';
import { netOf } from '../../src/worlds/web/sites/net.ts';
import { shop } from '../../src/worlds/web/sites/shop/index.ts';
import type { SeededStore } from '../../src/worlds/web/sites/shop/store.ts';
import { idOf, templates } from '../../src/worlds/web/tasks/index.ts';
import { megabytesBelow } from './memory.ts';
import { type Opened, openOver } from './opened.ts';
import { Client, playOracle, taskNamed } from './playing.ts';
import { SixSites } from './six-sites.ts';

const skip = !findChromium();
if (skip) console.log('skipped: there is no Chromium-family browser (TABGYM_CHROMIUM names one)');

/** With `TABGYM_PROXY_ALL=1` every template, otherwise every 26th. */
const every = process.env.TABGYM_PROXY_ALL ? 1 : 26;
const tasks = templates.flatMap((_, index) => (index % every === 0 ? [idOf(index, 3)] : []));

let sites: SixSites;
let opened: Opened;
let client: Client;

beforeAll(async () => {
  if (skip) return;
  sites = await new SixSites().listen();
  opened = await openOver(
    sites,
    templates.map((_, index) => sites.task(idOf(index, 3))),
  );
  client = new Client(opened.proxy);
});
afterAll(async () => {
  await opened?.close();
  await sites?.close();
});

describe.skipIf(skip)('WebArena through the proxy', () => {
  it('is solved by the oracle’s own trajectories, as in the page', async () => {
    const failed: string[] = [];
    for (const id of tasks) {
      const name = templates[Math.floor(id / 1000)].name;
      try {
        const { reward, terminated, info } = await playOracle(client, sites, id);
        if (process.env.TABGYM_PROXY_ALL) console.log(name, reward, Math.round(performance.now()));
        if (reward !== 1 || !terminated) failed.push(`${name}: ${reward} ${info?.fail_error}`);
      } catch (error) {
        failed.push(`${name}: ${(error as Error).message}`);
      }
    }
    expect(failed).toEqual([]);
    expect(opened.errors).toEqual([]);
  }, 1_200_000);

  it('plays twenty episodes at once in one browser', { tags: 'slow', timeout: 300_000 }, async () => {
    const ids = Array.from({ length: 20 }, (_, k) =>
      taskNamed(['map-phone', 'wiki-founded', 'shop-order-total', 'forum-no-such-forum'][k % 4]),
    );
    // The browser itself stays open.
    await playOracle(client, sites, ids[0]);
    const before = megabytesBelow(process.pid);
    let most = 0;
    let started = 0;
    const look = async (_: number, step: number) => {
      if (step === 0 && ++started === 15) most = megabytesBelow(process.pid);
    };
    const played = await Promise.all(ids.map((id) => playOracle(client, sites, id, look)));
    expect(played.map(({ reward }) => reward)).toEqual(ids.map(() => 1));
    if (process.platform !== 'linux') return;
    // Twenty pages take hundreds of MB; at most a tenth of that remains.
    expect(most).toBeGreaterThan(before + 200);
    await expect
      .poll(() => megabytesBelow(process.pid), { timeout: 30_000, interval: 500 })
      .toBeLessThan(before + (most - before) / 10);
  });

  it('ends the episodes of a killed browser by name, and continues with a new one', async () => {
    const own = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)]).toString();
    const browsers = own.split('\n').flatMap((line) => (/chrom/i.test(line) ? [Number.parseInt(line, 10)] : []));
    expect(browsers).toHaveLength(1);
    const id = taskNamed('shop-order-total');
    // All four are in the middle of their episodes when the browser is killed.
    let started = 0;
    let all = () => {};
    const allStarted = new Promise<void>((done) => {
      all = done;
    });
    const die = async (_: number, step: number) => {
      if (step !== 1) return;
      if (++started === 4) {
        process.kill(browsers[0], 'SIGKILL');
        all();
      }
      await allStarted;
    };
    const ended = await Promise.all(Array.from({ length: 4 }, () => playOracle(client, sites, id, die)));
    for (const each of ended)
      expect(each).toMatchObject({ terminated: true, reward: 0, info: { failure: 'BrowserLost' } });
    expect(await playOracle(client, sites, id)).toMatchObject({ terminated: true, reward: 1 });
  }, 300_000);
});

describe.skipIf(skip)('log-ins', () => {
  const { owner, password } = netOf(1).dataOf<SeededStore>(shop);
  const form = {
    path: '/login',
    fields: [
      { by: 'label', name: 'Mail', value: 'username' },
      { by: 'label', name: 'Password', value: 'password' },
    ],
    submit: 'Sign in',
    proof: { path: '/account' },
  };
  const task = {
    task_id: 5,
    sites: ['shopping'],
    storage_state: './.auth/shopping_state.json',
    start_url: '__SHOPPING__/account',
    intent: 'Where am I?',
    eval: { eval_types: ['url_match'], reference_url: '__SHOPPING__/account' },
  };
  const open = (secret: string) =>
    openOver(sites, [task], {
      sites: { shopping: { ...sites.config.shopping, login: { username: owner.mail, password: secret, form } } },
      limits: { loadSeconds: 5 },
    });

  it('are made once with the site’s own form, and checked on the page', {
    tags: 'slow',
    timeout: 120_000,
  }, async () => {
    const there = await open(password);
    try {
      const one = new Client(there.proxy);
      for (const env of [await one.create(), await one.create()]) {
        const { observation, why } = await one.reset(env, 5);
        expect(why).toBeUndefined();
        expect(observation).toContain(owner.first);
        expect(await one.step(env, 'stop [here]')).toMatchObject({ reward: 1, terminated: true });
      }
    } finally {
      await there.close();
    }
  });
  it('that fail are reported by name, without the password', async () => {
    const there = await open('not-the-password');
    try {
      const one = new Client(there.proxy);
      const { observation, why } = await one.reset(await one.create(), 5);
      expect(observation).toBe('TimeoutError');
      expect(why).toMatch(/^LoginFailed: The log-in at shopping failed/);
      expect(JSON.stringify([why, there.errors.map(({ message }) => message)])).not.toContain('not-the-password');
    } finally {
      await there.close();
    }
  }, 120_000);
});

describe.skipIf(skip)('tasks', () => {
  it('that cannot be played are refused by name and counted', async () => {
    const base = { sites: ['shopping'], storage_state: null, start_url: '__SHOPPING__/', intent: 'x' };
    const answers = { fuzzy_match: ['a'] };
    const there = await openOver(
      sites,
      [
        { ...base, task_id: 1, eval: { eval_types: ['string_match'], reference_answers: { exact_match: '42' } } },
        { ...base, task_id: 2, eval: { eval_types: ['string_match'], reference_answers: answers } },
        { ...base, task_id: 3, sites: ['gitlab', 'shopping'], eval: { eval_types: ['url_match'], reference_url: 'x' } },
      ],
      { sites: { shopping: sites.config.shopping } },
    );
    try {
      const one = new Client(there.proxy);
      const env = await one.create();
      expect((await one.reset(env, 2)).why).toContain(
        'TaskRefused: Task 2 cannot be played here: its answer needs a language model',
      );
      expect((await one.reset(env, 3)).why).toContain('gitlab, which is not configured');
      const listed = await there.proxy.app.inject({
        url: `/${there.proxy.token}/webarena/tasks`,
        headers: { host: 'localhost' },
      });
      expect(listed.json()).toMatchObject({ tasks: 3, playable: [1], refused: [{ ids: [2] }, { ids: [3] }] });
    } finally {
      await there.close();
    }
  }, 60_000);
  it('are refused by path if their file is malformed', async () => {
    const good = {
      task_id: 1,
      sites: ['shopping'],
      intent: 'x',
      start_url: '__SHOPPING__/',
      eval: { eval_types: ['url_match'] },
    };
    const bad = [good, { ...good, intent: 5 }, { ...good, task_id: 2, eval: { eval_types: 'url_match' } }];
    await expect(openOver(sites, bad)).rejects.toThrow(
      /\[1\]\.intent: must be a text \(it is 5\)\n\s+\[2\]\.eval\.eval_types: must be a list of texts/,
    );
  });
});
