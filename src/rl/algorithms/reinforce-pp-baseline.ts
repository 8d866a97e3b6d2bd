/**
 * REINFORCE++ with a baseline (Hu et al. 2025, https://arxiv.org/abs/2501.03262; verl@1dda039
 * `compute_reinforce_plus_plus_baseline_outcome_advantage`): A_i = R_i - mean of the group, then whitened over all
 * tokens of the step. The KL is part of the loss.
 */
import * as v from 'valibot';
import { symbol } from '../common/formula.ts';
import { whiten } from '../credit/tokens.ts';
import type { Algorithm } from './algorithm.ts';
import { advantageCard, clippedCard, policyCards } from './cards.ts';
import { corrected, counterpartName, groupCredit, policyGradient } from './group-relative.ts';
import { policyFields } from './pieces.ts';

const schema = v.strictObject({
  name: v.literal('reinforce-pp-baseline'),
  ...policyFields({ clip: [0.2, 0.2, null], aggregation: 'token-mean' }),
});

const baselineCard = advantageCard(
  'whitened-group',
  'Return of the episode minus the mean of its group, scaled by the spread over all tokens of the step.',
  {
    over: [symbol('R', 'episode.return', { sub: 'i' }), '−', symbol('μ', 'group.mean')],
    under: symbol('std', undefined, { sub: 'step' }),
  },
);

export const reinforcePpBaseline = {
  name: 'reinforce-pp-baseline',
  label: 'REINFORCE++ with baseline',
  sentence: 'Each return minus the mean of its group, compared with all tokens of the step.',
  source: ['https://arxiv.org/abs/2501.03262'],
  schema,
  cards: (settings) => policyCards(baselineCard, clippedCard(settings)),
  ...policyGradient,
  credit: (input, { correction }) => {
    const { advantages, groups, withoutSignal } = groupCredit(input, { baseline: 'mean', epsilon: 0 });
    return corrected({ advantages: whiten(advantages), groups, withoutSignal }, input, correction);
  },
  counterparts: {
    verl: { name: 'reinforce_plus_plus_baseline' },
    trl: {
      name: counterpartName,
      set: { scale_rewards: 'batch' },
      differs: ['Advantages are divided by the spread of the returns of a batch, not whitened over its tokens.'],
    },
  },
} satisfies Algorithm<v.InferOutput<typeof schema>>;
