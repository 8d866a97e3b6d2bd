/** Every family in proportion to its weight. */
import * as v from 'valibot';
import { symbol } from '../../common/formula.ts';
import { type GoalRule, ruleFields, weightOf } from '../rule.ts';

const schema = v.strictObject({ rule: v.literal('uniform'), ...ruleFields });

export const uniform = {
  rule: 'uniform',
  label: 'Uniform',
  sentence: 'Families are drawn in proportion to their tasks.',
  schema,
  formula: [symbol('s', undefined, { sub: 'k' }), '=', weightOf('k')],
  shares: (families) => families.map(({ weight }) => weight),
} satisfies GoalRule<v.InferOutput<typeof schema>>;
