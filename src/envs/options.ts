/**
 * Reading a world's options: defaults filled in, and what is out of range refused by path, value and bound. Knows no world and
 * no WASM, so that a page can check a document before anything is opened.
 */
import * as v from 'valibot';
import { WorldError, type WorldOptions } from './env.ts';

/** Options that were refused: one entry a problem, its path within the options. */
export class OptionsError extends WorldError {
  override name = 'OptionsError';
  constructor(
    title: string,
    readonly problems: readonly { path: string; message: string }[],
  ) {
    const lines = problems.map(({ path, message }) => `  options${path ? `.${path}` : ''}: ${message}`);
    super(`${title} refuses these options:\n${lines.join('\n')}`);
  }
}

export const whole = (name: string, min: number, max: number) =>
  v.pipe(
    v.number(`${name} must be a whole number from ${min} to ${max}`),
    v.integer(`${name} must be a whole number from ${min} to ${max}`),
    v.minValue(min, `${name} must be at least ${min}`),
    v.maxValue(max, `${name} must be at most ${max}`),
  );

type Entries = Parameters<typeof v.strictObject>[0];

/** A reader of one world's options. What was read once is remembered; what it answers is read as it is. */
export function optionsReader<E extends Entries>(title: string, schema: v.StrictObjectSchema<E, undefined>) {
  type Options = v.InferOutput<typeof schema>;
  const parsed = new WeakMap<WorldOptions, Options>();
  return (options: WorldOptions): Options => {
    const known = parsed.get(options);
    if (known) return known;
    const result = v.safeParse(schema, options);
    if (!result.success)
      throw new OptionsError(
        title,
        result.issues.map((issue) => problemOf(issue, schema)),
      );
    parsed.set(options, result.output);
    parsed.set(result.output as WorldOptions, result.output);
    return result.output;
  };
}

function problemOf(issue: v.BaseIssue<unknown>, schema: { entries: Entries }) {
  const words =
    issue.type === 'strict_object'
      ? `there is no such option (${Object.keys(schema.entries).join(', ')})`
      : issue.message;
  return { path: v.getDotPath(issue) ?? '', message: `${words} (it is ${JSON.stringify(issue.input)})` };
}
