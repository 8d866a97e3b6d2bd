/**
 * Statements of a template, read into functions that write text: `if`, `for` with break and continue, `set`, `macro`,
 * `call`, `filter`, `with`, and transformers' `generation`. Others are refused by name.
 */
import { readArguments, readExpression, readFilter, readTuple } from './expressions.ts';
import { JinjaSyntaxError } from './lexer.ts';
import { call } from './operators.ts';
import { type Cursor, type Expression, Scope } from './scope.ts';
import {
  Attributes,
  Callable,
  equal,
  fail,
  itemsOf,
  type Keywords,
  Namespace,
  text,
  truth,
  tupleOf,
  Undefined,
  type Value,
} from './values.ts';
import { deeper, makeText, work } from './work.ts';

/** Leaves a loop, or its round. */
type Signal = 'break' | 'continue' | undefined;
type Statement = (scope: Scope, out: string[]) => Signal;

/** Reads statements up to one of the tags, and returns the tag's name; the tag's own end is not read. */
function readBody(cursor: Cursor, ends: readonly string[]): { body: Statement; end: string } {
  const statements: Statement[] = [];
  for (;;) {
    const token = cursor.current;
    if (!token) {
      if (ends.length === 0) return { body: inOrder(statements), end: '' };
      throw new JinjaSyntaxError(`the template ends before {% ${ends.join(' %} or {% ')} %}`);
    }
    cursor.next();
    if (token.kind === 'text') statements.push((_, out) => void out.push(token.text));
    else if (token.text === '{{') statements.push(readOutput(cursor));
    else {
      const name = cursor.name();
      if (ends.includes(name)) return { body: inOrder(statements), end: name };
      statements.push(readStatement(cursor, name));
    }
  }
}

function inOrder(statements: readonly Statement[]): Statement {
  return (scope, out) => {
    for (const statement of statements) {
      work();
      const signal = statement(scope, out);
      if (signal) return signal;
    }
    return undefined;
  };
}

/** Text that a statement writes. */
function written(statement: Statement, scope: Scope): string {
  const out: string[] = [];
  statement(scope, out);
  makeText(out.reduce((sum, part) => sum + part.length, 0));
  return out.join('');
}

function readOutput(cursor: Cursor): Statement {
  const value = readTuple(cursor);
  cursor.end();
  return (scope, out) => void out.push(text(value(scope)));
}

function readStatement(cursor: Cursor, name: string): Statement {
  const read = Object.hasOwn(statements, name) ? statements[name] : undefined;
  if (!read) throw new JinjaSyntaxError(`the statement {% ${name} %} is not read`);
  return read(cursor);
}

function readIf(cursor: Cursor): Statement {
  const branches: { test: Expression; body: Statement }[] = [];
  let otherwise: Statement = () => undefined;
  for (let tag = 'if'; tag !== 'endif'; ) {
    const test = tag === 'else' ? null : readTuple(cursor);
    cursor.end();
    const { body, end } = readBody(cursor, tag === 'else' ? ['endif'] : ['elif', 'else', 'endif']);
    if (test) branches.push({ test, body });
    else otherwise = body;
    tag = end;
  }
  cursor.end();
  return (scope, out) => (branches.find(({ test }) => truth(test(scope)))?.body ?? otherwise)(scope, out);
}

type Target = (scope: Scope, value: Value) => void;

/** Reads names that take a value; several are unpacked. */
function readTarget(cursor: Cursor): Target {
  const parts: Target[] = [];
  let several = false;
  do {
    if (parts.length > 0 && (cursor.isName('in') || cursor.isOperator('=') || cursor.isOperator(')'))) break;
    if (cursor.skip('(')) {
      parts.push(readTarget(cursor));
      cursor.expect(')');
    } else {
      const name = cursor.name();
      parts.push((scope, value) => scope.set(name, value));
    }
    several ||= cursor.isOperator(',');
  } while (cursor.skip(','));
  if (!several) return parts[0];
  return (scope, value) => {
    const items = itemsOf(value);
    if (items.length !== parts.length) fail(`cannot unpack ${items.length} values into ${parts.length} names`);
    parts.forEach((part, i) => part(scope, items[i]));
  };
}

/** The variable `loop` at item `i`. */
function loopAt(items: readonly Value[], i: number, depth: number): Attributes {
  const fields: { readonly [name: string]: Value } = {
    index: i + 1,
    index0: i,
    revindex: items.length - i,
    revindex0: items.length - i - 1,
    first: i === 0,
    last: i === items.length - 1,
    length: items.length,
    depth,
    depth0: depth - 1,
    previtem: i > 0 ? items[i - 1] : new Undefined('there is no previous item, so it'),
    nextitem: i + 1 < items.length ? items[i + 1] : new Undefined('there is no next item, so it'),
    cycle: new Callable((args) => args[i % args.length]),
  };
  return new Attributes((name) => (Object.hasOwn(fields, name) ? fields[name] : undefined));
}

