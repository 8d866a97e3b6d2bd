// Decoding in rounds: a trajectory has the same tokens, bit for bit, alone and in any batch, whenever it joins.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packRows, unpackRows } from '../../src/policy/engine/generation/kv-bytes.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { planBuffers, totalBytes } from '../../src/policy/plan/buffers.ts';
import type { GeneratedTurn, TokenTrie } from '../../src/policy/policy.ts';
import { buildTrie } from '../../src/policy/text/trie.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { begin, wholeTurns } from '../../tools/turns.ts';
import { useDevice } from '../device/open.ts';
import { referenceForwardBackward } from './reference.ts';
import { smallConfig } from './small-model.ts';

const open = useDevice();

const config = smallConfig({ num_hidden_layers: 2 });
const capacity = {
  ...{ rows: 6, slots: 8, groups: 2, promptTokens: 8, completionTokens: 96 },
  ...{ batchTokens: 64, batchScored: 16 },
};
const weights = initWeights(config, { seed: 11, std: 0.4 });
const prompts = [Int32Array.of(3, 1, 4, 1, 5), Int32Array.of(2, 7, 1)];
const options = { capacity, weights, trainable: false, reference: false };
const sampling = { temperature: 1, seed: 5, stream: 9, maxTokens: 40, stopTokens: [23] };
const observed = Int32Array.of(6, 2, 8);

/** A trie deeper than a round is long, with its choices at the end. */
const deep: TokenTrie = buildTrie(
  [[19], [20], [21, 2], [21, 3], [22, 5, 1]].map((end) => [...Array.from({ length: 18 }, (_, t) => 1 + t), ...end]),
).trie;

let model: Model;
beforeAll(async () => {
  model = await Model.create(await open(), config, options);
});
afterAll(() => model.destroy());

const plain = ({ tokens, logprobs, leaf, ending }: GeneratedTurn) => ({
  tokens: [...tokens],
  logprobs: [...logprobs],
  leaf,
  ending,
});
type Plain = ReturnType<typeof plain>;

/** Trajectory k belongs to group k % 2 and has two turns. The first turn of every fourth one is constrained. */
const constraintOf = (k: number, turn: number) => (turn === 0 && k % 4 === 1 ? deep : null);
const appendOf = (turn: number) => (turn === 0 ? new Int32Array(0) : observed);

/** Both turns of a trajectory that decodes alone. */
async function playAlone(k: number, policy = model): Promise<Plain[]> {
  await begin(policy, [{ prompt: prompts[k % 2], slots: [0], rowKeys: [k] }]);
  const turns: Plain[] = [];
  for (const turn of [0, 1]) {
    const constraint = constraintOf(k, turn);
    const maxTokens = constraint?.depth ?? sampling.maxTokens;
    const row = { slot: 0, append: appendOf(turn), constraint };
    turns.push(plain((await wholeTurns(policy, [row], { ...sampling, maxTokens }))[0]));
  }
  return turns;
}

async function allAlone(policy = model): Promise<Plain[][]> {
  const turns: Plain[][] = [];
  for (let k = 0; k < 9; k++) turns.push(await playAlone(k, policy));
  return turns;
}

/** The same turns in rounds: trajectories join one by one as slots, rows and pages become free. */
async function playInRounds(count: number, slots: readonly number[], atOnce: number, policy = model) {
  await begin(policy, []);
  let waits = 0;
  const turnsOf: Plain[][] = Array.from({ length: count }, () => []);
  const free = [...slots];
  const seated: { k: number; slot: number }[] = [];
  for (let next = 0; next < count || seated.length > 0; ) {
    if (next < count && free.length > 0) {
      const group = { key: next % 2, prompt: prompts[next % 2], slots: [free[0]], rowKeys: [next] };
      if (policy.pages.admits([group]) === 1) {
        await policy.admit([group]);
        seated.push({ k: next++, slot: free.shift()! });
      } else waits++;
    }
    const rowOf = ({ k, slot }: (typeof seated)[number]) => {
      const turn = turnsOf[k].length;
      return { slot, append: appendOf(turn), constraint: constraintOf(k, turn) };
    };
    const now = seated.slice(0, atOnce).filter((seat) => policy.pages.grow(rowOf(seat)));
    waits += Math.min(atOnce, seated.length) - now.length;
    const turns = await policy.generate(now.map(rowOf), sampling);
    now.forEach((seat, i) => {
      const turn = turns[i];
      if (!turn) return;
      turnsOf[seat.k].push(plain(turn));
      if (turnsOf[seat.k].length < 2) return;
      policy.release([seat.slot]);
      free.push(seat.slot);
      seated.splice(seated.indexOf(seat), 1);
    });
  }
  return { turnsOf, waits };
}

