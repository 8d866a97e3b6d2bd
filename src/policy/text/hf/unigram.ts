/**
 * Unigram model as in Hugging Face's tokenizers (crates/tokenizers, `models/unigram`): the path of tokens with the
 * largest sum of scores. Neighbouring unknown characters are one unknown text, which becomes the tokens of its bytes
 * (`byte_fallback`) or the unknown token.
 */
import { byteIds, type TextModel } from './bpe.ts';
import { type Part, TokenizerPartError } from './pattern.ts';

/** Subtracted from the least score for an unknown character. */
const unknownPenalty = 10;

interface UnigramPart extends Part {
  vocab: [string, number][];
  unk_id?: number | null;
}

interface Node {
  id: number;
  score: number;
  from: number;
}

export class Unigram implements TextModel {
  readonly vocab: ReadonlyMap<string, number>;
  private readonly scores: readonly number[];
  private readonly unknownScore: number;
  /** Length in UTF-16 units of the longest token. */
  private readonly longest: number;

  constructor(private readonly part: UnigramPart) {
    this.vocab = new Map(part.vocab.map(([token], id) => [token, id]));
    this.scores = part.vocab.map(([, score]) => score);
    this.unknownScore = this.scores.reduce((a, b) => Math.min(a, b), Infinity) - unknownPenalty;
    this.longest = part.vocab.reduce((most, [token]) => Math.max(most, token.length), 0);
  }

  encode(piece: string): readonly number[] {
    return this.path(piece).flatMap((text) => {
      const id = this.vocab.get(text);
      if (id !== undefined) return [id];
      const bytes = this.part.byte_fallback ? byteIds(text, this.vocab) : null;
      return bytes ?? [this.unknown()];
    });
  }

  private unknown(): number {
    const { unk_id } = this.part;
    if (unk_id == null)
      throw new TokenizerPartError('a text with characters for which this Unigram model has no token');
    return unk_id;
  }

  /** Texts of the best path, with unknown neighbours fused. */
  private path(piece: string): string[] {
    const best = this.nodes(piece);
    const texts: string[] = [];
    let fusing = false;
    for (let end = piece.length; end > 0; end = best[end]!.from) {
      const { id, from } = best[end]!;
      const text = piece.slice(from, end);
      if (id >= 0) texts.push(text);
      else if (fusing) texts[texts.length - 1] = text + texts[texts.length - 1];
      else texts.push(text);
      fusing = id < 0;
    }
    return texts.reverse();
  }

  /** Best way to reach each end; id -1: an unknown character. */
  private nodes(piece: string): (Node | undefined)[] {
    const best: (Node | undefined)[] = [{ id: 0, score: 0, from: 0 }];
    const offer = (end: number, node: Node) => {
      const known = best[end];
      if (!known || node.score > known.score) best[end] = node;
    };
    for (let from = 0; from < piece.length; ) {
      const width = piece.codePointAt(from)! > 0xffff ? 2 : 1;
      const { score } = best[from]!;
      let single = false;
      for (let end = from + width; end <= Math.min(piece.length, from + this.longest); end++) {
        const id = this.vocab.get(piece.slice(from, end));
        if (id === undefined) continue;
        offer(end, { id: id === this.part.unk_id ? -1 : id, score: score + this.scores[id], from });
        single ||= end === from + width;
      }
      if (!single) offer(from + width, { id: -1, score: score + this.unknownScore, from });
      from += width;
    }
    return best;
  }
}