function readFor(cursor: Cursor): Statement {
  const target = readTarget(cursor);
  cursor.expect('in');
  const iterable = readTuple(cursor, { ternary: false });
  const test = cursor.skip('if') ? readExpression(cursor) : null;
  if (cursor.skip('recursive')) throw new JinjaSyntaxError('a recursive {% for %} is not read');
  cursor.end();
  const { body, end } = readBody(cursor, ['else', 'endfor']);
  let otherwise: Statement | null = null;
  cursor.end();
  if (end === 'else') {
    otherwise = readBody(cursor, ['endfor']).body;
    cursor.end();
  }
  return (scope, out) => {
    const all = itemsOf(iterable(scope));
    work(all.length);
    const items = test ? all.filter((item) => truth(test(bound(scope, target, item)))) : all;
    // As in jinja2: also if `break` and `continue` have ended every round.
    return runLoop(items, { scope, target, body, out }) ? undefined : otherwise?.(scope, out);
  };
}

function bound(scope: Scope, target: Target, item: Value): Scope {
  const inner = new Scope(scope);
  target(inner, item);
  return inner;
}

interface Loop {
  scope: Scope;
  target: Target;
  body: Statement;
  out: string[];
}

/** Runs the rounds. Returns true if one of them ran to its end. */
function runLoop(items: readonly Value[], { scope, target, body, out }: Loop): boolean {
  let completed = false;
  let last: readonly Value[] | null = null;
  const changed = new Callable((args) => {
    const same = last !== null && equal([...last], [...args]);
    last = args;
    return !same;
  });
  for (let i = 0; i < items.length; i++) {
    const inner = bound(scope, target, items[i]);
    const loop = loopAt(items, i, 1);
    inner.set('loop', new Attributes((name) => (name === 'changed' ? changed : loop.get(name))));
    const signal = body(inner, out);
    if (signal === 'break') break;
    completed ||= signal === undefined;
  }
  return completed;
}

function readSet(cursor: Cursor): Statement {
  if (cursor.peek()?.text === '.') {
    const owner = cursor.name();
    cursor.expect('.');
    const field = cursor.name();
    return readValue(cursor, (scope, value) => {
      const namespace = scope.get(owner);
      if (!(namespace instanceof Namespace)) fail('cannot assign attribute on non-namespace object');
      (namespace as Namespace).fields.set(field, value);
    });
  }
  return readValue(cursor, readTarget(cursor));
}

/** Reads "= value", or a body up to {% endset %}. */
function readValue(cursor: Cursor, assign: Target): Statement {
  if (cursor.skip('=')) {
    const value = readTuple(cursor);
    cursor.end();
    return (scope) => void assign(scope, value(scope));
  }
  let filtered = (_: string): Expression => fail('');
  const filters: ((value: Expression) => Expression)[] = [];
  while (cursor.skip('|')) filters.push(deferredFilter(cursor));
  cursor.end();
  const { body } = readBody(cursor, ['endset']);
  cursor.end();
  filtered = (value) =>
    filters.reduce<Expression>(
      (inner, filter) => filter(inner),
      () => value,
    );
  return (scope) => void assign(scope, filtered(written(body, new Scope(scope)))(scope));
}

/** Reads a filter whose input is known later. */
function deferredFilter(cursor: Cursor): (value: Expression) => Expression {
  let input: Expression = () => null;
  const filter = readFilter(cursor, (scope) => input(scope));
  return (value) => (scope) => {
    input = value;
    return filter(scope);
  };
}

interface Signature {
  names: readonly string[];
  defaults: ReadonlyMap<string, Expression>;
}

function readSignature(cursor: Cursor): Signature {
  const [names, defaults] = [[] as string[], new Map<string, Expression>()];
  cursor.expect('(');
  while (!cursor.skip(')')) {
    if (names.length > 0) cursor.expect(',');
    if (cursor.skip(')')) break;
    const name = cursor.name();
    names.push(name);
    if (cursor.skip('=')) defaults.set(name, readExpression(cursor));
  }
  return { names, defaults };
}

interface MacroBody {
  body: Statement;
  /** Names in the body. Only a macro that names `varargs` or `kwargs` takes further arguments. */
  uses: ReadonlySet<string>;
}

