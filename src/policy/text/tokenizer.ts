/**
 * Tokenizer of a policy. `hf/pipeline.ts` runs every `tokenizer.json`, of tiny policies and language models alike, as
 * Hugging Face's tokenizers does. A tiny policy's vocabulary is built here: WordPiece over whole words and numbers of the
 * worlds' texts, with single characters as fallback.
 *
 * This file depends on strings and ids only, never on worlds or turns. Whitespace is lost: decoding joins tokens with
 * single spaces, so a text that must be exact (an action) is looked up instead of decoded.
 */
import { isNormalized } from './hf/added-tokens.ts';
import { byteOfToken } from './hf/decoders.ts';
import { TokenizerPartError } from './hf/pattern.ts';
import { Pipeline } from './hf/pipeline.ts';

/** Special tokens of a tiny policy. Ids follow this order, from 0. */
export const specialTokens = ['[PAD]', '[UNK]', '<bos>', '<obs>', '<act>', '<eot>'] as const;

/** Ends a thought; the action follows. Present only in the vocabulary of a policy that thinks. */
export const endOfThought = '<do>';

/** Numbers up to this bound are always in the vocabulary, even if no text contains them. */
const wholeNumbers = 64;

class TokenizerError extends Error {
  override name = 'TokenizerError';
}

/** Parts of a `tokenizer.json` that this file writes or reads. */
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

/**
 * Splits a text like the pre-tokenizer below: runs of letters and digits, and single punctuation marks; "_" separates.
 */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}\s_]/gu) ?? [];
}

/** Every printable ASCII character, and the "##" continuation of letters and digits. */
function characters(): string[] {
  const all = Array.from({ length: 126 - 33 + 1 }, (_, i) => String.fromCharCode(33 + i));
  return all.flatMap((character) => (/[A-Za-z0-9]/.test(character) ? [character, `##${character}`] : [character]));
}

export interface VocabularyOptions {
  /** Adds a token that ends a thought. */
  thinks?: boolean;
  /** Multi-word names that become one token each; the longest match wins. */
  names?: Iterable<string>;
}

// Code-unit order, not the locale's: ids must not depend on the machine.
const inOrder = (words: Iterable<string>) => [...words].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

/** Builds a `tokenizer.json`. The ids depend only on the set of distinct words, not on the order of the texts. */
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

/** Replacement character of the decoder for bytes that form no complete character. */
const brokenCharacter = '\uFFFD';

/** Characters on which all definitions of whitespace agree. */
const plain = /^[\x20-\x7e\n]*$/;
const spaces = /[ \n]+/;

/** True if no token crosses a space: the model encodes each whitespace-separated word on its own. */
function splitsAtWhitespace({ pre_tokenizer, model }: TokenizerJson, added: TokenizerJson['added_tokens']): boolean {
  const first = (pre_tokenizer as { pretokenizers?: { type: string }[] } | null)?.pretokenizers?.[0];
  const wider = added.some((each) => each.lstrip || each.rstrip || each.single_word || isNormalized(each));
  return model.type === 'WordPiece' && first?.type === 'WhitespaceSplit' && !wider;
}

/** Largest number of encoded texts to cache. The texts of worlds repeat often. */
const cacheLimit = 8192;

export class Tokenizer {
  readonly vocabSize: number;
  private readonly inner: Pipeline;
  private readonly cache = new Map<string, Int32Array>();
  private readonly splitsWords: boolean;

  /** `config` is the content of `tokenizer_config.json`, if the model has one. Throws TokenizerError. */
  constructor(
    readonly json: TokenizerJson,
    config: object = {},
  ) {
    try {
      this.inner = new Pipeline(json, config);
    } catch (error) {
      if (error instanceof TokenizerPartError)
        throw new TokenizerError(`This tokenizer.json cannot be loaded: it has ${error.message}, which is not read.`);
      throw new TokenizerError(`This tokenizer.json cannot be loaded: ${(error as Error).message}`);
    }
    // Files of early versions may lack the list.
    this.splitsWords = splitsAtWhitespace(json, json.added_tokens ?? []);
    // Ids may have gaps, and the embedding needs a row for the largest.
    this.vocabSize = this.inner.tokens.length;
  }

  /** Encodes a text without adding special tokens. The returned array is shared: do not write to it. */
  encode(text: string): Int32Array {
    return this.splitsWords && plain.test(text) ? this.encodeWords(text) : this.encodeWhole(text);
  }

  private encodeWhole(text: string): Int32Array {
    const known = this.cache.get(text);
    if (known) return known;
    const ids = Int32Array.from(this.inner.encode(text));
    if (this.cache.size >= cacheLimit) this.cache.clear();
    this.cache.set(text, ids);
    return ids;
  }

  /**
   * Encodes word by word, so that the library encodes each distinct word once. Valid because no token of a tiny policy
   * crosses a space.
   */
  private encodeWords(text: string): Int32Array {
    const ids: number[] = [];
    for (const section of this.inner.added.plainSections(text)) {
      if (typeof section === 'number') ids.push(section);
      else
        for (const word of section.text.split(spaces)) if (word) for (const id of this.encodeWhole(word)) ids.push(id);
    }
    return Int32Array.from(ids);
  }

  /** Decodes tokens, without special tokens and outer whitespace. */
  decode(tokens: ArrayLike<number>): string {
    return this.exactText(tokens, { special: false }).trim();
  }

  /** Decodes tokens without trimming. A byte that is not part of a character becomes U+FFFD. */
  exactText(tokens: ArrayLike<number>, { special }: { special: boolean }): string {
    return this.inner.decode(Array.from(tokens), { special });
  }

  /**
   * Decodes an unfinished turn. A character may span several tokens; an incomplete one at the end is left out, so that
   * the shown text only grows.
   */
  partialText(tokens: ArrayLike<number>): string {
    const shown = Array.from(tokens);
    // With byte fallback, one incomplete character spoils the whole run of bytes it ends. A character has at most 4.
    for (let dropped = 0; dropped < 4 && this.isByte(shown.at(-1)); dropped++) {
      if (!this.exactText(shown, { special: false }).endsWith(brokenCharacter)) break;
      shown.pop();
    }
    const text = this.exactText(shown, { special: false });
    let end = text.length;
    while (end > 0 && text[end - 1] === brokenCharacter) end--;
    return text.slice(0, end);
  }

  private isByte(id: number | undefined): boolean {
    return id !== undefined && byteOfToken(this.inner.tokens[id] ?? '') !== undefined;
  }

  /** Id of a token. Throws TokenizerError if the vocabulary does not contain it. */
  id(token: string): number {
    const id = this.inner.ids.get(token);
    if (id === undefined) throw new TokenizerError(`The vocabulary has no token "${token}".`);
    return id;
  }

  has(token: string): boolean {
    return this.inner.ids.has(token);
  }

  /** Token of an id as spelled in the vocabulary, or undefined if the id has none. */
  token(id: number): string | undefined {
    return this.inner.tokens[id];
  }

  /** True if the id is an added token, which ordinary text never produces by merging. */
  isAdded(id: number): boolean {
    return this.inner.addedIds.has(id);
  }

  /** Token of each id as spelled in the vocabulary, or an empty string. */
  tokenTexts(): string[] {
    return Array.from({ length: this.vocabSize }, (_, id) => this.inner.tokens[id] ?? '');
  }
}

/** Builds a tiny policy's tokenizer from the texts of its worlds. */
export function buildTokenizer(texts: Iterable<string>, options: VocabularyOptions = {}): Tokenizer {
  return new Tokenizer(buildTokenizerJson(texts, options));
}
