/**
 * The clipped objective: loss of a token's log-probability and entropy.
 *
 * The formula is written twice: here in double precision, which is the definition, and in
 * shaders/objective_clipped.wgsl, which a GPU runs between the head's forward and backward. Both are pointwise:
 * advantage and aggregation are columns, so groups and sequences are not needed here.
 *
 * Formulas: PPO's clipped ratio (Schulman et al. 2017, arXiv 1707.06347, equation 7), with separate low and high clip
 * (DAPO, Yu et al. 2025, arXiv 2503.14476, equation 10), dual clip (Ye et al. 2020, arXiv 1912.09729, equation 3) and
 * verl's clamps.
 */
import clippedWgsl from '../../../shaders/objective_clipped.wgsl?raw';
import { exp } from '../../policy/elementary.ts';
import type { ObjectiveResult, ObjectiveRows, ObjectiveSpec } from '../../policy/policy.ts';
import { clamp, type KlEstimator, klEstimators, klTerm } from './kl.ts';

export const clippedColumns = ['oldLogprob', 'refLogprob', 'advantage', 'coefficient'] as const;
export type ClippedColumn = (typeof clippedColumns)[number];

export interface ClippedSettings {
  /** The ratio is clipped to [1 - clipLow, 1 + clipHigh]. */
  clipLow: number;
  clipHigh: number;
  /** For negative advantages, the loss is at most -advantage * dualClip; null: none. */
  dualClip: number | null;
  /** TRL's two-sided clip: the unclipped ratio is at most this; null: none. */
  ratioCap: number | null;
  klEstimator: KlEstimator;
  klCoefficient: number;
  /** verl clamps k3's argument to +-20 and its value to +-10; TRL does not. */
  klClamp: boolean;
  entropyCoefficient: number;
}

export const clippedScalars = [
  'clipLow',
  'clipHigh',
  'dualClip',
  'ratioCap',
  'klEstimator',
  'klCoefficient',
  'klClamp',
  'entropyCoefficient',
] as const;

/** Columns beside the loss: the policy term, the KL estimate, clip flags (see `Flag`), the ratio. */
export const policyAux = ['policyLoss', 'kl', 'flags', 'ratio'] as const;
/** The only column of an objective without clip and KL. */
export const lossAux = ['policyLoss'] as const;

/** Bits of the column `flags`. */
export const Flag = { clippedLow: 1, clippedHigh: 2, dualClipped: 4 } as const;

/** Settings as scalars; 0 means "none" for an optional limit. */
export function clippedScalarValues(settings: ClippedSettings): number[] {
  return [
    settings.clipLow,
    settings.clipHigh,
    settings.dualClip ?? 0,
    settings.ratioCap ?? 0,
    klEstimators.indexOf(settings.klEstimator),
    settings.klCoefficient,
    settings.klClamp ? 1 : 0,
    settings.entropyCoefficient,
  ];
}

export interface PolicyTerm {
  loss: number;
  /** dloss / dlogprob */
  weight: number;
  ratio: number;
  flags: number;
}

/** Bounds of the ratio itself. Infinity: none. */
export interface ClipBounds {
  low: number;
  high: number;
  dualClip: number;
  cap: number;
}

/** |new - old| is clamped to this before exp, as verl does: f32's exp overflows beyond 88. */
const logRatioLimit = 20;

/** Ratio and its slope (dratio / dlogprob) from a difference of log-probabilities. */
export function ratioOf(difference: number): { ratio: number; slope: number } {
  const ratio = exp(clamp(difference, -logRatioLimit, logRatioLimit));
  return { ratio, slope: Math.abs(difference) > logRatioLimit ? 0 : ratio };
}

