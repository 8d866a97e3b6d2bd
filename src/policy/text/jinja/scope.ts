/** Names of a template while it runs, and the tokens of a template while it is read. */
import { JinjaSyntaxError, type JinjaToken } from './lexer.ts';
import { Undefined, type Value } from './values.ts';

export class Scope {
  private readonly names = new Map<string, Value>();

  constructor(private readonly outer: Scope | null = null) {}

  get(name: string): Value {
    const value = this.found(name);
    return value === undefined ? new Undefined(`'${name}'`) : value;
  }

  set(name: string, value: Value): void {
    this.names.set(name, value);
  }

  /** Undefined: no scope has the name. */
  private found(name: string): Value | undefined {
    if (this.names.has(name)) return this.names.get(name);
    return this.outer?.found(name);
  }
}

export type Expression = (scope: Scope) => Value;

/** Cursor over the tokens of a template. */
export class Cursor {
  private at = 0;

  constructor(private readonly tokens: readonly JinjaToken[]) {}

  /** Number of tokens that were taken. */
  get taken(): number {
    return this.at;
  }

  /** Names among the tokens that were taken after the first `from`. */
  namesSince(from: number): Set<string> {
    const taken = this.tokens.slice(from, this.at);
    return new Set(taken.filter(({ kind }) => kind === 'name').map(({ text }) => text));
  }

  get current(): JinjaToken | undefined {
    return this.tokens[this.at];
  }

  peek(ahead = 1): JinjaToken | undefined {
    return this.tokens[this.at + ahead];
  }

  next(): JinjaToken {
    const token = this.tokens[this.at++];
    if (!token) throw new JinjaSyntaxError('the template ends too early');
    return token;
  }

  isOperator(text: string): boolean {
    return this.current?.kind === 'operator' && this.current.text === text;
  }

  isName(text: string): boolean {
    return this.current?.kind === 'name' && this.current.text === text;
  }

  /** Takes an operator or a name if it comes next. */
  skip(text: string): boolean {
    if (!this.isOperator(text) && !this.isName(text)) return false;
    this.at++;
    return true;
  }

  expect(text: string): void {
    if (!this.skip(text)) throw new JinjaSyntaxError(`expected "${text}", found ${this.shown()}`);
  }

  name(): string {
    if (this.current?.kind !== 'name') throw new JinjaSyntaxError(`expected a name, found ${this.shown()}`);
    return this.next().text;
  }

  end(): void {
    if (this.current?.kind !== 'end') throw new JinjaSyntaxError(`expected the end of a tag, found ${this.shown()}`);
    this.at++;
  }

  shown(): string {
    const { current } = this;
    return current ? JSON.stringify(current.text) : 'the end of the template';
  }
}
