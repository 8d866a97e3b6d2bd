// The shared trie of actions against prefixes compared one by one, and the memory that it keeps.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { Random } from '../../src/envs/random.ts';
import { type ActionTrie, allowedAlong, SequenceTrie } from '../../src/policy/text/trie.ts';

const end = 0;

/** Lists of sequences that share beginnings, within a list and between lists. */
function madeLists(random: Random, count: number, length: number): number[][][] {
  const token = () => 1 + (random.chance(70) ? random.below(12) : random.below(300));
  const sequence = () => [...Array.from({ length: 2 + random.below(9) }, token), end];
  return Array.from({ length: count }, () => Array.from({ length }, sequence));
}

const nextTokens = (list: readonly number[][], prefix: readonly number[]) => {
  const begun = list.filter((each) => prefix.every((token, i) => each[i] === token));
  return [...new Set(begun.map((each) => each[prefix.length]))].sort((a, b) => a - b);
};

it('allows exactly the tokens that go on with a sequence of the list', () => {
  const shared = new SequenceTrie();
  for (const list of madeLists(new Random(3), 12, 40)) {
    const { trie, tail, sequence }: ActionTrie = shared.select(list.map((each) => shared.add(each)));
    const leaves = [...trie.leaf].filter((leaf) => leaf >= 0);
    expect(new Set(leaves.map((leaf) => String(sequence(leaf))))).toEqual(new Set(list.map(String)));
    for (const leaf of leaves) {
      const path = list[leaf].slice(0, list[leaf].length - tail(leaf).length);
      const expected = path.map((_, depth) => nextTokens(list, path.slice(0, depth)));
      expect(allowedAlong(trie, path).map((allowed) => [...allowed])).toEqual(expected);
    }
  }
});

it('keeps few bytes for a node', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const lists = madeLists(new Random(5), 200, 250);
  const before = used();
  const trie = new SequenceTrie();
  for (const list of lists) trie.select(list.map((each) => trie.add(each)));
  expect(trie.size).toBeGreaterThan(100_000);
  // 110 to 170, by the last doubling of its columns; two arrays for each node took 400 to 460.
  expect((used() - before) / trie.size).toBeLessThan(250);
});
