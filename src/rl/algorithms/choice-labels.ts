/** Labels of choices that several algorithms offer under short names. */
import type { AggregationMode } from '../common/aggregation.ts';
import { type KlEstimator, klEstimators, klKinds } from '../objective/kl.ts';
import type { RatioLevel, SurrogateForm } from '../objective/surrogate.ts';

export const aggregationLabels: { readonly [mode in AggregationMode]: string } = {
  'token-mean': 'Mean of tokens',
  'token-sum': 'Sum of tokens',
  'seq-mean-token-sum': 'Mean of episode sums',
  'seq-mean-token-sum-norm': 'Mean of sums ÷ length',
  'seq-mean-token-mean': 'Mean of episode means',
};

export const klLabels = Object.fromEntries(klEstimators.map((name) => [name, klKinds[name].label])) as {
  readonly [estimator in KlEstimator]: string;
};

export const ratioLabels: { readonly [level in RatioLevel]: string } = {
  token: 'Each token',
  sequence: "Episode's mean",
  'sequence-sum': 'Whole episode',
};

export const surrogateLabels: { readonly [form in SurrogateForm]: string } = { clip: 'Clip', cispo: 'CISPO' };
