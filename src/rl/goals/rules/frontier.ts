/**
 * Learnability: families that succeed sometimes (Rutherford et al., "No Regrets", arXiv 2408.15099). The preference is
 * the expected p (1 - p) under a Beta(1 + successes, 1 + failures) belief, so that a family that is hardly known is
 * drawn too.
 */
import * as v from 'valibot';
import { option, real } from '../../../fields/fields.ts';
import { symbol } from '../../common/formula.ts';
import { exploration, type GoalRule, ruleFields, shareFormula, weightOf, withExploration } from '../rule.ts';

const schema = v.strictObject({
  rule: v.literal('frontier'),
  exploration,
  sharpness: option(real(0, 20), 2, {
    label: 'Sharpness',
    sentence:
      'Exponent of the preference: a higher one draws the families nearest to a success of one half more often.',
    step: 0.5,
    level: 'basic',
  }),
  ...ruleFields,
});

/** Expected p (1 - p) of a success probability p after `successes` of `tries`; between 0 and 1/4. */
export function learnability(successes: number, tries: number): number {
  const a = 1 + successes;
  const b = 1 + tries - successes;
  return (a * b) / ((a + b) * (a + b + 1));
}

export const frontier = {
  rule: 'frontier',
  label: 'Frontier',
  sentence: 'Families are drawn by how near their success is to one half, with its uncertainty.',
  schema,
  formula: shareFormula((k) => [
    weightOf(k),
    {
      power: [
        '𝔼',
        '[',
        symbol('p', undefined, { sub: k }),
        '(',
        '1',
        '−',
        symbol('p', undefined, { sub: k }),
        ')',
        ']',
      ],
      to: symbol('σ', 'experiment.goals.sharpness'),
    },
  ]),
  shares: (families, settings) =>
    withExploration(
      families.map(({ weight, successes, tries }) => weight * learnability(successes, tries) ** settings.sharpness),
      families,
      settings.exploration,
    ),
} satisfies GoalRule<v.InferOutput<typeof schema>>;
