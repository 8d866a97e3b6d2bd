// Decoding in rounds: a trajectory says the same, bit for bit, whoever decodes beside it, whenever it joins, and as in lock-step.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/policy/config.ts';
import { initWeights } from '../../src/policy/init.ts';
import { Model } from '../../src/policy/model.ts';
import type { GeneratedTurn, TokenTrie } from '../../src/policy/policy.ts';
import { buildTrie } from '../../src/policy/trie.ts';
import { useGpu } from '../gpu/open.ts';

const open = useGpu();

const config = parseConfig({
  model_type: 'qwen2',
  vocab_size: 24,
  hidden_size: 16,
  intermediate_size: 20,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  head_dim: 8,
  tie_word_embeddings: true,
});
const capacity = {
  ...{ rows: 6, slots: 8, groups: 2, promptTokens: 8, completionTokens: 96 },
  ...{ batchTokens: 64, batchScored: 16 },
};
const weights = initWeights(config, { seed: 11, std: 0.4 });
const prompts = [Int32Array.of(3, 1, 4, 1, 5), Int32Array.of(2, 7, 1)];
const sampling = { temperature: 1, seed: 5, stream: 9, maxTokens: 40, stopTokens: [23] };
const words = Int32Array.of(6, 2, 8);

/** A trie deeper than a round is long: its choices come at the end. */
const deep: TokenTrie = buildTrie(
  [[19], [20], [21, 2], [21, 3], [22, 5, 1]].map((end) => [...Array.from({ length: 18 }, (_, t) => 1 + t), ...end]),
).trie;

let model: Model;
beforeAll(async () => {
  model = await Model.create(await open(), config, { capacity, weights, trainable: false, reference: false });
});
afterAll(() => model.destroy());

const plain = ({ tokens, logprobs, leaf, ending }: GeneratedTurn) => ({
  tokens: [...tokens],
  logprobs: [...logprobs],
  leaf,
  ending,
});
type Plain = ReturnType<typeof plain>;

/** Trajectory k: of group k % 2, two turns, the odd ones with a constraint in the first. */
const constraintOf = (k: number, turn: number) => (turn === 0 && k % 4 === 1 ? deep : null);
const appendOf = (turn: number) => (turn === 0 ? new Int32Array(0) : words);

/** Both turns of each trajectory in lock-step, alone. */
async function alone(k: number): Promise<Plain[]> {
  await model.begin([{ prompt: prompts[k % 2], slots: [0], rowKeys: [k] }]);
  const turns: Plain[] = [];
  for (const turn of [0, 1]) {
    const constraint = constraintOf(k, turn);
    const maxTokens = constraint?.depth ?? sampling.maxTokens;
    const row = { slot: 0, append: appendOf(turn), constraint };
    turns.push(plain((await model.generate([row], { ...sampling, maxTokens }))[0]));
  }
  return turns;
}

/** The same in rounds: trajectories join one by one as slots and rows are free. */
async function together(count: number, slots: readonly number[], atOnce: number): Promise<Plain[][]> {
  await model.begin([]);
  const said: Plain[][] = Array.from({ length: count }, () => []);
  const free = [...slots];
  const seated: { k: number; slot: number }[] = [];
  for (let next = 0; next < count || seated.length > 0; ) {
    if (next < count && free.length > 0) {
      const slot = free.shift()!;
      await model.rounds.admit([{ key: next % 2, prompt: prompts[next % 2], slots: [slot], rowKeys: [next] }]);
      seated.push({ k: next++, slot });
    }
    const now = seated.slice(0, atOnce);
    const rows = now.map(({ k, slot }) => {
      const turn = said[k].length;
      return { slot, append: appendOf(turn), constraint: constraintOf(k, turn) };
    });
    const turns = await model.rounds.round(rows, sampling);
    now.forEach((seat, i) => {
      const turn = turns[i];
      if (!turn) return;
      said[seat.k].push(plain(turn));
      if (said[seat.k].length < 2) return;
      model.rounds.release([seat.slot]);
      free.push(seat.slot);
      seated.splice(seated.indexOf(seat), 1);
    });
  }
  return said;
}

describe('rounds', () => {
  it('say what lock-step says, bit for bit, in any company', async () => {
    const want: Plain[][] = [];
    for (let k = 0; k < 9; k++) want.push(await alone(k));
    expect(want.flat().some(({ tokens }) => tokens.length > 32)).toBe(true);
    expect(new Set(want.flat().map(({ ending }) => ending))).toEqual(new Set(['leaf', 'stop', 'length']));
    expect(await together(9, [0, 1, 2, 3, 4, 5, 6, 7], 6)).toEqual(want);
    expect(await together(9, [5, 2], 2)).toEqual(want);
  });

  it('run a prompt once while anyone holds it, and again after', async () => {
    await model.begin([]);
    const prefilled = () => model.counters().tokensPrefilled;
    const group = { key: 7, prompt: prompts[0] };
    const before = prefilled();
    await model.rounds.admit([{ ...group, slots: [3], rowKeys: [0] }]);
    await model.rounds.admit([{ ...group, slots: [4], rowKeys: [1] }]);
    expect(prefilled() - before).toBe(prompts[0].length);
    model.rounds.release([3]);
    await model.rounds.admit([{ ...group, slots: [3], rowKeys: [2] }]);
    expect(prefilled() - before).toBe(prompts[0].length);
    model.rounds.release([3, 4]);
    await model.rounds.admit([{ ...group, slots: [3], rowKeys: [2] }]);
    expect(prefilled() - before).toBe(2 * prompts[0].length);
  });

  it('refuse what was not planned for', async () => {
    await model.begin([]);
    const group = (key: number, slots: number[]) => ({ key, prompt: prompts[0], slots, rowKeys: slots });
    await model.rounds.admit([group(0, [0, 7]), group(1, [1])]);
    await expect(model.rounds.admit([group(2, [2])])).rejects.toThrow(/3 groups; at most 2/);
    await expect(model.rounds.admit([group(0, [7])])).rejects.toThrow(/Slot 7 is out of range \(8\) or used twice/);
    await expect(model.rounds.admit([group(0, [8])])).rejects.toThrow(/Slot 8/);
    const rows = [0, 7, 1, 0, 7, 1, 0].map((slot) => ({ slot, append: words, constraint: null }));
    await expect(model.rounds.round(rows, sampling)).rejects.toThrow(/7 rows; at most 6/);
  });
});
