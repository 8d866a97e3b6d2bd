/**
 * Formulas of a sheet: numbers, cells, + - * /, and functions over cells and ranges. Reads at most `mostDepth` levels of
 * brackets; `calculation.ts` bounds cells that refer to cells.
 */
export type Value = string | number;

/** Functions of the original's tools, by name. */
export const operators = ['SUM', 'AVERAGE', 'COUNT', 'MAX', 'MIN', 'MINUS', 'PRODUCT'] as const;
type Operator = (typeof operators)[number];

/** Maximum depth of brackets, and of cells that refer to cells. */
export const mostDepth = 40;

/** A value that a formula cannot have: the text that a sheet shows in its place. */
class FormulaError extends Error {
  override name = 'FormulaError';
}

export interface Position {
  /** From 0. */
  row: number;
  column: number;
}

/** Maximum number of rows and columns of a sheet. */
export const [mostRows, mostColumns] = [200, 26];

/** Position of a cell written like B3; null for any other text. */
export function positionOf(text: string): Position | null {
  const found = /^([A-Z])([1-9]\d{0,2})$/.exec(text.trim());
  if (!found) return null;
  const position = { row: Number(found[2]) - 1, column: found[1].charCodeAt(0) - 65 };
  return position.row < mostRows ? position : null;
}

export const addressOf = (row: number, column: number): string => `${String.fromCharCode(65 + column)}${row + 1}`;

/** Numbers have at most twelve digits, so that sums of decimals look as expected. */
const tidy = (value: number): number => Number(value.toPrecision(12));

function apply(operator: Operator, values: readonly Value[]): number {
  const numbers = values.filter((each): each is number => typeof each === 'number');
  const sum = numbers.reduce((total, each) => total + each, 0);
  if (operator === 'COUNT') return numbers.length;
  if (operator === 'SUM') return sum;
  if (operator === 'PRODUCT') return numbers.length ? numbers.reduce((total, each) => total * each, 1) : 0;
  if (operator === 'MAX') return numbers.length ? Math.max(...numbers) : 0;
  if (operator === 'MIN') return numbers.length ? Math.min(...numbers) : 0;
  if (operator === 'MINUS') {
    if (values.length !== 2) throw new FormulaError('#N/A');
    return Number(values[0] || 0) - Number(values[1] || 0);
  }
  if (!numbers.length) throw new FormulaError('#DIV/0!');
  return sum / numbers.length;
}

type Look = (row: number, column: number) => Value;

class Reader {
  private at = 0;
  private readonly parts: readonly string[];

  constructor(
    source: string,
    private readonly look: Look,
  ) {
    this.parts = source.match(/[A-Za-z]+\d*|\d+(?:\.\d+)?|[^\s]/g) ?? [];
  }

  whole(): number {
    const value = this.sum(0);
    if (this.at < this.parts.length) throw new FormulaError('#ERROR!');
    return value;
  }

  private take(part: string): boolean {
    if (this.parts[this.at] !== part) return false;
    this.at++;
    return true;
  }

  private sum(level: number): number {
    if (level > mostDepth) throw new FormulaError('#ERROR!');
    let value = this.product(level);
    for (;;) {
      if (this.take('+')) value += this.product(level);
      else if (this.take('-')) value -= this.product(level);
      else return value;
    }
  }

  private product(level: number): number {
    let value = this.factor(level);
    for (;;) {
      if (this.take('*')) value *= this.factor(level);
      else if (this.take('/')) {
        const divisor = this.factor(level);
        if (divisor === 0) throw new FormulaError('#DIV/0!');
        value /= divisor;
      } else return value;
    }
  }

  private factor(level: number): number {
    if (this.take('-')) return -this.factor(level + 1);
    if (this.take('(')) {
      const value = this.sum(level + 1);
      if (!this.take(')')) throw new FormulaError('#ERROR!');
      return value;
    }
    const part = this.parts[this.at++] ?? '';
    if (/^\d/.test(part)) return Number(part);
    const operator = operators.find((each) => each === part.toUpperCase());
    if (operator && this.take('(')) return apply(operator, this.values(level));
    const position = positionOf(part.toUpperCase());
    if (!position) throw new FormulaError(/^[A-Za-z]+$/.test(part) ? '#NAME?' : '#ERROR!');
    return this.number(this.look(position.row, position.column));
  }

  private number(value: Value): number {
    if (value === '') return 0;
    if (typeof value === 'string') throw new FormulaError(value.startsWith('#') ? value : '#VALUE!');
    return value;
  }

  /** Arguments of a function, up to its bracket. A range gives all of its cells. */
  private values(level: number): Value[] {
    const values: Value[] = [];
    while (!this.take(')')) {
      const [from, colon, to] = this.parts.slice(this.at, this.at + 3);
      const [start, end] = [positionOf((from ?? '').toUpperCase()), positionOf((to ?? '').toUpperCase())];
      if (start && end && colon === ':') {
        this.at += 3;
        values.push(...this.range(start, end));
      } else if (start && (colon === ',' || colon === ')')) {
        this.at++;
        values.push(this.look(start.row, start.column));
      } else values.push(this.sum(level + 1));
      if (!this.take(',') && this.parts[this.at] !== ')') throw new FormulaError('#ERROR!');
    }
    return values;
  }

  private range(start: Position, end: Position): Value[] {
    const values: Value[] = [];
    for (let row = Math.min(start.row, end.row); row <= Math.max(start.row, end.row); row++)
      for (let column = Math.min(start.column, end.column); column <= Math.max(start.column, end.column); column++)
        values.push(this.look(row, column));
    return values;
  }
}

export const isFormula = (content: Value): content is string => typeof content === 'string' && content.startsWith('=');

/** Value of a cell's content: of the formula after "=", or the content itself. */
export function evaluate(content: Value, look: Look): Value {
  if (!isFormula(content)) return content;
  try {
    const value = tidy(new Reader(content.slice(1), look).whole());
    return Number.isFinite(value) ? value : '#NUM!';
  } catch (error) {
    if (error instanceof FormulaError) return error.message;
    throw error;
  }
}
