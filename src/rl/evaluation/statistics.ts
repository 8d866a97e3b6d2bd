/**
 * Statistics of an evaluation: pass@k, intervals for a mean over items that were each tried several times, and paired
 * tests between two policies on the same items. Pure functions of numbers.
 *
 * Eight tries of an item are not eight items, since tries of one item agree with each other. Every interval and test
 * here therefore counts items; more tries only make an item's own mean more exact.
 */
import { below } from '../common/random.ts';

/** Mean over items with its 95% interval. */
export interface Estimate {
  mean: number;
  low: number;
  high: number;
  items: number;
}

/** 97.5% quantile of the normal distribution. */
export const z95 = 1.959963984540054;

/**
 * Wilson's interval of a rate from `n` independent tries (Wilson 1927), which stays within 0 and 1 and keeps a width at
 * either end. `z`: the quantile.
 */
export function wilson(rate: number, n: number, z = z95): { low: number; high: number } {
  const squared = z * z;
  const center = (rate + squared / (2 * n)) / (1 + squared / n);
  const spread = (z / (1 + squared / n)) * Math.sqrt((rate * (1 - rate)) / n + squared / (4 * n * n));
  // Exact at the ends, where rounding would leave 1 - 1e-16.
  return { low: rate === 0 ? 0 : center - spread, high: rate === 1 ? 1 : center + spread };
}

/**
 * Unbiased probability that at least one of `k` tries succeeds, from `n` tries with `c` successes: 1 - C(n - c, k) /
 * C(n, k) (Chen et al. 2021, https://arxiv.org/abs/2107.03374, equation 1). NaN if k > n, where no estimate exists.
 */
export function passAtK(n: number, c: number, k: number): number {
  if (k > n) return Number.NaN;
  if (n - c < k) return 1;
  let failing = 1;
  for (let i = n - c + 1; i <= n; i++) failing *= 1 - k / i;
  return 1 - failing;
}

export function meanOfItems(values: readonly number[]): number {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : Number.NaN;
}

/** With Bessel's correction; 0 for fewer than two values. */
function varianceOfItems(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const center = meanOfItems(values);
  return values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1);
}

/**
 * Quantile of Student's t from the normal one, `z` (Abramowitz and Stegun 26.7.5, `order` of at most four terms). At 97.5%, the
 * default, four terms are off by less than 0.5% from 3 degrees on.
 */
export function studentQuantile(degrees: number, z = z95, order = 4): number {
  const terms = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160,
  ];
  return terms.slice(0, order).reduce((sum, term, i) => sum + term / degrees ** (i + 1), z);
}

/**
 * Mean of rates (each item's share of successes) with the Wilson interval of as many independent tries as would have
 * the same variance (Wilson 1927; the effective sample size as for clustered proportions, Korn and Graubard 1998). With
 * one try per item this is Wilson's own interval. It stays within 0 and 1 and keeps a width at either end.
 */
export function rateEstimate(rates: readonly number[]): Estimate {
  const items = rates.length;
  if (items === 0) return { mean: Number.NaN, low: 0, high: 1, items };
  const mean = meanOfItems(rates);
  const variance = varianceOfItems(rates) / items;
  const single = rates.every((rate) => rate === 0 || rate === 1);
  // Student's quantile accounts for the estimated variance; Wilson's variance follows from the mean.
  const z = single || items < 3 ? z95 : studentQuantile(items - 1);
  const effective = single || variance === 0 ? items : Math.max(items, (mean * (1 - mean)) / variance);
  return { mean, ...wilson(mean, effective, z), items };
}

/** Mean of values of any size (scores) with Student's interval. For a single item both ends are its value. */
export function meanEstimate(values: readonly number[]): Estimate {
  const items = values.length;
  const mean = meanOfItems(values);
  const spread = items < 2 ? 0 : studentQuantile(items - 1) * Math.sqrt(varianceOfItems(values) / items);
  return { mean, low: mean - spread, high: mean + spread, items };
}

/** Two policies on the same items. */
export interface Comparison {
  /** Mean of (ours - theirs) with its interval. */
  difference: Estimate;
  /** Two-sided p value. */
  p: number;
  test: 'McNemar, exact' | 'paired bootstrap';
}

/**
 * McNemar's exact test (McNemar 1947), two-sided: the probability, by a fair coin, of a split at least as uneven as
 * that of the items that only one of the two policies solved.
 */
export function mcNemar(onlyOurs: number, onlyTheirs: number): number {
  const n = onlyOurs + onlyTheirs;
  const fewer = Math.min(onlyOurs, onlyTheirs);
  let logTerm = -n * Math.LN2;
  let tail = 0;
  for (let i = 0; i <= fewer; i++) {
    tail += Math.exp(logTerm);
    logTerm += Math.log((n - i) / (i + 1));
  }
  return Math.min(1, 2 * tail);
}

const resamples = 10_000;

/** Stream of random numbers for the resamples. */
const STREAM_BOOTSTRAP = 0x626f6f74;

/**
 * Paired bootstrap over items (Efron and Tibshirani 1993, chapters 13 and 16): percentile interval of the mean
 * difference, and the share of resamples on the other side of zero, doubled. The resamples are the same on every
 * machine.
 */
export function pairedBootstrap(differences: readonly number[]): { low: number; high: number; p: number } {
  const items = differences.length;
  const means = new Float64Array(resamples);
  for (let round = 0; round < resamples; round++) {
    let sum = 0;
    for (let i = 0; i < items; i++) sum += differences[below(items, STREAM_BOOTSTRAP, round, i)];
    means[round] = sum / items;
  }
  means.sort();
  const [notAbove, notBelow] = [means.filter((mean) => mean <= 0).length, means.filter((mean) => mean >= 0).length];
  const at = (share: number) => means[Math.round(share * (resamples - 1))];
  return {
    low: at(0.025),
    high: at(0.975),
    p: Math.min(1, (2 * (Math.min(notAbove, notBelow) + 1)) / (resamples + 1)),
  };
}

/**
 * Compares the items' rates under two policies: McNemar's test if each item was tried once, else the paired bootstrap.
 */
export function compare(ours: readonly number[], theirs: readonly number[]): Comparison {
  if (ours.length !== theirs.length)
    throw new RangeError(`A paired comparison needs the same items: ${ours.length} and ${theirs.length} were given.`);
  const differences = ours.map((rate, i) => rate - theirs[i]);
  const single = [...ours, ...theirs].every((rate) => rate === 0 || rate === 1);
  const { low, high, p } = pairedBootstrap(differences);
  const difference = { mean: meanOfItems(differences), low, high, items: ours.length };
  if (!single) return { difference, p, test: 'paired bootstrap' };
  const count = (sign: number) => differences.filter((value) => value === sign).length;
  return { difference, p: mcNemar(count(1), count(-1)), test: 'McNemar, exact' };
}

/** Quantile of the normal distribution for p from 0.5 (Abramowitz and Stegun 26.2.23: off by less than 4.5e-4). */
export function normalQuantile(p: number): number {
  const t = Math.sqrt(-2 * Math.log(1 - p));
  const over = 2.515517 + 0.802853 * t + 0.010328 * t * t;
  return t - over / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t ** 3);
}
