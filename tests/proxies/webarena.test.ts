/** WebArena by a real Chromium over the six sites: log in, reset, act, evaluate; many at once; one that is lost in the middle. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/machine.mjs';
import { idOf, templates } from '../../src/envs/web/tasks/index.ts';
import { type Opened, openOver } from './opened.ts';
import { Client, playOracle } from './playing.ts';
import { SixSites } from './six-sites.ts';

const skip = !findChromium();
if (skip) console.log('skipped: there is no Chromium-family browser (TABGYM_CHROMIUM names one)');

/** `TABGYM_PROXY_ALL=1`: every template instead of every ninth. */
const every = process.env.TABGYM_PROXY_ALL ? 1 : 9;
const tasks = templates.flatMap((_, index) => (index % every === 0 ? [idOf(index, 3)] : []));

let sites: SixSites;
let opened: Opened;
let client: Client;

beforeAll(async () => {
  if (skip) return;
  sites = await new SixSites().listen();
  opened = await openOver(sites, templates.map((_, index) => sites.task(idOf(index, 3))));
  client = new Client(opened.proxy);
});
afterAll(async () => {
  await opened?.close();
  await sites?.close();
});

describe.skipIf(skip)('WebArena through the proxy', () => {
  it('is solved by the oracle’s own trajectories, as in the frames', async () => {
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
});
