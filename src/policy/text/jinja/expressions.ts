/**
 * Expressions of a template, read into functions of a scope. Grammar and precedence are those of jinja2's `parser.py`:
 * `~` binds closer than `+`, comparisons chain, filters and tests follow a unary expression.
 */
import { filterNamed, testNamed } from './filters.ts';
import { JinjaSyntaxError } from './lexer.ts';
import { attribute, binary, call, comparisons, negative, slice, subscript } from './operators.ts';
import type { Cursor, Expression, Scope } from './scope.ts';
import {
  type Dict,
  Float,
  fail,
  itemsOf,
  keyOf,
  OneTime,
  Tuple,
  textOf,
  truth,
  tupleOf,
  Undefined,
  type Value,
  whole,
} from './values.ts';
import { copied, work } from './work.ts';

type Arguments = (scope: Scope) => { args: Value[]; keywords: Map<string, Value> };

const constants: { readonly [name: string]: Value } = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};

/** Names that end an argument of a test written without parentheses. */
const afterTest = new Set(['else', 'or', 'and', 'is', 'if', 'in', 'not', 'recursive']);

/** Reads an expression; `ternary: false` leaves an `if` for the loop it belongs to. */
export function readExpression(cursor: Cursor, { ternary = true } = {}): Expression {
  return ternary ? readTernary(cursor) : readOr(cursor);
}

/** Reads one expression or several with commas, which are a tuple. */
export function readTuple(cursor: Cursor, options: { ternary?: boolean } = {}): Expression {
  const first = readExpression(cursor, options);
  if (!cursor.isOperator(',')) return first;
  const items = [first];
  while (cursor.skip(',')) {
    if (cursor.current?.kind === 'end' || cursor.isOperator(')') || cursor.isOperator('=')) break;
    items.push(readExpression(cursor, options));
  }
  return (scope) => {
    work(items.length);
    return tupleOf(...items.map((item) => item(scope)));
  };
}

function readTernary(cursor: Cursor): Expression {
  let value = readOr(cursor);
  while (cursor.skip('if')) {
    const [chosen, test] = [value, readOr(cursor)];
    const otherwise = cursor.skip('else') ? readTernary(cursor) : () => new Undefined('an inline if without else');
    value = (scope) => {
      work();
      return truth(test(scope)) ? chosen(scope) : otherwise(scope);
    };
  }
  return value;
}

function readOr(cursor: Cursor): Expression {
  let left = readAnd(cursor);
  while (cursor.skip('or')) {
    const [a, b] = [left, readAnd(cursor)];
    left = (scope) => {
      work();
      const value = a(scope);
      return truth(value) ? value : b(scope);
    };
  }
  return left;
}

function readAnd(cursor: Cursor): Expression {
  let left = readNot(cursor);
  while (cursor.skip('and')) {
    const [a, b] = [left, readNot(cursor)];
    left = (scope) => {
      work();
      const value = a(scope);
      return truth(value) ? b(scope) : value;
    };
  }
  return left;
}

function readNot(cursor: Cursor): Expression {
  if (!cursor.skip('not')) return readComparison(cursor);
  const value = readNot(cursor);
  return (scope) => {
    work();
    return !truth(value(scope));
  };
}

/** Comparison that comes next; null: none. */
function comparisonAt(cursor: Cursor): string | null {
  const operator = ['==', '!=', '<=', '>=', '<', '>', 'in'].find((each) => cursor.skip(each));
  if (operator) return operator;
  if (!cursor.isName('not') || cursor.peek()?.text !== 'in') return null;
  cursor.next();
  cursor.next();
  return 'not in';
}

function readComparison(cursor: Cursor): Expression {
  const first = readSum(cursor);
  const rest: { holds: (a: Value, b: Value) => boolean; value: Expression }[] = [];
  for (let operator = comparisonAt(cursor); operator; operator = comparisonAt(cursor))
    rest.push({ holds: comparisons[operator], value: readSum(cursor) });
  if (rest.length === 0) return first;
  return (scope) => {
    let left = first(scope);
    for (const { holds, value } of rest) {
      const right = value(scope);
      if (!holds(left, right)) return false;
      left = right;
    }
    return true;
  };
}

