/**
 * Reader of a world's options: fills in defaults and refuses values out of range by path, value and bound. Imports no
 * world and no WASM, so that a page can check a document before anything is opened. The fields are made by
 * `src/fields`.
 */
import * as v from 'valibot';
import { type Problem, problemOf } from '../fields/refusals.ts';
import { WorldError, type WorldOptions } from './env.ts';

/** Refused options: one entry for each problem, with its path within the options. */
export class OptionsError extends WorldError {
  override name = 'OptionsError';
  constructor(
    title: string,
    readonly problems: readonly Problem[],
  ) {
    const lines = problems.map(({ path, message }) => `  options${path ? `.${path}` : ''}: ${message}`);
    super(`${title} refuses these options:\n${lines.join('\n')}`);
  }
}

type Entries = Parameters<typeof v.strictObject>[0];
type OptionsSchema = v.StrictObjectSchema<Entries, undefined>;

/** Reads the options of one world. Results are cached, and a result that is read again is returned unchanged. */
export interface OptionsReader<O = unknown> {
  (options: WorldOptions): O;
  readonly schema: OptionsSchema;
}

export function optionsReader<E extends Entries>(
  title: string,
  schema: v.StrictObjectSchema<E, undefined>,
): OptionsReader<v.InferOutput<typeof schema>> {
  type Options = v.InferOutput<typeof schema>;
  const parsed = new WeakMap<WorldOptions, Options>();
  const read = (options: WorldOptions): Options => {
    const known = parsed.get(options);
    if (known) return known;
    const result = v.safeParse(schema, options);
    if (!result.success)
      throw new OptionsError(
        title,
        result.issues.map((issue) =>
          problemOf(issue, `there is no such option (${Object.keys(schema.entries).join(', ')})`),
        ),
      );
    parsed.set(options, result.output);
    parsed.set(result.output as WorldOptions, result.output);
    return result.output;
  };
  return Object.assign(read, { schema: schema as unknown as OptionsSchema });
}
