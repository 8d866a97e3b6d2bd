/**
 * Tokenizers for random models (`npm run make-model`): a byte-level BPE with a family's vocabulary size, special token
 * ids and pre-tokenizer, but with invented merges: pairs, triples and quadruples of letters. It encodes and decodes
 * every text exactly, at about three characters a token, without any statistics of real language. Special tokens and
 * pre-tokenizers are copied from the families' published tokenizer.json.
 */

import type { Family } from '../catalogue.ts';
import { byteLetters } from './byte-level.ts';
import { chatFamilies } from './chat-templates.ts';
import { preTokenizers } from './pre-tokenizers.ts';

export interface SyntheticTokenizer {
  /** tokenizer.json, as an object. */
  tokenizer: object;
  /** tokenizer_config.json, as an object. */
  config: { chat_template: string; [field: string]: unknown };
  bosToken: number;
  eosTokens: number[];
}

interface FamilyFacts {
  /** Special tokens in the order of their ids. */
  special: readonly string[];
  /**
   * Id of the first special token. 0: special tokens precede the vocabulary; otherwise, the size of the vocabulary
   * before them.
   */
  at: number;
  bos: string;
  eos: readonly string[];
  pad: string;
  /** True if encoding with special tokens prepends the bos token. */
  addBos: boolean;
  preTokenizer: object;
  template: string;
}

const qwenSpecial = [
  ...['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<|object_ref_start|>', '<|object_ref_end|>', '<|box_start|>'],
  ...['<|box_end|>', '<|quad_start|>', '<|quad_end|>', '<|vision_start|>', '<|vision_end|>', '<|vision_pad|>'],
  ...['<|image_pad|>', '<|video_pad|>', '<tool_call>', '</tool_call>', '<|fim_prefix|>', '<|fim_middle|>'],
  ...['<|fim_suffix|>', '<|fim_pad|>', '<|repo_name|>', '<|file_sep|>'],
];

const smolSpecial = [
  ...['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<repo_name>', '<reponame>', '<file_sep>', '<filename>'],
  ...['<gh_stars>', '<issue_start>', '<issue_comment>', '<issue_closed>', '<jupyter_start>', '<jupyter_text>'],
  ...['<jupyter_code>', '<jupyter_output>', '<jupyter_script>', '<empty_output>'],
];

const llamaSpecial = [
  ...['<|begin_of_text|>', '<|end_of_text|>', '<|reserved_special_token_0|>', '<|reserved_special_token_1|>'],
  ...['<|finetune_right_pad_id|>', '<|reserved_special_token_2|>', '<|start_header_id|>', '<|end_header_id|>'],
  ...['<|eom_id|>', '<|eot_id|>', '<|python_tag|>'],
  ...Array.from({ length: 245 }, (_, i) => `<|reserved_special_token_${i + 3}|>`),
];

const qwen: Omit<FamilyFacts, 'special' | 'template'> = {
  at: 151643,
  bos: '<|endoftext|>',
  eos: ['<|im_end|>'],
  pad: '<|endoftext|>',
  addBos: false,
  preTokenizer: preTokenizers.qwen2,
};

const families: { [family in Family]: FamilyFacts } = {
  'qwen2.5': { ...qwen, special: qwenSpecial, template: chatFamilies.qwen2.config.chat_template },
  qwen3: {
    ...qwen,
    special: [...qwenSpecial, '<tool_response>', '</tool_response>', '<think>', '</think>'],
    template: chatFamilies.qwen3.config.chat_template,
  },
  smollm2: {
    special: smolSpecial,
    at: 0,
    bos: '<|im_start|>',
    eos: ['<|im_end|>'],
    pad: '<|im_end|>',
    addBos: false,
    preTokenizer: preTokenizers.smollm,
    template: chatFamilies.smollm2.config.chat_template,
  },
  'llama-3.2': {
    special: llamaSpecial,
    at: 128000,
    bos: '<|begin_of_text|>',
    eos: ['<|end_of_text|>', '<|eom_id|>', '<|eot_id|>'],
    pad: '<|finetune_right_pad_id|>',
    addBos: true,
    preTokenizer: preTokenizers['llama-bpe'],
    template: chatFamilies.llama3.config.chat_template,
  },
};

