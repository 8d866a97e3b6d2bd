/**
 * CISPO: Clipped Importance Sampling Policy Optimization (MiniMax-M1, https://arxiv.org/abs/2506.13585, equations 4 and
 * 5).
 *
 * GRPO's credit; the loss is -sg(clip(r)) A log p. The clip applies to a token's weight, not to the token, so rare
 * tokens that decide an episode keep their gradient. verl clips both sides, TRL only from above.
 */
import * as v from 'valibot';
import type { Algorithm } from './algorithm.ts';
import { clippedWeightCard, groupAdvantageCard, policyCards } from './cards.ts';
import { corrected, counterpartName, groupCredit, policyGradient } from './group-relative.ts';
import { epsilonField, policyFields } from './pieces.ts';

const schema = v.strictObject({
  name: v.literal('cispo'),
  ...policyFields({ clip: [0.2, 0.28, null], aggregation: 'token-mean', surrogate: 'cispo' }),
  ...epsilonField(1e-6),
});

export const cispo = {
  name: 'cispo',
  label: 'CISPO',
  sentence: 'GRPO that clips the weights of tokens instead of the tokens, so every token keeps its gradient.',
  source: ['https://arxiv.org/abs/2506.13585'],
  baseline: 'mean-std',
  schema,
  cards: (settings) => policyCards(groupAdvantageCard('mean-std'), clippedWeightCard(settings)),
  ...policyGradient,
  credit: (input, { advantageEpsilon, correction }) =>
    corrected(groupCredit(input, { baseline: 'mean-std', epsilon: advantageEpsilon }), input, correction),
  counterparts: {
    verl: { name: counterpartName, set: { 'algorithm.norm_adv_by_std_in_grpo': true } },
    'agentgym-rl': {
      name: counterpartName,
      differs: ['Tokens beyond the clip lose their gradient, where CISPO clips their weights.'],
    },
    trl: { name: counterpartName, set: { scale_rewards: 'group' } },
  },
} satisfies Algorithm<v.InferOutput<typeof schema>>;
