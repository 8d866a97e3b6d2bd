/**
 * Common parts of the algorithms with a clipped ratio: settings, needs, comparison with the group, corrections,
 * objective.
 */
import type { AggregationMode, AggregationOptions } from '../common/aggregation.ts';
import { rowsOf, spread } from '../common/token-rows.ts';
import { type BaselineOptions, groupAdvantages } from '../credit/groups.ts';
import { clippedScalarValues } from '../objective/clipped.ts';
import { type Correction, correct, correctionMetrics } from '../objective/correction.ts';
import type { KlEstimator } from '../objective/kl.ts';
import { policySpec, type RatioLevel, type SurrogateForm } from '../objective/surrogate.ts';
import type { Credit, CreditInput, Needs, ObjectiveCall } from './algorithm.ts';

/** Without rejection (`objective/correction.ts`): its bounds are made for larger gaps than occur in a tab. */
export type CorrectionSettings = Omit<Correction, 'reject'>;

export interface PolicySettings {
  clipLow: number;
  clipHigh: number;
  dualClip: number | null;
  ratio: RatioLevel;
  surrogate: SurrogateForm;
  kl: { estimator: KlEstimator; coefficient: number };
  entropy: number;
  correction: CorrectionSettings;
}

export const policyNeeds = ({ kl, ratio, correction }: Pick<PolicySettings, 'kl' | 'ratio' | 'correction'>): Needs => ({
  reference: kl.coefficient !== 0,
  old: correction.weights !== 'none',
  sequences: ratio !== 'token',
});

/** A member's advantage over its group, on each of its tokens. */
export function groupCredit({ rows, returns }: CreditInput, options: BaselineOptions): Credit {
  const { advantages, ...counts } = groupAdvantages(returns, rows.group, options);
  return { advantages: spread(advantages, rows), episode: advantages, ...counts };
}

/** Credit times importance weights. Weights are at least 0, so this multiplies the loss by them. */
export function corrected(credit: Credit, { rows, old, rollout }: CreditInput, correction: CorrectionSettings): Credit {
  if (correction.weights === 'none' || !old || !rollout) return credit;
  const difference = Float64Array.from({ length: rowsOf(rows) }, (_, i) => old[i] - rollout[i]);
  const result = correct(difference, rows, { ...correction, reject: [] });
  return {
    ...credit,
    advantages: credit.advantages.map((advantage, i) => advantage * result.weights[i]),
    metrics: { ...credit.metrics, ...correctionMetrics(difference, result) },
  };
}

export const sharedAggregation = (settings: {
  aggregation: AggregationMode;
  lossScaleFactor: number | null;
}): AggregationOptions => ({ mode: settings.aggregation, scaleFactor: settings.lossScaleFactor });

export const policyScalars = (
  settings: Pick<PolicySettings, 'clipLow' | 'clipHigh' | 'dualClip' | 'kl' | 'entropy'>,
): number[] =>
  clippedScalarValues({
    clipLow: settings.clipLow,
    clipHigh: settings.clipHigh,
    dualClip: settings.dualClip,
    ratioCap: null,
    klEstimator: settings.kl.estimator,
    klCoefficient: settings.kl.coefficient,
    klClamp: true,
    entropyCoefficient: settings.entropy,
  });

const policyObjective = (settings: PolicySettings): ObjectiveCall => ({
  spec: policySpec(settings.ratio, settings.surrogate),
  scalars: policyScalars(settings),
});

/** Name of group credit in other trainers (`counterparts`). */
export const counterpartName = 'grpo';

/** Defaults for a module with group credit and a clipped ratio. */
export const policyGradient = {
  needs: policyNeeds,
  objective: policyObjective,
  aggregation: sharedAggregation,
};
