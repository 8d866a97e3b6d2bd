/**
 * Tokens of a policy: one library (@huggingface/tokenizers) loads every `tokenizer.json`, a tiny policy's and a language
 * model's alike. A tiny policy's is built here: a WordPiece vocabulary of whole words and numbers from the worlds' own
 * texts, with single characters to fall back on.
 *
 * Knows strings and ids; has never heard of a world or a turn. Whitespace is not kept: a decoded text is the words joined
 * by single spaces, so text that must be exact (an action) is looked up, not decoded.
 */
import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';

/** Special tokens of a tiny policy. Ids follow this order, from 0. */
export const specialTokens = ['[PAD]', '[UNK]', '<bos>', '<obs>', '<act>', '<eot>'] as const;

/** Ends a thought: what follows is the action. Only of a vocabulary whose policy thinks. */
export const endOfThought = '<do>';

/** Counts up to here are words of their own, whether or not a text has shown them. */
const wholeNumbers = 64;

export class TokenizerError extends Error {
  override name = 'TokenizerError';
}

/** The parts of a `tokenizer.json` that this layer writes or reads. */
export interface TokenizerJson {
  version: string;
  truncation: unknown;
  padding: unknown;
  added_tokens: { id: number; content: string; special: boolean; [flag: string]: unknown }[];
  normalizer: unknown;
  pre_tokenizer: unknown;
  post_processor: unknown;
  decoder: unknown;
  model: { type: string; vocab: { [token: string]: number } | [string, number][]; [field: string]: unknown };
}

/** Words as the pre-tokenizer below sees them: runs of letters and digits, and single marks; "_" separates. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}\s_]/gu) ?? [];
}

/** Every printable ASCII character, and its continuing form. */
function characters(): string[] {
  const all = Array.from({ length: 126 - 33 + 1 }, (_, i) => String.fromCharCode(33 + i));
  return all.flatMap((character) => (/[A-Za-z0-9]/.test(character) ? [character, `##${character}`] : [character]));
}

export interface VocabularyOptions {
  /** Its thoughts end with a token of their own. */
  thinks?: boolean;
  /** Names of several words that are one token each, wherever they stand; the longest that fits is taken. */
  names?: Iterable<string>;
}

// Code-unit order, not the locale's: ids must not depend on the machine.
const inOrder = (words: Iterable<string>) => [...words].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

/** Builds a `tokenizer.json`. The same set of words gives the same ids, whatever the order of the texts. */
export function buildTokenizerJson(
  texts: Iterable<string>,
  { thinks = false, names = [] }: VocabularyOptions = {},
): TokenizerJson {
  const special = thinks ? [...specialTokens, endOfThought] : specialTokens;
  const words = new Set(characters());
  for (let n = 0; n <= wholeNumbers; n++) words.add(String(n));
  for (const text of texts) for (const word of wordsOf(text)) words.add(word);
  const whole = inOrder(new Set(names)).filter((name) => /\s/.test(name));
  const vocab = Object.fromEntries([...special, ...inOrder(words), ...whole].map((token, id) => [token, id]));
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [
      ...special.map((content) => addedEntry(content, vocab[content], true)),
      ...whole.map((content) => addedEntry(content, vocab[content], false)),
    ],
    normalizer: { type: 'Replace', pattern: { String: '_' }, content: ' ' },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'WhitespaceSplit' },
        // Not `Punctuation`: the library keeps a run of marks together whatever its behavior says.
        { type: 'Split', pattern: { Regex: '[^\\p{L}\\p{N}\\s]' }, behavior: 'Isolated', invert: false },
      ],
    },
    post_processor: null,
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 1000,
      vocab,
    },
  };
}

function addedEntry(content: string, id: number, special: boolean): TokenizerJson['added_tokens'][number] {
  return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special };
}

/** Stands where bytes make no character: a model's, or the first half of one that is not finished. */
const brokenCharacter = '\uFFFD';

/** What every reading of "whitespace" agrees on. */
const plain = /^[\x20-\x7e\n]*$/;
const spaces = /[ \n]+/;

/** True of a tokenizer whose model sees one word at a time, words being what stands between spaces or added tokens. */
function splitsAtWhitespace({ pre_tokenizer, model, added_tokens }: TokenizerJson): boolean {
  const first = (pre_tokenizer as { pretokenizers?: { type: string }[] } | null)?.pretokenizers?.[0];
  const wider = added_tokens.some(
    ({ lstrip, rstrip, single_word, normalized }) => lstrip || rstrip || single_word || normalized,
  );
  return model.type === 'WordPiece' && first?.type === 'WhitespaceSplit' && !wider;
}

