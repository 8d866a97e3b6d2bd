/**
 * The Mersenne Twister and the functions of Python's `random` that worlds draw with (CPython 3.11): `seed(int)`,
 * `getrandbits`, `_randbelow`, `sample`, `shuffle`. Independent of any world.
 */
const N: i32 = 624;
const M: i32 = 397;
const state = new StaticArray<u32>(N);
let position: i32 = N;

/** init_genrand of the reference implementation. */
function initialize(seed: u32): void {
  unchecked((state[0] = seed));
  for (let i = 1; i < N; i++) {
    const previous = unchecked(state[i - 1]);
    unchecked((state[i] = 1812433253 * (previous ^ (previous >> 30)) + <u32>i));
  }
}

/**
 * `random.seed(n)` where |n| consists of `count` > 0 32-bit words at `words`, least significant first: init_by_array.
 */
export function seedRandomWords(words: usize, count: i32): void {
  initialize(19650218);
  let i = 1;
  let j = 0;
  for (let k = max(N, count); k > 0; k--) {
    const previous = unchecked(state[i - 1]);
    const word = load<u32>(words + (<usize>j << 2)) + <u32>j;
    unchecked((state[i] = (state[i] ^ ((previous ^ (previous >> 30)) * 1664525)) + word));
    if (++i >= N) { unchecked((state[0] = state[N - 1])); i = 1; }
    if (++j >= count) j = 0;
  }
  for (let k = 0; k < N - 1; k++) {
    const previous = unchecked(state[i - 1]);
    unchecked((state[i] = (state[i] ^ ((previous ^ (previous >> 30)) * 1566083941)) - <u32>i));
    if (++i >= N) { unchecked((state[0] = state[N - 1])); i = 1; }
  }
  unchecked((state[0] = 0x80000000));
  position = N;
}

const oneWord = memory.data(4);

/** `random.seed(seed)` for an int below 2**32. */
export function seedRandom(seed: u32): void {
  store<u32>(oneWord, seed);
  seedRandomWords(oneWord, 1);
}

/** Size of a generator's state in bytes. */
export const RANDOM_BYTES: i32 = N * 4 + 4;

/** Saves the state of the generator, for a world that draws over many steps. */
export function saveRandom(to: usize): void {
  memory.copy(to, changetype<usize>(state), N * 4);
  store<i32>(to, position, N * 4);
}

export function loadRandom(from: usize): void {
  memory.copy(changetype<usize>(state), from, N * 4);
  position = load<i32>(from, N * 4);
}

function mix(high: u32, low: u32): u32 {
  const y = (high & 0x80000000) | (low & 0x7fffffff);
  return (y >> 1) ^ (y & 1 ? 0x9908b0df : 0);
}

function regenerate(): void {
  for (let i = 0; i < N - M; i++) unchecked((state[i] = state[i + M] ^ mix(state[i], state[i + 1])));
  for (let i = N - M; i < N - 1; i++) unchecked((state[i] = state[i + M - N] ^ mix(state[i], state[i + 1])));
  unchecked((state[N - 1] = state[M - 1] ^ mix(state[N - 1], state[0])));
  position = 0;
}

/** genrand_int32: 32 bits. */
export function randomU32(): u32 {
  if (position >= N) regenerate();
  let y = unchecked(state[position++]);
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680;
  y ^= (y << 15) & 0xefc60000;
  return y ^ (y >> 18);
}

/** `_randbelow(n)`, n > 0: draws bit_length(n) bits until their value is below n. */
export function randomBelow(n: i32): i32 {
  const shift = clz<u32>(<u32>n);
  let r = randomU32() >> shift;
  while (r >= <u32>n) r = randomU32() >> shift;
  return <i32>r;
}

/** Population size above which `sample` keeps a set of drawn indices instead of copying the population. */
function sampleSetSize(k: i32): i32 {
  if (k <= 5) return 21;
  let power = 1;
  while (power < 3 * k) power *= 4;
  return 21 + power;
}

/**
 * `random.sample(population, k)`: appends k of the n values from `population[start]` on to `into`. `pool` is scratch
 * space for at least n values.
 */
export function sampleInto(population: Array<i32>, start: i32, n: i32, k: i32, pool: StaticArray<i32>, into: Array<i32>): void {
  if (n <= sampleSetSize(k)) {
    for (let i = 0; i < n; i++) pool[i] = population[start + i];
    for (let i = 0; i < k; i++) {
      const j = randomBelow(n - i);
      into.push(pool[j]);
      pool[j] = pool[n - i - 1];
    }
    return;
  }
  for (let i = 0; i < n; i++) pool[i] = 0;
  for (let i = 0; i < k; i++) {
    let j = randomBelow(n);
    while (pool[j] != 0) j = randomBelow(n);
    pool[j] = 1;
    into.push(population[start + j]);
  }
}

/** `random.shuffle(values)`. */
export function shuffle(values: Array<i32>): void {
  for (let i = values.length - 1; i >= 1; i--) {
    const j = randomBelow(i + 1);
    const held = values[i];
    values[i] = values[j];
    values[j] = held;
  }
}
