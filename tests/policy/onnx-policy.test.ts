// The ONNX policy acts like the engine: the same turns from the same seed as the GPU's sampler, constrained and not,
// the same endings, the reference's scores; unsupported requests are refused with a message.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { OnnxActor } from '../../src/policy/onnx/actor.ts';
import { exportOnnx } from '../../src/policy/onnx/export.ts';
import type { Actor, GeneratedTurn, GenerateRow, PackedBatch, Sampling } from '../../src/policy/policy.ts';
import { buildTrie } from '../../src/policy/text/trie.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { begin, wholeTurns } from '../../tools/turns.ts';
import { useDevice } from '../device/open.ts';
import { ReferencePolicy } from './reference-policy.ts';

const gpu = useDevice();
const config = parseConfig({
  model_type: 'qwen3',
  vocab_size: 41,
  hidden_size: 24,
  intermediate_size: 40,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 8,
  rope_theta: 1000,
  tie_word_embeddings: true,
});
const weights = initWeights(config, { seed: 11, std: 0.4 });
const capacity = {
  rows: 6,
  groups: 2,
  promptTokens: 12,
  completionTokens: 24,
  batchTokens: 64,
  batchScored: 64,
};
const ints = (...values: number[]) => Int32Array.from(values);

let policy: OnnxActor;
beforeAll(async () => {
  policy = await OnnxActor.create({ config, tensors: weights }, { capacity });
});
afterAll(() => policy.destroy());

const groups = [
  { prompt: ints(3, 1, 4, 1, 5), slots: [0, 1, 2], rowKeys: [0, 1, 2] },
  { prompt: ints(9, 2, 6), slots: [3, 4], rowKeys: [3, 4] },
];
const sampling: Sampling = { temperature: 1.3, seed: 77, stream: 5, maxTokens: 6, stopTokens: [7, 30] };
const trie = buildTrie([
  [10, 11, 12, 40],
  [10, 11, 13, 40],
  [10, 20, 40],
  [15, 16, 40],
]);

/** Plays two turns of every row, open and constrained ones, with the world's observation between. */
async function play(player: Actor, temperature: number): Promise<GeneratedTurn[]> {
  await begin(player, groups);
  const row = (slot: number, append: Int32Array): GenerateRow => ({
    slot,
    append,
    constraint: slot % 2 ? trie.trie : null,
  });
  const first = await wholeTurns(
    player,
    [0, 1, 2, 3, 4].map((slot) => row(slot, slot === 2 ? ints(8, 8) : ints())),
    { ...sampling, temperature },
  );
  const observed = ints(21, 22, 23);
  const second = await wholeTurns(
    player,
    [4, 3, 2, 1, 0].map((slot) => row(slot, observed)),
    { ...sampling, temperature },
  );
  return [...first, ...second];
}

const shape = (turns: readonly GeneratedTurn[]) =>
  turns.map(({ tokens, leaf, ending }) => ({ tokens: [...tokens], leaf, ending }));

describe('compared with the engine', () => {
  // Both use f32 and add in different orders: measured 2e-6.
  const bound = 5e-5;

  it.each([1.3, 0.7, 0])('plays the same turns at temperature %d', async (temperature) => {
    const model = await Model.create(await gpu(), config, { capacity, weights, trainable: false, reference: false });
    const before = policy.counters();
    const [ours, theirs] = [await play(policy, temperature), await play(model, temperature)];
    const rooms = [policy, model].map((player) => [0, 1, 2, 3, 4].map((slot) => player.room(slot)));
    const counts = [policy, model].map((player) => player.counters().tokensGenerated);
    counts[0] -= before.tokensGenerated;
    model.destroy();
    expect(shape(ours)).toEqual(shape(theirs));
    expect(rooms[0]).toEqual(rooms[1]);
    expect(counts[0]).toBe(counts[1]);
    const endings = new Set(ours.map(({ ending }) => ending));
    expect(endings.has('leaf')).toBe(true);
    ours.forEach(({ logprobs }, i) => {
      logprobs.forEach((x, k) => {
        expect(Math.abs(x - theirs[i].logprobs[k])).toBeLessThan(bound);
      });
    });
  });

  it('scores as the reference does, with shared prompts and masks', async () => {
    const batch: PackedBatch = {
      tokens: ints(3, 1, 4, 10, 11, 12, 10, 20, 9, 2, 6, 5),
      segments: [
        { start: 0, end: 3, parent: -1 },
        { start: 3, end: 6, parent: 0 },
        { start: 6, end: 8, parent: 0 },
        { start: 8, end: 12, parent: -1 },
      ],
      scored: ints(3, 4, 6, 7, 9, 11),
      allowed: {
        offsets: ints(0, 2, 4, 6, 6, 6, 6),
        tokens: ints(10, 15, 11, 20, 10, 15),
      },
    };
    const reference = new ReferencePolicy(config, weights, capacity);
    const wanted = await reference.score(batch, { temperature: 0.8, weights: 'policy' });
    const got = await policy.score(batch, { temperature: 0.8 });
    for (const column of ['logprob', 'entropy'] as const)
      got[column].forEach((x, n) => {
        expect(Math.abs(x - wanted[column][n])).toBeLessThan(bound);
      });
  });
});

