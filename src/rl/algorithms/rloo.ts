/**
 * RLOO: REINFORCE Leave-One-Out (Ahmadian et al. 2024, https://arxiv.org/abs/2402.14740, section 3.3; Kool et al.
 * 2019).
 *
 * Credit: A_i = R_i - mean of the other returns of the group. verl's form has a ratio per token and any aggregation.
 * TRL's subtracts the KL to the reference from the return first, whitens over the batch if requested, and has one ratio
 * per episode, exp of the sum: ratio = sequence-sum, aggregation = seq-mean-token-mean.
 */
import * as v from 'valibot';
import { option, toggle } from '../../fields/fields.ts';
import { mean, unbiasedStd } from '../common/numbers.ts';
import { rowsOf, sequenceSums, spread } from '../common/token-rows.ts';
import { groupAdvantages } from '../credit/groups.ts';
import type { Algorithm } from './algorithm.ts';
import { clippedCard, groupAdvantageCard, policyCards } from './cards.ts';
import { corrected, counterpartName, policyGradient, policyNeeds } from './group-relative.ts';
import { klPerEpisode, policyFields } from './pieces.ts';

const schema = v.strictObject({
  name: v.literal('rloo'),
  ...policyFields({ clip: [0.2, 0.2, null], aggregation: 'token-mean' }),
  klPerEpisode,
  normalizeBatch: option(toggle(), false, {
    label: 'Whiten over the batch',
    sentence: 'Shift and scale the advantages of all episodes of a step to mean 0 and spread 1.',
  }),
});

/** Added by TRL to the standard deviation of the batch. */
const batchEpsilon = 1e-4;

export const rloo = {
  name: 'rloo',
  label: 'RLOO',
  sentence: 'Compares each episode with the mean of the others of its group.',
  source: ['https://arxiv.org/abs/2402.14740'],
  baseline: 'leave-one-out',
  schema,
  cards: (settings) => policyCards(groupAdvantageCard('leave-one-out'), clippedCard(settings)),
  ...policyGradient,
  needs: (settings) => ({ ...policyNeeds(settings), referenceInCredit: settings.klPerEpisode !== 0 }),
  credit: (input, settings) => {
    const { rows, reference, rollout } = input;
    const kl = reference
      ? sequenceSums(
          Float64Array.from({ length: rowsOf(rows) }, (_, i) => rollout![i] - reference[i]),
          rows,
        )
      : null;
    const returns = Float64Array.from(input.returns, (value, b) => value - (kl ? settings.klPerEpisode * kl[b] : 0));
    const { advantages, ...counts } = groupAdvantages(returns, rows.group, { baseline: 'leave-one-out', epsilon: 0 });
    const center = mean(advantages);
    const scale = unbiasedStd(advantages) + batchEpsilon;
    const episode = settings.normalizeBatch ? advantages.map((value) => (value - center) / scale) : advantages;
    return corrected({ advantages: spread(episode, rows), episode, ...counts }, input, settings.correction);
  },
  counterparts: {
    verl: { name: 'rloo' },
    trl: {
      name: counterpartName,
      set: { scale_rewards: 'none' },
      differs: [
        'The mean includes the episode itself: advantages are (G - 1) / G times those of the leave-one-out mean.',
      ],
    },
  },
} satisfies Algorithm<v.InferOutput<typeof schema>>;
