/**
 * Prioritised level replay (Jiang et al., arXiv 2010.03934): single tasks whose episodes differed most are repeated. A
 * task's score is the mean distance of its episodes' returns from their mean, which stands in for the value loss of the
 * paper where a group has no critic.
 */
import * as v from 'valibot';
import { option, real, whole } from '../../../fields/fields.ts';
import { type Formula, symbol } from '../../common/formula.ts';
import { type GoalRule, ruleFields } from '../rule.ts';

const schema = v.strictObject({
  rule: v.literal('level-replay'),
  replay: option(real(0, 0.95), 0.5, {
    label: 'Repeated draws',
    sentence: 'Share of the draws that repeat a task of the list; the others are new tasks.',
    step: 0.05,
    level: 'basic',
  }),
  capacity: option(whole(4, 256), 64, {
    label: 'List of tasks',
    sentence: 'Most tasks that are kept for repeats; the one with the lowest score leaves first.',
    unit: 'tasks',
  }),
  temperature: option(real(0.01, 10), 0.3, {
    label: 'Rank temperature',
    sentence: 'A lower temperature repeats the tasks with the highest scores more often.',
    step: 0.05,
  }),
  staleness: option(real(0, 1), 0.1, {
    label: 'Staleness',
    sentence: 'Share of the repeats that go by the steps since the task was last played.',
    step: 0.05,
  }),
  ...ruleFields,
});

const staleness = symbol('ρ', 'experiment.goals.staleness');
/** A task's preference by the rank r of its score. */
const byRank = (task: string): Formula => ({
  power: symbol('r', undefined, { sub: task }),
  to: ['−', '1', '/', symbol('T', 'experiment.goals.temperature')],
});

export const levelReplay = {
  rule: 'level-replay',
  label: 'Prioritised level replay',
  sentence: 'A share of the draws repeats the tasks in which episodes of a group differed most.',
  schema,
  // Probability of a listed task among the repeats: by the rank r of its score, and by the steps a since it was played.
  formula: [
    symbol('P', undefined, { sub: 'i' }),
    '=',
    '(',
    '1',
    '−',
    staleness,
    ')',
    {
      over: byRank('i'),
      under: [{ big: '∑', below: 'j' }, byRank('j')],
    },
    '+',
    staleness,
    {
      over: symbol('a', undefined, { sub: 'i' }),
      under: [{ big: '∑', below: 'j' }, symbol('a', undefined, { sub: 'j' })],
    },
  ],
  shares: (families) => families.map(({ weight }) => weight),
  replay: ({ replay, capacity, temperature, staleness }) => ({ share: replay, capacity, temperature, staleness }),
} satisfies GoalRule<v.InferOutput<typeof schema>>;