describe('endings', () => {
  const open = (slot: number, append = ints()): GenerateRow => ({ slot, append, constraint: null });

  it('are checked in the engine’s order', async () => {
    await begin(policy, groups);
    const [short] = await wholeTurns(policy, [open(0)], { ...sampling, stopTokens: [], maxTokens: 3 });
    expect([short.ending, short.tokens.length]).toEqual(['length', 3]);
    expect(policy.room(0)).toBe(21);
    const everything = Array.from({ length: config.vocabSize }, (_, token) => token);
    const [stopped] = await wholeTurns(policy, [open(1)], { ...sampling, stopTokens: everything });
    expect([stopped.ending, stopped.tokens.length]).toEqual(['stop', 1]);
    const [full] = await wholeTurns(policy, [open(3)], { ...sampling, stopTokens: [], maxTokens: 99 });
    expect([full.ending, full.tokens.length]).toEqual(['context', 24]);
    const [none] = await wholeTurns(policy, [open(3, ints(1))], sampling);
    expect([none.ending, none.tokens.length]).toEqual(['context', 0]);
  });

  it('a single action is not sampled', async () => {
    await begin(policy, groups);
    const only = buildTrie([[5, 6, 40]]).trie;
    const [turn] = await wholeTurns(policy, [{ slot: 0, append: ints(2), constraint: only }], sampling);
    expect([turn.ending, turn.leaf, turn.tokens.length]).toEqual(['leaf', 0, 0]);
    expect(policy.room(0)).toBe(23);
  });

  it('an abort stops decoding', async () => {
    await begin(policy, groups);
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(wholeTurns(policy, [open(0)], sampling, aborted)).rejects.toThrow('enough');
  });
});

describe('other weights', () => {
  it('give other turns, and must fit the configuration', async () => {
    const changed = initWeights(config, { seed: 12, std: 0.4 });
    const other = await OnnxActor.create({ config, tensors: changed }, { capacity });
    await begin(other, groups);
    await begin(policy, groups);
    const row = { slot: 0, append: ints(), constraint: null };
    const turns = [await wholeTurns(other, [row], sampling), await wholeTurns(policy, [row], sampling)];
    expect(turns[0][0].logprobs[0]).not.toBeCloseTo(turns[1][0].logprobs[0], 4);
    other.destroy();
    const wrong = new Map(changed);
    wrong.delete('model.norm.weight');
    await expect(OnnxActor.create({ config, tensors: wrong }, { capacity })).rejects.toThrow(
      /missing: model.norm.weight/,
    );
  });

  it('of another model play unchanged', async () => {
    const foreign = await OnnxActor.create(exportOnnx(config, weights, { operators: 'standard' }), { capacity });
    expect(foreign.vocabSize).toBe(config.vocabSize);
    foreign.destroy();
  });
});

describe('groups', () => {
  it('are run once while any of their slots is in use, and refused beyond the plan', async () => {
    await begin(policy, []);
    const group = (key: number, slots: number[]) => ({ key, prompt: ints(3, 1, 4), slots, rowKeys: slots });
    const before = policy.counters().tokensPrefilled;
    await policy.admit([group(7, [0])]);
    await policy.admit([group(7, [1])]);
    policy.release([0]);
    await policy.admit([group(7, [0])]);
    expect(policy.counters().tokensPrefilled - before).toBe(3);
    await policy.admit([group(8, [2])]);
    await expect(policy.admit([group(9, [3])])).rejects.toThrow(/3 groups; at most 2/);
    await expect(policy.admit([group(8, [2])])).rejects.toThrow(/Slot 2 is out of range \(6\) or used twice/);
    policy.release([0, 1, 2]);
    await policy.admit([group(7, [0])]);
    expect(policy.counters().tokensPrefilled - before).toBe(9);
    policy.release([0]);
  });
});
