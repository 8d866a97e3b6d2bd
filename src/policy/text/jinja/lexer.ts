/**
 * Tokens of a Jinja template, by the rules of jinja2's own lexer (pallets/jinja, `lexer.py`) with `trim_blocks` and
 * `lstrip_blocks`, as transformers opens chat templates.
 */

/** A template is not valid Jinja, or uses a part of it that is not read. */
export class JinjaSyntaxError extends Error {
  override name = 'JinjaSyntaxError';
}

export interface JinjaToken {
  /** `text` stands outside of tags; `begin` and `end` are the brackets of a tag. */
  kind: 'text' | 'begin' | 'end' | 'name' | 'string' | 'integer' | 'float' | 'operator';
  text: string;
}

/** White space of Python's regular expressions, which has the separators U+001C to U+001F. */
const separators = '\\u001c-\\u001f\\u0085';
const space = new RegExp(`[\\s${separators}]`, 'u');
const opening = /\{%[-+]?|\{\{[-+]?|\{#[-+]?/g;
const rawBegin = /\{%([-+]?)\s*raw\s*(?:-%\}\s*|%\})/y;
const rawEnd = /\{%([-+]?)\s*endraw\s*(?:\+%\}|-%\}\s*|%\}\n?)/g;
const blockEnd = /\+%\}|-%\}\s*|%\}\n?/y;
const variableEnd = /-\}\}\s*|\}\}/y;
const commentEnd = /\+#\}|-#\}\s*|#\}\n?/g;
const float = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?[eE][+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/y;
const integer = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
const name = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*/uy;
const string = /'[^'\\]*(?:\\[\s\S][^'\\]*)*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const operator = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}<>=.:|,;]/y;

const closes: { readonly [bracket: string]: string } = { ')': '(', ']': '[', '}': '{' };

function trimmedEnd(text: string): string {
  let end = text.length;
  while (end > 0 && space.test(text[end - 1])) end--;
  return text.slice(0, end);
}

/** Match of a sticky or global expression at or after `at`; null: none. */
function matchAt(expression: RegExp, source: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(source);
}

const escapes: { readonly [letter: string]: string } = {
  ...{ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', a: '\x07', '\n': '', '\\': '\\', "'": "'", '"': '"' },
};

/** Text of a string literal. An unknown escape keeps its backslash, as in Python. */
function unescaped(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(
      /\\(?:N(\{[^}]*\})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g,
      (whole, named, x, u, long, octal, letter) => {
        if (named) throw new JinjaSyntaxError(`the character ${whole.slice(0, 40)}, given by its name, is not read`);
        const hexadecimal = x ?? u ?? long;
        if (hexadecimal) return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
        if (octal) return String.fromCodePoint(Number.parseInt(octal, 8));
        return escapes[letter] ?? whole;
      },
    );
}

class Lexer {
  private readonly tokens: JinjaToken[] = [];
  private at = 0;
  /** True if the text before `at` ends a line, or is the start of the template. */
  private lineStarts = true;

  constructor(private readonly source: string) {}

  run(): JinjaToken[] {
    const { source } = this;
    while (this.at < source.length) {
      const found = matchAt(opening, source, this.at);
      if (!found) {
        this.text(source.slice(this.at));
        break;
      }
      const before = source.slice(this.at, found.index);
      const raw = matchAt(rawBegin, source, found.index);
      const sign = found[0][2] ?? '';
      this.text(this.stripped(before, sign, found[0][1]));
      this.at = found.index + found[0].length;
      if (raw) this.raw(found.index + raw[0].length);
      else if (found[0][1] === '#') this.comment();
      else this.tag(found[0].slice(0, 2));
    }
    return this.tokens;
  }

  /** Text before a tag, after white-space control. */
  private stripped(text: string, sign: string, kind: string): string {
    if (sign === '-') return trimmedEnd(text);
    if (sign === '+' || kind === '{') return text;
    const line = text.lastIndexOf('\n') + 1;
    const alone = (line > 0 || this.lineStarts) && trimmedEnd(text.slice(line)) === '';
    return alone ? text.slice(0, line) : text;
  }

  private text(text: string): void {
    if (text) this.tokens.push({ kind: 'text', text });
  }

  private moveTo(end: number): void {
    this.at = end;
    this.lineStarts = this.source[end - 1] === '\n';
  }

  private comment(): void {
    const end = matchAt(commentEnd, this.source, this.at);
    if (!end) throw new JinjaSyntaxError('a comment does not end: "#}" is missing');
    this.moveTo(end.index + end[0].length);
  }

  private raw(begin: number): void {
    const end = matchAt(rawEnd, this.source, begin);
    if (!end) throw new JinjaSyntaxError('a raw block does not end: "{% endraw %}" is missing');
    const inner = this.source.slice(begin, end.index);
    this.lineStarts = this.source[begin - 1] === '\n';
    this.text(this.stripped(inner, end[1], '%'));
    this.moveTo(end.index + end[0].length);
  }

  private tag(begin: string): void {
    const ending = begin === '{%' ? blockEnd : variableEnd;
    this.tokens.push({ kind: 'begin', text: begin });
    const open: string[] = [];
    for (;;) {
      while (this.at < this.source.length && space.test(this.source[this.at])) this.at++;
      const end = open.length === 0 ? matchAt(ending, this.source, this.at) : null;
      if (end) {
        this.tokens.push({ kind: 'end', text: begin });
        this.moveTo(this.at + end[0].length);
        return;
      }
      this.inner(open, begin);
    }
  }

  /** Takes one token inside a tag. */
  private inner(open: string[], begin: string): void {
    const rules = [
      ['float', float],
      ['integer', integer],
      ['name', name],
      ['string', string],
      ['operator', operator],
    ] as const;
    // After a dot, digits are an index: "x.0.1" has no float.
    const afterDot = this.source[this.at - 1] === '.';
    for (const [kind, rule] of afterDot ? rules.slice(1) : rules) {
      const found = matchAt(rule, this.source, this.at);
      if (!found) continue;
      if (kind === 'operator') this.balance(found[0], open);
      this.tokens.push({ kind, text: kind === 'string' ? unescaped(found[0]) : found[0] });
      this.at += found[0].length;
      return;
    }
    const where = this.source.slice(this.at, this.at + 20);
    if (where === '') throw new JinjaSyntaxError(`a tag "${begin}" does not end`);
    throw new JinjaSyntaxError(`unexpected characters ${JSON.stringify(where)}`);
  }

  private balance(bracket: string, open: string[]): void {
    if ('([{'.includes(bracket)) open.push(bracket);
    else if (closes[bracket] && open.pop() !== closes[bracket]) throw new JinjaSyntaxError(`unexpected "${bracket}"`);
  }
}

/** Tokens of a template. One line's end at the end of the template is dropped. */
export const tokensOf = (template: string): JinjaToken[] =>
  new Lexer(template.replace(/\r\n|\r/g, '\n').replace(/\n$/, '')).run();
