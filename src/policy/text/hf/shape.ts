/**
 * Checks the values of a `tokenizer.json` that the modules of this folder use without checks of their own, because the
 * file may come from anybody. Parts of unknown types are refused by the modules themselves.
 */
import { isObject } from '../../config-reader.ts';
import { contentOf, statedTokens } from '../named-tokens.ts';
import { TokenizerPartError } from './pattern.ts';

/** Largest id: forty times the largest vocabulary in use, and a table of ids still fits into memory. */
const largestId = 10_000_000;
const longestToken = 100_000;
/** Published tokenizers have at most some thousand. */
const mostAdded = 100_000;
/** Longest text that a part puts into a text, and levels of sequences. */
const longestInsert = 1000;
/** Longest pattern. The longest published ones have some hundred characters. */
const longestPattern = 10_000;
const mostLevels = 20;
const mostWordCharacters = 10_000;

type Fields = { [name: string]: unknown };
type Holds = (value: unknown) => boolean;

const isWhole = (value: unknown, least: number, most: number) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
const isId: Holds = (value) => isWhole(value, 0, largestId);
const isToken: Holds = (value) => typeof value === 'string' && value.length <= longestToken;
const isShort: Holds = (value) => typeof value === 'string' && value.length <= longestInsert;
const isText: Holds = (value) => typeof value === 'string';
const isCount: Holds = (value) => isWhole(value, 0, largestId);
const isPattern: Holds = (value) =>
  isObject(value) &&
  [value.String, value.Regex].every(
    (each) => each === undefined || (isText(each) && (each as string).length <= longestPattern),
  );

function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new TokenizerPartError(what);
}

/** Start of a name from the file, for a message. */
const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : typeof value;
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
};

/** Checks the list of added tokens, and those that a tokenizer_config.json adds. */
function checkAdded(added: unknown): void {
  check(Array.isArray(added), 'added_tokens that are not a list');
  check(added.length <= mostAdded, `${added.length} added tokens; at most ${mostAdded} are read`);
  for (const [k, each] of added.entries())
    check(
      isObject(each) && isToken(each.content) && isId(each.id),
      `an added token (number ${k}) without a text or an id from 0 to ${largestId}`,
    );
}

function checkVocabulary(vocab: unknown): void {
  if (Array.isArray(vocab)) {
    const wrong = vocab.findIndex((each) => !Array.isArray(each) || !isToken(each[0]) || typeof each[1] !== 'number');
    check(wrong < 0, `an entry of the vocabulary (number ${wrong}) that is not a text and a score`);
    return;
  }
  check(isObject(vocab), 'a model without a vocabulary');
  for (const [token, id] of Object.entries(vocab))
    check(isId(id) && isToken(token), `a vocabulary whose token ${shown(token)} has no id`);
}

const isMerge: Holds = (merge) =>
  isToken(merge) || (Array.isArray(merge) && merge.length === 2 && merge.every(isToken));

function checkModel(model: Fields): void {
  const { vocab, merges, unk_id: unknown } = model;
  checkVocabulary(vocab);
  const wrong = Array.isArray(merges) ? merges.findIndex((merge) => !isMerge(merge)) : -1;
  check(merges === undefined || Array.isArray(merges), 'merges that are not a list');
  check(model.type !== 'BPE' || merges !== undefined, 'a BPE model without merges');
  check(wrong < 0, `a merge (number ${wrong}) that is not two tokens`);
  for (const name of ['type', 'unk_token', 'continuing_subword_prefix', 'end_of_word_suffix'])
    check(model[name] == null || isShort(model[name]), `a model whose ${name} is not a text`);
  const longest = model.max_input_chars_per_word;
  check(
    longest === undefined || isWhole(longest, 1, mostWordCharacters),
    `a model whose max_input_chars_per_word is not a whole number from 1 to ${mostWordCharacters}`,
  );
  check(
    unknown == null || !Array.isArray(vocab) || isWhole(unknown, 0, vocab.length - 1),
    'a model whose unk_id is not one of its tokens',
  );
}

/** Fields of parts by name, whatever the part's type. */
const fields: { readonly [name: string]: Holds } = {
  type: isText,
  content: isShort,
  prepend: isShort,
  replacement: isShort,
  prepend_scheme: isText,
  prefix: isShort,
  suffix: isShort,
  delimiter: isShort,
  behavior: isText,
  pattern: isPattern,
  start: isCount,
  stop: isCount,
  length: (value) => isWhole(value, 1, largestId),
};

const lists: readonly string[] = ['normalizers', 'pretokenizers', 'decoders'];

/** Fields without which a part of this type means nothing, by the place of the part and its type. */
const needed: { readonly [placeAndType: string]: readonly string[] } = {
  'normalizer Sequence': ['normalizers'],
  'normalizer Replace': ['pattern', 'content'],
  'normalizer Prepend': ['prepend'],
  'pre_tokenizer Sequence': ['pretokenizers'],
  'pre_tokenizer Split': ['pattern', 'behavior'],
  'pre_tokenizer CharDelimiterSplit': ['delimiter'],
  'decoder Sequence': ['decoders'],
  'decoder Replace': ['pattern', 'content'],
  'decoder Strip': ['content', 'start', 'stop'],
};

function checkPart(part: unknown, place: string, level = 0): void {
  check(isObject(part), `a ${place} that is not an object`);
  check(level <= mostLevels, `a ${place} of more than ${mostLevels} levels`);
  for (const [name, holds] of Object.entries(fields))
    check(part[name] == null || holds(part[name]), `a ${place} whose ${name} cannot be used`);
  for (const name of needed[`${place} ${part.type}`] ?? [])
    check(part[name] != null, `a ${place} of type ${part.type} without ${name}`);
  for (const name of lists) {
    const inner = part[name];
    if (inner == null) continue;
    check(Array.isArray(inner), `a ${place} whose ${name} are not a list`);
    for (const each of inner) checkPart(each, place, level + 1);
  }
}

/** Checks the added and special tokens of a tokenizer_config.json. */
export function checkConfig(config: Fields): void {
  const { added_tokens_decoder: added } = config;
  check(added == null || isObject(added), 'a tokenizer_config.json whose added_tokens_decoder is not an object');
  const tokens = Object.values(added ?? {});
  check(tokens.length <= mostAdded, `${tokens.length} added tokens in tokenizer_config.json`);
  check(
    tokens.every((each) => isObject(each) && isToken(each.content)),
    'a token of added_tokens_decoder without a text',
  );
  check(config.split_special_tokens !== true, 'split_special_tokens in tokenizer_config.json');
  const special = statedTokens(config);
  check(special.length <= mostAdded, `${special.length} special tokens in tokenizer_config.json`);
  check(
    special.every((token) => isToken(contentOf(token))),
    'a special token of tokenizer_config.json that is too long',
  );
}

/** Throws TokenizerPartError, which names the part that is wrong. */
export function checkShape(json: unknown): void {
  check(isObject(json), 'no object');
  check(isObject(json.model), 'no model');
  if (json.added_tokens !== undefined) checkAdded(json.added_tokens);
  checkModel(json.model);
  for (const place of ['normalizer', 'pre_tokenizer', 'decoder'])
    if (json[place] != null) checkPart(json[place], place);
}
