/** Models of a `tokenizer.json`: from a piece of text to ids. A type that is not listed is refused by name. */
import { Bpe, type TextModel } from './bpe.ts';
import { LongestMatch } from './longest-match.ts';
import { kindNamed, type Part, TokenizerPartError } from './pattern.ts';
import { Unigram } from './unigram.ts';

export type { TextModel } from './bpe.ts';

interface WordPart extends Part {
  vocab: { [token: string]: number };
  unk_token: string;
}

/** Looks words up whole. */
class WordLevel implements TextModel {
  readonly vocab: ReadonlyMap<string, number>;

  constructor(private readonly part: WordPart) {
    this.vocab = new Map(Object.entries(part.vocab));
  }

  encode(piece: string): readonly number[] {
    const id = this.vocab.get(piece) ?? this.vocab.get(this.part.unk_token);
    if (id === undefined) throw new TokenizerPartError(`the word "${piece}", with no unknown token in the vocabulary`);
    return [id];
  }
}

const halfCharacter = /\p{Surrogate}/u;

/** BERT's longest match first; a word without a match is one unknown token. */
class WordPiece implements TextModel {
  readonly vocab: ReadonlyMap<string, number>;
  private readonly prefix: string;
  private readonly longest: number;
  private readonly atStart: LongestMatch;
  /** Without the prefix. */
  private readonly within: LongestMatch;

  constructor(private readonly part: WordPart) {
    this.vocab = new Map(Object.entries(part.vocab));
    this.prefix = (part.continuing_subword_prefix as string | undefined) ?? '##';
    this.longest = (part.max_input_chars_per_word as number | undefined) ?? 100;
    // A text has no halves of characters.
    const tokens = [...this.vocab.keys()].filter((token) => !halfCharacter.test(token));
    const continuing = tokens.filter((token) => token.startsWith(this.prefix));
    this.atStart = new LongestMatch(tokens);
    this.within = new LongestMatch(continuing.map((token) => token.slice(this.prefix.length)));
  }

  encode(piece: string): readonly number[] {
    const ids: number[] = [];
    if (Array.from(piece).length > this.longest) return [this.unknown(piece)];
    for (let start = 0; start < piece.length; ) {
      const found = (start > 0 ? this.within : this.atStart).at(piece, start);
      if (!found) return [this.unknown(piece)];
      ids.push(this.vocab.get(start > 0 ? this.prefix + found : found)!);
      start += found.length;
    }
    return ids;
  }

  private unknown(piece: string): number {
    const id = this.vocab.get(this.part.unk_token);
    if (id === undefined) throw new TokenizerPartError(`the word "${piece}", with no unknown token in the vocabulary`);
    return id;
  }
}

const models: { readonly [type: string]: (part: never) => TextModel } = {
  BPE: (part: ConstructorParameters<typeof Bpe>[0]) => new Bpe(part),
  WordPiece: (part: WordPart) => new WordPiece(part),
  WordLevel: (part: WordPart) => new WordLevel(part),
  Unigram: (part: ConstructorParameters<typeof Unigram>[0]) => new Unigram(part),
};

/** Type of a model; files of early versions lack the field (`models/mod.rs` tries the same forms in turn). */
function typeOf({ type, vocab, merges, continuing_subword_prefix, unk_token }: Part): string | undefined {
  if (type !== undefined) return type;
  if (merges) return 'BPE';
  if (Array.isArray(vocab)) return 'Unigram';
  return continuing_subword_prefix !== undefined ? 'WordPiece' : unk_token !== undefined ? 'WordLevel' : undefined;
}

export function modelOf(part: Part): TextModel {
  const make = kindNamed(models, typeOf(part));
  if (!make) throw new TokenizerPartError(`a model of type ${part.type ?? 'none'}`);
  return make(part as never);
}
