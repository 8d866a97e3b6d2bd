/** Runs from `.tabgym` files, with their records checked: every reader of such a file begins here. */
import * as v from 'valibot';
import type { StepRecord } from '../rl/evaluation/evaluation.ts';
import { BundleError, readingRun, type readRun } from '../store/bundle.ts';
import { atOnce, type Work, within } from '../store/in-parts.ts';
import { plainRecord } from '../store/plain-record.ts';
import type { NewRun } from '../store/run-store.ts';

const real = v.pipe(v.number(), v.finite());
/** JSON has no NaN and no infinity: they are written as null. */
const realOrNull = v.nullable(real);
const rate = v.object({ successes: real, episodes: real, rate: real, low: real, high: real });
const mean = v.looseObject({ mean: realOrNull });
const scores = v.optional(v.object({ policy: mean, chance: mean }));
const split = v.looseObject({
  policy: rate,
  chance: rate,
  oracle: v.nullable(rate),
  score: realOrNull,
  scores,
  strata: plainRecord(v.string(), v.looseObject({ policy: rate, chance: rate, scores })),
});
const record = v.looseObject({
  step: real,
  stage: v.optional(real),
  metrics: plainRecord(v.string(), realOrNull),
  evaluation: v.optional(v.looseObject({ train: split, test: split })),
});

/** Maximum number of characters of a path in a refusal. */
const longestPath = 100;

/** Throws BundleError if a record lacks what the charts and reports read. */
export const checkRecords = (records: readonly unknown[]): void => atOnce(checkingRecords(records));

/** Checks records as `checkRecords`, in parts. */
export function* checkingRecords(records: readonly unknown[]): Work<void> {
  for (const [k, each] of records.entries()) {
    yield k / records.length;
    const result = v.safeParse(record, each, { abortEarly: true });
    if (result.success) continue;
    const path = (v.getDotPath(result.issues[0]) ?? '').slice(0, longestPath);
    throw new BundleError(`Line ${k + 1} of steps.jsonl in this file has a wrong value at "${path}". Export it again.`);
  }
}

/** Reads a run's file as `readRun`, and checks its records. */
export const readRunFile = (...file: Parameters<typeof readingRunFile>) => atOnce(readingRunFile(...file));

/** Reads a run's file as `readRunFile`, in parts. */
export function* readingRunFile(...file: Parameters<typeof readingRun>) {
  const run = yield* within([0, 0.8], readingRun(...file));
  yield* within([0.8, 1], checkingRecords(run.records ?? []));
  return run as ReturnType<typeof readRun> & Omit<NewRun, 'records'> & { records: StepRecord[] };
}
