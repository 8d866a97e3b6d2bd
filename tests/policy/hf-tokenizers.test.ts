/**
 * Encoding and decoding as Hugging Face's tokenizers 0.23.3. The fixture holds small random tokenizers, texts, ids and
 * decoded texts, written by `tools/interop/text/random_tokenizers.py 300 SEED TEXTS OUT` with seeds 1 to 4 and cut to the
 * cases that add a part: every model, pre-tokenizer, normalizer, decoder, flag and behavior occurs.
 */
import { describe, expect, it } from 'vitest';
import { Tokenizer, type TokenizerJson } from '../../src/policy/text/tokenizer.ts';
import cases from '../fixtures/hf-tokenizers.golden.json' with { type: 'json' };

const byteFallback = (tokens: string[]): TokenizerJson =>
  ({
    added_tokens: [],
    normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '\u2581' },
    pre_tokenizer: null,
    decoder: { type: 'Sequence', decoders: [{ type: 'ByteFallback' }, { type: 'Fuse' }] },
    model: {
      type: 'BPE',
      byte_fallback: true,
      vocab: Object.fromEntries(
        [
          ...Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`),
          ...tokens,
        ].map((token, id) => [token, id]),
      ),
      merges: [],
    },
  }) as unknown as TokenizerJson;

describe('a tokenizer.json', () => {
  it.each(cases.map((each, i) => [i, each] as const))('is read as the original reads it: %i', (_, each) => {
    const tokenizer = new Tokenizer(each.tokenizer as unknown as TokenizerJson);
    const found = each.texts.map((text) => [...tokenizer.encode(text)]);
    expect(found).toEqual(each.ids);
    for (const [ids, whole, plain] of each.decoded as [number[], string, string][]) {
      expect(tokenizer.exactText(ids, { special: true })).toBe(whole);
      expect(tokenizer.exactText(ids, { special: false })).toBe(plain);
    }
  });

  it('is refused by the name of a part that is not read', () => {
    const [{ tokenizer }] = cases as unknown as { tokenizer: TokenizerJson }[];
    const refusal = (fields: object) => () => new Tokenizer({ ...tokenizer, ...fields });
    expect(refusal({ pre_tokenizer: { type: 'UnicodeScripts' } })).toThrow(/pre-tokenizer of type UnicodeScripts/);
    expect(refusal({ normalizer: { type: 'Precompiled' } })).toThrow(/normalizer of type Precompiled/);
    expect(refusal({ decoder: { type: 'CTC' } })).toThrow(/decoder of type CTC/);
    expect(refusal({ model: { type: 'BPE', dropout: 0.1, vocab: {}, merges: [] } })).toThrow(/dropout/);
    expect(refusal({ model: { type: 'BPE', vocab: { a: 0 }, merges: ['a b'] } })).toThrow(/merge with the token "b"/);
    const regex = { type: 'Split', pattern: { Regex: '(?<!' }, behavior: 'Isolated' };
    expect(refusal({ pre_tokenizer: regex })).toThrow(/the pattern "\(\?<!"/);
  });

  it('is refused for a pattern that JavaScript would read in another way', () => {
    const [{ tokenizer }] = cases as unknown as { tokenizer: TokenizerJson }[];
    const refusal = (Regex: string) => () =>
      new Tokenizer({ ...tokenizer, pre_tokenizer: { type: 'Split', pattern: { Regex }, behavior: 'Isolated' } });
    expect(refusal('(?i:é|σ)')).toThrow('ignores the case of letters other than a to z');
    expect(refusal('\\G.')).toThrow('which has \\G');
    expect(refusal("(?i:'s|'t)|\\p{Lu}|é")).not.toThrow();
  });

  it('takes flags and tokens of tokenizer_config.json, as transformers does', () => {
    const json = byteFallback(['a', 'b', '<x>']);
    const config = {
      added_tokens_decoder: {
        258: { content: '<x>', special: true, normalized: false },
        300: { content: '<y>', special: false, normalized: false },
      },
      eos_token: '<z>',
    };
    const tokenizer = new Tokenizer(json, config);
    expect([...tokenizer.encode('a<x>b<y><z>')]).toEqual([256, 258, 257, 259, 260]);
    expect(tokenizer.exactText([256, 258, 259, 260], { special: false })).toBe('a<y>');
  });

  // Ids of AutoTokenizer, transformers 5.24.
  it.each([
    { additional_special_tokens: ['<x>', { content: '<y>', rstrip: true }], image_token: '<i>' },
    {
      extra_special_tokens: ['<x>', { content: '<y>', rstrip: true }],
      model_specific_special_tokens: { image: '<i>' },
    },
    {
      extra_special_tokens: { image_token: '<i>' },
      additional_special_tokens: ['<x>', { content: '<y>', rstrip: true }],
    },
  ])('adds the special tokens %o', (config) => {
    const tokenizer = new Tokenizer(byteFallback(['a', 'b']), config);
    expect([...tokenizer.encode('a<x>b<y>  <i>')]).toEqual([256, 259, 257, 260, 258]);
    expect(tokenizer.exactText([256, 258, 259, 260], { special: false })).toBe('a');
  });

  it('that divides special tokens into letters is refused', () => {
    expect(() => new Tokenizer(byteFallback(['a']), { split_special_tokens: true })).toThrow('split_special_tokens');
  });
});

describe('bytes of a character', () => {
  const tokenizer = new Tokenizer(byteFallback(['a']));

  it('are shown when the character is whole, and one U+FFFD each when it never is', () => {
    const ids = [...tokenizer.encode('a你好')];
    expect(ids).toHaveLength(7);
    const shown = ids.map((_, i) => tokenizer.partialText(ids.slice(0, i + 1)));
    expect(shown).toEqual(['a', 'a', 'a', 'a你', 'a你', 'a你', 'a你好']);
    expect(tokenizer.exactText(ids.slice(0, 5), { special: true })).toBe('a\uFFFD\uFFFD\uFFFD\uFFFD');
  });

  it('keep a byte-order mark', () => {
    expect(tokenizer.exactText(tokenizer.encode('\uFEFFa'), { special: true })).toBe('\uFEFFa');
  });
});

// Ids of tokenizers 0.23.3.
it.each([
  [{ type: 'Metaspace', replacement: '_', prepend_scheme: 'always' }, null],
  [{ type: 'ByteLevel', add_prefix_space: true }, null],
  [
    { type: 'Metaspace', replacement: '_', prepend_scheme: 'always' },
    { type: 'Strip', strip_left: true },
  ],
])('a text of which nothing is left has no tokens with %j and %j', (pre_tokenizer, normalizer) => {
  const model = { type: 'BPE', vocab: { _: 0, Ġ: 1, a: 2 }, merges: [] };
  const tokenizer = new Tokenizer({ normalizer, pre_tokenizer, model } as unknown as TokenizerJson);
  expect([...tokenizer.encode(normalizer ? '  ' : '')]).toEqual([]);
  expect([...tokenizer.encode('a')]).toHaveLength(2);
});

it('ranges that ignore case have the letters of other scripts that fold to ASCII', () => {
  const split = { type: 'Split', pattern: { Regex: '(?i:[a-z]+)' }, behavior: 'Removed' };
  const model = { type: 'BPE', vocab: { a: 0, \u017f: 1, '-': 2 }, merges: [] };
  const tokenizer = new Tokenizer({ pre_tokenizer: split, model } as unknown as TokenizerJson);
  expect([...tokenizer.encode('a\u017f-')]).toEqual([2]);
});

// Ids of tokenizers 0.23.3.
it.each([
  [
    { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: false, strip_accents: false, lowercase: true },
    ['0102', '102', '1', '001', '021', '010'],
  ],
  [{ type: 'Strip', strip_left: true, strip_right: false }, ['0102', '0102', '01', '1', '021', '10']],
  [{ type: 'Strip', strip_left: false, strip_right: true }, ['0102', '0102', '01', '001', '021', '01']],
  [{ type: 'Replace', pattern: { String: 'b' }, content: '' }, ['010', '010', '01', '001', '1', '010']],
])('Metaspace marks no start of which %o drops the first character', (normalizer, expected) => {
  const tokenizer = new Tokenizer({
    normalizer,
    pre_tokenizer: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'first', split: true },
    model: { type: 'BPE', vocab: { '\u2581': 0, a: 1, b: 2 }, merges: [] },
  } as unknown as TokenizerJson);
  const texts = ['a b', '\u200ba b', '\0a', '  a', 'ba', ' a '];
  expect(texts.map((text) => [...tokenizer.encode(text)].join(''))).toEqual(expected);
});
