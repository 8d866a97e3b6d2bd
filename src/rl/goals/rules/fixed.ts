/** Fixed schedule: families open one after another, in the order of their names or as listed. */
import * as v from 'valibot';
import { option, text, whole } from '../../../fields/fields.ts';
import { symbol } from '../../common/formula.ts';
import { type Family, type GoalRule, ruleFields, weightOf } from '../rule.ts';

const schema = v.strictObject({
  rule: v.literal('fixed'),
  each: option(whole(1, 100_000), 20, {
    label: 'Steps for each family',
    sentence: 'Steps after which the next family is added to those that are drawn.',
    unit: 'steps',
    level: 'basic',
  }),
  order: option(text(0, 1000), '', {
    label: 'Order of the families',
    sentence: 'Families in the order in which they are added, separated by semicolons; the others follow by name.',
    level: 'basic',
  }),
  ...ruleFields,
});

/** Ranks of the families: those listed first, then the others by name, numbers by value. */
function ranksOf(families: readonly Family[], listed: string): number[] {
  const order = listed.split(';').map((each) => each.trim());
  const place = ({ name }: Family) => {
    const found = order.findIndex((each) => name === each || name.endsWith(`, ${each}`));
    return found < 0 ? order.length : found;
  };
  const sorted = [...families].sort(
    (a, b) => place(a) - place(b) || a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
  return families.map((family) => sorted.indexOf(family));
}

export const fixed = {
  rule: 'fixed',
  label: 'Fixed schedule',
  sentence: 'Families are added one after another, the easiest first, whatever the policy can do.',
  schema,
  // The sum is over the families that are open.
  formula: [
    symbol('s', undefined, { sub: 'k' }),
    '=',
    { over: weightOf('k'), under: [{ big: '∑', below: ['j', '≤', symbol('n')] }, weightOf('j')] },
    ',',
    symbol('n'),
    '=',
    '1',
    '+',
    '⌊',
    { over: [symbol('step'), '−', '1'], under: symbol('m', 'experiment.goals.each') },
    '⌋',
  ],
  shares(families, { each, order }, step) {
    const open = 1 + Math.floor((step - 1) / each);
    const ranks = ranksOf(families, order);
    return families.map(({ weight }, i) => (ranks[i] < open ? weight : 0));
  },
} satisfies GoalRule<v.InferOutput<typeof schema>>;
