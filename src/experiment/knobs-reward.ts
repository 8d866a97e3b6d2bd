/** Knobs of a composed reward, read from the schemas of its parts. */
import { fieldsOf, fieldsOfVariants } from '../fields/reader.ts';
import { RewardSchema, rewardParts } from '../rl/rewards/registry.ts';
import { type Knob, knob, knobOf } from './knob.ts';

const at = 'reward.parts.*';
const variants = rewardParts.map(({ kind, schema }) => ({ name: kind, schema }));

export const rewardKnobs: Knob[] = [
  ...fieldsOf(RewardSchema, 'reward').map((field) => knobOf(field)),
  knob(
    `${at}.kind`,
    'Part of the reward',
    'Kind of this part; without parts the reward is the world’s score.',
    'choice',
    'basic',
    'fork',
    {
      choices: rewardParts.map(({ kind }) => kind),
      choiceLabels: Object.fromEntries(rewardParts.map(({ kind, label }) => [kind, label])),
    },
  ),
  ...fieldsOfVariants(variants, at).map(({ field, names }) =>
    knobOf(field, names.length < variants.length ? { rewards: names } : {}),
  ),
];
