/** Every family in proportion to its weight. */
import * as v from 'valibot';
import { type GoalRule, ruleFields } from '../rule.ts';

const schema = v.strictObject({ rule: v.literal('uniform'), ...ruleFields });

export const uniform = {
  rule: 'uniform',
  label: 'Uniform',
  sentence: 'Families are drawn in proportion to their tasks.',
  schema,
  shares: (families) => families.map(({ weight }) => weight),
} satisfies GoalRule<v.InferOutput<typeof schema>>;
