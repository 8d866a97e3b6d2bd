/**
 * Dr. GRPO: GRPO done right (Liu et al. 2025, https://arxiv.org/abs/2503.20783, section 3.2).
 *
 * Credit: A_i = R_i - mean(R), without division by the spread, which overweights tasks that are nearly always or never
 * solved. Objective: token losses are summed over an episode and divided by one constant instead of the episode's
 * length, which would favour short successes and long failures.
 */
import * as v from 'valibot';
import type { Algorithm } from './algorithm.ts';
import { clippedCard, groupAdvantageCard, policyCards } from './cards.ts';
import { corrected, counterpartName, groupCredit, policyGradient } from './group-relative.ts';
import { policyFields } from './pieces.ts';

const schema = v.strictObject({
  name: v.literal('dr-grpo'),
  ...policyFields({ clip: [0.2, 0.2, null], aggregation: 'seq-mean-token-sum-norm', divisor: 32 }),
});

export const drGrpo = {
  name: 'dr-grpo',
  label: 'Dr. GRPO',
  sentence: 'GRPO without dividing by the spread of the returns or by the length of the episode.',
  source: ['https://arxiv.org/abs/2503.20783'],
  baseline: 'mean',
  schema,
  cards: (settings) => policyCards(groupAdvantageCard('mean'), clippedCard(settings)),
  ...policyGradient,
  credit: (input, { correction }) => corrected(groupCredit(input, { baseline: 'mean', epsilon: 0 }), input, correction),
  counterparts: {
    verl: { name: counterpartName, set: { 'algorithm.norm_adv_by_std_in_grpo': false } },
    'agentgym-rl': {
      name: counterpartName,
      differs: ['Advantages are divided by the spread of their group, which Dr. GRPO leaves out.'],
    },
    trl: { name: counterpartName, set: { scale_rewards: 'none' } },
  },
} satisfies Algorithm<v.InferOutput<typeof schema>>;
