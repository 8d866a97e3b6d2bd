/** Messages between a pupil's page and the class's server, with their bounds. The server reads nothing else. */
import * as v from 'valibot';

const mostPoints = 200;
const longestName = 40;
const mostStep = 1_000_000;

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const step = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(mostStep));

/** One line of text without control characters or characters that turn its direction. */
const line = (most: number) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty('must not be empty'),
    v.maxLength(most),
    v.regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'must be one line without control characters'),
  );

const isAscending = (points: readonly (readonly number[])[]) =>
  points.every(([at], k) => k === 0 || points[k - 1][0] < at);
const ascending = 'steps must ascend';

export const joinSchema = v.strictObject({ name: line(longestName) });

export const secretSchema = v.pipe(v.string(), v.regex(/^[\w-]{16,64}$/));

const reportSchema = v.strictObject({
  /** Name of the run's experiment. */
  run: line(120),
  step,
  steps: step,
  status: v.picklist(['idle', 'running', 'paused', 'finished', 'failed']),
  /** (step, success of the step's episodes) */
  curve: v.pipe(
    v.array(v.strictTuple([step, share])),
    v.maxLength(mostPoints),
    v.check((points) => isAscending(points), ascending),
  ),
  /** (step, held-out success, lower and upper bound of its 95% interval) */
  heldOut: v.pipe(
    v.array(v.strictTuple([step, share, share, share])),
    v.maxLength(mostPoints),
    v.check((points) => isAscending(points), ascending),
  ),
});

/** State of a pupil's run, whole in every message, so that a lost one is not missed. */
export type ClassReport = v.InferOutput<typeof reportSchema>;

/** `report` null: no run is open. */
export const reportedSchema = v.strictObject({ secret: secretSchema, report: v.nullable(reportSchema) });
export const memberSchema = v.strictObject({ secret: secretSchema });
export const removeSchema = v.strictObject({ id: v.pipe(v.number(), v.integer(), v.minValue(1)) });

/** Every nth entry, the last included, so that at most `mostPoints` remain. */
export function thinned<T>(all: readonly T[]): T[] {
  const every = Math.ceil(all.length / mostPoints);
  return all.filter((_, k) => (all.length - 1 - k) % every === 0);
}

/** Class code as it is typed: letters and digits in upper case, without spaces and hyphens. */
export const codeOf = (typed: string): string => typed.toUpperCase().replace(/[^A-Z0-9]/g, '');
