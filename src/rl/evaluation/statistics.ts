/**
 * The statistics of an evaluation: pass@k, intervals for a mean over items that were each tried several times, and paired tests
 * between two policies on the same items. Pure functions of numbers; knows no world and no policy.
 *
 * An item that is tried eight times is not eight items: its tries agree with each other. So every interval and test here counts
 * items, and the tries only make an item's own mean better known.
 */
import { below } from '../common/random.ts';

/** A mean over items with its 95% interval. */
export interface Estimate {
  mean: number;
  low: number;
  high: number;
  items: number;
}

/** 97.5% quantile of the normal distribution. */
export const z95 = 1.959963984540054;

/**
 * Wilson's interval of a rate known from `n` independent tries (Wilson 1927): it stays within 0 and 1 and does not collapse at either
 * end. `z`: the quantile.
 */
export function wilson(rate: number, n: number, z = z95): { low: number; high: number } {
  const squared = z * z;
  const center = (rate + squared / (2 * n)) / (1 + squared / n);
  const spread = (z / (1 + squared / n)) * Math.sqrt((rate * (1 - rate)) / n + squared / (4 * n * n));
  // Exact at the ends, where rounding would leave 1 - 1e-16.
  return { low: rate === 0 ? 0 : center - spread, high: rate === 1 ? 1 : center + spread };
}

/**
 * Probability that at least one of `k` tries succeeds, from `n` tries of which `c` did, without bias:
 * 1 - C(n - c, k) / C(n, k) (Chen et al. 2021, https://arxiv.org/abs/2107.03374, equation 1). NaN where k > n: it cannot be known.
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
export function varianceOfItems(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const center = meanOfItems(values);
  return values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1);
}

/** 97.5% quantile of Student's t (Abramowitz and Stegun 26.7.5, four terms: off by less than 0.5% from 3 degrees on). */
export function studentQuantile(degrees: number): number {
  const z = z95;
  const terms = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160,
  ];
  return terms.reduce((sum, term, i) => sum + term / degrees ** (i + 1), z);
}

/**
 * Mean of rates (each item's share of successes) with a Wilson interval for as many independent tries as would vary as much
 * (Wilson 1927; the effective sample size as for clustered proportions, Korn and Graubard 1998). With one try an item it is
 * Wilson's own interval. It stays within 0 and 1 and does not collapse at either end.
 */
export function rateEstimate(rates: readonly number[]): Estimate {
  const items = rates.length;
  if (items === 0) return { mean: Number.NaN, low: 0, high: 1, items };
  const mean = meanOfItems(rates);
  const variance = varianceOfItems(rates) / items;
  const single = rates.every((rate) => rate === 0 || rate === 1);
  // The quantile of t tells that the variance itself is estimated; Wilson's knows it from the mean.
  const z = single || items < 3 ? z95 : studentQuantile(items - 1);
  const effective = single || variance === 0 ? items : Math.max(items, (mean * (1 - mean)) / variance);
  return { mean, ...wilson(mean, effective, z), items };
}

/** Mean of values of any size (scores) with Student's interval. A single item has none: both ends are its value. */
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
  /** Two-sided. */
  p: number;
  test: 'McNemar, exact' | 'paired bootstrap';
}

/**
 * McNemar's exact test (McNemar 1947): of the items that one policy solved and the other did not, `onlyOurs` and `onlyTheirs`,
 * how unlikely is a split as uneven as this by fair coin. Two-sided.
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

/** Which stream of random numbers the resamples are. */
const STREAM_BOOTSTRAP = 0x626f6f74;

/**
 * Paired bootstrap over items (Efron and Tibshirani 1993, chapters 13 and 16): percentile interval of the mean difference, and the
 * share of resamples on the other side of zero, doubled. The resamples are the same on every machine.
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

/** Each item's rate under one policy beside the other's: McNemar where each item was tried once, else the paired bootstrap. */
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
