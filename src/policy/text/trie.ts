/**
 * Valid token sequences as a trie, flattened for the sampling kernel (`TokenTrie` in policy.ts).
 *
 * Each sequence ends with the same end-of-turn token, so one that is a prefix of another still has its own leaf. A leaf is
 * where the sequence is determined; what follows is forced and returned as its tail.
 *
 * ScienceWorld lists up to 2,700 actions a turn, another list for each row: a trie made of one Map a node took 5 µs an action. So
 * all sequences that were ever listed share one trie (`SequenceTrie`), and the trie of a list is what of it the list reaches.
 */
import type { TokenTrie } from '../policy.ts';

export interface ActionTrie {
  trie: TokenTrie;
  /** The sequence of each leaf, whole. The arrays are shared: do not write to them. */
  sequences: readonly Int32Array[];
  /** What is forced after a leaf was reached. */
  tail(leaf: number): Int32Array;
  /** Tokens of the longest sequence. */
  longest: number;
}

/** A sequence in a `SequenceTrie`. */
export interface ListedSequence {
  tokens: Int32Array;
  /** The nodes it passes, the root left out. */
  path: Int32Array;
}

/** A column that doubles. */
function grown(column: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(column.length * 2);
  larger.set(column);
  return larger;
}

/** A trie that sequences are added to and never leave; `select` gives that of some of them. */
export class SequenceTrie {
  private nodes = 1;
  /** By ascending token. */
  private readonly childTokens: number[][] = [[]];
  private readonly childNodes: number[][] = [[]];
  /** Which selection a node's count belongs to. */
  private stamp = new Int32Array(1024);
  private count = new Int32Array(1024);
  private first = new Int32Array(1024);
  private selection = 0;
  /** Of the selection that is flattened: its nodes in breadth-first order, how deep each is, and the columns that come out. */
  private order = new Int32Array(1024);
  private depthOf = new Int32Array(1024);
  private leaf = new Int32Array(1024);
  private edgeStart = new Int32Array(1025);
  private edgeToken = new Int32Array(1024);
  private edgeNode = new Int32Array(1024);

  get size(): number {
    return this.nodes;
  }

  add(sequence: ArrayLike<number>): ListedSequence {
    const tokens = Int32Array.from(sequence);
    const path = new Int32Array(tokens.length);
    let node = 0;
    tokens.forEach((token, i) => {
      node = this.child(node, token);
      path[i] = node;
    });
    return { tokens, path };
  }

  private child(node: number, token: number): number {
    const [tokens, nodes] = [this.childTokens[node], this.childNodes[node]];
    let [low, high] = [0, tokens.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tokens[middle] < token) low = middle + 1;
      else high = middle;
    }
    if (tokens[low] === token) return nodes[low];
    tokens.splice(low, 0, token);
    nodes.splice(low, 0, this.nodes);
    this.childTokens.push([]);
    this.childNodes.push([]);
    if (this.nodes === this.stamp.length) this.grow();
    return this.nodes++;
  }

  private grow(): void {
    [this.stamp, this.count, this.first] = [grown(this.stamp), grown(this.count), grown(this.first)];
    const { length } = this.stamp;
    const column = (more = 0) => new Int32Array(length + more);
    [this.order, this.depthOf, this.leaf] = [column(), column(), column()];
    [this.edgeStart, this.edgeToken, this.edgeNode] = [column(1), column(), column()];
  }

  /**
   * The trie of these sequences. One that repeats is taken once, under the index of the first. None may be empty or, without an
   * end token, a prefix of another.
   */
  select(listed: readonly ListedSequence[]): ActionTrie {
    this.selection++;
    this.stamp[0] = this.selection;
    this.count[0] = 0;
    let longest = 0;
    listed.forEach(({ tokens, path }, index) => {
      if (tokens.length === 0) throw new Error(`Sequence ${index} of the trie is empty.`);
      longest = Math.max(longest, tokens.length);
      this.mark(path, index);
    });
    const depths = new Int32Array(listed.length);
    const trie = this.flatten(depths);
    return {
      trie,
      sequences: listed.map(({ tokens }) => tokens),
      tail: (leaf) => listed[leaf].tokens.subarray(depths[leaf]),
      longest,
    };
  }

  /** Counts a sequence at each of its nodes, unless it was counted already. */
  private mark(path: Int32Array, index: number): void {
    const { stamp, count, first, selection } = this;
    if (stamp[path[path.length - 1]] === selection) return;
    if (count[0]++ === 0) first[0] = index;
    for (let i = 0; i < path.length; i++) {
      const node = path[i];
      if (stamp[node] === selection) count[node]++;
      else {
        stamp[node] = selection;
        count[node] = 1;
        first[node] = index;
      }
    }
  }

  /** Breadth first, edges by ascending token: node numbers depend only on the set of sequences. `depths`: of each leaf's node. */
  private flatten(depths: Int32Array): TokenTrie {
    const { stamp, count, first, selection, order, depthOf } = this;
    order[0] = 0;
    depthOf[0] = 0;
    const [leaf, edgeStart, edgeToken, edgeNode] = [this.leaf, this.edgeStart, this.edgeToken, this.edgeNode];
    let [nodes, edges, depth] = [1, 0, 0];
    for (let n = 0; n < nodes; n++) {
      const node = order[n];
      edgeStart[n] = edges;
      leaf[n] = count[node] === 1 ? first[node] : -1;
      if (leaf[n] >= 0) {
        depths[leaf[n]] = depthOf[n];
        depth = Math.max(depth, depthOf[n]);
        continue;
      }
      const [tokens, children] = [this.childTokens[node], this.childNodes[node]];
      for (let c = 0; c < children.length; c++) {
        if (stamp[children[c]] !== selection) continue;
        edgeToken[edges] = tokens[c];
        edgeNode[edges++] = nodes;
        depthOf[nodes] = depthOf[n] + 1;
        order[nodes++] = children[c];
      }
    }
    edgeStart[nodes] = edges;
    return {
      edgeStart: edgeStart.slice(0, nodes + 1),
      edgeToken: edgeToken.slice(0, edges),
      edgeNode: edgeNode.slice(0, edges),
      leaf: leaf.slice(0, nodes),
      depth,
    };
  }
}

/** The trie of a list that stands by itself. */
export function buildTrie(sequences: readonly ArrayLike<number>[]): ActionTrie {
  const trie = new SequenceTrie();
  return trie.select(sequences.map((sequence) => trie.add(sequence)));
}

/** Tokens allowed at each step of a path from the root, ascending. Throws where the path leaves the trie. */
export function allowedAlong(trie: TokenTrie, path: ArrayLike<number>): Int32Array[] {
  const allowed: Int32Array[] = [];
  let node = 0;
  for (let i = 0; i < path.length; i++) {
    const edges = trie.edgeToken.subarray(trie.edgeStart[node], trie.edgeStart[node + 1]);
    const edge = edges.indexOf(path[i]);
    if (edge < 0)
      throw new Error(`Token ${path[i]} at ${i} is not in the trie: allowed are ${edges.join(', ') || 'none'}.`);
    allowed.push(edges);
    node = trie.edgeNode[trie.edgeStart[node] + edge];
  }
  return allowed;
}
