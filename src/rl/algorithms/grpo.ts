/**
 * GRPO: Group Relative Policy Optimization (Shao et al. 2024, DeepSeekMath, https://arxiv.org/abs/2402.03300).
 *
 * Credit, section 4.1.2: A_i = (R_i - mean(R)) / std(R) of the episodes of one task, on every token of episode i. The
 * std is unbiased, with an epsilon, as in verl and TRL. Objective, equation 3: the clipped ratio, with the KL to the
 * reference in the loss.
 */
import * as v from 'valibot';
import type { Algorithm } from './algorithm.ts';
import { clippedCard, groupAdvantageCard, policyCards } from './cards.ts';
import { corrected, groupCredit, policyGradient } from './group-relative.ts';
import { epsilonField, policyFields } from './pieces.ts';

const schema = v.strictObject({
  name: v.literal('grpo'),
  ...policyFields({ clip: [0.2, 0.2, null], aggregation: 'token-mean' }),
  ...epsilonField(1e-6),
});

export const grpo = {
  name: 'grpo',
  label: 'GRPO',
  sentence: 'Compares each episode with its group: its return minus the mean, over the spread.',
  source: ['https://arxiv.org/abs/2402.03300'],
  baseline: 'mean-std',
  schema,
  cards: (settings) => policyCards(groupAdvantageCard('mean-std'), clippedCard(settings)),
  ...policyGradient,
  credit: (input, { advantageEpsilon, correction }) =>
    corrected(groupCredit(input, { baseline: 'mean-std', epsilon: advantageEpsilon }), input, correction),
  counterparts: {
    verl: { name: 'grpo', set: { 'algorithm.norm_adv_by_std_in_grpo': true } },
    'agentgym-rl': { name: 'grpo' },
    trl: { name: 'grpo', set: { scale_rewards: 'group' } },
  },
} satisfies Algorithm<v.InferOutput<typeof schema>>;
