// Lists of valid actions that do not fit into memory together: rows decode in several parts and give the same tokens as
// alone, bit for bit.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Model } from '../../src/policy/engine/model.ts';
import { trieWordsPerRow } from '../../src/policy/plan/decoding-buffers.ts';
import type { GeneratedTurn, TokenTrie } from '../../src/policy/policy.ts';
import { buildTrie } from '../../src/policy/text/trie.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { begin, wholeTurns } from '../../tools/turns.ts';
import { useDevice } from '../device/open.ts';
import { smallConfig } from './small-model.ts';

const open = useDevice();

const config = smallConfig();
const ROWS = 4;
const capacity = {
  ...{ rows: ROWS, slots: ROWS, groups: 1, promptTokens: 8, completionTokens: 64 },
  ...{ batchTokens: 64, batchScored: 16 },
};
const weights = initWeights(config, { seed: 11, std: 0.4 });
const prompt = Int32Array.of(3, 1, 4, 1, 5);
const sampling = { temperature: 1, seed: 5, stream: 9, maxTokens: 8, stopTokens: [23] };

/** `count` sequences of four tokens, different for each seed. */
function listOf(count: number, seed: number): TokenTrie {
  let state = seed;
  const token = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return 1 + ((state >>> 16) % 22);
  };
  const distinct = new Map<string, number[]>();
  while (distinct.size < count) {
    const sequence = [token(), token(), token(), token()];
    distinct.set(sequence.join(), sequence);
  }
  return buildTrie([...distinct.values()]).trie;
}

const wordsOf = (trie: TokenTrie) => trie.leaf.length * 3 + trie.edgeToken.length * 2;
const plain = ({ tokens, logprobs, leaf, ending }: GeneratedTurn) => [[...tokens], [...logprobs], leaf, ending];

let model: Model;
beforeAll(async () => {
  model = await Model.create(await open(), config, { capacity, weights, trainable: false, reference: false });
});
afterAll(() => model.destroy());

const start = (rowKeys: readonly number[]) => begin(model, [{ prompt, slots: rowKeys.map((_, k) => k), rowKeys }]);
const rowsOf = (tries: readonly TokenTrie[]) =>
  tries.map((constraint, slot) => ({ slot, append: new Int32Array(0), constraint }));

it('rows whose lists do not fit together give the same tokens as alone', async () => {
  const tries = [1, 2, 3, 4].map((seed) => listOf(1400, seed));
  const total = tries.reduce((sum, trie) => sum + wordsOf(trie), 0);
  expect(total).toBeGreaterThan(2 * ROWS * trieWordsPerRow);
  const want: unknown[] = [];
  for (let k = 0; k < ROWS; k++) {
    await start([k]);
    want.push(plain((await wholeTurns(model, rowsOf([tries[k]]), sampling))[0]));
  }
  await start([0, 1, 2, 3]);
  expect((await wholeTurns(model, rowsOf(tries), sampling)).map(plain)).toEqual(want);
  await start([0, 1, 2, 3]);
  const turns = await model.generate(rowsOf(tries), sampling);
  expect(turns.map((turn) => turn && plain(turn))).toEqual(want);
});

it('a single list that does not fit is refused', async () => {
  await start([0]);
  const row = rowsOf([listOf(6000, 9)]);
  await expect(wholeTurns(model, row, sampling)).rejects.toThrow(
    /One list of valid actions needs \d+ 32-bit words of trie; 16384/,
  );
});
