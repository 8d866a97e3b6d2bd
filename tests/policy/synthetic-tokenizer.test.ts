import { Tokenizer } from '@huggingface/tokenizers';
import { describe, expect, it } from 'vitest';
import { configOf, type Family, findModel } from '../../src/policy/catalogue.ts';
import { syntheticTokenizer } from '../../src/policy/text/synthetic-tokenizer.ts';

const models: { [family in Family]: string } = {
  'qwen2.5': 'qwen2.5-0.5b',
  qwen3: 'qwen3-0.6b',
  smollm2: 'smollm2-135m',
  'llama-3.2': 'llama-3.2-1b',
};

const texts = [
  'Goal: craft 4 oak planks.',
  "It's 1234 apples,\n\n  and  a tab\there — naïve 日本語 🙂",
  '\u0000\u0007 \n',
];

describe.each(Object.entries(models) as [Family, string][])('%s', (family, id) => {
  const config = configOf(findModel(id));

  it('has the special tokens at the ids of config.json, and decodes every text unchanged', { tags: 'slow' }, () => {
    const made = syntheticTokenizer(family, config.vocabSize);
    expect([made.bosToken, made.eosTokens]).toEqual([config.bosToken, config.eosTokens]);
    const tokenizer = new Tokenizer(made.tokenizer, made.config);
    const all = [...tokenizer.get_vocab(true).values()];
    expect(new Set(all).size).toBe(all.length);
    expect(all.reduce((a, b) => Math.max(a, b))).toBeLessThan(config.vocabSize);
    for (const text of texts) {
      const { ids } = tokenizer.encode(text, { add_special_tokens: false });
      expect(tokenizer.decode(ids, { skip_special_tokens: false, clean_up_tokenization_spaces: false })).toBe(text);
    }
    const { ids } = tokenizer.encode(texts[0], { add_special_tokens: false });
    expect(ids.length).toBeLessThan(texts[0].length * 0.6);
  });

  it('shrinks to a small vocabulary', () => {
    const made = syntheticTokenizer(family, 512);
    const tokenizer = new Tokenizer(made.tokenizer, made.config);
    const all = [...tokenizer.get_vocab(true).values()].sort((a, b) => a - b);
    expect(all).toEqual(Array.from({ length: 512 }, (_, i) => i));
    expect(made.eosTokens.every((token) => token < 512)).toBe(true);
    const special = made.config.eos_token as string;
    expect(tokenizer.encode(`ab${special}cd`, { add_special_tokens: false }).ids).toContain(made.eosTokens.at(-1));
  });

  it('refuses a vocabulary without room for the bytes', () => {
    expect(() => syntheticTokenizer(family, 260)).toThrow(/260 is too small/);
  });
});
