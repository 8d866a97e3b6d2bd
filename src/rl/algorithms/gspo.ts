/**
 * GSPO: Group Sequence Policy Optimization (Zheng et al. 2025, https://arxiv.org/abs/2507.18071).
 *
 * GRPO's credit, and one ratio per episode: s = exp(mean over its tokens of new - old), equation 7, clipped far tighter
 * than a token's (3e-4 and 4e-4, section 5.1). A whole episode is inside the clip or outside. Its gradient, equation
 * 10: -A s / n on each of n tokens.
 */
import * as v from 'valibot';
import type { Algorithm } from './algorithm.ts';
import { groupAdvantageCard, policyCards, sequenceRatioCard } from './cards.ts';
import { corrected, counterpartName, groupCredit, policyGradient } from './group-relative.ts';
import { epsilonField, policyFields } from './pieces.ts';

const schema = v.strictObject({
  name: v.literal('gspo'),
  ...policyFields({ clip: [3e-4, 4e-4, null], aggregation: 'seq-mean-token-mean', ratio: 'sequence' }),
  ...epsilonField(1e-6),
});

export const gspo = {
  name: 'gspo',
  label: 'GSPO',
  sentence: 'GRPO with one ratio for a whole episode, so that it is inside the clip or out of it as a whole.',
  source: ['https://arxiv.org/abs/2507.18071'],
  baseline: 'mean-std',
  schema,
  cards: (settings) => policyCards(groupAdvantageCard('mean-std'), sequenceRatioCard(settings)),
  ...policyGradient,
  credit: (input, { advantageEpsilon, correction }) =>
    corrected(groupCredit(input, { baseline: 'mean-std', epsilon: advantageEpsilon }), input, correction),
  counterparts: {
    verl: { name: counterpartName, set: { 'algorithm.norm_adv_by_std_in_grpo': true } },
    'agentgym-rl': { name: counterpartName, differs: ['It has no ratio per episode: each token has its own.'] },
    trl: { name: counterpartName, set: { scale_rewards: 'group' } },
  },
} satisfies Algorithm<v.InferOutput<typeof schema>>;
