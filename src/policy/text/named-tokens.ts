/**
 * Named special tokens of a tokenizer (`bos_token` and the like), as transformers 5 finds them: special_tokens_map.json
 * precedes tokenizer_config.json unless that has `added_tokens_decoder`, and the tokenizer's class has defaults.
 */

type Fields = { [name: string]: unknown };

const end = '<|endoftext|>';
const qwen2 = { eos_token: end, pad_token: end, unk_token: end };
const gpt2 = { bos_token: end, eos_token: end, unk_token: end };
const llama = { bos_token: '<s>', eos_token: '</s>', unk_token: '<unk>' };

/**
 * Defaults of the class that transformers chooses. It reads every Qwen2 model as `Qwen2Tokenizer`, and a byte-level
 * tokenizer of class `LlamaTokenizer` without a class.
 */
function defaultsOf(modelType: unknown, tokenizerClass: unknown, tokenizer: string): Fields {
  if (modelType === 'qwen2') return qwen2;
  if (modelType !== 'llama' && modelType !== 'qwen3') return {};
  const name = typeof tokenizerClass === 'string' ? tokenizerClass.replace(/Fast$/, '') : null;
  if (name === 'Qwen2Tokenizer' || (name === null && modelType === 'qwen3')) return qwen2;
  if (name === 'GPT2Tokenizer') return gpt2;
  return name === 'LlamaTokenizer' && !/"type":\s*"ByteLevel"/.test(tokenizer) ? llama : {};
}

export interface TokenizerTexts {
  /** Text of tokenizer.json. */
  tokenizer: string;
  /** tokenizer_config.json, parsed. */
  config: Fields | null;
  /** special_tokens_map.json, parsed. */
  specialTokensMap: Fields | null;
  /** `model_type` of config.json. */
  modelType: unknown;
}

/** tokenizer_config.json with all named tokens, as if it were the only file; the same object if nothing is added. */
export function withNamedTokens({ tokenizer, config, specialTokensMap, modelType }: TokenizerTexts): Fields | null {
  const own = config ?? {};
  const mapped = 'added_tokens_decoder' in own ? {} : (specialTokensMap ?? {});
  const stated = { ...own, ...mapped };
  // A default that the vocabulary lacks would be a token without a row in the embedding.
  const defaults = Object.entries(defaultsOf(modelType, own.tokenizer_class, tokenizer)).filter(
    ([name, token]) => !(name in stated) && tokenizer.includes(JSON.stringify(token)),
  );
  const added = [...Object.entries(mapped), ...defaults];
  return added.length ? { ...own, ...Object.fromEntries(added) } : config;
}
