// Packs rows of numbers into 4 bits with a minimum: the search of src/policy/weights/quantize-minimum.ts, with the same
// bits. It is a module of its own (build/wasm/packing.wasm) with its own memory, so that it can be used without a
// device. The two lanes of a vector are two candidates of one group, so each sum keeps the order of its twin.

/** Values of a group as f64, each followed by its weight. */
const group = memory.data(512, 16);
/** Inverse step and minimum of eight step widths: two vectors for each two widths. */
const steps = memory.data(128, 16);
/** Weighted sums of code, code * code and code * value for eight step widths: three vectors for each two widths. */
const sums = memory.data(192, 16);
/** Scale, minimum and inverse scale of 14 candidates: three vectors for each two candidates. */
const candidates = memory.data(336, 16);
/** Weighted squared errors of the candidates. */
const errors = memory.data(112, 16);
/** 16 bits of each candidate's scale, and of its minimum above them. */
const words = memory.data(56, 16);
/** Numbers of steps that are tried, relative to 15. The last fills a vector and is ignored. */
const changes = memory.data<f64>([0, -1, -0.7, -0.4, 0.4, 0.8, 1.2, 0], 16);

const widths = 7;
const largestHalf: f64 = 65504;
/** Largest number below a half. Between 0 and 15, floor(x + underHalf) rounds x to the nearest, halves up. */
const underHalf: f64 = 0.49999999999999994;

/** First byte that the host may use. */
export function firstFree(): usize {
  return __heap_base;
}

/** 16 bits of the nearest f16 (src/policy/weights/half.ts). */
function toHalf(value: f64): u32 {
  const bits = reinterpret<u32>(<f32>value);
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000)
    return sign | (reinterpret<u32>(reinterpret<f32>(magnitude) + <f32>0.5) - 0x3f000000);
  return sign | ((magnitude + 0xfff + ((magnitude >>> 13) & 1) - 0x38000000) >>> 13);
}

/** Value of a finite f16. The factor 2^112 moves the exponent from f16's place to f32's, of subnormal numbers too. */
function fromHalf(half: u32): f64 {
  const magnitude = reinterpret<f32>((half & 0x7fff) << 13) * reinterpret<f32>(0x77800000);
  return half & 0x8000 ? -(<f64>magnitude) : <f64>magnitude;
}

const isFinite16 = (half: u32): bool => (half & 0x7c00) !== 0x7c00;

/** Nearest codes of two values. */
// @ts-ignore: decorator
@inline
function nearest(value: v128, minimum: v128, inverse: v128): v128 {
  const code = f64x2.mul(f64x2.sub(value, minimum), inverse);
  const clamped = f64x2.pmin(f64x2.pmax(code, f64x2.splat(0)), f64x2.splat(15));
  return f64x2.floor(f64x2.add(clamped, f64x2.splat(underHalf)));
}

/** Sums of the codes of two step widths. */
function sumCodes(pair: i32, count: i32): void {
  const inverse = v128.load(steps + pair * 32);
  const minimum = v128.load(steps + pair * 32, 16);
  let wc = f64x2.splat(0);
  let wcc = f64x2.splat(0);
  let wcx = f64x2.splat(0);
  for (let at = group, end = group + (count << 4); at < end; at += 16) {
    const value = v128.load64_splat(at);
    const code = nearest(value, minimum, inverse);
    const weighted = f64x2.mul(v128.load64_splat(at, 8), code);
    wc = f64x2.add(wc, weighted);
    wcc = f64x2.add(wcc, f64x2.mul(weighted, code));
    wcx = f64x2.add(wcx, f64x2.mul(weighted, value));
  }
  const to = sums + pair * 48;
  v128.store(to, wc);
  v128.store(to, wcc, 16);
  v128.store(to, wcx, 32);
}

/** Errors of two candidates. */
function sumErrors(pair: i32, count: i32): void {
  const from = candidates + pair * 48;
  const scale = v128.load(from);
  const minimum = v128.load(from, 16);
  const inverse = v128.load(from, 32);
  let error = f64x2.splat(0);
  for (let at = group, end = group + (count << 4); at < end; at += 16) {
    const value = v128.load64_splat(at);
    const code = nearest(value, minimum, inverse);
    const difference = f64x2.sub(f64x2.add(f64x2.mul(code, scale), minimum), value);
    const weighted = f64x2.mul(v128.load64_splat(at, 8), difference);
    error = f64x2.add(error, f64x2.mul(weighted, difference));
  }
  v128.store(errors + pair * 16, error);
}

/** Writes a candidate, given as f16 bits. */
function setCandidate(i: i32, scaleBits: u32, minimumBits: u32): void {
  const at = candidates + (i >> 1) * 48 + (i & 1) * 8;
  const scale = fromHalf(scaleBits);
  store<f64>(at, scale);
  store<f64>(at, fromHalf(minimumBits), 16);
  store<f64>(at, scale === 0 ? 0 : 1 / scale, 32);
  store<u32>(words + i * 4, scaleBits | (minimumBits << 16));
}