/** Reads the body of a macro up to a tag, and the tag. */
function readMacroBody(cursor: Cursor, end: string): MacroBody {
  const start = cursor.taken;
  const { body } = readBody(cursor, [end]);
  const uses = cursor.namesSince(start);
  cursor.end();
  return { body, uses };
}

/** A macro in the scope where it was defined. */
function macro({ names, defaults }: Signature, { body, uses }: MacroBody, scope: Scope): Callable {
  return new Callable((args: readonly Value[], keywords: Keywords) => {
    const inner = new Scope(scope);
    work(1 + args.length);
    names.forEach((name, i) => {
      const value = i < args.length ? args[i] : keywords.has(name) ? keywords.get(name) : defaults.get(name)?.(inner);
      inner.set(name, value === undefined ? new Undefined(`parameter '${name}' was not provided, so it`) : value);
    });
    const caller = keywords.get('caller');
    const rest = [...keywords].filter(([name]) => !names.includes(name) && name !== 'caller');
    if (args.length > names.length && !uses.has('varargs'))
      fail(`a macro takes not more than ${names.length} arguments, and is given ${args.length}`);
    if (rest.length > 0 && !uses.has('kwargs')) fail(`a macro takes no keyword argument '${rest[0][0]}'`);
    if (caller !== undefined && !names.includes('caller') && !uses.has('caller'))
      fail('a macro that is called with a block does not use caller()');
    inner.set('varargs', tupleOf(...args.slice(names.length)));
    inner.set('kwargs', new Map(rest));
    if (caller !== undefined) inner.set('caller', caller);
    return deeper(() => written(body, inner));
  });
}

function readMacro(cursor: Cursor): Statement {
  const name = cursor.name();
  const signature = readSignature(cursor);
  cursor.end();
  const body = readMacroBody(cursor, 'endmacro');
  return (scope) => void scope.set(name, macro(signature, body, scope));
}

function readCall(cursor: Cursor): Statement {
  const signature = cursor.isOperator('(') ? readSignature(cursor) : { names: [], defaults: new Map() };
  const callee = cursor.name();
  cursor.expect('(');
  const given = readArguments(cursor);
  cursor.end();
  const body = readMacroBody(cursor, 'endcall');
  return (scope, out) => {
    const { args, keywords } = given(scope);
    keywords.set('caller', macro(signature, body, scope));
    out.push(text(call(scope.get(callee), args, keywords)));
    return undefined;
  };
}

function readFilterBlock(cursor: Cursor): Statement {
  const filters = [deferredFilter(cursor)];
  while (cursor.skip('|')) filters.push(deferredFilter(cursor));
  cursor.end();
  const { body } = readBody(cursor, ['endfilter']);
  cursor.end();
  return (scope, out) => {
    const value = written(body, new Scope(scope));
    out.push(
      text(
        filters.reduce<Expression>(
          (inner, filter) => filter(inner),
          () => value,
        )(scope),
      ),
    );
    return undefined;
  };
}

function readWith(cursor: Cursor): Statement {
  const values: { assign: Target; value: Expression }[] = [];
  while (cursor.current?.kind !== 'end') {
    if (values.length > 0) cursor.expect(',');
    const name = cursor.name();
    cursor.expect('=');
    values.push({ assign: (scope, value) => scope.set(name, value), value: readExpression(cursor) });
  }
  cursor.end();
  const { body } = readBody(cursor, ['endwith']);
  cursor.end();
  return (scope, out) => {
    const inner = new Scope(scope);
    for (const { assign, value } of values) assign(inner, value(scope));
    return body(inner, out);
  };
}

/** transformers marks the assistant's text with it; the text is unchanged. */
function readGeneration(cursor: Cursor): Statement {
  cursor.end();
  const { body } = readBody(cursor, ['endgeneration']);
  cursor.end();
  return (scope, out) => void out.push(written(body, new Scope(scope)));
}

function readSignal(signal: 'break' | 'continue') {
  return (cursor: Cursor): Statement => {
    cursor.end();
    return () => signal;
  };
}

const statements: { readonly [name: string]: (cursor: Cursor) => Statement } = {
  if: readIf,
  for: readFor,
  set: readSet,
  macro: readMacro,
  call: readCall,
  filter: readFilterBlock,
  with: readWith,
  generation: readGeneration,
  break: readSignal('break'),
  continue: readSignal('continue'),
};

/** Reads a whole template. */
export function readTemplate(cursor: Cursor): (scope: Scope) => string {
  const { body } = readBody(cursor, []);
  return (scope) => written(body, scope);
}
