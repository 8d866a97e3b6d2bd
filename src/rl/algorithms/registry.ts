/** Registry of algorithms: look-up by name, and the schema of all of them. `modules.ts` lists them. */
import * as v from 'valibot';
import { field, text } from '../../fields/fields.ts';
import type { CriticKind } from '../../policy/policy.ts';
import type { Card } from '../common/formula.ts';
import type { Algorithm, AlgorithmSettings } from './algorithm.ts';
import { plainCards } from './cards.ts';
import * as modules from './modules.ts';

type Listed = (typeof modules)[keyof typeof modules];

/** Longest text of an objective, in characters. */
export const longestCode = 40_000;

/** Fields of every algorithm beside its own. */
const shared = {
  objectiveCode: v.optional(
    field(text(1, longestCode), {
      label: 'Own objective',
      sentence:
        'JavaScript that runs in the sandbox in place of the algorithm’s objective; absent: the algorithm’s own.',
      kind: 'code',
      level: 'basic',
    }),
  ),
};

type WithShared<S> =
  S extends v.StrictObjectSchema<infer Entries, infer Message>
    ? v.StrictObjectSchema<Entries & typeof shared, Message>
    : never;

/** A module whose settings include the common fields. */
type Module<M extends Listed = Listed> = M extends Listed
  ? Omit<M, 'schema'> & { schema: WithShared<M['schema']> }
  : never;

const listed = Object.values<Listed>(modules)
  .map((module) => ({ ...module, schema: v.strictObject({ ...module.schema.entries, ...shared }) }))
  .sort((a, b) => (a.label < b.label ? -1 : 1)) as unknown as readonly Module[];

/** All algorithms, by label. */
export const algorithms = listed as unknown as readonly Algorithm[];

/** Schema of `algorithm` in an experiment: one variant per module. */
export const AlgorithmSchema = v.variant('name', listed.map(({ schema }) => schema) as Module['schema'][]);

/** Settings of one module, by its name. */
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

/** Explanation of a method as cards. */
export const cardsOf = (settings: AlgorithmSettings): readonly Card[] =>
  algorithmOf(settings).cards?.(settings) ?? plainCards;

/** True if the algorithm compares with the weights that the run started from. */
export function readsReference(settings: AlgorithmSettings): boolean {
  const { reference = false, referenceInCredit = false } = algorithmOf(settings).needs(settings);
  return reference || referenceInCredit;
}

/** File of trajectories to learn from; null: none. */
export const fileOf = (settings: AlgorithmSettings): string | null => algorithmOf(settings).file?.(settings) ?? null;

/** Policy that teaches, as the settings name it; null: none, or the oracle. */
export const teacherOf = (settings: AlgorithmSettings): string | null =>
  algorithmOf(settings).needs(settings).teacher?.policy ?? null;

/** True if the update reads a teacher's whole distribution at each trained token. */
export const readsDistributions = (settings: AlgorithmSettings): boolean =>
  algorithmOf(settings).needs(settings).teacher?.distributions ?? false;

/** Source of values; null: the algorithm needs none. */
export function criticKind(settings: AlgorithmSettings): CriticKind | null {
  return algorithmOf(settings).critic?.(settings).kind ?? null;
}

/**
 * Converts missteps of older SFT settings: null was none, and their field was `noise` at first. Later `noise` was a share
 * of random turns. Without a mask about three in ten random turns were refused.
 */
function upgradedMissteps(settings: { noise?: unknown; missteps?: unknown }): unknown {
  const { noise = null, missteps = null, ...rest } = settings;
  if (noise === null || noise === 0) return missteps === null ? rest : { ...rest, missteps };
  if (typeof noise === 'object') return { ...rest, missteps: noise };
  if (typeof noise !== 'number') return settings;
  return { ...rest, missteps: { episodes: 1, random: 0.7 * noise, refused: 0.3 * noise } };
}

/** Converts the turn discount of older MT-GRPO settings, which had the name of PPO's. */
function upgradedTurnDiscount(settings: object): unknown {
  if (!('name' in settings && settings.name === modules.mtGrpo.name && 'turnGamma' in settings)) return settings;
  const { turnGamma: turnDiscount, ...rest } = settings;
  return { ...rest, turnDiscount };
}

/**
 * Reads settings from before an algorithm was a variant: the name was only a label, and `normalizeByStd` chose the
 * method. Other settings are returned unchanged.
 */
export function upgradedAlgorithm(settings: unknown): unknown {
  if (typeof settings !== 'object' || settings === null) return settings;
  if ('noise' in settings || 'missteps' in settings) return upgradedMissteps(settings);
  if (!('normalizeByStd' in settings)) return upgradedTurnDiscount(settings);
  const { normalizeByStd, ...rest } = settings;
  if (normalizeByStd === true) return { ...rest, name: modules.grpo.name };
  if (normalizeByStd !== false) return settings;
  const { advantageEpsilon: _, ...others } = rest as { advantageEpsilon?: unknown };
  // The variant's own divisor is a constant; the old form divided by the longest sequence.
  return { lossScaleFactor: null, ...others, name: modules.drGrpo.name };
}
