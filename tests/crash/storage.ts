// Storage that the browser takes away while a run trains: a quota that is reached, and a deletion of all that the page
// has stored, as an eviction does. Each try has a browser context of its own.
import type { Page } from 'playwright-core';
import { generator } from '../../tools/fuzz/mutations.ts';
import type { Outcome } from '../../tools/hardening/outcome.ts';
import { openTab } from './browser.ts';
import { begin, born, differences, type Harness } from './harness.ts';
import type {} from './page.ts';
import { PageEvents, sleep } from './page-events.ts';

const steps = 16;
/** A training that has not ended this long after its storage is gone is stuck. */
const latestMs = 90_000;

interface Try {
  page: Page;
  events: PageEvents;
  /** Sends a command of the Storage domain for the page's origin. */
  storage(method: 'overrideQuotaForOrigin' | 'clearDataForOrigin', params: object): Promise<void>;
}

/** Runs `times` tries, each in a context of its own. Returns the problems of all. */
async function tried(harness: Harness, times: number, one: (each: Try, k: number) => Promise<string[]>) {
  const { life } = await born(harness);
  const problems: string[] = [];
  let lost = 0;
  try {
    for (let k = 0; k < times; k++) {
      const context = await life.page.context().browser()!.newContext();
      const events = new PageEvents();
      const page = await openTab(context, harness.url, events.receive);
      const cdp = await context.newCDPSession(page);
      const { origin } = new URL(harness.url);
      const storage: Try['storage'] = async (method, params) => {
        await cdp.send(`Storage.${method}`, { origin, ...params } as never);
      };
      const found = await one({ page, events, storage }, k);
      console.log(`${k + 1}/${times} ${found.length ? found.join('; ') : 'ok'}`);
      if (found.length) lost++;
      problems.push(...found);
      await context.close();
    }
  } finally {
    await life.kill();
  }
  return { lost, problems };
}

const train = (page: Page, id: string) => page.evaluate((run) => window.crash.train(run), id);
const recordsOf = (page: Page, id: string) => page.evaluate((run) => window.crash.records(run), id);

/** Begins a run of a few steps. */
const beginShort = ({ page }: Try, { experiment }: Harness, name: string, count = steps) =>
  begin({ page }, name, { ...(experiment as object), steps: count });

/**
 * A quota of random size: the run pauses with a notice, keeps its steps, and ends with the numbers of a run that had
 * room.
 */
export async function fullQuotas(harness: Harness, times: number): Promise<Outcome> {
  const random = generator(11);
  let reached = 0;
  const { lost } = await tried(harness, times, async (each) => {
    const { page, events, storage } = each;
    const problems: string[] = [];
    // Set before the first write: Chromium caches the quota for half a minute.
    await storage('overrideQuotaForOrigin', { quotaSize: 300_000 + random(1_500_000) });
    let id = '';
    const stopped = await (async () => {
      id = await beginShort(each, harness, 'full');
      await train(page, id);
    })().then(
      () => null,
      (error: Error) => error.message,
    );
    if (stopped && !/no space to store/.test(stopped)) problems.push(`it ended with ${stopped}`);
    const isNoted = stopped || events.received.some((event) => /^notice .*no space to store/.test(event));
    if (isNoted) reached++;
    await storage('overrideQuotaForOrigin', {});
    id ||= await beginShort(each, harness, 'full');
    const kept = await recordsOf(page, id);
    if (!isNoted && kept.length <= steps) problems.push('it stopped without a notice');
    await train(page, id);
    const never = await beginShort(each, harness, 'never full');
    await train(page, never);
    problems.push(...differences(await recordsOf(page, never), await recordsOf(page, id)).slice(0, 3));
    return problems;
  });
  const what = `quota of the page's storage, of random size; reached in ${reached}, where the run paused with a notice and went on once there was room`;
  return { what, tried: times, lost, accepted: 0 };
}

/** All that is stored is deleted in training: training ends with a named message, and a new run trains to its end. */
export async function evictions(harness: Harness, times: number): Promise<Outcome> {
  const random = generator(12);
  const { lost } = await tried(harness, times, async (each) => {
    const { page, events, storage } = each;
    const problems: string[] = [];
    const id = await beginShort(each, harness, 'evicted', 400);
    const step = events.until(/^step /, 1 + random(4));
    const training = train(page, id).then(
      (reached) => `ended at ${reached}`,
      (error: Error) => `error ${error.message.split('\n')[0]}`,
    );
    await step;
    await sleep(random(400));
    await storage('clearDataForOrigin', { storageTypes: 'indexeddb' });
    const end = await Promise.race([training, sleep(latestMs).then(() => 'stuck')]);
    if (!/deleted|does not exist here/.test(end)) problems.push(`it was ${end}`);
    const next = await beginShort(each, harness, 'after it', 2);
    await train(page, next);
    const { length } = await recordsOf(page, next);
    if (length !== 3) problems.push(`the next run has ${length} records`);
    return problems;
  });
  const what = 'deletion of all that the page has stored, while a run trains';
  return { what, tried: times, lost, accepted: 0 };
}
