// Rows packed into 4 bits with a minimum: the WebAssembly kernel has the bits of its twin on every kind of group, and
// both have the bits of recorded rows. TABGYM_SEED=5 TABGYM_GROUPS=1000000 tries other and more groups.
import { describe, expect, it } from 'vitest';
import { normals } from '../../src/policy/weights/init.ts';
import { packingKernel } from '../../src/policy/weights/packing-kernel.ts';
import { emptyRows, packWithMinimum, quantizeRows, withMinimum } from '../../src/policy/weights/quantize.ts';
import { uniform } from '../../tools/random.ts';

const seed = Number(process.env.TABGYM_SEED ?? 1);
const groups = Number(process.env.TABGYM_GROUPS ?? 20_000);

const word = new Uint32Array(1);
const float = new Float32Array(word.buffer);

type Random = () => number;
const around = (random: Random) => random() + random() + random() - 1.5;
const magnitude = (random: Random, from: number, to: number) => 10 ** (from + (to - from) * random());

/** Each makes the values of one group. */
const kinds: { [name: string]: (random: Random) => () => number } = {
  'of any size': (random) => {
    const [scale, offset] = [magnitude(random, -7, 4), random() < 0.5 ? 0 : around(random) * magnitude(random, -5, 4)];
    return () => around(random) * scale + offset;
  },
  'any bits': (random) => () => {
    word[0] = random() * 2 ** 32;
    return random() < 0.99 && !(Math.abs(float[0]) < 65504) ? 1 : float[0];
  },
  equal: (random) => {
    const value = around(random) * magnitude(random, -45, 5);
    return () => value;
  },
  'subnormal in f32': (random) => () => around(random) * 1e-43,
  'subnormal in f16': (random) => () => around(random) * 1e-6,
  'near the largest f16': (random) => {
    const half = random() < 0.5 ? 65504 : 32752;
    return () => Math.sign(around(random)) * half * (1 + (random() < 0.02 ? 1e-4 : -1e-3 * random()));
  },
  'halfway between codes': (random) => () => Math.floor(random() * 31) / 64,
  'close to a far value': (random) => {
    const value = around(random) * 1000;
    return () => value + 2 ** -13 * Math.floor(random() * 20);
  },
  'mostly zeros of either sign': (random) => () => (random() < 0.1 ? around(random) : random() < 0.5 ? 0 : -0),
  'with one number that is not finite': (random) => {
    const bad = [Number.NaN, Infinity, -Infinity][Math.floor(random() * 3)];
    return () => (random() < 0.05 ? bad : around(random));
  },
};

/** Codes and scales of values packed by either, and the first group refused. */
function packedBy(pack: typeof packWithMinimum, values: Float32Array, length: number) {
  const out = emptyRows(withMinimum(4), values.length / length, length);
  return { refused: pack(out, values), codes: out.codes, scales: out.scales };
}

const kernel = packingKernel()!;

/** FNV-1a of 32-bit words. */
const fingerprint = (words: Uint32Array) => words.reduce((sum, x) => Math.imul(sum ^ x, 0x01000193) >>> 0, 0x811c9dc5);

describe.each(Object.entries(kinds))('groups %s', (_, kind) => {
  it('have the same bits from the kernel and its twin', () => {
    const random = uniform(seed);
    for (let i = 0; i < groups / Object.keys(kinds).length; i++) {
      const length = random() < 0.7 ? 32 : 1 + Math.floor(random() * 32);
      const values = Float32Array.from({ length }, kind(random));
      const twin = packedBy(packWithMinimum, values, length);
      const got = packedBy(kernel, values, length);
      const same =
        got.refused === twin.refused &&
        (twin.refused !== null || (got.scales[0] === twin.scales[0] && got.codes.every((x, k) => x === twin.codes[k])));
      if (!same) expect({ values, ...got }).toEqual({ values, ...twin });
    }
  });
});

describe('rows', () => {
  it.each([
    [100, 896],
    [2, 100_000],
    [70, 31],
    [1000, 72],
    [0, 64],
  ])('(%i, %i) have the same bits from the kernel and its twin', (rows, length) => {
    const values = normals(rows * length, seed, 'rows', 0.02);
    const [got, twin] = [kernel, packWithMinimum].map((pack) => packedBy(pack, values, length));
    expect(fingerprint(got.codes)).toBe(fingerprint(twin.codes));
    expect(fingerprint(got.scales)).toBe(fingerprint(twin.scales));
  });

  it('name the first group that is refused, behind others of the same and of earlier pieces', () => {
    const values = normals(200 * 1000, 1, 'refused', 1);
    values[150 * 1000 + 40] = Number.NaN;
    values[160 * 1000] = Infinity;
    expect([kernel, packWithMinimum].map((pack) => packedBy(pack, values, 1000).refused)).toEqual([4801, 4801]);
    const about = { name: 'up_proj', firstRow: 7 };
    expect(() => quantizeRows(withMinimum(4), values, 1000, about)).toThrow(/up_proj, row 157, values 32 to 63/);
  });

  // Recorded with the version before the kernel.
  it.each([
    [4, 96, [3071926455, 3593884505]],
    [8, 100, [1072656049, 1725241835]],
  ] as const)('in %i bits have the recorded bits', (bits, length, recorded) => {
    const random = uniform(3);
    const rows = Array.from({ length: 500 }, (_, r) => {
      const [scale, offset] = [[2e-6, 1e-3, 0.02, 1, 300][r % 5], r % 2 ? around(random) * 30 : 0];
      return Array.from({ length }, () => around(random) * scale + offset);
    });
    const packed = quantizeRows(withMinimum(bits), Float32Array.from(rows.flat()), length);
    expect([fingerprint(packed.codes), fingerprint(packed.scales)]).toEqual(recorded);
  });
});
