/** Knobs of the choice of goals, read from the schemas of its rules. */
import { fieldsOfVariants } from '../fields/reader.ts';
import { goalRules } from '../rl/goals/registry.ts';
import { type Knob, knob, knobOf } from './knob.ts';

const variants = goalRules.map(({ rule, schema }) => ({ name: rule, schema }));

export const goalKnobs: Knob[] = [
  knob(
    'goals.rule',
    'Which goal next',
    'Rule that chooses the goals of a step; without one, tasks come in shuffled epochs.',
    'choice',
    'basic',
    'fork',
    {
      choices: goalRules.map(({ rule }) => rule),
      choiceLabels: Object.fromEntries(goalRules.map(({ rule, label }) => [rule, label])),
    },
  ),
  ...fieldsOfVariants(variants, 'goals').map(({ field, names }) =>
    knobOf(field, names.length < variants.length ? { rules: names } : {}),
  ),
];