describe('rounds', () => {
  it('give the tokens of a trajectory alone, bit for bit, in any batch', async () => {
    const want = await allAlone();
    expect(want.flat().some(({ tokens }) => tokens.length > 32)).toBe(true);
    expect(new Set(want.flat().map(({ ending }) => ending))).toEqual(new Set(['leaf', 'stop', 'length']));
    expect(await playInRounds(9, [0, 1, 2, 3, 4, 5, 6, 7], 6)).toEqual({ turnsOf: want, waits: 0 });
    expect(await playInRounds(9, [5, 2], 2)).toEqual({ turnsOf: want, waits: 0 });
  });

  it('give the same wherever the pages lie', async () => {
    const { pages } = model.generation;
    const slots = [0, 1, 2, 3, 4, 5, 6, 7];
    await begin(model, []);
    await model.admit([{ key: 0, prompt: prompts[0], slots, rowKeys: slots }]);
    for (const rows of [16, 40, 96]) for (const slot of slots) pages.needSlot(slot, rows);
    model.release([5, 0, 6, 2, 7, 1, 4, 3]);
    const want = await allAlone();
    await begin(model, []);
    await model.admit([{ key: 0, prompt: prompts[0], slots, rowKeys: slots }]);
    for (const rows of [32, 64, 80]) for (const slot of slots) pages.needSlot(slot, rows);
    const held = pages.pagesFrom(pages.slotBase(3));
    expect(held.every((page, i) => i > 0 && page === held[i - 1] + 1)).toBe(false);
    model.release([3, 1, 7, 0, 5, 2, 6, 4]);
    expect(await playInRounds(9, [4, 0, 7, 2], 3)).toEqual({ turnsOf: want, waits: 0 });
  });

  it('give the same with too few pages for all, as rows wait for each other', async () => {
    const want = await allAlone();
    const few = await Model.create(await open(), config, { ...options, capacity: { ...capacity, cachePages: 9 } });
    const created = few.counters().buffersCreated;
    try {
      const { turnsOf, waits } = await playInRounds(9, [0, 1, 2, 3, 4, 5, 6, 7], 6, few);
      expect(turnsOf).toEqual(want);
      expect(waits).toBeGreaterThan(9);
      expect(few.counters().buffersCreated).toBe(created);
      // Without a request for pages a row cannot wait for them.
      await begin(few, [{ prompt: prompts[0], slots: [0, 1], rowKeys: [0, 1] }]);
      const rows = [0, 1].map((slot) => ({ slot, append: new Int32Array(60).fill(3), constraint: null }));
      await expect(wholeTurns(few, rows, sampling)).rejects.toThrow(/no pages for 60 rows of slot 1: .*cachePages/);
    } finally {
      few.destroy();
    }
  });

  it('run a prompt once while any row uses it, and again afterwards', async () => {
    await begin(model, []);
    const prefilled = () => model.counters().tokensPrefilled;
    const group = { key: 7, prompt: prompts[0] };
    const before = prefilled();
    await model.admit([{ ...group, slots: [3], rowKeys: [0] }]);
    await model.admit([{ ...group, slots: [4], rowKeys: [1] }]);
    expect(prefilled() - before).toBe(prompts[0].length);
    model.release([3]);
    await model.admit([{ ...group, slots: [3], rowKeys: [2] }]);
    expect(prefilled() - before).toBe(prompts[0].length);
    model.release([3, 4]);
    await model.admit([{ ...group, slots: [3], rowKeys: [2] }]);
    expect(prefilled() - before).toBe(2 * prompts[0].length);
    model.release([3]);
  });

  it('refuse more than was planned', async () => {
    await begin(model, []);
    const group = (key: number, slots: number[]) => ({ key, prompt: prompts[0], slots, rowKeys: slots });
    await model.admit([group(0, [0, 7]), group(1, [1])]);
    await expect(model.admit([group(2, [2])])).rejects.toThrow(/3 groups; at most 2/);
    await expect(model.admit([group(0, [7])])).rejects.toThrow(/Slot 7 is out of range \(8\) or used twice/);
    await expect(model.admit([group(0, [8])])).rejects.toThrow(/Slot 8/);
    const rows = [0, 7, 1, 0, 7, 1, 0].map((slot) => ({ slot, append: observed, constraint: null }));
    await expect(model.generate(rows, sampling)).rejects.toThrow(/7 rows; at most 6/);
  });
});

