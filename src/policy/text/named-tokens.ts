/**
 * Named special tokens of a tokenizer (`bos_token` and the like), as transformers 5 finds them: special_tokens_map.json
 * precedes tokenizer_config.json unless that has `added_tokens_decoder`, and the tokenizer's class has defaults.
 */

type Fields = { [name: string]: unknown };

/** A special token as a text, or with its flags. */
export type SpecialToken = string | { content: string; [flag: string]: unknown };

const standard = ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask'].map((name) => `${name}_token`);

export const contentOf = (token: SpecialToken): string => (typeof token === 'string' ? token : token.content);

const isToken = (value: unknown): value is SpecialToken =>
  typeof value === 'string' || typeof (value as { content?: unknown } | null)?.content === 'string';

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/**
 * Special tokens of a `tokenizer_config.json` with the names by which a template sees them: the standard ones, other
 * fields that end in `_token`, and those of `extra_special_tokens`.
 */
export function namedTokens(config: Fields): [name: string, token: SpecialToken][] {
  const others = Object.keys(config).filter((name) => name.endsWith('_token') && !standard.includes(name));
  const all = [
    ...[...standard, ...others].map((name) => [name, config[name]] as const),
    ...Object.entries(fieldsOf(config.model_specific_special_tokens)),
    ...Object.entries(fieldsOf(config.extra_special_tokens)),
  ];
  return all.filter((entry): entry is [string, SpecialToken] => isToken(entry[1]));
}

/** Special tokens without a name: `extra_special_tokens`, or its older name `additional_special_tokens`. */
function unnamedTokens({ extra_special_tokens, additional_special_tokens }: Fields): SpecialToken[] {
  return [extra_special_tokens, additional_special_tokens]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter(isToken);
}

/** All special tokens of a `tokenizer_config.json`, those with names first. */
export const statedTokens = (config: Fields): SpecialToken[] => [
  ...namedTokens(config).map(([, token]) => token),
  ...unnamedTokens(config),
];

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
  /** added_tokens.json, parsed: ids by text. */
  addedTokens: Fields | null;
  /** `model_type` of config.json. */
  modelType: unknown;
}

/**
 * Tokens of added_tokens.json, as `added_tokens_decoder` of tokenizer_config.json. It is read where that has none.
 * An id of tokenizer.json's own list keeps its token.
 */
function addedDecoder(added: Fields, stated: Fields, tokenizer: string): Fields {
  const special = new Set(statedTokens(stated).map(contentOf));
  const { added_tokens: listed = [] } = JSON.parse(tokenizer) as { added_tokens?: { id: number }[] };
  const taken = new Set(listed.map(({ id }) => id));
  const entries = Object.entries(added)
    .filter(([, id]) => !taken.has(id as number))
    .map(([content, id]) => {
      const flags = { single_word: false, lstrip: false, rstrip: false };
      return [String(id), { content, ...flags, normalized: !special.has(content), special: special.has(content) }];
    });
  return entries.length ? { added_tokens_decoder: Object.fromEntries(entries) } : {};
}

/** tokenizer_config.json with all named and added tokens, as if it were the only file; the same object if nothing is added. */
export function withNamedTokens({
  tokenizer,
  config,
  specialTokensMap,
  addedTokens,
  modelType,
}: TokenizerTexts): Fields | null {
  const own = config ?? {};
  const mapped = 'added_tokens_decoder' in own ? {} : (specialTokensMap ?? {});
  // Lists of further tokens are joined, names are replaced.
  const { extra_special_tokens: extra } = mapped;
  const joined = Array.isArray(extra) && { extra_special_tokens: [...unnamedTokens(own), ...extra] };
  const stated = { ...own, ...mapped, ...joined };
  // A default that the vocabulary lacks would be a token without a row in the embedding.
  const defaults = Object.entries(defaultsOf(modelType, own.tokenizer_class, tokenizer)).filter(
    ([name, token]) => !(name in stated) && tokenizer.includes(JSON.stringify(token)),
  );
  const decoder =
    addedTokens && tokenizer && !('added_tokens_decoder' in own) ? addedDecoder(addedTokens, stated, tokenizer) : {};
  if (![defaults, mapped, decoder].some((each) => Object.keys(each).length)) return config;
  return { ...stated, ...decoder, ...Object.fromEntries(defaults) };
}