/** Candidates of a step width: itself, and the best scale and minimum of its codes, or itself again. */
function setCandidates(i: i32, least: f64, spread: f64, w: f64, wx: f64): void {
  const scaleBits = toHalf(spread / (15 + load<f64>(changes + i * 8)));
  const minimumBits = toHalf(least);
  setCandidate(2 * i, scaleBits, minimumBits);
  const at = sums + (i >> 1) * 48 + (i & 1) * 8;
  const wc = load<f64>(at);
  const wcx = load<f64>(at, 32);
  const determinant = w * load<f64>(at, 16) - wc * wc;
  const scale = (w * wcx - wc * wx) / determinant;
  const fitted = toHalf(scale);
  const fittedMinimum = toHalf((wx - scale * wc) / w);
  const fits = determinant > 0 && isFinite16(fitted) && isFinite16(fittedMinimum);
  setCandidate(2 * i + 1, fits ? fitted : scaleBits, fits ? fittedMinimum : minimumBits);
}

/** Number of the candidate with the least error, the first of equals. */
function bestCandidate(): i32 {
  let best = 0;
  let error = load<f64>(errors);
  for (let i = 1; i < 2 * widths; i++) {
    const other = load<f64>(errors + i * 8);
    if (other < error) {
      best = i;
      error = other;
    }
  }
  return best;
}

/** Best scale and minimum of a group whose values differ. Returns the candidate's number. */
function search(count: i32, least: f64, spread: f64, w: f64, wx: f64): i32 {
  for (let i = 0; i <= widths; i++) {
    const at = steps + (i >> 1) * 32 + (i & 1) * 8;
    store<f64>(at, 1 / (spread / (15 + load<f64>(changes + i * 8))));
    store<f64>(at, least, 16);
  }
  for (let pair = 0; pair <= widths >> 1; pair++) sumCodes(pair, count);
  for (let i = 0; i < widths; i++) setCandidates(i, least, spread, w, wx);
  for (let pair = 0; pair < widths; pair++) sumErrors(pair, count);
  return bestCandidate();
}

/** Writes the codes of a candidate. */
function storeCodes(candidate: i32, count: i32, to: usize): void {
  const from = candidates + (candidate >> 1) * 48 + (candidate & 1) * 8;
  const minimum = load<f64>(from, 16);
  const inverse = load<f64>(from, 32);
  for (let word = 0; word < 4; word++) {
    let packed: u32 = 0;
    const end = min(8, count - word * 8);
    for (let k = 0; k < end; k++) {
      const code = (load<f64>(group + ((word * 8 + k) << 4)) - minimum) * inverse;
      packed |= (<u32>(min(max(code, 0), 15) + underHalf)) << (4 * k);
    }
    store<u32>(to + word * 4, packed);
  }
}

/** Packs `count` values. False if one is not finite, or the scale or the minimum is too large for f16. */
function packGroup(inp: usize, count: i32, codes: usize, scale: usize): bool {
  let least: f64 = Infinity;
  let largest: f64 = -Infinity;
  let squares: f64 = 0;
  for (let k = 0; k < count; k++) {
    const x = <f64>load<f32>(inp + (k << 2));
    store<f64>(group + (k << 4), x);
    least = min(least, x);
    largest = max(largest, x);
    squares += x * x;
  }
  if (!(max(max(abs(least), abs(largest)), largest - least) <= largestHalf)) return false;
  const rms = sqrt(squares / <f64>count);
  let w: f64 = 0;
  let wx: f64 = 0;
  for (let at = group, end = group + (count << 4); at < end; at += 16) {
    const x = load<f64>(at);
    const weight = rms + abs(x);
    store<f64>(at, weight, 8);
    w += weight;
    wx += weight * x;
  }
  if (largest === least) {
    v128.store(codes, i32x4.splat(0));
    store<u32>(scale, toHalf(least) << 16);
    return true;
  }
  const best = search(count, least, largest - least, w, wx);
  storeCodes(best, count, codes);
  store<u32>(scale, load<u32>(words + best * 4));
  return true;
}

/** Packs rows of `length` values. Returns the number of the first group that cannot be packed, or -1. */
export function pack(inp: usize, rows: i32, length: i32, codes: usize, scales: usize): i32 {
  let g = 0;
  for (let r = 0; r < rows; r++)
    for (let k = 0; k < length; k += 32, g++) {
      const from = inp + ((r * length + k) << 2);
      if (!packGroup(from, min(32, length - k), codes + (g << 4), scales + (g << 2))) return g;
    }
  return -1;
}
