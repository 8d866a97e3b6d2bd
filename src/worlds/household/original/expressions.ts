/** PDDL's bracketed expressions: nested lists of words in lower case, without comments. */
import { WorldError } from '../../../envs/env.ts';

export type Expression = string | Expression[];

/** Deepest nesting that is read: the original's problems have 12. */
const deepest = 100;

export function parseExpression(text: string, what: string): Expression[] {
  const plain = text.replace(/;[^\n]*/g, '').toLowerCase();
  const root: Expression[] = [];
  const open: Expression[][] = [root];
  for (const [word] of plain.matchAll(/[()]|[^\s()]+/g)) {
    if (word === '(') {
      const list: Expression[] = [];
      open.at(-1)!.push(list);
      open.push(list);
      if (open.length > deepest) throw new WorldError(`The ${what} is nested more than ${deepest} deep.`);
    } else if (word === ')') {
      if (open.length === 1) throw new WorldError(`The ${what} closes a bracket that it did not open.`);
      open.pop();
    } else open.at(-1)!.push(word);
  }
  const [first] = root;
  if (open.length > 1 || !Array.isArray(first) || first[0] !== 'define')
    throw new WorldError(`The ${what} is not one complete (define ...).`);
  return first.slice(1);
}

export const expressionText = (expression: Expression): string =>
  typeof expression === 'string' ? expression : `(${expression.map(expressionText).join(' ')})`;

/** A list's head word, or an empty text. */
export const headOf = (expression: Expression): string =>
  Array.isArray(expression) && typeof expression[0] === 'string' ? expression[0] : '';

/** Sections of a definition by their keyword, such as `:init`. */
export const sectionOf = (parts: readonly Expression[], keyword: string): Expression[] | null =>
  (parts.find((part) => headOf(part) === keyword) as Expression[] | undefined)?.slice(1) ?? null;
