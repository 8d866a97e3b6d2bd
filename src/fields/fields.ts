/**
 * Fields of a document that a person may set, as valibot schemas: values, bounds, refusals, label and sentence are
 * defined once, in the schema. The page's settings, docs/experiment.md and `--help` are read from it (`reader.ts`).
 * Algorithms, options of worlds and the parts of an experiment all use these fields.
 */
import * as v from 'valibot';

export type FieldKind =
  | 'integer'
  | 'real'
  | 'boolean'
  | 'choice'
  | 'turns'
  | 'integers'
  | 'choices'
  | 'text'
  | 'code'
  /** A short list of numbers. */
  | 'numbers';

/** Cost of a change in a run that has begun: none, a fork at the last step, or a new run from step 0. */
export type FieldChange = 'free' | 'fork' | 'restart';

/** Facts of a field in addition to its values and bounds. */
export type FieldFacts = {
  label: string;
  /** One-sentence explanation, with the effect of a larger value. */
  sentence: string;
  unit?: string;
  /** Default: advanced. */
  level?: 'basic' | 'advanced';
  /** Default: fork. */
  change?: FieldChange;
  /** A useful step of a spinner; finer values may be allowed. Default for whole numbers: 1. */
  step?: number;
  /** Meaning of null, in a few words. */
  nullMeans?: string;
  /** Suggestions on the page for a field that accepts any text. */
  choices?: readonly string[];
  /** Labels of choices that are identifiers. */
  choiceLabels?: { readonly [choice: string]: string };
  /** True if the text is the name of a file, which is chosen and not typed. */
  file?: boolean;
  /** True if the text names a policy that teaches: a shipped agent, or a file that is chosen and not typed. */
  teacher?: boolean;
  /** Default: the kind that follows from the schema. */
  kind?: FieldKind;
};

/** A schema with the facts of its field. */
export const field = <const S extends v.GenericSchema>(schema: S, facts: FieldFacts) =>
  v.pipe(schema, v.metadata(facts as FieldFacts & { [more: string]: unknown }));

/** A field that may be left out, with its default. */
export const option = <const S extends v.GenericSchema>(schema: S, fallback: v.InferInput<S>, facts: FieldFacts) =>
  v.optional(field(schema, facts), fallback as never);

/** A whole number. */
export const whole = (min: number, max: number) => {
  const refusal = `must be a whole number from ${min} to ${max}`;
  return v.pipe(
    v.number(refusal),
    v.integer(refusal),
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

const isWebAddress = (given: string) => URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);
const withoutLogin = (given: string) => !URL.canParse(given) || !(new URL(given).username || new URL(given).password);

/** Address of a server, without a name and a password in it. */
export const webAddress = () =>
  v.pipe(
    text(0, 500),
    v.check(isWebAddress, 'must be an address that begins with http:// or https://'),
    v.check(withoutLogin, 'must hold no name and no password: a key is kept apart from the document'),
  );

/** True or false. */
export const toggle = () => v.boolean('must be true or false');

/** One of a few names. */
export const choice = <const C extends readonly string[]>(choices: C) =>
  v.picklist(
    choices,
    choices.length > 3
      ? `must be one of: ${choices.join(', ')}`
      : `must be ${choices.map((each) => `"${each}"`).join(' or ')}`,
  );

/** A text of a bounded length, in characters. */
export const text = (least: 0 | 1, most: number) =>
  v.pipe(
    v.string('must be a text'),
    v.minLength(least, 'must not be empty'),
    v.maxLength(most, `must have at most ${most.toLocaleString('en')} characters`),
  );

/** A list of a bounded length. `what`: its members in the plural. */
export const boundedList = <const S extends v.GenericSchema>(what: string, member: S, least: number, most: number) =>
  v.pipe(
    v.array(member, `must be a list of ${what}`),
    v.minLength(least, `must have ${least} to ${most} ${what}`),
    v.maxLength(most, `must have ${least} to ${most} ${what}`),
  );

/** A list without duplicates. `what`: its members in the plural. `least`: the smallest number of members. */
export const listOf = <const S extends v.GenericSchema>(what: string, member: S, least: 0 | 1 = 1) =>
  v.pipe(
    v.array(member, `must be a list of ${what}`),
    v.minLength(least, `must have at least one of the ${what}`),
    v.check((list) => new Set(list).size === list.length, `must not repeat one of the ${what}`),
  );