/** Clipped policy loss of one ratio. At a max or min, the gradient follows the chosen branch. */
export function clipTerm(ratio: number, slope: number, advantage: number, bounds: ClipBounds): PolicyTerm {
  const { low, high, cap } = bounds;
  const capped = ratio > cap;
  const free = -advantage * (capped ? cap : ratio);
  const clipped = -advantage * clamp(ratio, low, high);
  const flags = clipFlag(ratio, low, high, advantage);
  const loss = Math.max(free, clipped);
  const dual = -advantage * bounds.dualClip;
  if (advantage < 0 && loss > dual) return { loss: dual, weight: 0, ratio, flags: flags | Flag.dualClipped };
  const flat = clipped > free ? !(ratio >= low && ratio <= high) : capped;
  return { loss, weight: flat ? 0 : -advantage * slope, ratio, flags };
}

/** Clip flag: set if the ratio is already beyond the clip in the direction of the advantage. */
function clipFlag(ratio: number, low: number, high: number, advantage: number): number {
  if (advantage < 0 && ratio < low) return Flag.clippedLow;
  if (advantage > 0 && ratio > high) return Flag.clippedHigh;
  return 0;
}

/** Bounds from scalars: `clipLow` below 1, `clipHigh` above it; 0 means no dual clip and no cap. */
export const boundsOf = (scalars: ObjectiveRows['scalars']): ClipBounds => ({
  low: 1 - scalars.clipLow,
  high: 1 + scalars.clipHigh,
  dualClip: scalars.dualClip || Number.POSITIVE_INFINITY,
  cap: scalars.ratioCap || Number.POSITIVE_INFINITY,
});

/** Result of a surrogate per row, before KL, entropy and aggregation. */
interface PolicyTerms {
  term(i: number): PolicyTerm;
  metrics?: { [name: string]: number };
}

/** Policy term of all rows of an evaluation: per token, per sequence, or with bounds searched over all rows. */
export type Surrogate = (rows: ObjectiveRows) => PolicyTerms;

/** coefficient * (policy + klCoefficient * KL - entropyCoefficient * entropy), for any policy term. */
export const regularized =
  (surrogate: Surrogate) =>
  (rows: ObjectiveRows): ObjectiveResult => {
    const { term, metrics } = surrogate(rows);
    const { columns, scalars } = rows;
    const estimator = klEstimators[scalars.klEstimator];
    const out = emptyResult(rows.count, policyAux);
    for (let i = 0; i < rows.count; i++) {
      const policy = term(i);
      const kl = klTerm(rows.logprob[i], columns.refLogprob[i], estimator, scalars.klClamp > 0);
      const coefficient = columns.coefficient[i];
      const loss = policy.loss + scalars.klCoefficient * kl.value - scalars.entropyCoefficient * rows.entropy[i];
      out.loss[i] = coefficient * loss;
      out.weight[i] = coefficient * (policy.weight + scalars.klCoefficient * kl.weight);
      out.entropyWeight[i] = -coefficient * scalars.entropyCoefficient;
      out.aux.policyLoss[i] = policy.loss;
      out.aux.kl[i] = kl.value;
      out.aux.flags[i] = policy.flags;
      out.aux.ratio[i] = policy.ratio;
    }
    return { ...out, metrics };
  };

/** A result of zeros with these aux columns. */
export function emptyResult<Name extends string>(count: number, aux: readonly Name[]) {
  const zeros = () => new Float64Array(count);
  const columns = Object.fromEntries(aux.map((name) => [name, zeros()])) as { [name in Name]: Float64Array };
  return { loss: zeros(), weight: zeros(), entropyWeight: zeros(), aux: columns } satisfies ObjectiveResult;
}

const clippedSurrogate: Surrogate = (rows) => {
  const bounds = boundsOf(rows.scalars);
  const { oldLogprob, advantage } = rows.columns;
  return {
    term: (i) => {
      const { ratio, slope } = ratioOf(rows.logprob[i] - oldLogprob[i]);
      return clipTerm(ratio, slope, advantage[i], bounds);
    },
  };
};

export const clippedObjective: ObjectiveSpec = {
  name: 'clipped',
  wgsl: clippedWgsl,
  columns: clippedColumns,
  scalars: clippedScalars,
  aux: policyAux,
  evaluate: regularized(clippedSurrogate),
};
