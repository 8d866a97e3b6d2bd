/**
 * Negative log-likelihood: minus the log-probability of each token, times its coefficient. Supervised fine-tuning; with
 * a weight per row, reward-weighted and filtered fine-tuning (AgentEvol, https://arxiv.org/abs/2406.04151).
 */
import imitationWgsl from '../../../shaders/objective_imitation.wgsl?raw';
import type { ObjectiveSpec } from '../../policy/policy.ts';
import { type AggregationMode, sequenceCoefficients } from '../common/aggregation.ts';
import { emptyResult, lossAux } from './clipped.ts';

export const likelihoodObjective: ObjectiveSpec = {
  name: 'imitation',
  wgsl: imitationWgsl,
  columns: ['coefficient'],
  scalars: [],
  aux: lossAux,
  evaluate: ({ count, logprob, columns: { coefficient } }) => {
    const out = emptyResult(count, lossAux);
    for (let i = 0; i < count; i++) {
      out.loss[i] = -coefficient[i] * logprob[i];
      out.weight[i] = -coefficient[i];
      out.aux.policyLoss[i] = -logprob[i];
    }
    return out;
  },
};

/**
 * Coefficient of each row of demonstrations: the aggregation's, times the row's weight. token-mean with weights 1 is
 * -sum(log-probability) / count.
 */
export function likelihoodCoefficients(
  counts: ArrayLike<number>,
  mode: AggregationMode,
  weights: ArrayLike<number> | null = null,
): Float64Array {
  const coefficients = sequenceCoefficients(counts, { mode });
  return weights ? coefficients.map((coefficient, row) => coefficient * weights[row]) : coefficients;
}
