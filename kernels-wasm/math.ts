/**
 * Arithmetic with the same bits on every machine. exp and log are polynomials, four lanes at a time, of IEEE additions
 * and multiplications only. `madd` is a product and a sum that the machine may fuse in the relaxed-SIMD build; only
 * matrix products use it.
 *
 * Coefficients: Cephes (Moshier, expf.c and logf.c, netlib.org/cephes), accurate to about one unit in the last place.
 */

// @ts-ignore: decorator
@inline
export function madd(a: v128, b: v128, sum: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, sum);
  return f32x4.add(sum, f32x4.mul(a, b));
}

/** e^x. 0 below -87.3, and about 2.4e38 above 88.3. */
// @ts-ignore: decorator
@inline
export function exp4(value: v128): v128 {
  const x0 = f32x4.min(f32x4.max(value, f32x4.splat(-87.3)), f32x4.splat(88.3));
  // biome-ignore lint/suspicious/noApproximativeNumericConstant: log2(e) as a literal, like the other coefficients
  const n = f32x4.nearest(f32x4.mul(x0, f32x4.splat(1.44269504088896341)));
  let x = f32x4.sub(x0, f32x4.mul(n, f32x4.splat(0.693359375)));
  x = f32x4.sub(x, f32x4.mul(n, f32x4.splat(-2.12194440e-4)));
  let y = f32x4.splat(1.9875691500e-4);
  y = f32x4.add(f32x4.mul(y, x), f32x4.splat(1.3981999507e-3));
  y = f32x4.add(f32x4.mul(y, x), f32x4.splat(8.3334519073e-3));
  y = f32x4.add(f32x4.mul(y, x), f32x4.splat(4.1665795894e-2));
  y = f32x4.add(f32x4.mul(y, x), f32x4.splat(1.6666665459e-1));
  y = f32x4.add(f32x4.mul(y, x), f32x4.splat(5.0000001201e-1));
  y = f32x4.add(f32x4.add(f32x4.mul(f32x4.mul(y, x), x), x), f32x4.splat(1.0));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  return v128.and(f32x4.mul(y, power), f32x4.ge(value, f32x4.splat(-87.3)));
}

/** Natural logarithm of positive normal numbers. */
// @ts-ignore: decorator
@inline
export function log4(value: v128): v128 {
  const bits = value;
  let e = f32x4.convert_i32x4_s(i32x4.sub(i32x4.shr_u(bits, 23), i32x4.splat(126)));
  // The mantissa, in [0.5, 1).
  let x = v128.or(v128.and(bits, i32x4.splat(0x007fffff)), i32x4.splat(0x3f000000));
  const small = f32x4.lt(x, f32x4.splat(0.707106781186547524));
  e = f32x4.sub(e, v128.and(small, f32x4.splat(1.0)));
  x = f32x4.sub(f32x4.add(x, v128.and(small, x)), f32x4.splat(1.0));
  const z = f32x4.mul(x, x);
  let y = f32x4.splat(7.0376836292e-2);
  y = f32x4.add(f32x4.mul(y, x), f32x4.splat(-1.1514610310e-1));
  y = f32x4.add(f32x4.mul(y, x), f32x4.splat(1.1676998740e-1));
  y = f32x4.add(f32x4.mul(y, x), f32x4.splat(-1.2420140846e-1));
  y = f32x4.add(f32x4.mul(y, x), f32x4.splat(1.4249322787e-1));
  y = f32x4.add(f32x4.mul(y, x), f32x4.splat(-1.6668057665e-1));
  y = f32x4.add(f32x4.mul(y, x), f32x4.splat(2.0000714765e-1));
  y = f32x4.add(f32x4.mul(y, x), f32x4.splat(-2.4999993993e-1));
  y = f32x4.add(f32x4.mul(y, x), f32x4.splat(3.3333331174e-1));
  y = f32x4.mul(f32x4.mul(y, x), z);
  y = f32x4.add(y, f32x4.mul(e, f32x4.splat(-2.12194440e-4)));
  y = f32x4.sub(y, f32x4.mul(z, f32x4.splat(0.5)));
  return f32x4.add(f32x4.add(x, y), f32x4.mul(e, f32x4.splat(0.693359375)));
}

export function exp(x: f32): f32 { return f32x4.extract_lane(exp4(f32x4.splat(x)), 0); }
export function log(x: f32): f32 { return f32x4.extract_lane(log4(f32x4.splat(x)), 0); }

/** Sum of the four lanes, always in the same order. */
// @ts-ignore: decorator
@inline
export function across(a: v128): f32 {
  const pairs = f32x4.add(a, v128.shuffle<f32>(a, a, 2, 3, 0, 1));
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
}

/** Largest of the four lanes. */
// @ts-ignore: decorator
@inline
export function largestOf(a: v128): f32 {
  const pairs = f32x4.max(a, v128.shuffle<f32>(a, a, 2, 3, 0, 1));
  return max<f32>(f32x4.extract_lane(pairs, 0), f32x4.extract_lane(pairs, 1));
}

/** Dot product of `count` floats: two vectors of four running sums, then the remaining elements. */
export function dot(a: usize, b: usize, count: u32): f32 {
  let s0 = f32x4.splat(0);
  let s1 = f32x4.splat(0);
  const end8 = a + ((count & ~7) << 2);
  const end4 = a + ((count & ~3) << 2);
  const end = a + (count << 2);
  while (a < end8) {
    s0 = f32x4.add(s0, f32x4.mul(v128.load(a), v128.load(b)));
    s1 = f32x4.add(s1, f32x4.mul(v128.load(a, 16), v128.load(b, 16)));
    a += 32;
    b += 32;
  }
  if (a < end4) {
    s0 = f32x4.add(s0, f32x4.mul(v128.load(a), v128.load(b)));
    a += 16;
    b += 16;
  }
  let sum = across(f32x4.add(s0, s1));
  while (a < end) {
    sum += load<f32>(a) * load<f32>(b);
    a += 4;
    b += 4;
  }
  return sum;
}

/** out[i] += scale * a[i]. */
export function addScaled(out: usize, a: usize, scale: f32, count: u32): void {
  const s = f32x4.splat(scale);
  const end4 = a + ((count & ~3) << 2);
  const end = a + (count << 2);
  while (a < end4) {
    v128.store(out, f32x4.add(v128.load(out), f32x4.mul(s, v128.load(a))));
    a += 16;
    out += 16;
  }
  while (a < end) {
    store<f32>(out, load<f32>(out) + scale * load<f32>(a));
    a += 4;
    out += 4;
  }
}

/** out[i] += a[i]. */
export function addTo(out: usize, a: usize, count: u32): void {
  const end4 = a + ((count & ~3) << 2);
  const end = a + (count << 2);
  while (a < end4) {
    v128.store(out, f32x4.add(v128.load(out), v128.load(a)));
    a += 16;
    out += 16;
  }
  while (a < end) {
    store<f32>(out, load<f32>(out) + load<f32>(a));
    a += 4;
    out += 4;
  }
}