const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i));
/** Letter of the space, which begins every token inside a sentence. */
const space = 'Ġ';

/** Merges in order of priority, about half a million: more than any vocabulary here uses. */
function* merges(): Generator<[string, string]> {
  const pairs = letters.flatMap((a) => letters.map((b) => a + b));
  for (const pair of pairs) yield [pair[0], pair[1]];
  const threes = pairs.flatMap((pair) => letters.map((c) => pair + c));
  for (const three of threes) yield [three.slice(0, 2), three[2]];
  for (const word of [...letters, ...pairs, ...threes]) yield [space, word];
  for (const pair of pairs) for (const other of pairs) yield [pair, other];
}

/** At most `count` merges. */
function* firstMerges(count: number): Generator<[string, string]> {
  let left = count;
  for (const merge of merges()) {
    if (left-- <= 0) return;
    yield merge;
  }
}

const entry = (content: string, id: number) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  // Qwen's think and tool tags are visible text, so they are not marked special.
  special: !/^<\/?(think|tool)/.test(content),
});

/**
 * Tokenizer of a random model. A vocabulary smaller than the family's keeps the named special tokens and has fewer
 * reserved tokens and merges. Throws RangeError if the bytes and special tokens alone exceed `vocabSize`.
 */
export function syntheticTokenizer(family: Family, vocabSize: number): SyntheticTokenizer {
  const facts = families[family];
  const isFullSize = vocabSize >= facts.at + facts.special.length && vocabSize >= 40_000;
  const special = isFullSize ? facts.special : facts.special.filter((token) => !token.includes('reserved'));
  const ordinary = isFullSize && facts.at > 0 ? facts.at : vocabSize - special.length;
  if (ordinary < 256)
    throw new RangeError(
      `A vocabulary of ${vocabSize} is too small: 256 bytes and ${special.length} special tokens are needed.`,
    );
  const specialAt = facts.at > 0 ? ordinary : 0;
  const list = [...firstMerges(ordinary - 256)];
  const ordinaryAt = facts.at > 0 ? 0 : special.length;
  const tokens = [...byteLetters(), ...list.map(([a, b]) => a + b)];
  const vocab = Object.fromEntries(tokens.map((token, i) => [token, ordinaryAt + i]));
  const idOf = (token: string) => specialAt + special.indexOf(token);
  if (specialAt === 0) for (const token of special) vocab[token] = idOf(token);
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((token, i) => entry(token, specialAt + i)),
    normalizer: family.startsWith('qwen') ? { type: 'NFC' } : null,
    pre_tokenizer: facts.preTokenizer,
    post_processor: facts.addBos ? bosTemplate(facts.bos, idOf(facts.bos)) : null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: family === 'llama-3.2',
      vocab,
      merges: list,
    },
  };
  return { tokenizer, config: configOf(facts), bosToken: idOf(facts.bos), eosTokens: facts.eos.map(idOf) };
}

const bosTemplate = (token: string, id: number) => ({
  type: 'TemplateProcessing',
  single: [{ SpecialToken: { id: token, type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
  pair: [
    { SpecialToken: { id: token, type_id: 0 } },
    { Sequence: { id: 'A', type_id: 0 } },
    { SpecialToken: { id: token, type_id: 1 } },
    { Sequence: { id: 'B', type_id: 1 } },
  ],
  special_tokens: { [token]: { id: token, ids: [id], tokens: [token] } },
});

const configOf = (facts: FamilyFacts) => ({
  tokenizer_class: 'PreTrainedTokenizerFast',
  bos_token: facts.bos,
  eos_token: facts.eos.at(-1),
  pad_token: facts.pad,
  add_bos_token: facts.addBos,
  clean_up_tokenization_spaces: false,
  chat_template: facts.template,
});
