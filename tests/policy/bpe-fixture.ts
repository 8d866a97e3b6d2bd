// A small byte-level BPE tokenizer like those of the language-model families: every byte, a few merges, special tokens.
// The merges cover the cases that must not be cut wrongly: line breaks, a space and a letter, the bytes of one
// character.
import { byteLetters } from '../../src/policy/text/byte-level.ts';
import type { TokenizerJson } from '../../src/policy/text/tokenizer.ts';
import { Tokenizer } from '../../src/policy/text/tokenizer.ts';

const letters = byteLetters();
const inLetters = (text: string) => Array.from(new TextEncoder().encode(text), (byte) => letters[byte]);

/** Every merge joins two existing tokens. */
const words = ['\n\n', ' t', 'he', ' the', 'ge', 'get', 'ct', 'Act', 'ion', 'Action', ':\n', '!\n', '. ', 'ok'];

/** Merges that build each word from the left. */
function mergesOf(): [string, string][] {
  const merges: [string, string][] = [];
  const known = new Set(letters);
  const add = (a: string, b: string) => {
    if (known.has(a + b)) return;
    merges.push([a, b]);
    known.add(a + b);
  };
  for (const word of words) {
    let parts = inLetters(word);
    while (parts.length > 1) {
      const [a, b, ...rest] = parts;
      add(a, b);
      parts = [a + b, ...rest];
    }
  }
  // The first two bytes of many emoji: a token that ends within a character.
  add(letters[0xf0], letters[0x9f]);
  return merges;
}

const split =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

export function bpeTokenizerJson(specialTokens: readonly string[], plainTokens: readonly string[] = []): TokenizerJson {
  const merges = mergesOf();
  const pieces = [...letters, ...merges.map(([a, b]) => a + b)];
  const entry = (content: string, i: number, special: boolean) => ({
    id: pieces.length + i,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special,
  });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [
      ...specialTokens.map((token, i) => entry(token, i, true)),
      ...plainTokens.map((token, i) => entry(token, specialTokens.length + i, false)),
    ],
    normalizer: { type: 'NFC' },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: split }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
      merges: merges.map(([a, b]) => `${a} ${b}`),
    },
  };
}

export const bpeTokenizer = (specialTokens: readonly string[], plainTokens: readonly string[] = []) =>
  new Tokenizer(bpeTokenizerJson(specialTokens, plainTokens));
