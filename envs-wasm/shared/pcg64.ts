// Random numbers exactly as numpy generates them: SeedSequence, PCG64 (XSL-RR) and the bounded integers of
// `Generator.integers`. The module has one generator: a world draws only during its construction, so no state is stored
// per world.
//
// After numpy (BSD-3-Clause, https://numpy.org) and PCG by Melissa O'Neill (https://www.pcg-random.org).

const MULT_HI: u64 = 0x2360ed051fc65da4;
const MULT_LO: u64 = 0x4385df649fccf645;

let stateHi: u64 = 0;
let stateLo: u64 = 0;
let incHi: u64 = 0;
let incLo: u64 = 0;
// A 64-bit draw provides two 32-bit ones. The second half is kept here; 64-bit draws do not change it.
let hasHalf: bool = false;
let half: u32 = 0;

const pool: usize = memory.data(16);
const words: usize = memory.data(32);
let hash: u32 = 0;

function hashmix(v: u32): u32 {
  v ^= hash;
  hash *= 0x931e8875;
  v *= hash;
  return v ^ (v >>> 16);
}

function mix(x: u32, y: u32): u32 {
  const r: u32 = 0xca01f9dd * x - 0x4973f715 * y;
  return r ^ (r >>> 16);
}

function fillPool(entropy: usize, count: i32): void {
  hash = 0x43b0d7e5;
  for (let i = 0; i < 4; i++) store<u32>(pool + i * 4, hashmix(i < count ? load<u32>(entropy + i * 4) : 0));
  for (let src = 0; src < 4; src++) {
    for (let dst = 0; dst < 4; dst++) {
      if (src != dst) store<u32>(pool + dst * 4, mix(load<u32>(pool + dst * 4), hashmix(load<u32>(pool + src * 4))));
    }
  }
  for (let i = 4; i < count; i++) {
    for (let dst = 0; dst < 4; dst++) {
      store<u32>(pool + dst * 4, mix(load<u32>(pool + dst * 4), hashmix(load<u32>(entropy + i * 4))));
    }
  }
}

function generateState(): void {
  let h: u32 = 0x8b51f9dd;
  for (let i = 0; i < 8; i++) {
    let v = load<u32>(pool + (i & 3) * 4) ^ h;
    h *= 0x58f38ded;
    v *= h;
    store<u32>(words + i * 4, v ^ (v >>> 16));
  }
}

function mulHigh(a: u64, b: u64): u64 {
  const aLo = a & 0xffffffff;
  const aHi = a >> 32;
  const bLo = b & 0xffffffff;
  const bHi = b >> 32;
  const mid = aHi * bLo + ((aLo * bLo) >> 32);
  const low = aLo * bHi + (mid & 0xffffffff);
  return aHi * bHi + (mid >> 32) + (low >> 32);
}

function advance(): void {
  const hi = mulHigh(stateLo, MULT_LO) + stateHi * MULT_LO + stateLo * MULT_HI;
  const lo = stateLo * MULT_LO;
  stateLo = lo + incLo;
  stateHi = hi + incHi + u64(stateLo < lo);
}

/**
 * Seeds the generator as `np.random.Generator(PCG64(seed))`. The seed is `count` little-endian u32 numbers; the seed 0
 * is one number.
 */
export function seedWords(entropy: usize, count: i32): void {
  fillPool(entropy, count);
  generateState();
  const seqHi = load<u64>(words + 16);
  const seqLo = load<u64>(words + 24);
  incHi = (seqHi << 1) | (seqLo >> 63);
  incLo = (seqLo << 1) | 1;
  stateHi = 0;
  stateLo = 0;
  advance();
  const addHi = load<u64>(words);
  const addLo = load<u64>(words + 8);
  stateLo += addLo;
  stateHi += addHi + u64(stateLo < addLo);
  advance();
  hasHalf = false;
  half = 0;
}

export function next64(): u64 {
  advance();
  return rotr<u64>(stateHi ^ stateLo, stateHi >> 58);
}

export function next32(): u32 {
  if (hasHalf) {
    hasHalf = false;
    return half;
  }
  const n = next64();
  hasHalf = true;
  half = u32(n >> 32);
  return u32(n);
}

/** Uniform in [0, 1). */
export function nextDouble(): f64 {
  return f64(next64() >> 11) * (1.0 / 9007199254740992.0);
}

/** `Generator.integers(lo, hi)`: Lemire's bounded draw. A range of one value draws nothing. */
export function integers(lo: i32, hi: i32): i32 {
  const range = u32(hi - 1 - lo);
  if (range == 0) return lo;
  const excl = u64(range) + 1;
  let m = u64(next32()) * excl;
  if ((m & 0xffffffff) < excl) {
    const threshold = (u64(0xffffffff) - range) % excl;
    while ((m & 0xffffffff) < threshold) m = u64(next32()) * excl;
  }
  return lo + i32(m >> 32);
}

/**
 * Writes the generator's state to `out` as six u64: hi, lo, inc hi, inc lo, has half, half (numpy's
 * `bit_generator.state`).
 */
export function writeState(out: usize): void {
  store<u64>(out, stateHi);
  store<u64>(out, stateLo, 8);
  store<u64>(out, incHi, 16);
  store<u64>(out, incLo, 24);
  store<u64>(out, u64(hasHalf), 32);
  store<u64>(out, hasHalf ? u64(half) : 0, 40);
}
