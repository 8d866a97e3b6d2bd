/** Estimates of KL(policy, reference) at one token: k1, k2, k3 (Schulman 2020, http://joschu.net/blog/kl-approx.html). */
import { expm1 } from '../../policy/elementary.ts';

/** Order matters: the index is the estimator's number in the shader. */
export const klEstimators = ['k1', 'abs', 'k2', 'k3', 'k1+', 'k3+'] as const;
export type KlEstimator = (typeof klEstimators)[number];

const k3ArgumentLimit = 20;
const k3ValueLimit = 10;

export const clamp = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);

export interface KlTerm {
  value: number;
  /** dvalue / dlogprob */
  weight: number;
}

/** `k+`: the value of k with k2's (unbiased) gradient. `clamped`: verl's clamps of k3's argument and value. */
export function klTerm(logprob: number, refLogprob: number, estimator: KlEstimator, clamped = true): KlTerm {
  const difference = logprob - refLogprob;
  switch (estimator) {
    case 'k1':
      return { value: difference, weight: 1 };
    case 'abs':
      return { value: Math.abs(difference), weight: Math.sign(difference) };
    case 'k2':
      return { value: 0.5 * difference * difference, weight: difference };
    case 'k3':
      return k3Term(-difference, clamped);
    case 'k1+':
      return { value: difference, weight: difference };
    case 'k3+':
      return { value: k3Term(-difference, clamped).value, weight: difference };
  }
}

function k3Term(argument: number, clamped: boolean): KlTerm {
  const q = clamped ? clamp(argument, -k3ArgumentLimit, k3ArgumentLimit) : argument;
  const value = expm1(q) - q;
  if (!clamped) return { value, weight: -expm1(q) };
  const flat = q !== argument || value > k3ValueLimit;
  return { value: Math.min(value, k3ValueLimit), weight: flat ? 0 : -expm1(q) };
}