/** Splits a text around each of these, which it keeps; the longer first, where one begins as another. */
function splitter(texts: readonly string[]): RegExp {
  const longerFirst = [...texts].sort((a, b) => b.length - a.length);
  return new RegExp(`(${longerFirst.map((text) => text.replace(/[^\w<>]/g, '\\$&')).join('|') || '(?!)'})`);
}

/** Texts encoded once are remembered up to this many: worlds repeat themselves. */
const cacheLimit = 8192;

export class Tokenizer {
  readonly vocabSize: number;
  private readonly inner: HuggingFaceTokenizer;
  private readonly added: ReadonlySet<number>;
  private readonly cache = new Map<string, Int32Array>();
  private readonly splitsWords: boolean;
  private readonly addedTexts: RegExp;
  private readonly addedIds: ReadonlyMap<string, number>;

  /** `config`: what `tokenizer_config.json` says, where there is one. */
  constructor(
    readonly json: TokenizerJson,
    config: object = {},
  ) {
    try {
      this.inner = new HuggingFaceTokenizer(json, config);
    } catch (error) {
      throw new TokenizerError(`This tokenizer.json cannot be loaded: ${(error as Error).message}`);
    }
    this.splitsWords = splitsAtWhitespace(json);
    this.addedTexts = splitter(json.added_tokens.map(({ content }) => content));
    this.addedIds = new Map(json.added_tokens.map(({ content, id }) => [content, id]));
    this.added = new Set(this.inner.get_added_tokens_decoder().keys());
    // Ids may have gaps; the embedding needs a row for the largest. (150,000 are too many arguments of one Math.max.)
    this.vocabSize = 1 + [...this.inner.get_vocab(true).values()].reduce((a, b) => Math.max(a, b), -1);
  }

  /** Token ids, without special tokens added. The array is shared: do not write to it. */
  encode(text: string): Int32Array {
    return this.splitsWords && plain.test(text) ? this.encodeWords(text) : this.encodeWhole(text);
  }

  private encodeWhole(text: string): Int32Array {
    const known = this.cache.get(text);
    if (known) return known;
    const ids = Int32Array.from(this.inner.encode(text, { add_special_tokens: false }).ids);
    if (this.cache.size >= cacheLimit) this.cache.clear();
    this.cache.set(text, ids);
    return ids;
  }

  /** A tiny policy's tokens never reach over a space: words are looked up one by one, the library is asked once a word. */
  private encodeWords(text: string): Int32Array {
    const ids: number[] = [];
    // What the expression captures stands at odd places: an added token.
    text.split(this.addedTexts).forEach((part, i) => {
      if (i % 2 === 1) ids.push(this.addedIds.get(part)!);
      else for (const word of part.split(spaces)) if (word) for (const id of this.encodeWhole(word)) ids.push(id);
    });
    return Int32Array.from(ids);
  }

  /** Text of tokens, special ones and outer spaces left out. */
  decode(tokens: ArrayLike<number>): string {
    return this.exactText(tokens, { special: false }).trim();
  }

  /** Text of tokens as it stands. A byte that belongs to no character is U+FFFD. */
  exactText(tokens: ArrayLike<number>, { special }: { special: boolean }): string {
    // A model may have more rows than its tokenizer has tokens: such an id has no text.
    const known = Array.from(tokens).filter((id) => this.inner.id_to_token(id) !== undefined);
    if (known.length === 0) return '';
    return this.inner.decode(known, { skip_special_tokens: !special, clean_up_tokenization_spaces: false });
  }

  /**
   * The text of a turn that is still being said. A character may span several tokens of a byte-level vocabulary: one that is
   * not whole yet is held back, so that what is shown only ever grows.
   */
  partialText(tokens: ArrayLike<number>): string {
    const text = this.exactText(tokens, { special: false });
    let end = text.length;
    while (end > 0 && text[end - 1] === brokenCharacter) end--;
    return text.slice(0, end);
  }

  /** The id of a token that must exist. */
  id(token: string): number {
    const id = this.inner.token_to_id(token);
    if (id === undefined) throw new TokenizerError(`The vocabulary has no token "${token}".`);
    return id;
  }

  has(token: string): boolean {
    return this.inner.token_to_id(token) !== undefined;
  }

  /** The token of an id, as the vocabulary spells it; undefined where there is none. */
  token(id: number): string | undefined {
    return this.inner.id_to_token(id);
  }

  /** Whether an id is a token of its own that no text is cut into by accident. */
  isAdded(id: number): boolean {
    return this.added.has(id);
  }

  /** Text of each id, as a reader shows it. */
  tokenTexts(): string[] {
    return Array.from({ length: this.vocabSize }, (_, id) => this.inner.id_to_token(id) ?? '');
  }
}

/** A tiny policy's tokenizer, from its worlds' texts. */
export function buildTokenizer(texts: Iterable<string>, options: VocabularyOptions = {}): Tokenizer {
  return new Tokenizer(buildTokenizerJson(texts, options));
}
