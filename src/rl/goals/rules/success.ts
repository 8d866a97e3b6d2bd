/**
 * Families with less success more often: in proportion to the expected failure rate under a Beta(1 + successes,
 * 1 + failures) belief, to a power, so that what is solved leaves its draws to what is not.
 */
import * as v from 'valibot';
import { option, real } from '../../../fields/fields.ts';
import { symbol } from '../../common/formula.ts';
import { exploration, type GoalRule, ruleFields, shareFormula, weightOf, withExploration } from '../rule.ts';

const schema = v.strictObject({
  rule: v.literal('success'),
  exploration,
  failurePower: option(real(0, 20), 1, {
    label: 'Power of the failure rate',
    sentence: 'Exponent of the failure rate: a higher one gives more of the draws to what succeeds least.',
    step: 0.5,
    level: 'basic',
  }),
  ...ruleFields,
});

/** Expected failure rate after `successes` of `tries`. */
const failureRate = (successes: number, tries: number): number => (1 + tries - successes) / (2 + tries);

export const success = {
  rule: 'success',
  label: 'Least success',
  sentence: 'Families are drawn by how often they fail.',
  schema,
  formula: shareFormula((k) => [
    weightOf(k),
    {
      power: ['(', '1', '−', symbol('p', undefined, { sub: k }), ')'],
      to: symbol('β', 'experiment.goals.failurePower'),
    },
  ]),
  shares: (families, { failurePower, exploration: spread }) =>
    withExploration(
      families.map(({ weight, successes, tries }) => weight * failureRate(successes, tries) ** failurePower),
      families,
      spread,
    ),
} satisfies GoalRule<v.InferOutput<typeof schema>>;
