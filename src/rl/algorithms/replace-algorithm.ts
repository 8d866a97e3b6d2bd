/** Replaces an algorithm by another: the new one's defaults, with the groups and endings of the old one. */
import * as v from 'valibot';
import { type AnyAlgorithmSettings, algorithmOf } from './registry.ts';

/** Settings of play, which are kept. Settings of learning are the new algorithm's own. */
const kept = ['groups', 'groupSize', 'minibatches', 'innerEpochs', 'entropy', 'endings'] as const;

/** Settings of the algorithm `name`. Throws UnknownAlgorithmError. */
export function withAlgorithm(current: AnyAlgorithmSettings, name: string): AnyAlgorithmSettings {
  const { schema } = algorithmOf({ name });
  const entries = (schema as unknown as { entries: { [field: string]: v.GenericSchema } }).entries;
  const before = current as unknown as { [field: string]: unknown };
  // A value that the new algorithm does not accept gets its default.
  const fitting = kept.filter((field) => entries[field] && v.is(entries[field], before[field]));
  const values = Object.fromEntries(fitting.map((field) => [field, before[field]]));
  return v.parse(schema, { name, ...values }) as AnyAlgorithmSettings;
}
