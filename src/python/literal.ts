/**
 * Reads a Python literal as data: None, True, False, numbers, strings, lists, tuples, dicts and sets. Nothing is
 * evaluated. The grammar is that of CPython 3.11's ast.literal_eval without bytes and complex numbers; whole numbers are
 * bigints, floats are numbers, so that both print as Python prints them.
 */
import { floatText, repr } from './text.ts';

export type Literal = null | boolean | bigint | number | string | Literal[] | LiteralTuple | LiteralSet | LiteralDict;

export class LiteralTuple {
  constructor(readonly items: readonly Literal[]) {}
}

/** A set, in the order in which its members were written; Python's own order depends on hashes. */
export class LiteralSet {
  constructor(readonly items: readonly Literal[]) {}
}

/** A dict: its entries in order of insertion, by the identity of their keys (1, 1.0 and True are one key). */
export class LiteralDict {
  readonly entries = new Map<string, [key: Literal, value: Literal]>();

  set(key: Literal, value: Literal): void {
    const identity = identityOf(key);
    this.entries.set(identity, [this.entries.get(identity)?.[0] ?? key, value]);
  }

  get(key: string): Literal | undefined {
    return this.entries.get(identityOf(key))?.[1];
  }

  delete(key: string): boolean {
    return this.entries.delete(identityOf(key));
  }
}

/** A text that is not a literal. */
class LiteralError extends SyntaxError {
  override name = 'LiteralError';
}

/** Maximum number of brackets inside each other; CPython's parser refuses about a hundred. */
const mostDepth = 90;
/** Maximum number of digits of a whole number (sys.int_info.default_max_str_digits). */
const mostDigits = 4300;

