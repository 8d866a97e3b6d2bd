/** java.util.Random: a 48-bit linear congruential generator. Its state is the u64 at address `at`. */

const MULTIPLIER: u64 = 0x5deece66d;
const MASK: u64 = 0xffffffffffff;

export function seedRandom(at: usize, seed: i64): void {
  store<u64>(at, (<u64>seed ^ MULTIPLIER) & MASK);
}

export function nextBits(at: usize, bits: i32): i32 {
  const state = (load<u64>(at) * MULTIPLIER + 0xb) & MASK;
  store<u64>(at, state);
  return <i32>(state >> <u64>(48 - bits));
}

/** Uniform in 0..n-1. */
export function nextInt(at: usize, n: i32): i32 {
  if ((n & -n) == n) return <i32>((<i64>n * <i64>nextBits(at, 31)) >> 31);
  let value: i32;
  let drawn: i32;
  do {
    drawn = nextBits(at, 31);
    value = drawn % n;
  } while (drawn - value + (n - 1) < 0);
  return value;
}

export function nextBoolean(at: usize): bool {
  return nextBits(at, 1) != 0;
}
