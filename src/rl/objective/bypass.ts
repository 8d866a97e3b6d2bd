/**
 * Two policies instead of three: the sampling policy replaces the policy before the update, and nothing is recomputed
 * (verl@1dda039 `compute_policy_loss_bypass_mode`). Rejection and weights follow from the current log-probabilities,
 * without gradient, so the average is known only after all rows are scored.
 */
import type { ObjectiveRows, ObjectiveSpec } from '../../policy/policy.ts';
import { type AggregationOptions, sequenceCoefficients } from '../common/aggregation.ts';
import type { TokenRows } from '../common/token-rows.ts';
import { boundsOf, clippedScalars, clipTerm, emptyResult, ratioOf } from './clipped.ts';
import { type Correction, correct } from './correction.ts';

/**
 * `ppo_clip`: the clipped ratio to the sampler, without a weight, which would count twice. `reinforce`: -A sg(w) log p.
 */
export type BypassLoss = 'ppo_clip' | 'reinforce';

export interface BypassSettings {
  loss: BypassLoss;
  correction: Correction;
  aggregation: AggregationOptions;
}

/** Start of the rows of each sequence, which are consecutive. */
function rowsOf({ count, sequence, turn }: ObjectiveRows): TokenRows {
  const starts = Array.from({ length: count }, (_, i) => i).filter((i) => i === 0 || sequence[i] !== sequence[i - 1]);
  return { offsets: Int32Array.from([...starts, count]), group: new Int32Array(starts.length), turn };
}

/** `kept`: 1 for rows within the correction's bounds, else 0. */
const bypassAux = ['policyLoss', 'correctionWeight', 'kept', 'ratio'] as const;

export const bypassObjective = ({ loss, correction, aggregation }: BypassSettings): ObjectiveSpec => ({
  name: `bypass-${loss}`,
  columns: ['oldLogprob', 'advantage'],
  scalars: clippedScalars,
  aux: bypassAux,
  batch: true,
  evaluate: (given) => {
    const rows = rowsOf(given);
    const { oldLogprob, advantage } = given.columns;
    const difference = Float64Array.from({ length: given.count }, (_, i) => given.logprob[i] - oldLogprob[i]);
    const { weights, kept } = correct(difference, rows, correction);
    const counts = Int32Array.from({ length: rows.group.length }, (_, b) =>
      kept.subarray(rows.offsets[b], rows.offsets[b + 1]).reduce((sum, each) => sum + each, 0),
    );
    const coefficients = sequenceCoefficients(counts, aggregation);
    const bounds = boundsOf(given.scalars);
    const out = emptyResult(given.count, bypassAux);
    for (let b = 0; b < counts.length; b++)
      for (let i = rows.offsets[b]; i < rows.offsets[b + 1]; i++) {
        const { ratio, slope } = ratioOf(difference[i]);
        const term =
          loss === 'ppo_clip'
            ? clipTerm(ratio, slope, advantage[i], bounds)
            : { loss: -advantage[i] * weights[i] * given.logprob[i], weight: -advantage[i] * weights[i] };
        out.loss[i] = kept[i] * coefficients[b] * term.loss;
        out.weight[i] = kept[i] * coefficients[b] * term.weight;
        out.aux.policyLoss[i] = term.loss;
        out.aux.correctionWeight[i] = weights[i];
        out.aux.kept[i] = kept[i];
        out.aux.ratio[i] = ratio;
      }
    return out;
  },
});
