// Shared by all parts of the crash test: a browser on the test's profile, a run in it, and the comparison of two runs.
import type { StepRecord } from '../../src/session/protocol.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { type Life, open } from './browser.ts';
import type {} from './page.ts';
import { type Death, PageEvents } from './page-events.ts';

export interface Harness {
  profile: string;
  url: string;
  experiment: unknown;
  /** Further switches of the browser. */
  switches?: readonly string[];
}

export async function born({ profile, url, switches }: Harness): Promise<{ life: Life; events: PageEvents }> {
  const events = new PageEvents();
  return { life: await open(profile, url, events.receive, switches), events };
}

export const begin = ({ page }: Pick<Life, 'page'>, name: string, experiment: unknown) =>
  page.evaluate(([n, e]) => window.crash.run(n as string, e).then((run) => run.id), [name, experiment] as const);

/** Trains a run to its end and reads its records. */
export async function finish(harness: Harness, name: string): Promise<StepRecord[]> {
  const { life } = await born(harness);
  try {
    const id = await begin(life, name, harness.experiment);
    await life.page.evaluate((run) => window.crash.train(run), id);
    return await life.page.evaluate((run) => window.crash.records(run), id);
  } finally {
    await life.kill();
  }
}

/** Id of an existing run. */
export async function idOf(harness: Harness, name: string): Promise<string> {
  const { life } = await born(harness);
  try {
    return await begin(life, name, harness.experiment);
  } finally {
    await life.kill();
  }
}

/**
 * Opens the browser, continues the run `name`, and kills it at the given `death`. Returns the last committed step that
 * was reported.
 */
export async function liveAndDie(harness: Harness, name: string, death: Death): Promise<string> {
  const { life, events } = await born(harness);
  const started = Date.now();
  try {
    const id = await begin(life, name, harness.experiment);
    if (death.kind === 'commit') await life.page.evaluate((nth) => window.crash.stretchCommit(nth), death.after);
    if (death.kind === 'refill' || death.kind === 'updates')
      await life.page.evaluate(([phase, nth]) => window.crash.stretchPhase(phase, nth), [
        death.kind,
        death.after,
      ] as const);
    const training = life.page.evaluate((run) => window.crash.train(run), id);
    training.catch(() => {});
    await events.dying(death);
  } finally {
    await life.kill();
  }
  const steps = events.received.filter((event) => event.startsWith('step '));
  const where = {
    commit: `inside its commit ${death.after}`,
    random: `${death.ms} ms after its step ${death.after}`,
    start: `${death.ms} ms after its start`,
    refill: `in its refill ${death.after}`,
    updates: `while its step ${death.after} learnt`,
  };
  return `killed after ${((Date.now() - started) / 1000).toFixed(1)} s (${where[death.kind]}); last event: ${steps.at(-1) ?? 'no step'}`;
}

/** A description of each number that differs. */
export function differences(never: readonly StepRecord[], killed: readonly StepRecord[]): string[] {
  const found: string[] = [];
  if (never.length !== killed.length) found.push(`${never.length} records against ${killed.length}`);
  for (const [i, record] of never.entries()) {
    const [a, b] = [withoutTimes(record), killed[i] && withoutTimes(killed[i])];
    for (const name of Object.keys(a.metrics))
      if (a.metrics[name] !== b?.metrics[name])
        found.push(`step ${record.step} ${name}: ${a.metrics[name]} against ${b?.metrics[name]}`);
    if (JSON.stringify(a.evaluation) !== JSON.stringify(b?.evaluation))
      found.push(`step ${record.step}: the evaluations differ`);
  }
  return found;
}
