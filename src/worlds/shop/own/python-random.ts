/**
 * Python's `random.Random` for a whole number as seed: MT19937 (Matsumoto and Nishimura 1998,
 * doi.org/10.1145/272991.272995), seeded by `init_by_array`. WebShop numbers its instructions by a shuffle with it.
 */

const words = 624;
const middle = 397;

/** First state for a seed below 2^32. */
function stateOf(seed: number): Uint32Array {
  const state = new Uint32Array(words);
  state[0] = 19650218;
  const mixed = (k: number) => state[k - 1] ^ (state[k - 1] >>> 30);
  for (let k = 1; k < words; k++) state[k] = Math.imul(1812433253, mixed(k)) + k;
  let k = 1;
  const turn = () => {
    if (++k < words) return;
    state[0] = state[words - 1];
    k = 1;
  };
  for (let count = words; count > 0; count--) {
    state[k] = (state[k] ^ Math.imul(mixed(k), 1664525)) + seed;
    turn();
  }
  for (let count = words - 1; count > 0; count--) {
    state[k] = (state[k] ^ Math.imul(mixed(k), 1566083941)) - k;
    turn();
  }
  state[0] = 0x80000000;
  return state;
}

export class PythonRandom {
  private readonly state: Uint32Array;
  private place = words;

  constructor(seed: number) {
    this.state = stateOf(seed);
  }

  private twist(): void {
    const { state } = this;
    for (let k = 0; k < words; k++) {
      const joined = (state[k] & 0x80000000) | (state[(k + 1) % words] & 0x7fffffff);
      state[k] = state[(k + middle) % words] ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
    }
    this.place = 0;
  }

  /** A whole number from 0 to 2^32 - 1. */
  private next(): number {
    if (this.place === words) this.twist();
    let value = this.state[this.place++];
    value ^= value >>> 11;
    value ^= (value << 7) & 0x9d2c5680;
    value ^= (value << 15) & 0xefc60000;
    return (value ^ (value >>> 18)) >>> 0;
  }

  /** A whole number from 0 to n - 1, without bias. */
  below(n: number): number {
    const bits = 32 - Math.clz32(n);
    for (;;) {
      const value = this.next() >>> (32 - bits);
      if (value < n) return value;
    }
  }

  /** Shuffles in place. */
  shuffle<T>(list: T[]): T[] {
    for (let k = list.length - 1; k > 0; k--) {
      const other = this.below(k + 1);
      [list[k], list[other]] = [list[other], list[k]];
    }
    return list;
  }

  /** Two different members of a list of at most 21, in the order of the draw. */
  pair<T>(list: readonly T[]): [T, T] {
    const pool = [...list];
    const first = this.below(pool.length);
    const one = pool[first];
    pool[first] = pool[pool.length - 1];
    return [one, pool[this.below(pool.length - 1)]];
  }
}
