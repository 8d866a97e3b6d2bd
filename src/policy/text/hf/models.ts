/** Models of a `tokenizer.json`: from a piece of text to ids. A type that is not listed is refused by name. */
import { Bpe, type TextModel } from './bpe.ts';
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

/** Beginning of tokens: the id of the token that it is, if any, and the longer beginnings by their next character. */
class Prefix {
  id: number | undefined;
  readonly next = new Map<string, Prefix>();

  /** Returns the beginning that this one and the text make, made if there is none. */
  add(text: string): Prefix {
    let at: Prefix = this;
    for (const character of text) {
      const known = at.next.get(character) ?? new Prefix();
      at.next.set(character, known);
      at = known;
    }
    return at;
  }
}

/** BERT's longest match first; a word without a match is one unknown token. */
class WordPiece implements TextModel {
  readonly vocab: ReadonlyMap<string, number>;
  private readonly prefix: string;
  private readonly longest: number;
  private readonly atStart = new Prefix();
  private readonly within: Prefix;

  constructor(private readonly part: WordPart) {
    this.vocab = new Map(Object.entries(part.vocab));
    this.prefix = (part.continuing_subword_prefix as string | undefined) ?? '##';
    this.longest = (part.max_input_chars_per_word as number | undefined) ?? 100;
    for (const [token, id] of this.vocab) this.atStart.add(token).id = id;
    this.within = this.atStart.add(this.prefix);
  }

  encode(piece: string): readonly number[] {
    const characters = Array.from(piece);
    const ids: number[] = [];
    if (characters.length > this.longest) return [this.unknown(piece)];
    for (let start = 0; start < characters.length; ) {
      let [id, next] = [undefined as number | undefined, start];
      let at = (start > 0 ? this.within : this.atStart).next.get(characters[start]);
      for (let end = start + 1; at; at = at.next.get(characters[end++]))
        if (at.id !== undefined) [id, next] = [at.id, end];
      if (id === undefined) return [this.unknown(piece)];
      ids.push(id);
      start = next;
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