/** Text that is the same for keys that Python considers equal. Throws for values without a hash. */
function identityOf(key: Literal): string {
  if (typeof key === 'string') return `s${key}`;
  if (key === null) return 'None';
  if (typeof key === 'boolean') return `n${Number(key)}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (typeof key === 'number') return Number.isInteger(key) ? `n${BigInt(key)}` : `n${floatText(key)}`;
  if (key instanceof LiteralTuple) return `t${key.items.map((item) => JSON.stringify(identityOf(item))).join(',')}`;
  throw new LiteralError('A list, a dict or a set cannot be a key or a member of a set.');
}

const blank = /(?:[ \t\f\r\n]|\\\r?\n|#[^\n]*(?![^\n]))*/y;
const word = /[\p{L}_][\p{L}\p{N}_]*/uy;
const digits = '[0-9](?:_?[0-9])*';
const number = new RegExp(
  `0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:${digits})?\\.${digits}(?:[eE][+-]?${digits})?|${digits}\\.?[eE][+-]?${digits}|${digits}\\.?`,
  'y',
);
const stringStart = /([rRuU]?)("""|'''|"|')/y;
const constants = new Map<string, Literal>([
  ['None', null],
  ['True', true],
  ['False', false],
]);
/** JSON's spellings, for readers that accept both. */
const jsonConstants = new Map<string, Literal>([
  ['null', null],
  ['true', true],
  ['false', false],
]);
const escapes: { readonly [letter: string]: string } = {
  ...{ '\\': '\\', "'": "'", '"': '"', '\n': '', a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};
const hexDigits: { readonly [letter: string]: number } = { x: 2, u: 4, U: 8 };

/** Characters that no Python source contains: a null and unpaired surrogates. */
const unreadable = /[\0\p{Surrogate}]/u;

class Reader {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly names: readonly ReadonlyMap<string, Literal>[],
  ) {}

  whole(): Literal {
    if (unreadable.test(this.text)) this.fail();
    this.skip();
    const value = this.items(null);
    this.skip();
    if (this.at < this.text.length) this.fail();
    return value;
  }

  private fail(): never {
    throw new LiteralError(`Character ${this.at + 1} does not belong to a literal.`);
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at += found[0].length;
    return found;
  }

  private skip(): void {
    this.match(blank);
  }

  private take(mark: string): boolean {
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    this.skip();
    return true;
  }

  /** A value, or a tuple of values up to `close` (null: the end of the text). */
  private items(close: string | null): Literal {
    if (close && this.take(close)) return new LiteralTuple([]);
    const first = this.value();
    if (!this.text.startsWith(',', this.at)) {
      if (close && !this.take(close)) this.fail();
      return first;
    }
    this.take(',');
    return new LiteralTuple([first, ...this.list(close)]);
  }

  /** Values separated by commas, with an optional last comma. */
  private list(close: string | null): Literal[] {
    const items: Literal[] = [];
    const ended = () => (close === null ? this.at >= this.text.length : this.take(close));
    while (!ended()) {
      items.push(this.value());
      if (this.take(',')) continue;
      if (!ended()) this.fail();
      break;
    }
    return items;
  }

  private value(): Literal {
    if (++this.depth > mostDepth) throw new LiteralError(`The literal is nested more than ${mostDepth} deep.`);
    const value = this.bracketed() ?? this.plain();
    this.depth--;
    this.skip();
    return value;
  }

  private bracketed(): Literal | undefined {
    if (this.take('[')) return this.list(']');
    if (this.take('(')) return this.items(')');
    if (this.take('{')) return this.braces();
    return undefined;
  }

  private braces(): Literal {
    if (this.take('}')) return new LiteralDict();
    const first = this.value();
    if (!this.take(':')) return this.members(first);
    const dict = new LiteralDict();
    dict.set(first, this.value());
    while (!this.take('}')) {
      if (!this.take(',')) this.fail();
      if (this.take('}')) break;
      const key = this.value();
      if (!this.take(':')) this.fail();
      dict.set(key, this.value());
    }
    return dict;
  }

  private members(first: Literal): LiteralSet {
    const more = this.take(',') ? this.list('}') : this.take('}') ? [] : this.fail();
    const found = new Map<string, Literal>();
    for (const item of [first, ...more]) if (!found.has(identityOf(item))) found.set(identityOf(item), item);
    return new LiteralSet([...found.values()]);
  }

  private plain(): Literal {
    if (/["']/.test(this.text[this.at + 1] ?? '') || /["']/.test(this.text[this.at] ?? '')) {
      const text = this.strings();
      if (text !== null) return text;
    }
    if (/[+-]/.test(this.text[this.at] ?? '')) return this.signed();
    const found = this.match(number);
    if (found) return this.number(found[0]);
    const name = this.match(word)?.[0];
    const constant = name === undefined ? undefined : this.names.find((each) => each.has(name))?.get(name);
    return constant === undefined ? this.fail() : constant;
  }

  private signed(): Literal {
    const minus = this.text[this.at++] === '-';
    this.skip();
    const value = this.value();
    const plain = typeof value === 'boolean' ? BigInt(value) : value;
    if (typeof plain !== 'bigint' && typeof plain !== 'number') this.fail();
    return minus ? -plain : plain;
  }

  private number(source: string): Literal {
    if (/[\p{L}\p{N}_]/u.test(this.text[this.at] ?? '')) this.fail();
    const plain = source.replaceAll('_', '');
    if (/^0[xob]/i.test(plain)) return BigInt(plain);
    if (/[.eE]/.test(plain)) return Number(plain);
    if (plain.length > mostDigits || /^0+[1-9]/.test(plain)) this.fail();
    return BigInt(plain);
  }

  /** Adjacent strings, which Python joins; null if there is none. */
  private strings(): string | null {
    const parts: string[] = [];
    for (let start = this.match(stringStart); start; start = this.match(stringStart)) {
      parts.push(this.string(start[2], start[1].toLowerCase() === 'r'));
      this.skip();
    }
    return parts.length ? parts.join('') : null;
  }

  private string(quote: string, raw: boolean): string {
    const parts: string[] = [];
    let from = this.at;
    for (;;) {
      const character = this.text[this.at];
      if (character === undefined || (character === '\n' && quote.length === 1)) this.fail();
      if (this.text.startsWith(quote, this.at)) break;
      if (character !== '\\') {
        this.at++;
        continue;
      }
      if (raw) this.at += 2;
      else {
        parts.push(this.text.slice(from, this.at), this.escape());
        from = this.at;
      }
    }
    parts.push(this.text.slice(from, this.at));
    this.at += quote.length;
    return parts.join('');
  }

  private escape(): string {
    const letter = this.text[this.at + 1];
    this.at += 2;
    if (letter === undefined || letter === 'N') this.fail();
    if (Object.hasOwn(escapes, letter)) return escapes[letter];
    const octal = /[0-7]{1,3}/y;
    octal.lastIndex = this.at - 1;
    const code = octal.exec(this.text)?.[0];
    if (code) {
      this.at += code.length - 1;
      return String.fromCharCode(Number.parseInt(code, 8));
    }
    if (!Object.hasOwn(hexDigits, letter)) return `\\${letter}`;
    const hex = this.text.slice(this.at, this.at + hexDigits[letter]);
    const point = Number.parseInt(hex, 16);
    if (hex.length < hexDigits[letter] || !/^[0-9a-fA-F]+$/.test(hex) || point > 0x10ffff) this.fail();
    this.at += hex.length;
    return String.fromCodePoint(point);
  }
}

/**
 * Reads a literal. `json`: also accepts JSON's true, false and null. Throws LiteralError for any other text, whatever
 * Python's eval would make of it.
 */
export function parseLiteral(text: string, { json = false } = {}): Literal {
  return new Reader(text, json ? [constants, jsonConstants] : [constants]).whole();
}

/** repr(value) of a literal. */
export function literalRepr(value: Literal): string {
  return typeof value === 'string' ? repr(value) : literalText(value);
}

/** str(value) of a literal. */
export function literalText(value: Literal): string {
  if (value === null) return 'None';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return floatText(value);
  if (Array.isArray(value)) return `[${value.map(literalRepr).join(', ')}]`;
  if (value instanceof LiteralTuple)
    return `(${value.items.map(literalRepr).join(', ')}${value.items.length === 1 ? ',' : ''})`;
  if (value instanceof LiteralSet) return `{${value.items.map(literalRepr).join(', ')}}`;
  return `{${[...value.entries.values()].map(([key, each]) => `${literalRepr(key)}: ${literalRepr(each)}`).join(', ')}}`;
}

/** type(value).__name__ of a literal. */
export function literalType(value: Literal): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float';
  if (typeof value === 'string') return 'str';
  if (Array.isArray(value)) return 'list';
  if (value instanceof LiteralTuple) return 'tuple';
  return value instanceof LiteralSet ? 'set' : 'dict';
}

const listEqual = (a: readonly Literal[], b: readonly Literal[]) =>
  a.length === b.length && a.every((item, k) => literalEqual(item, b[k]));

/** a == b, as Python compares: 1, 1.0 and True are equal; a list and a tuple are not. */
export function literalEqual(a: Literal, b: Literal): boolean {
  const [left, right] = [a, b].map((each) => (typeof each === 'boolean' ? BigInt(each) : each));
  if (typeof left === 'bigint' || typeof left === 'number')
    // biome-ignore lint/suspicious/noDoubleEquals: the only comparison of a bigint with a number by value
    return (typeof right === 'bigint' || typeof right === 'number') && left == right;
  if (Array.isArray(left)) return Array.isArray(right) && listEqual(left, right);
  if (left instanceof LiteralTuple) return right instanceof LiteralTuple && listEqual(left.items, right.items);
  if (left instanceof LiteralSet) return right instanceof LiteralSet && sameMembers(left.items, right.items);
  if (left instanceof LiteralDict) return right instanceof LiteralDict && sameEntries(left, right);
  return left === right;
}

function sameMembers(a: readonly Literal[], b: readonly Literal[]): boolean {
  const members = new Set(b.map(identityOf));
  return a.length === b.length && a.every((item) => members.has(identityOf(item)));
}

function sameEntries({ entries: a }: LiteralDict, { entries: b }: LiteralDict): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([key, [, value]]) => {
    const other = b.get(key);
    return other !== undefined && literalEqual(value, other[1]);
  });
}
