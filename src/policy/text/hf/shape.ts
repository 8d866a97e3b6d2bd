/**
 * Checks the values of a `tokenizer.json` that the modules of this folder use without checks of their own, because the
 * file may come from anybody. Parts of unknown types are refused by the modules themselves.
 */
import { isObject } from '../../config-reader.ts';
import { TokenizerPartError } from './pattern.ts';

/** Largest id: forty times the largest vocabulary in use, and a table of ids still fits into memory. */
const largestId = 10_000_000;
const longestToken = 100_000;

const isId = (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= largestId;
const isToken = (value: unknown) => typeof value === 'string' && value.length <= longestToken;

function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new TokenizerPartError(what);
}

function checkAdded(added: unknown): void {
  check(Array.isArray(added), 'added_tokens that are not a list');
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
    check(isId(id) && isToken(token), `a vocabulary whose token ${JSON.stringify(token.slice(0, 40))} has no id`);
}

/** Throws TokenizerPartError, which names the part that is wrong. */
export function checkShape(json: unknown): void {
  check(isObject(json), 'no object');
  check(isObject(json.model), 'no model');
  if (json.added_tokens !== undefined) checkAdded(json.added_tokens);
  checkVocabulary(json.model.vocab);
  for (const name of ['normalizer', 'pre_tokenizer', 'decoder'])
    check(json[name] === undefined || json[name] === null || isObject(json[name]), `a ${name} that is not an object`);
}
