// Interruptions of a run other than a kill: the disk is full, or another tab takes the run over.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StepRecord } from '../../src/session/protocol.ts';
import { begin, born, differences, type Harness } from './harness.ts';
import type {} from './page.ts';
import { PageEvents } from './page-events.ts';

export interface Result {
  what: string;
  problems: string[];
}

const expectThat = (problems: string[], holds: boolean, otherwise: string) => {
  if (!holds) problems.push(otherwise);
};

/** Bytes that the browser stores before it reports a full disk: a few checkpoints of this run. */
const ROOM = 1_500_000;

/** The run pauses with a message, keeps its steps, and resumes once there is room. */
export async function fullDisk(harness: Harness): Promise<Result> {
  const problems: string[] = [];
  // An empty profile, since deleted data that the browser has not removed yet would count.
  const profile = mkdtempSync(join(tmpdir(), 'tabgym-full-'));
  const { life, events } = await born({ ...harness, profile });
  try {
    const cdp = await life.page.context().newCDPSession(life.page);
    const { origin } = new URL(harness.url);
    // Set before the first write: Chromium caches the quota for half a minute.
    await cdp.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: ROOM });
    const id = await begin(life, 'full disk', harness.experiment);
    const reached = await life.page.evaluate((run) => window.crash.train(run), id);
    const notice = events.received.find((event) => event.startsWith('notice '));
    expectThat(
      problems,
      /no space to store .* No stored data is lost/.test(notice ?? ''),
      `its notice was: ${notice ?? 'none'}`,
    );
    expectThat(
      problems,
      events.received.some((event) => event.startsWith('status paused')),
      'it did not pause',
    );
    const kept = await life.page.evaluate((run) => window.crash.records(run), id);
    await cdp.send('Storage.overrideQuotaForOrigin', { origin });
    await life.page.evaluate((run) => window.crash.train(run), id);
    const full = await life.page.evaluate((run) => window.crash.records(run), id);
    // This profile made its own measurement of the fastest kernels, so the run for comparison uses the same profile.
    const reference = await begin(life, 'never full', harness.experiment);
    await life.page.evaluate((run) => window.crash.train(run), reference);
    const never = await life.page.evaluate((run) => window.crash.records(run), reference);
    expectThat(
      problems,
      `step ${kept.at(-1)?.step}` === reached && kept.length < never.length,
      `it stopped at ${reached}`,
    );
    problems.push(...differences(never, full).slice(0, 5));
    return { what: `a full disk at ${reached}`, problems };
  } finally {
    await life.kill();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** The second tab is read-only; it takes over, the first stops, and the numbers stay. */
export async function twoTabs(harness: Harness, never: readonly StepRecord[]): Promise<Result> {
  const problems: string[] = [];
  const { life, events } = await born(harness);
  try {
    const id = await begin(life, 'two tabs', harness.experiment);
    const training = life.page.evaluate((run) => window.crash.train(run), id);
    await events.until(/^step /, 3);
    const second = await life.tab(new PageEvents().receive);
    const refused = await second.evaluate((run) => window.crash.train(run).catch((error: Error) => error.message), id);
    expectThat(problems, /Another tab has this run/.test(refused), `the second tab was not refused: ${refused}`);
    const before = await second.evaluate((run) => window.crash.owner(run), id);
    expectThat(problems, before === 'another-tab', `the second tab sees ${before} as the owner`);
    await second.evaluate((run) => window.crash.takeOver(run), id);
    await training;
    expectThat(problems, events.received.includes('owner another-tab'), 'the first tab got no event');
    await second.evaluate((run) => window.crash.train(run), id);
    problems.push(...differences(never, await second.evaluate((run) => window.crash.records(run), id)).slice(0, 5));
    return { what: 'a run taken over by a second tab', problems };
  } finally {
    await life.kill();
  }
}
