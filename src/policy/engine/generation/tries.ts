/**
 * Uploads lists of valid actions: several tries in one array, with rows split into parts whose tries fit it together.
 */
import type { TokenTrie } from '../../policy.ts';
import { BatchError } from '../batch.ts';
import type { ActiveRow } from './rows.ts';

/** GPU value of "no leaf"; -1 in a TokenTrie. */
export const noLeaf = 0xffffffff;

const wordsOf = (trie: TokenTrie) => trie.leaf.length * 3 + trie.edgeToken.length * 2;

/** Packs the distinct tries of these rows into one array: nodes (first edge, end, leaf), then edges (token, node). */
export function packTries(rows: readonly ActiveRow[], capacityWords: number) {
  const tries = [...new Set(rows.flatMap((row) => (row.constraint ? [row.constraint] : [])))];
  const nodes = tries.reduce((sum, t) => sum + t.leaf.length, 0);
  const edges = tries.reduce((sum, t) => sum + t.edgeToken.length, 0);
  const edgeOffset = nodes * 3;
  if (edgeOffset + edges * 2 > capacityWords) {
    throw new BatchError(
      `One list of valid actions needs ${edgeOffset + edges * 2} 32-bit words of trie; ${capacityWords} were planned. Offer fewer actions (for example by "verbs"), or turn the mask off.`,
    );
  }
  const words = new Uint32Array(Math.max(4, edgeOffset + edges * 2));
  const nodeBase = new Map<TokenTrie, number>();
  let node = 0;
  let edge = 0;
  for (const trie of tries) {
    nodeBase.set(trie, node);
    const { edgeStart, edgeToken, edgeNode, leaf } = trie;
    for (let n = 0, at = node * 3; n < leaf.length; n++) {
      words[at++] = edge + edgeStart[n];
      words[at++] = edge + edgeStart[n + 1];
      words[at++] = leaf[n] < 0 ? noLeaf : leaf[n];
    }
    for (let e = 0, at = edgeOffset + edge * 2; e < edgeToken.length; e++) {
      words[at++] = edgeToken[e];
      words[at++] = node + edgeNode[e];
    }
    node += trie.leaf.length;
    edge += trie.edgeToken.length;
  }
  return { words, nodeBase, edgeOffset };
}

/** Splits the rows, in order, into parts whose tries fit the array together. */
export function partsOf(rows: readonly ActiveRow[], capacityWords: number): ActiveRow[][] {
  const parts: ActiveRow[][] = [];
  let held = new Set<TokenTrie>();
  let words = 0;
  for (const row of rows) {
    const trie = row.constraint;
    const more = trie && !held.has(trie) ? wordsOf(trie) : 0;
    if (parts.length === 0 || words + more > capacityWords) {
      parts.push([]);
      held = new Set();
      words = 0;
    }
    if (trie && !held.has(trie)) {
      held.add(trie);
      words += wordsOf(trie);
    }
    parts[parts.length - 1].push(row);
  }
  return parts;
}
