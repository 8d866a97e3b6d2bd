/**
 * Estimators of KL(policy, reference) at one token: k1, k2, k3 (Schulman 2020, http://joschu.net/blog/kl-approx.html).
 * This table is the definition: the host, labels, golden checks and hand-offs read it. Tests compare two copies with
 * it: the kernel (shaders/objective_clipped.wgsl) and the text that a learner edits (text/kl.js).
 */
import { expm1 } from '../../policy/elementary.ts';

/** An estimate and dvalue / dlogprob. */
export interface KlTerm {
  value: number;
  weight: number;
}

interface KlKind {
  label: string;
  /** Name of the estimator in verl 0.2, which AgentGym-RL uses; absent: that version lacks it. */
  verl02?: string;
  /** `difference`: logprob - refLogprob. `clamped`: with verl's clamps of k3's argument and value. */
  term(difference: number, clamped: boolean): KlTerm;
}

const k3ArgumentLimit = 20;
const k3ValueLimit = 10;

export const clamp = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);

function k3Term(argument: number, clamped: boolean): KlTerm {
  const q = clamped ? clamp(argument, -k3ArgumentLimit, k3ArgumentLimit) : argument;
  const value = expm1(q) - q;
  if (!clamped) return { value, weight: -expm1(q) };
  const flat = q !== argument || value > k3ValueLimit;
  return { value: Math.min(value, k3ValueLimit), weight: flat ? 0 : -expm1(q) };
}

/**
 * Order matters: the index is the estimator's number in the kernel. `k1+`, `k3+`: the value of k1 or k3 with k2's
 * unbiased gradient.
 */
const kinds = {
  k1: { label: 'k1: log ratio', verl02: 'kl', term: (difference) => ({ value: difference, weight: 1 }) },
  abs: {
    label: 'Absolute log ratio',
    verl02: 'abs',
    term: (difference) => ({ value: Math.abs(difference), weight: Math.sign(difference) }),
  },
  k2: {
    label: 'k2: half square',
    verl02: 'mse',
    term: (difference) => ({ value: 0.5 * difference * difference, weight: difference }),
  },
  k3: { label: 'k3: unbiased', verl02: 'low_var_kl', term: (difference, clamped) => k3Term(-difference, clamped) },
  'k1+': { label: "k1, k2's gradient", term: (difference) => ({ value: difference, weight: difference }) },
  'k3+': {
    label: "k3, k2's gradient",
    term: (difference, clamped) => ({ value: k3Term(-difference, clamped).value, weight: difference }),
  },
} satisfies { readonly [name: string]: KlKind };

export type KlEstimator = keyof typeof kinds;
export const klKinds: { readonly [name in KlEstimator]: KlKind } = kinds;
export const klEstimators = Object.keys(kinds) as readonly string[] as readonly [KlEstimator, ...KlEstimator[]];

export const klTerm = (logprob: number, refLogprob: number, estimator: KlEstimator, clamped = true): KlTerm =>
  klKinds[estimator].term(logprob - refLogprob, clamped);