/** Reads operators of one precedence, from the left. */
const leftToRight =
  (operators: readonly string[], operand: (cursor: Cursor) => Expression) =>
  (cursor: Cursor): Expression => {
    let left = operand(cursor);
    for (;;) {
      const operator = operators.find((each) => cursor.isOperator(each));
      if (!operator) return left;
      cursor.next();
      const [a, b] = [left, operand(cursor)];
      left = (scope) => binary(operator, a(scope), b(scope));
    }
  };

const readPower = leftToRight(['**'], (cursor) => readUnary(cursor));
const readProduct = leftToRight(['*', '/', '//', '%'], readPower);

function readConcat(cursor: Cursor): Expression {
  return leftToRight(['~'], readProduct)(cursor);
}

const readSum = leftToRight(['+', '-'], readConcat);

function readUnary(cursor: Cursor, filters = true): Expression {
  const sign = cursor.skip('-') ? -1 : cursor.skip('+') ? 1 : 0;
  let value: Expression;
  if (sign === 0) value = readPrimary(cursor);
  else {
    const operand = readUnary(cursor, false);
    value = (scope) => negative(operand(scope), sign as 1 | -1);
  }
  value = readPostfix(cursor, value);
  return filters ? readFilters(cursor, value) : value;
}

function readPrimary(cursor: Cursor): Expression {
  const token = cursor.next();
  const { kind, text } = token;
  if (kind === 'name') return text in constants ? () => constants[text] : (scope) => scope.get(text);
  if (kind === 'string') {
    let value = text;
    while (cursor.current?.kind === 'string') value += cursor.next().text;
    return () => value;
  }
  if (kind === 'integer') {
    const value = whole(BigInt(text.replaceAll('_', '')));
    return () => value;
  }
  if (kind === 'float') {
    const value = new Float(Number(text.replaceAll('_', '')));
    return () => value;
  }
  if (kind === 'operator' && text === '(') return readParentheses(cursor);
  if (kind === 'operator' && text === '[') return readList(cursor);
  if (kind === 'operator' && text === '{') return readDict(cursor);
  throw new JinjaSyntaxError(`unexpected ${JSON.stringify(text)}`);
}

function readParentheses(cursor: Cursor): Expression {
  if (cursor.skip(')')) return () => new Tuple();
  const value = readTuple(cursor);
  cursor.expect(')');
  return value;
}

/** Reads items up to a closing bracket; a comma may follow the last. */
function readItems<T>(cursor: Cursor, close: string, read: () => T): T[] {
  const items: T[] = [];
  while (!cursor.skip(close)) {
    if (items.length > 0) cursor.expect(',');
    if (cursor.skip(close)) break;
    items.push(read());
  }
  return items;
}

function readList(cursor: Cursor): Expression {
  const items = readItems(cursor, ']', () => readExpression(cursor));
  return (scope) => {
    work(items.length);
    return items.map((item) => item(scope));
  };
}

function readDict(cursor: Cursor): Expression {
  const pairs = readItems(cursor, '}', () => {
    const key = readExpression(cursor);
    cursor.expect(':');
    return [key, readExpression(cursor)] as const;
  });
  return (scope) => {
    work(pairs.length);
    return new Map(pairs.map(([key, value]) => [keyOf(key(scope)), value(scope)])) as Dict;
  };
}

function readPostfix(cursor: Cursor, start: Expression): Expression {
  let value = start;
  for (;;) {
    const object = value;
    if (cursor.skip('.')) {
      const { kind, text } = cursor.next();
      if (kind === 'name')
        value = (scope) => {
          const owner = object(scope);
          workOn(owner);
          return attribute(owner, text);
        };
      else if (kind === 'integer') value = (scope) => subscript(object(scope), Number(text));
      else throw new JinjaSyntaxError(`expected a name or a number after a dot, found "${text}"`);
    } else if (cursor.skip('[')) value = readSubscript(cursor, object);
    else if (cursor.skip('(')) {
      const given = readArguments(cursor);
      value = (scope) => {
        const callee = object(scope);
        const { args, keywords } = given(scope);
        return call(callee, args, keywords);
      };
    } else return value;
  }
}

