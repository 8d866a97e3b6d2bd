/**
 * Byte-pair encoding as in Hugging Face's tokenizers (crates/tokenizers, `models/bpe`): symbols are ids, and of all
 * neighbours that may merge the earliest merge of the list goes first, the leftmost of equals. A character that is not
 * in the vocabulary becomes the tokens of its bytes (`byte_fallback`), the unknown token, or nothing.
 */
import { MinHeap } from './min-heap.ts';
import { type Part, TokenizerPartError } from './pattern.ts';

/** Encodes one piece of a text to ids. */
export interface TextModel {
  readonly vocab: ReadonlyMap<string, number>;
  encode(piece: string): readonly number[];
}

/** Longest piece, in UTF-16 units, and number of pieces that are remembered. */
const longestRemembered = 256;
const mostRemembered = 10_000;

const utf8 = new TextEncoder();

/** Name of a byte in a vocabulary with byte fallback. */
const byteToken = (byte: number): string => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;

/** Ids of the bytes of a text; null: the vocabulary lacks one of them. */
export function byteIds(text: string, vocab: ReadonlyMap<string, number>): number[] | null {
  const ids = Array.from(utf8.encode(text), (byte) => vocab.get(byteToken(byte)));
  return ids.includes(undefined) ? null : (ids as number[]);
}

interface BpePart extends Part {
  vocab: { [token: string]: number };
  merges: (string | [string, string])[];
  unk_token?: string | null;
  continuing_subword_prefix?: string | null;
  end_of_word_suffix?: string | null;
}

export class Bpe implements TextModel {
  readonly vocab: ReadonlyMap<string, number>;
  /** Rank of a pair of ids, under the key `left * stride + right`. */
  private readonly ranks = new Map<number, number>();
  /** Id that a merge makes, by rank. */
  private readonly merged: Int32Array;
  private readonly stride: number;
  private readonly unknown: number | undefined;
  private readonly remembered = new Map<string, readonly number[]>();

  constructor(private readonly part: BpePart) {
    if (part.dropout) throw new TokenizerPartError('a BPE model with dropout, whose tokens are random');
    this.vocab = new Map(Object.entries(part.vocab));
    this.stride = 1 + [...this.vocab.values()].reduce((a, b) => Math.max(a, b), 0);
    this.unknown = part.unk_token == null ? undefined : this.vocab.get(part.unk_token);
    this.merged = new Int32Array(part.merges.length);
    const skipped = part.continuing_subword_prefix?.length ?? 0;
    part.merges.forEach((merge, rank) => {
      const [left, right] = typeof merge === 'string' ? splitMerge(merge) : merge;
      this.ranks.set(this.idOf(left) * this.stride + this.idOf(right), rank);
      this.merged[rank] = this.idOf(left + right.slice(skipped));
    });
  }

  encode(piece: string): readonly number[] {
    if (this.part.ignore_merges) {
      const whole = this.vocab.get(piece);
      if (whole !== undefined) return [whole];
    }
    const known = this.remembered.get(piece);
    if (known) return known;
    const ids = this.mergeAll(this.symbols(piece));
    if (piece.length < longestRemembered) {
      if (this.remembered.size >= mostRemembered) this.remembered.clear();
      this.remembered.set(piece, ids);
    }
    return ids;
  }

  private idOf(token: string): number {
    const id = this.vocab.get(token);
    if (id === undefined) throw new TokenizerPartError(`a merge with the token "${token}", which the vocabulary lacks`);
    return id;
  }

  /** Ids of the characters. An unknown token waits until a known character ends its run, so that it can be fused. */
  private symbols(piece: string): number[] {
    const { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, byte_fallback, fuse_unk } = this.part;
    const ids: number[] = [];
    const characters = Array.from(piece);
    let waiting = false;
    const flush = () => {
      if (waiting) ids.push(this.unknown!);
      waiting = false;
    };
    characters.forEach((character, i) => {
      const text = `${i > 0 ? (prefix ?? '') : ''}${character}${i === characters.length - 1 ? (suffix ?? '') : ''}`;
      const id = this.vocab.get(text);
      if (id !== undefined) {
        flush();
        ids.push(id);
        return;
      }
      const bytes = byte_fallback ? byteIds(text, this.vocab) : null;
      if (bytes) ids.push(...bytes);
      else if (this.unknown !== undefined) {
        if (!fuse_unk) flush();
        waiting = true;
      }
    });
    flush();
    return ids;
  }

  private mergeAll(ids: number[]): number[] {
    const { length } = ids;
    const next = Int32Array.from(ids, (_, i) => (i + 1 < length ? i + 1 : -1));
    const previous = Int32Array.from(ids, (_, i) => i - 1);
    const gone = new Uint8Array(length);
    // Order of the heap: rank, then position.
    const heap = new MinHeap();
    const rankAt = (i: number) => (next[i] < 0 ? undefined : this.ranks.get(ids[i] * this.stride + ids[next[i]]));
    const offer = (i: number) => {
      const rank = i < 0 ? undefined : rankAt(i);
      if (rank !== undefined) heap.push(rank * length + i);
    };
    for (let i = 0; i + 1 < length; i++) offer(i);
    for (let top = heap.pop(); top !== undefined; top = heap.pop()) {
      const i = top % length;
      const rank = (top - i) / length;
      if (gone[i] || rankAt(i) !== rank) continue;
      const right = next[i];
      gone[right] = 1;
      ids[i] = this.merged[rank];
      next[i] = next[right];
      if (next[i] >= 0) previous[next[i]] = i;
      offer(previous[i]);
      offer(i);
    }
    return ids.filter((_, i) => !gone[i]);
  }
}

/** The two tokens of a merge in the older form "left right". */
function splitMerge(merge: string): [string, string] {
  const parts = merge.split(' ');
  if (parts.length !== 2) throw new TokenizerPartError(`the merge "${merge}", which must name two tokens`);
  return parts as [string, string];
}
