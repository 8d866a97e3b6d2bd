/**
 * REINFORCE++ (Hu et al. 2025, https://arxiv.org/abs/2501.03262; verl@1dda039
 * `compute_reinforce_plus_plus_outcome_advantage`).
 *
 * No group, no critic: r_t = score_t - beta KL_t, the score on the last trained token; G_t = r_t + gamma G_{t+1}; A is
 * G whitened over all tokens of the step. Long episodes weigh more in the mean.
 */
import * as v from 'valibot';
import { symbol } from '../common/formula.ts';
import { onLastRow } from '../common/token-rows.ts';
import { discountedReturns, whiten } from '../credit/tokens.ts';
import type { Algorithm } from './algorithm.ts';
import { advantageCard, clippedCard, policyCards } from './cards.ts';
import { corrected, policyGradient, policyNeeds } from './group-relative.ts';
import { rewardsWithKl, withoutSignal } from './kl-reward.ts';
import { gammaField, klRewardFields, policyFields } from './pieces.ts';

const schema = v.strictObject({
  name: v.literal('reinforce-pp'),
  ...policyFields({ clip: [0.2, 0.2, null], aggregation: 'token-mean' }),
  ...klRewardFields(0, 'k1'),
  ...gammaField(1),
});

const whitenedCard = advantageCard(
  'whitened-return',
  'Return from the token on, compared with all tokens of the step, without a group or a critic.',
  [
    {
      over: [
        symbol('G', 'token.return', { sub: 't', words: 'return from this token on' }),
        '−',
        symbol('mean', undefined, { sub: 'step' }),
      ],
      under: symbol('std', undefined, { sub: 'step' }),
    },
  ],
  [
    symbol('G', undefined, { sub: 't' }),
    '=',
    symbol('r', 'token.reward', { sub: 't', words: 'reward on this token' }),
    '+',
    symbol('γ', 'setting.gamma'),
    symbol('G', undefined, { sub: 't+1' }),
  ],
);

export const reinforcePp = {
  name: 'reinforce-pp',
  label: 'REINFORCE++',
  sentence: 'Returns counted backwards from the end of each episode, compared with all tokens of the step.',
  source: ['https://arxiv.org/abs/2501.03262'],
  schema,
  cards: (settings) => policyCards(whitenedCard, clippedCard(settings), []),
  ...policyGradient,
  needs: (settings) => ({ ...policyNeeds(settings), referenceInCredit: settings.klReward.coefficient !== 0 }),
  credit: (input, settings) => {
    const { rewards, ...kept } = rewardsWithKl(input, onLastRow(input.returns, input.rows), settings.klReward);
    const returns = discountedReturns(rewards, input.rows, settings.gamma);
    const advantages = whiten(returns);
    return corrected(
      { advantages, columns: { return: returns, reward: rewards }, ...withoutSignal(input), ...kept },
      input,
      settings.correction,
    );
  },
  counterparts: {
    verl: { name: 'reinforce_plus_plus' },
    'agentgym-rl': {
      name: 'reinforce_plus_plus',
      differs: ['The reward lies on a token that is not trained, and this estimator then drops it: use GRPO there.'],
    },
  },
} satisfies Algorithm<v.InferOutput<typeof schema>>;