function readSubscript(cursor: Cursor, object: Expression): Expression {
  const bounds: (Expression | undefined)[] = [undefined];
  let isSlice = false;
  while (!cursor.skip(']')) {
    if (cursor.skip(':')) {
      isSlice = true;
      bounds.push(undefined);
    } else if (cursor.isOperator(',')) throw new JinjaSyntaxError('an index with several parts is not read');
    else bounds[bounds.length - 1] = readExpression(cursor);
  }
  if (isSlice)
    return (scope) =>
      slice(
        object(scope),
        [0, 1, 2].map((i) => bounds[i]?.(scope)),
      );
  const key = bounds[0];
  if (!key) throw new JinjaSyntaxError('an index is missing between "[" and "]"');
  return (scope) => subscript(object(scope), key(scope));
}

/** Reads the arguments of a call, after its opening parenthesis. */
export function readArguments(cursor: Cursor): Arguments {
  type Part = (scope: Scope, args: Value[], keywords: Map<string, Value>) => void;
  const parts = readItems(cursor, ')', (): Part => {
    if (cursor.skip('**')) {
      const all = readExpression(cursor);
      return (scope, _, keywords) => {
        const dict = all(scope);
        if (!(dict instanceof Map)) return fail('the argument after ** must be a dict');
        for (const [key, value] of dict) keywords.set(textOf(key), value);
      };
    }
    if (cursor.skip('*')) {
      const all = readExpression(cursor);
      return (scope, args) => {
        const items = itemsOf(all(scope));
        work(items.length);
        for (const item of items) args.push(item);
      };
    }
    const named = cursor.current?.kind === 'name' && cursor.peek()?.kind === 'operator' && cursor.peek()?.text === '=';
    if (named) {
      const name = cursor.name();
      cursor.expect('=');
      const value = readExpression(cursor);
      return (scope, _, keywords) => void keywords.set(name, value(scope));
    }
    const value = readExpression(cursor);
    return (scope, args) => void args.push(value(scope));
  });
  return (scope) => {
    work(1 + parts.length);
    const [args, keywords] = [[] as Value[], new Map<string, Value>()];
    for (const part of parts) part(scope, args, keywords);
    return { args, keywords };
  };
}

const noArguments: Arguments = () => ({ args: [], keywords: new Map() });

/** Counts a value that a filter, a test or a method goes over. */
function workOn(value: Value): void {
  if (typeof value === 'string') copied(value);
  work(1 + (Array.isArray(value) ? value.length : value instanceof Map || value instanceof OneTime ? value.size : 0));
}

/** Name of a filter or test. As in jinja2, dots belong to it, so that `x|trim.split()` names a filter that does not exist. */
function readName(cursor: Cursor): string {
  let name = cursor.name();
  while (cursor.skip('.')) name += `.${cursor.name()}`;
  return name;
}

/** Reads a filter's name and arguments, and applies it. */
export function readFilter(cursor: Cursor, value: Expression): Expression {
  const name = readName(cursor);
  const filter = filterNamed(name);
  const given = cursor.skip('(') ? readArguments(cursor) : noArguments;
  return (scope) => {
    const input = value(scope);
    const { args, keywords } = given(scope);
    workOn(input);
    return filter(input, args, keywords);
  };
}

function readFilters(cursor: Cursor, start: Expression): Expression {
  let value = start;
  for (;;) {
    if (cursor.skip('|')) value = readFilter(cursor, value);
    else if (cursor.skip('is')) value = readTest(cursor, value);
    else if (cursor.isOperator('(') || cursor.isOperator('.') || cursor.isOperator('['))
      value = readPostfix(cursor, value);
    else return value;
  }
}

function readTest(cursor: Cursor, value: Expression): Expression {
  const negated = cursor.skip('not');
  const test = testNamed(readName(cursor));
  const given = readTestArguments(cursor);
  return (scope) => {
    const input = value(scope);
    workOn(input);
    return test(input, given(scope).args) !== negated;
  };
}

function readTestArguments(cursor: Cursor): Arguments {
  if (cursor.skip('(')) return readArguments(cursor);
  const { current } = cursor;
  const isValue =
    current &&
    (['string', 'integer', 'float'].includes(current.kind) ||
      (current.kind === 'name' && !afterTest.has(current.text)) ||
      (current.kind === 'operator' && (current.text === '[' || current.text === '{')));
  if (!isValue) return noArguments;
  const argument = readPostfix(cursor, readPrimary(cursor));
  return (scope) => ({ args: [argument(scope)], keywords: new Map() });
}
