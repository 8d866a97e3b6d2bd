/**
 * Signal of a step's gradient: the squared length of its mean over its variance, estimated without bias from the
 * gradients of parts of the step, as the gradient noise scale is (McCandlish et al. 2018,
 * https://arxiv.org/abs/1812.06162, appendix A.1).
 *
 * The parts x_1 to x_P are independent and equally large, m groups each: mean g, covariance S. With K the matrix of
 * their products, the means over different indices are E[K_ij] = |g|², E[K_ij K_ik] = g'Sg + |g|⁴ and E[K_ij K_kl] =
 * |g|⁴, and E[K_ii] = |g|² + tr S.
 */
type Values = { [metric: string]: number };

/** Maximum number of parts of a step: their gradients are in memory at once. */
export const MOST_SIGNAL_PARTS = 8;
/** Minimum number of parts: the variance along the mean needs products of four different ones. */
export const LEAST_SIGNAL_PARTS = 4;
/** Standard normal quantile of nine in ten. */
const NINE_IN_TEN = 1.2815515655446004;

export interface GradientMoments {
  /** |g|² */
  square: number;
  /** Variance of one group's gradient, summed over the weights: m tr S. */
  variance: number;
  /** Variance of one group's gradient along the mean, times |g|²: m g'Sg. */
  along: number;
}

/** (P, P) products of all pairs of gradients, in double precision. */
export function productsOf(parts: readonly ArrayLike<number>[]): number[][] {
  return parts.map((a) =>
    parts.map((b) => {
      let sum = 0;
      for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
      return sum;
    }),
  );
}

/** Unbiased moments from the products of at least four parts of `groups` groups each. */
export function momentsOf(products: readonly (readonly number[])[], groups: number): GradientMoments {
  const P = products.length;
  let diagonal = 0;
  let off = 0;
  let squares = 0;
  let rows = 0;
  products.forEach((row, i) => {
    diagonal += row[i];
    let own = 0;
    row.forEach((value, j) => {
      if (j === i) return;
      own += value;
      squares += value * value;
    });
    off += own;
    rows += own * own;
  });
  const square = off / (P * (P - 1));
  // Sums over different i, j, k, and over different i, j, k, l.
  const shared = (rows - squares) / (P * (P - 1) * (P - 2));
  const apart = (off * off - 4 * rows + 2 * squares) / (P * (P - 1) * (P - 2) * (P - 3));
  return { square, variance: groups * (diagonal / P - square), along: groups * (shared - apart) };
}

/** Metrics of one measurement. The number of groups is left out where the estimates give none. */
export function signalMetrics(moments: GradientMoments): Values {
  const { square, variance, along } = moments;
  const groups = groupsToPointRight(moments);
  return {
    gradientSquare: square,
    gradientVariance: variance,
    gradientAlong: along,
    ...(variance > 0 && { signal: square / variance }),
    ...(groups !== null && { signalGroups: groups }),
  };
}

/**
 * Number of groups in a step whose gradient has a positive product with the mean gradient nine times in ten, if that
 * product is normally distributed. Null: the estimates are not positive, so that it cannot be given.
 */
export function groupsToPointRight({ square, along }: GradientMoments): number | null {
  return square > 0 && along > 0 ? (NINE_IN_TEN ** 2 * along) / square ** 2 : null;
}

/** Moments of a whole run: the mean of each over the steps that measured it. Null: no step did. */
export function meanMoments(steps: readonly Values[]): (GradientMoments & { steps: number }) | null {
  const measured = steps.filter(({ gradientSquare }) => gradientSquare !== undefined);
  if (measured.length === 0) return null;
  const mean = (name: string) => measured.reduce((sum, values) => sum + values[name], 0) / measured.length;
  return {
    square: mean('gradientSquare'),
    variance: mean('gradientVariance'),
    along: mean('gradientAlong'),
    steps: measured.length,
  };
}