describe('a K/V cache in int8', () => {
  const bytes = (rows: Float64Array) =>
    unpackRows(packRows(Float32Array.from(rows), config.headDim), config.headDim) as typeof rows;

  /** Log-probabilities of both turns from the twin; all their tokens went through the cache. */
  function byTwin(k: number, turns: readonly Plain[], kept?: typeof bytes): number[] {
    const tokens = [...prompts[k % 2]];
    const scored: number[] = [];
    turns.forEach((turn, t) => {
      tokens.push(...appendOf(t));
      for (const token of turn.tokens) scored.push(tokens.push(token) - 1);
    });
    const segments = [{ start: 0, end: tokens.length, parent: -1 }];
    const batch = { tokens: Int32Array.from(tokens), segments, scored: Int32Array.from(scored), allowed: null };
    return [...referenceForwardBackward(config, weights, batch, null, null, 1, kept).logprob];
  }

  it('agrees with a twin that rounds keys and values to bytes, in any batch', async () => {
    const gpu = await open();
    const before = gpu.bytesAllocated;
    const model8 = await Model.create(gpu, config, { ...options, kvCache: 'int8' });
    try {
      expect(gpu.bytesAllocated - before).toBe(totalBytes(model8.plan));
      const want = await allAlone(model8);
      let [error, gap] = [0, 0];
      for (const k of [0, 2, 3, 4, 6, 7, 8]) {
        const sampledLogprobs = want[k].flatMap(({ logprobs }) => logprobs);
        const [twin, exact] = [byTwin(k, want[k], bytes), byTwin(k, want[k])];
        sampledLogprobs.forEach((logprob, i) => {
          error += Math.abs(logprob - twin[i]);
          gap += Math.abs(logprob - exact[i]);
        });
      }
      // Every value is rounded to a byte, and a few may round the other way.
      expect(gap).toBeGreaterThan(0.01);
      expect(error).toBeLessThan(0.05 * gap);
      // Tiles and splits add in other orders, so rounds are compared with rounds.
      const many = await playInRounds(9, [0, 1, 2, 3, 4, 5, 6, 7], 6, model8);
      expect(await playInRounds(9, [5, 2], 2, model8)).toEqual(many);
    } finally {
      model8.destroy();
    }
  });

  it('takes a byte per value and a scale per head, and is refused for odd head sizes', () => {
    const bytesOf = (kvCache: 'f32' | 'int8', headDim = 8) =>
      planBuffers({ ...config, headDim }, capacity, { ...options, kvCache, blockBytes: 2 ** 27 })
        .filter(({ name }) => name.startsWith('cache.'))
        .map(({ bytes }) => bytes);
    const rows = (2 * 1 + 8 * 6 + 1) * 16;
    expect(bytesOf('f32')).toEqual([rows * 2 * 8 * 4, rows * 2 * 8 * 4]);
    expect(bytesOf('int8')).toEqual([rows * 2 * (8 + 4), rows * 2 * (8 + 4)]);
    expect(() => bytesOf('int8', 6)).toThrow(
      /head size that is a multiple of 4.*this model has 2 heads of size 6 and 1 key heads\. Use f32/,
    );
  });
});
