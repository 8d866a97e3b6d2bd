/**
 * Pre-tokenizers: how each family splits text before merging, copied from its published tokenizer.json. Keys are the
 * names used in GGUF files (`tokenizer.ggml.pre`).
 */
const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };

/** GPT-4's splitting rule. `digits` is the pattern that groups the digits of a number. */
const splitThenBytes = (digits: string) => ({
  type: 'Sequence',
  pretokenizers: [
    {
      type: 'Split',
      pattern: {
        Regex: `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
      },
      behavior: 'Isolated',
      invert: false,
    },
    byteLevel,
  ],
});

export const preTokenizers: { readonly [name: string]: object } = {
  qwen2: splitThenBytes('\\p{N}'),
  'llama-bpe': splitThenBytes('\\p{N}{1,3}'),
  smollm: {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Digits', individual_digits: true },
      { ...byteLevel, use_regex: true },
    ],
  },
  'gpt-2': { ...byteLevel, use_regex: true },
  // Llama 3's rule, in files converted from a tokenizer.json without ignore_merges (github.com/ggml-org/llama.cpp/issues/7881).
  'smaug-bpe': splitThenBytes('\\p{N}{1,3}'),
};
