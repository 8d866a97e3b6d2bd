/**
 * Parses a body of `/retrieve` as FastAPI with pydantic 1 does: `queries` is a list of texts, `topk` an integer or
 * null, `return_scores` a boolean.
 */
import type { Field } from '../../src/envs/serving/form.ts';
import { type Problem, readBody, Unreadable } from '../../src/server/agentgym/fields.ts';
import { type ParsedJson, PythonNumber } from '../../src/server/agentgym/json.ts';

export interface RetrieveRequest {
  queries: string[];
  /** null if the request gives no number. */
  topk: number | null;
  returnScores: boolean;
}

// pydantic 1.10: validators.py, bool_validator.
const booleans = new Map<string, boolean>([
  ...['1', 'on', 't', 'true', 'y', 'yes'].map((text) => [text, true] as const),
  ...['0', 'off', 'f', 'false', 'n', 'no'].map((text) => [text, false] as const),
]);

class Reader {
  readonly problems: Problem[] = [];

  /** Converts one value by pydantic's rules for its field. If it is invalid, notes a problem and returns undefined. */
  value(field: Field, value: ParsedJson, loc: Problem['loc']) {
    try {
      return readBody({ value: field }, { value }).value;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.problems.push(...error.problems.map((problem) => ({ ...problem, loc })));
      return undefined;
    }
  }

  note(loc: Problem['loc'], msg: string, type: string): undefined {
    this.problems.push({ loc, msg, type });
  }
}

function queriesOf(reader: Reader, value: ParsedJson | undefined): string[] {
  const loc = ['body', 'queries'];
  if (value === undefined) reader.note(loc, 'field required', 'value_error.missing');
  else if (value === null) reader.note(loc, 'none is not an allowed value', 'type_error.none.not_allowed');
  else if (!Array.isArray(value)) reader.note(loc, 'value is not a valid list', 'type_error.list');
  else return value.map((each, k) => String(reader.value({ type: 'str' }, each, [...loc, k]) ?? ''));
  return [];
}

function booleanOf(reader: Reader, value: ParsedJson | undefined): boolean {
  const loc = ['body', 'return_scores'];
  if (value === undefined) return false;
  if (value === null) return reader.note(loc, 'none is not an allowed value', 'type_error.none.not_allowed') ?? false;
  if (typeof value === 'boolean') return value;
  const text = value instanceof PythonNumber ? String(Number(value.source)) : String(value).toLowerCase();
  const simple = typeof value === 'string' || typeof value === 'number' || value instanceof PythonNumber;
  const parsed = simple ? booleans.get(text) : undefined;
  return parsed ?? reader.note(loc, 'value could not be parsed to a boolean', 'type_error.bool') ?? false;
}

/** Throws `Unreadable`. */
export function readRetrieve(body: ParsedJson | undefined): RetrieveRequest {
  // A body that is missing or is not an object is an error by itself, before its fields are checked.
  readBody({}, body);
  const fields = Object.fromEntries(Object.entries(body as { [name: string]: ParsedJson }));
  const reader = new Reader();
  const queries = queriesOf(reader, fields.queries);
  const topk = Object.hasOwn(fields, 'topk')
    ? reader.value({ type: 'int', optional: true }, fields.topk, ['body', 'topk'])
    : null;
  const returnScores = booleanOf(reader, fields.return_scores);
  if (reader.problems.length) throw new Unreadable(reader.problems);
  return { queries, topk: topk === null || topk === undefined ? null : Number(topk), returnScores };
}
