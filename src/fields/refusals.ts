/** Refusals of a document: the path of each field with its bound and its value. */
import * as v from 'valibot';

export interface Problem {
  path: string;
  message: string;
}

/** Length, in characters, up to which a message repeats a value completely. */
const LONGEST_VALUE = 80;

/** JSON of a value. One that is nested too deeply for it has a word instead. */
function jsonOf(input: unknown): string {
  try {
    return JSON.stringify(input) ?? String(input);
  } catch {
    return 'a value with too many levels';
  }
}

function valueText(input: unknown): string {
  const text = typeof input === 'number' ? String(input) : jsonOf(input);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

/** Plain names of the types that valibot names by their constructors. */
const typeNames: { readonly [expected: string]: string } = { Object: 'an object', Array: 'a list' };

/** Bound as the schema's own message states it; without such a message, in valibot's terms. */
function boundOf({ message, expected }: v.BaseIssue<unknown>): string {
  if (!message.startsWith('Invalid ') || !expected) return message;
  return `must be ${typeNames[expected] ?? expected.replace(/^\((.*)\)$/, '$1').replaceAll(' | ', ' or ')}`;
}

/** One problem. `unknownField`: the message for a field that the schema does not have. */
export function problemOf(issue: v.BaseIssue<unknown>, unknownField = 'there is no such field'): Problem {
  const path = v.getDotPath(issue) ?? '';
  if (issue.type === 'strict_object' && issue.expected === 'never') return { path, message: unknownField };
  if (issue.input === undefined) return { path, message: 'is missing' };
  return { path, message: `${boundOf(issue)} (it is ${valueText(issue.input)})` };
}
