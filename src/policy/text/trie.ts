/**
 * Valid token sequences as a trie, flattened for the sampling kernel (`TokenTrie` in policy.ts).
 *
 * Each sequence ends with the same end-of-turn token, so a sequence that is a prefix of another still has its own
 * leaf. At a leaf only one sequence remains; its other tokens are forced and returned as its tail.
 *
 * ScienceWorld lists up to 2,700 actions a turn, different ones for each row, and building a trie with a Map per node
 * took 5 µs an action. So all sequences ever listed share one trie (`SequenceTrie`), and the trie of a list is the
 * part of it that the list's sequences reach.
 */
import type { TokenTrie } from '../policy.ts';

export interface ActionTrie {
  trie: TokenTrie;
  /** The whole sequence of a leaf, as a copy. */
  sequence(leaf: number): Int32Array;
  /** Tokens of the sequence after its leaf, which are forced. */
  tail(leaf: number): Int32Array;
  /** True if the list has the same sequence at both indices. */
  isSame(index: number, other: number): boolean;
  /** Length of the longest sequence, in tokens. */
  longest: number;
}

/** Returns the column, or a larger copy if it has fewer than `length` entries. */
function withRoom(column: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (length <= column.length) return column;
  const larger = new Int32Array(Math.max(length, column.length * 2));
  larger.set(column);
  return larger;
}

const column = (length = 1024) => new Int32Array(length);

/** Marks a node on the paths of several selected sequences; it stands in the place of a holder. */
const SHARED = -1;

/**
 * Fields of a node: the last selection that reached it, and in that selection its holder (the index of its only
 * sequence, or SHARED) and its number of children; then its own token, its first child and its next sibling, by
 * ascending token. The root is nobody's child, so 0 stands for none. Two arrays for each node instead took 400 to 460
 * bytes a node; this takes 110 to 170.
 */
const [STAMP, HOLDER, CHILDREN, TOKEN, FIRST, NEXT, NODE_WORDS] = [0, 1, 2, 3, 4, 5, 6];
/**
 * Fields of a sequence: the start of its nodes in `paths`, and the last selection that chose it. Its nodes end where
 * the next sequence's begin.
 */
const [START, CHOSEN, SEQUENCE_WORDS] = [0, 1, 2];

/** Columns of a trie's sequences. An array for each sequence instead took 100 bytes more for each. */
interface Sequences {
  ofSequence: Int32Array<ArrayBuffer>;
  /** Tokens of each sequence, after the token of the root. */
  tokens: Int32Array<ArrayBuffer>;
}

/** Copies a sequence's tokens. */
function tokensOf({ ofSequence, tokens }: Sequences, number: number): Int32Array {
  const at = number * SEQUENCE_WORDS + START;
  return tokens.slice(ofSequence[at] + 1, ofSequence[at + SEQUENCE_WORDS]);
}

/** Trie that only grows. `select` returns the trie of some of its sequences. */
export class SequenceTrie {
  private nodes = 1;
  private count = 0;
  private readonly sequences: Sequences = { ofSequence: column(), tokens: column() };
  /** Number of the sequence that ends at a node. */
  private readonly endsAt = new Map<number, number>();
  /** Nodes on the path of each sequence, the root first. */
  private paths = column();
  private ofNode = column();
  private selection = 0;
  /** Scratch space of `flatten`: the selection's nodes in breadth-first order, and the columns of the result. */
  private order = column();
  private leaf = column();
  private edgeStart = column();
  private edgeToken = column();
  private edgeNode = column();

  get size(): number {
    return this.nodes;
  }

  /** Adds a sequence and returns its number. Equal sequences have the same number. */
  add(sequence: ArrayLike<number>): number {
    const { sequences, count: number } = this;
    sequences.ofSequence = withRoom(sequences.ofSequence, (number + 2) * SEQUENCE_WORDS);
    const start = sequences.ofSequence[number * SEQUENCE_WORDS + START];
    const end = start + sequence.length + 1;
    this.paths = withRoom(this.paths, end);
    sequences.tokens = withRoom(sequences.tokens, end);
    let node = 0;
    this.paths[start] = node;
    for (let i = 0; i < sequence.length; i++) {
      node = this.child(node, sequence[i]);
      this.paths[start + i + 1] = node;
      sequences.tokens[start + i + 1] = sequence[i];
    }
    const known = this.endsAt.get(node);
    if (known !== undefined) return known;
    this.endsAt.set(node, number);
    sequences.ofSequence[(number + 1) * SEQUENCE_WORDS + START] = end;
    this.count++;
    return number;
  }

  private child(parent: number, token: number): number {
    this.ofNode = withRoom(this.ofNode, (this.nodes + 1) * NODE_WORDS);
    const { ofNode } = this;
    // Word that names the child: the parent's first, or a sibling's next.
    let link = parent * NODE_WORDS + FIRST;
    while (ofNode[link] !== 0 && ofNode[ofNode[link] * NODE_WORDS + TOKEN] < token)
      link = ofNode[link] * NODE_WORDS + NEXT;
    const found = ofNode[link];
    if (found !== 0 && ofNode[found * NODE_WORDS + TOKEN] === token) return found;
    const node = this.nodes++;
    ofNode[node * NODE_WORDS + TOKEN] = token;
    ofNode[node * NODE_WORDS + NEXT] = found;
    ofNode[link] = node;
    return node;
  }

