/**
 * Rejection-sampling fine-tuning: imitates episodes with a return above a threshold and drops the rest (best-of-n, or
 * all that succeed; Yuan et al. 2023, https://arxiv.org/abs/2308.01825).
 */
import * as v from 'valibot';
import { choice, option, real } from '../../fields/fields.ts';
import type { Trajectory } from '../episode/trajectory.ts';
import type { Algorithm, CreditInput } from './algorithm.ts';
import { likelihoodCards } from './cards.ts';
import { aggregationOf, byGroup, likelihood, likelihoodAggregation, weightedCredit } from './from-data.ts';
import { endingFields, groupFields } from './pieces.ts';

export const threshold = option(real(-10, 1000), 0.5, {
  label: 'Threshold',
  sentence: 'Episodes with a return above this are learnt from.',
  step: 0.1,
  level: 'basic',
});

export const keepRules = ['all', 'first', 'best'] as const;
export const keep = option(choice(keepRules), 'all', {
  label: 'Keep of a task',
  sentence: 'Good episodes of a task that are learnt from: all, the first, or the best.',
});

const schema = v.strictObject({
  name: v.literal('rejection'),
  ...groupFields,
  threshold,
  keep,
  ...likelihoodAggregation,
  ...endingFields,
});

/** Episodes of each group above the threshold: all of them, the first, or the first of the best. */
export function selected(
  input: CreditInput,
  { threshold: least, keep: rule }: { threshold: number; keep: (typeof keepRules)[number] },
): { trajectory: Trajectory; value: number }[] {
  return byGroup(input).flatMap((members) => {
    const good = members.filter(({ value }) => value > least);
    if (rule === 'all' || good.length === 0) return good;
    return [rule === 'first' ? good[0] : good.reduce((best, each) => (each.value > best.value ? each : best))];
  });
}

export const rejection = {
  name: 'rejection',
  label: 'Rejection sampling',
  sentence: 'Plays, keeps the episodes that went well, and imitates them.',
  source: ['https://arxiv.org/abs/2308.01825'],
  schema,
  cards: () =>
    likelihoodCards('kept', 'An episode that did well enough is kept and counts 1, the others are thrown away.'),
  needs: () => ({}),
  credit: (input, settings) =>
    weightedCredit(input, new Map(selected(input, settings).map(({ trajectory }) => [trajectory, 1]))),
  objective: likelihood,
  aggregation: aggregationOf,
} satisfies Algorithm<v.InferOutput<typeof schema>>;
