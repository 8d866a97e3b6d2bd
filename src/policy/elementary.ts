/**
 * The project's own exp, log, powers, sin and cos. They use only additions, multiplications and divisions, whose
 * results IEEE 754 fixes to the last bit. The functions of JavaScript engines differ in the last bit, and that
 * difference would enter a run through the values computed on the host: objectives, rotary positions, bias correction.
 * tests/policy/elementary.test.ts measures the errors.
 */

/** ln 2 in two parts: the first has 20 trailing zero bits, so that k times it is exact. */
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;

const view = new DataView(new ArrayBuffer(8));

/** 2^k for -1022 <= k <= 1023. */
function powerOfTwo(k: number): number {
  view.setUint32(0, (k + 1023) << 20);
  view.setUint32(4, 0);
  return view.getFloat64(0);
}

/** exp(r) - 1 for |r| <= 0.35: Taylor series to r^15 / 15!, remainder below 1e-20. */
function series(r: number): number {
  let sum = 1;
  for (let n = 15; n > 1; n--) sum = 1 + (r / n) * sum;
  return r * sum;
}

export function exp(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > 709.782712893384) return Number.POSITIVE_INFINITY;
  if (x < -745.1332191019411) return 0;
  const k = Math.round(x * Math.LOG2E);
  const value = 1 + series(x - k * LN2_HIGH - k * LN2_LOW);
  // Two factors, because the result may be subnormal or just below the largest number, where 2^k alone would underflow
  // or overflow.
  const half = Math.trunc(k / 2);
  return value * powerOfTwo(half) * powerOfTwo(k - half);
}

/** exp(x) - 1, without cancellation near 0. */
export const expm1 = (x: number): number => (Math.abs(x) <= 0.35 ? series(x) : exp(x) - 1);

/**
 * log(x) = k ln 2 + log(m) with m in [sqrt(1/2), sqrt(2)) and log(m) = 2 atanh(s), s = (m - 1) / (m + 1), as a series
 * to s^21.
 */
export function log(x: number): number {
  if (Number.isNaN(x) || x < 0) return Number.NaN;
  if (x === 0) return Number.NEGATIVE_INFINITY;
  if (x === Number.POSITIVE_INFINITY) return x;
  const scale = x < 2.2250738585072014e-308 ? 54 : 0;
  view.setFloat64(0, scale ? x * 2 ** 54 : x);
  const high = view.getUint32(0);
  let k = (high >>> 20) - 1023 - scale;
  view.setUint32(0, (high & 0xfffff) | 0x3ff00000);
  let m = view.getFloat64(0);
  if (m > Math.SQRT2) {
    m /= 2;
    k += 1;
  }
  const s = (m - 1) / (m + 1);
  const z = s * s;
  let sum = 0;
  for (let n = 21; n > 1; n -= 2) sum = z * (1 / n + sum);
  return k * LN2_HIGH + (2 * s + (2 * s * sum + k * LN2_LOW));
}

/** base^y for a positive base. Error: slightly more than |y log(base)| units in the last place. */
export const power = (base: number, y: number): number => exp(y * log(base));

/** base^n for a whole number n >= 0, by squaring. */
export function wholePower(base: number, n: number): number {
  let result = 1;
  for (let [factor, rest] = [base, n]; rest > 0; rest = Math.floor(rest / 2), factor *= factor)
    if (rest % 2 === 1) result *= factor;
  return result;
}

/**
 * pi / 2 in three parts, the first two of 33 bits, so that n times each is exact for n below 2^20 (fdlibm,
 * e_rem_pio2.c).
 */
const HALF_PI = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21] as const;

/** Splits x, |x| < 1.6 million, into n quarter turns and a remainder r, |r| <= pi / 4. */
function quarterTurns(x: number): { quarter: number; r: number } {
  const n = Math.round(x / (HALF_PI[0] + HALF_PI[1]));
  return { quarter: n & 3, r: x - n * HALF_PI[0] - n * HALF_PI[1] - n * HALF_PI[2] };
}

/** Taylor series of sin to r^19 and of cos to r^18, remainders below 1e-20. */
function sineSeries(r: number): number {
  let sum = 1;
  for (let n = 18; n > 0; n -= 2) sum = 1 - ((r * r) / (n * (n + 1))) * sum;
  return r * sum;
}

function cosineSeries(r: number): number {
  let sum = 1;
  for (let n = 17; n > 0; n -= 2) sum = 1 - ((r * r) / (n * (n + 1))) * sum;
  return sum;
}

/**
 * Sine, with an absolute error of at most 2^-52, as for `cos`. NaN beyond 1.6 million, where reducing the angle would
 * need more bits.
 */
export function sin(x: number): number {
  if (!(Math.abs(x) < 1.6e6)) return Number.NaN;
  const { quarter, r } = quarterTurns(x);
  const value = quarter % 2 === 0 ? sineSeries(r) : cosineSeries(r);
  return quarter < 2 ? value : -value;
}

export function cos(x: number): number {
  if (!(Math.abs(x) < 1.6e6)) return Number.NaN;
  const { quarter, r } = quarterTurns(x);
  const value = quarter % 2 === 0 ? cosineSeries(r) : sineSeries(r);
  return quarter === 1 || quarter === 2 ? -value : value;
}

/** Softplus: log(1 + exp(x)) = -log sigmoid(-x). */
export const softplus = (x: number): number => (x > 0 ? x + log(1 + exp(-x)) : log(1 + exp(x)));

export const sigmoid = (x: number): number => (x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)));
