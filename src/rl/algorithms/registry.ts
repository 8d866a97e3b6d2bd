/** Finding an algorithm by its name, and the schema of them all. `modules.ts` lists them. */
import * as v from 'valibot';
import type { CriticKind } from '../../policy/policy.ts';
import type { Algorithm, AlgorithmSettings } from './algorithm.ts';
import { type Card, plainCards } from './cards.ts';
import { code } from './fields.ts';
import * as modules from './modules.ts';

type Listed = (typeof modules)[keyof typeof modules];

/** Longest text of an objective, in characters. */
export const longestCode = 40_000;

/** What every algorithm has beside its own fields. */
const shared = {
  objectiveCode: v.optional(
    code(
      longestCode,
      'Own objective',
      'JavaScript that runs in the sandbox in place of the algorithm’s objective; absent: the algorithm’s own.',
      { level: 'basic' },
    ),
  ),
};

type WithShared<S> =
  S extends v.StrictObjectSchema<infer Entries, infer Message>
    ? v.StrictObjectSchema<Entries & typeof shared, Message>
    : never;

/** A module whose settings have what all have. */
type Module<M extends Listed = Listed> = M extends Listed
  ? Omit<M, 'schema'> & { schema: WithShared<M['schema']> }
  : never;

const listed = Object.values<Listed>(modules)
  .map((module) => ({ ...module, schema: v.strictObject({ ...module.schema.entries, ...shared }) }))
  .sort((a, b) => (a.label < b.label ? -1 : 1)) as unknown as readonly Module[];

/** All algorithms, by label. */
export const algorithms = listed as unknown as readonly Algorithm[];

/** The `algorithm` of an experiment: one variant a module. */
export const AlgorithmSchema = v.variant('name', listed.map(({ schema }) => schema) as Module['schema'][]);

/** Of one module, by its name. */
export type SettingsOf<N extends AnyAlgorithmSettings['name']> = Extract<AnyAlgorithmSettings, { name: N }>;

export type AnyAlgorithmSettings = v.InferOutput<typeof AlgorithmSchema>;

export class UnknownAlgorithmError extends Error {
  override name = 'UnknownAlgorithmError';
}

export function algorithmOf({ name }: Pick<AlgorithmSettings, 'name'>): Algorithm {
  const found = algorithms.find((each) => each.name === name);
  if (found) return found;
  throw new UnknownAlgorithmError(
    `There is no algorithm "${name}"; there are ${algorithms.map((each) => each.name).join(', ')}.`,
  );
}

/** How a method is explained. */
export const cardsOf = (settings: AlgorithmSettings): readonly Card[] =>
  algorithmOf(settings).cards?.(settings) ?? plainCards;

/** Whether the weights that the run started from are compared with. */
export function readsReference(settings: AlgorithmSettings): boolean {
  const { reference = false, referenceInCredit = false } = algorithmOf(settings).needs(settings);
  return reference || referenceInCredit;
}

/** The file of trajectories that is learnt from; null: none. */
export const fileOf = (settings: AlgorithmSettings): string | null => algorithmOf(settings).file?.(settings) ?? null;

/** Where values come from; null: nothing asks for them. */
export function criticKind(settings: AlgorithmSettings): CriticKind | null {
  return algorithmOf(settings).critic?.(settings).kind ?? null;
}

/** SFT once had a share of random turns beside its missteps; where there was no mask, about three in ten of those were refused. */
function upgradedNoise({ noise, ...rest }: { noise?: unknown }): unknown {
  if (noise === 0) return rest;
  if (typeof noise !== 'number') return { noise, ...rest };
  return { ...rest, missteps: { episodes: 1, random: 0.7 * noise, refused: 0.3 * noise } };
}

/**
 * Settings of the form before an algorithm was a variant: its name was a label alone, and what was trained by followed from
 * `normalizeByStd`. What is no such form comes back as it is.
 */
export function upgradedAlgorithm(settings: unknown): unknown {
  if (typeof settings !== 'object' || settings === null) return settings;
  if ('noise' in settings) return upgradedNoise(settings);
  if (!('normalizeByStd' in settings)) return settings;
  const { normalizeByStd, ...rest } = settings;
  if (normalizeByStd === true) return { ...rest, name: modules.grpo.name };
  if (normalizeByStd !== false) return settings;
  const { advantageEpsilon: _, ...others } = rest as { advantageEpsilon?: unknown };
  // The variant's own divisor is a constant; the old form's was the longest sequence.
  return { lossScaleFactor: null, ...others, name: modules.drGrpo.name };
}