  /**
   * Trie of the sequences with these numbers. A repeated sequence is taken once, under its first index. Throws if a
   * sequence is empty or a prefix of another.
   */
  select(numbers: ArrayLike<number>): ActionTrie {
    const { sequences, ofNode } = this;
    const { ofSequence } = sequences;
    this.selection++;
    [ofNode[STAMP], ofNode[HOLDER], ofNode[CHILDREN]] = [0, SHARED, 0];
    let longest = 0;
    for (let index = 0; index < numbers.length; index++) {
      const at = numbers[index] * SEQUENCE_WORDS;
      const length = ofSequence[at + SEQUENCE_WORDS + START] - ofSequence[at + START] - 1;
      if (length === 0) throw new Error(`Sequence ${index} of the trie is empty.`);
      longest = Math.max(longest, length);
      if (ofSequence[at + CHOSEN] === this.selection) continue;
      ofSequence[at + CHOSEN] = this.selection;
      this.mark(numbers, index);
    }
    const trie = this.flatten();
    // The closures hold only `sequences`, because a trie may be cached longer than the SequenceTrie.
    const sequence = (leaf: number) => tokensOf(sequences, numbers[leaf]);
    const tail = (leaf: number) => {
      const tokens = sequence(leaf);
      return tokens.subarray(depthOf(trie, leaf, tokens));
    };
    const isSame = (index: number, other: number) => numbers[index] === numbers[other];
    return { trie, sequence, tail, isSame, longest };
  }

  /**
   * Follows a sequence to the first node that no other sequence has passed. If a node on the way was held by one
   * sequence alone, that sequence moves on to its next node.
   */
  private mark(numbers: ArrayLike<number>, index: number): void {
    const { paths, ofNode, selection } = this;
    const { ofSequence } = this.sequences;
    const own = numbers[index] * SEQUENCE_WORDS + START;
    const start = ofSequence[own];
    const end = ofSequence[own + SEQUENCE_WORDS];
    for (let at = start; at < end; at++) {
      const node = paths[at] * NODE_WORDS;
      if (ofNode[node + STAMP] !== selection) {
        this.hold(node, index);
        if (at > start) ofNode[paths[at - 1] * NODE_WORDS + CHILDREN]++;
        return;
      }
      const other = ofNode[node + HOLDER];
      if (other === SHARED) continue;
      const others = numbers[other] * SEQUENCE_WORDS + START;
      const next = ofSequence[others] + (at - start) + 1;
      if (next === ofSequence[others + SEQUENCE_WORDS]) throw prefixError(other, index);
      ofNode[node + HOLDER] = SHARED;
      ofNode[node + CHILDREN] = 1;
      this.hold(paths[next] * NODE_WORDS, other);
    }
    throw prefixError(index);
  }

  private hold(node: number, index: number): void {
    const { ofNode } = this;
    ofNode[node + STAMP] = this.selection;
    ofNode[node + HOLDER] = index;
    ofNode[node + CHILDREN] = 0;
  }

  /** Breadth first, edges by ascending token, so that node numbers depend only on the set of sequences. */
  private flatten(): TokenTrie {
    this.makeRoom();
    const { ofNode, selection, order, leaf, edgeStart, edgeToken, edgeNode } = this;
    order[0] = 0;
    let [nodes, edges, depth, levelEnd] = [1, 0, 0, 1];
    for (let n = 0; n < nodes; n++) {
      if (n === levelEnd) {
        depth++;
        levelEnd = nodes;
      }
      const node = order[n] * NODE_WORDS;
      edgeStart[n] = edges;
      leaf[n] = ofNode[node + HOLDER];
      if (leaf[n] !== SHARED) continue;
      let below = ofNode[node + FIRST];
      for (let left = ofNode[node + CHILDREN]; left > 0; below = ofNode[below * NODE_WORDS + NEXT]) {
        if (ofNode[below * NODE_WORDS + STAMP] !== selection) continue;
        left--;
        edgeToken[edges] = ofNode[below * NODE_WORDS + TOKEN];
        edgeNode[edges++] = nodes;
        order[nodes++] = below;
      }
    }
    edgeStart[nodes] = edges;
    // One allocation for the four arrays.
    const whole = new Int32Array(2 * nodes + 1 + 2 * edges);
    let at = 0;
    const take = (values: Int32Array, count: number) => {
      whole.set(values.subarray(0, count), at);
      at += count;
      return whole.subarray(at - count, at);
    };
    return {
      edgeStart: take(edgeStart, nodes + 1),
      edgeToken: take(edgeToken, edges),
      edgeNode: take(edgeNode, edges),
      leaf: take(leaf, nodes),
      depth,
    };
  }

  /** Enlarges the scratch columns to the largest possible selection. */
  private makeRoom(): void {
    if (this.order.length > this.nodes) return;
    const length = 2 * this.nodes;
    [this.order, this.leaf] = [column(length), column(length)];
    [this.edgeStart, this.edgeToken, this.edgeNode] = [column(length), column(length), column(length)];
  }
}

const prefixError = (index: number, other?: number) =>
  new Error(
    `Sequence ${index} of the trie is a prefix of ${other === undefined ? 'another sequence' : `sequence ${other}`}: end every sequence with the same token.`,
  );

/** Number of tokens from the root to the sequence's leaf. */
function depthOf({ edgeStart, edgeToken, edgeNode, leaf }: TokenTrie, wanted: number, tokens: Int32Array): number {
  let [node, depth] = [0, 0];
  while (leaf[node] !== wanted) {
    let edge = edgeStart[node];
    while (edgeToken[edge] !== tokens[depth]) edge++;
    node = edgeNode[edge];
    depth++;
  }
  return depth;
}

/** Builds the trie of a single list. */
export function buildTrie(sequences: readonly ArrayLike<number>[]): ActionTrie {
  const trie = new SequenceTrie();
  return trie.select(sequences.map((sequence) => trie.add(sequence)));
}

/** Allowed tokens at each step of a path from the root, ascending. Throws if the path leaves the trie. */
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
