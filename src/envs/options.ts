/**
 * Options of worlds: parts of their schemas, and the reader that fills in defaults and refuses values out of range with
 * path, value and bound. Each option has its label and sentence, so that the page, `--help` and the docs take texts and
 * bounds from one schema. Needs no world and no WASM: a page checks a document before anything is opened.
 */
import * as v from 'valibot';
import { WorldError, type WorldOptions } from './env.ts';

/** Refused options: one entry for each problem, with its path within the options. */
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

/** Texts for people about an option. */
export type OptionWords = {
  label: string;
  /** One sentence: its meaning and the effect of raising it. */
  sentence: string;
  unit?: string;
  /** Default: advanced. */
  level?: 'basic' | 'advanced';
  /** Step of its number input. */
  step?: number;
  /** Suggestions on the page for an option that accepts any text. */
  choices?: readonly string[];
  /** Labels for choices that are identifiers. */
  choiceLabels?: { readonly [choice: string]: string };
};

/** An option: its schema, its default and its texts. */
export const option = <const S extends v.GenericSchema>(schema: S, fallback: v.InferInput<S>, words: OptionWords) =>
  v.optional(v.pipe(schema, v.metadata(words)), fallback as never);

/** A whole number. */
export const whole = (min: number, max: number) => {
  const words = `must be a whole number from ${min} to ${max}`;
  return v.pipe(
    v.number(words),
    v.integer(words),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
  );
};

/** A number. */
export const real = (min: number, max: number) =>
  v.pipe(
    v.number(`must be a number from ${min} to ${max}`),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
  );

export const yesOrNo = () => v.boolean('must be true or false');

export const oneOf = <const C extends readonly [string, ...string[]]>(choices: C) =>
  v.picklist(
    choices,
    choices.length > 3
      ? `must be one of: ${choices.join(', ')}`
      : `must be ${choices.map((each) => `"${each}"`).join(' or ')}`,
  );

/** A list without duplicates. `what`: name of its members, in the plural. `least`: minimum length. */
export const listOf = <const S extends v.GenericSchema>(what: string, member: S, least: 0 | 1 = 1) =>
  v.pipe(
    v.array(member, `must be a list of ${what}`),
    v.minLength(least, `must have at least one of the ${what}`),
    v.check((list) => new Set(list).size === list.length, `must not repeat one of the ${what}`),
  );

type Entries = Parameters<typeof v.strictObject>[0];
export type OptionsSchema = v.StrictObjectSchema<Entries, undefined>;

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
        result.issues.map((issue) => problemOf(issue, schema)),
      );
    parsed.set(options, result.output);
    parsed.set(result.output as WorldOptions, result.output);
    return result.output;
  };
  return Object.assign(read, { schema: schema as unknown as OptionsSchema });
}

function problemOf(issue: v.BaseIssue<unknown>, schema: { entries: Entries }) {
  const words =
    issue.type === 'strict_object'
      ? `there is no such option (${Object.keys(schema.entries).join(', ')})`
      : issue.message;
  return { path: v.getDotPath(issue) ?? '', message: `${words} (it is ${JSON.stringify(issue.input)})` };
}
