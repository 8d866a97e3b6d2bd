/**
 * Learning progress: families whose success changes. The "online" form of Teacher-Student Curriculum Learning (Matiisen
 * et al., arXiv 1707.00183, algorithm 1) with the absolute value, so that a family that is being forgotten is drawn too.
 */
import * as v from 'valibot';
import { symbol } from '../../common/formula.ts';
import { exploration, type GoalRule, ruleFields, shareFormula, weightOf, withExploration } from '../rule.ts';

const schema = v.strictObject({ rule: v.literal('progress'), exploration, ...ruleFields });

export const progress = {
  rule: 'progress',
  label: 'Learning progress',
  sentence: 'Families are drawn in proportion to the change of their success, up or down.',
  schema,
  formula: shareFormula((k) => [weightOf(k), '|', symbol('Δp', undefined, { sub: k }), '|']),
  shares: (families, settings) =>
    withExploration(
      families.map((each) => each.weight * Math.abs(each.progress)),
      families,
      settings.exploration,
    ),
} satisfies GoalRule<v.InferOutput<typeof schema>>;
