/**
 * Families by their number of tasks to a power, as mixtures of data sets are sampled by size under a temperature of
 * 1 / power (Arivazhagan et al., arXiv 1907.05019; Raffel et al., arXiv 1910.10683).
 */
import * as v from 'valibot';
import { option, real } from '../../../fields/fields.ts';
import { symbol } from '../../common/formula.ts';
import { type GoalRule, ruleFields, shareFormula, weightOf } from '../rule.ts';

const schema = v.strictObject({
  rule: v.literal('size'),
  power: option(real(-2, 2), 0.5, {
    label: 'Power of the size',
    sentence: 'Exponent of the number of tasks: 1 draws in proportion to it, 0 not by it at all.',
    step: 0.1,
    level: 'basic',
  }),
  ...ruleFields,
});

export const size = {
  rule: 'size',
  label: 'By size',
  sentence: 'Families are drawn by their number of training tasks, to a power.',
  schema,
  formula: shareFormula(
    (k) => [weightOf(k), { power: symbol('n', undefined, { sub: k }), to: symbol('α', 'experiment.goals.power') }],
    false,
  ),
  shares: (families, { power }) => families.map(({ weight, size: tasks }) => weight * tasks ** power),
} satisfies GoalRule<v.InferOutput<typeof schema>>;
