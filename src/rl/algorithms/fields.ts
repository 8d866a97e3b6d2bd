/**
 * Fields of an algorithm's schema: value, bounds, label and sentence in one place. The page's knobs, `--help`, the docs and the
 * refusals of `parseExperiment` are all made from what stands here and in the modules (`experiment/knobs.ts` reads it back).
 */
import * as v from 'valibot';

/** What a knob needs beyond its bounds, label and sentence. */
export interface FieldExtra {
  /** A useful step of a spinner. */
  step?: number;
  unit?: string;
  level?: 'basic' | 'advanced';
  /** May be null: what null means, in a few words. */
  nullMeans?: string;
  /** Text that is a program. */
  kind?: 'code';
  /** Words for choices that are names. */
  choiceLabels?: { readonly [choice: string]: string };
  /** It names a file, which is chosen and not typed. */
  file?: boolean;
}

const words = <T>(label: string, sentence: string, extra: FieldExtra) =>
  [
    v.title<T, string>(label),
    v.description<T, string>(sentence),
    v.metadata<T, { field: FieldExtra }>({ field: extra }),
  ] as const;

export const integer = (min: number, max: number, label: string, sentence: string, extra: FieldExtra = {}) =>
  v.pipe(
    v.number(),
    v.integer(),
    v.minValue(min),
    v.maxValue(max),
    ...words<number>(label, sentence, { step: 1, ...extra }),
  );

export const real = (min: number, max: number, label: string, sentence: string, extra: FieldExtra = {}) =>
  v.pipe(v.number(), v.minValue(min), v.maxValue(max), ...words<number>(label, sentence, extra));

export const choice = <const T extends readonly [string, ...string[]]>(
  options: T,
  label: string,
  sentence: string,
  extra: FieldExtra = {},
) => v.pipe(v.picklist(options), ...words<T[number]>(label, sentence, extra));

export const toggle = (label: string, sentence: string, extra: FieldExtra = {}) =>
  v.pipe(v.boolean(), ...words<boolean>(label, sentence, extra));

/** The name of a file that a person chooses. */
export const fileName = (label: string, sentence: string, extra: FieldExtra = {}) =>
  v.pipe(v.string(), v.minLength(1), v.maxLength(255), ...words<string>(label, sentence, { file: true, ...extra }));
/** A program, in characters. */
export const code = (longest: number, label: string, sentence: string, extra: FieldExtra = {}) =>
  v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(longest),
    ...words<string>(label, sentence, { kind: 'code', ...extra }),
  );

/** The module's name as it stands in a document. */
export const nameField = <const T extends string>(name: T) => v.literal(name);
