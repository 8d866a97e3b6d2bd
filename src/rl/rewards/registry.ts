/**
 * The `reward` of an experiment: named parts joined by a weighted sum, a gate or a maximum. Without it an episode's
 * reward is the world's score.
 */
import * as v from 'valibot';
import { boundedList, choice, option, real } from '../../fields/fields.ts';
import { columnOf, type PartSettings, type RewardPart } from './part.ts';
import * as modules from './parts.ts';

type Module = (typeof modules)[keyof typeof modules];

const order = ['success', 'progress', 'turns', 'format', 'pattern', 'function', 'judge'];
const listed = Object.values<Module>(modules).sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));

/** All kinds of parts, in the order of the page. */
export const rewardParts = listed as unknown as readonly RewardPart[];

const PartSchema = v.variant('kind', listed.map(({ schema }) => schema) as Module['schema'][]);

/** Schema of `reward` in an experiment. */
export const RewardSchema = v.strictObject({
  combine: option(choice(['sum', 'gate', 'maximum']), 'sum', {
    label: 'Combination',
    sentence:
      'How parts make the reward: their weighted sum, the largest weighted part, or a gate (the first part must reach its least value, or else the others do not count).',
    level: 'basic',
    choiceLabels: { sum: 'Weighted sum', gate: 'Gate', maximum: 'Maximum' },
  }),
  gateAt: option(real(-1e6, 1e6), 1, {
    label: 'Gate opens at',
    sentence: 'Least value of the first part, before its weight, at which the other parts count; for a gate only.',
    step: 0.1,
  }),
  closed: option(real(-1e6, 1e6), 0, {
    label: 'Reward behind a closed gate',
    sentence: 'Reward of an episode whose first part is below the gate; for a gate only.',
    step: 0.1,
  }),
  parts: v.pipe(
    boundedList('parts', PartSchema, 1, 8),
    v.check(
      (parts) => new Set(parts.map(columnOf)).size === parts.length,
      'must have different column names: give a part a name of its own',
    ),
  ),
});

export type RewardSettings = v.InferOutput<typeof RewardSchema>;

class UnknownPartError extends Error {
  override name = 'UnknownPartError';
}

export function partOf({ kind }: Pick<PartSettings, 'kind'>): RewardPart {
  const found = rewardParts.find((each) => each.kind === kind);
  if (found) return found;
  throw new UnknownPartError(`There is no part "${kind}" of a reward; there are ${order.join(', ')}.`);
}

/** A new part of a kind, with the defaults of its fields. */
export const newPart = (kind: string): RewardSettings['parts'][number] =>
  v.parse(PartSchema, { kind, ...partOf({ kind }).start });

/** A new reward: the world's score, as without one. */
export const newReward = (): RewardSettings => v.parse(RewardSchema, { parts: [newPart('progress')] });
