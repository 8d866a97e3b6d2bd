/** Value of a formula whose symbols all have numbers. */
import type { Formula, FormulaSymbol, Source } from '../../rl/common/formula.ts';

export type Reader = (source: Source) => number | null;

/** The formula has no value: a symbol without a number, a sum over a range, or a function. */
class NoValue extends Error {
  override name = 'NoValue';
}

type Item = string | number;

const numbered = ({ of, keeps }: FormulaSymbol, read: Reader): number => {
  const value = of && !keeps ? read(of) : null;
  if (value === null) throw new NoValue();
  return value;
};

/** Parts of a row in order: numbers, operators and parentheses. */
function itemsOf(formula: Formula, read: Reader): Item[] {
  if (typeof formula === 'string') return [/^[\d.]+$/.test(formula) ? Number(formula) : formula];
  if (Array.isArray(formula)) return formula.flatMap((each) => itemsOf(each, read));
  const node = formula as Exclude<Formula, string | readonly Formula[]>;
  if ('symbol' in node) return [numbered(node, read)];
  if ('whole' in node) return [numbered(node.as, read)];
  if ('over' in node) return [computed(node.over, read) / computed(node.under, read)];
  if ('root' in node) return [Math.sqrt(computed(node.root, read))];
  if ('power' in node) return [computed(node.power, read) ** computed(node.to, read)];
  throw new NoValue();
}

/** Recursive descent over the items of a row: sums of products, where neighbours multiply. */
class Row {
  private at = 0;

  constructor(private readonly items: readonly Item[]) {}

  value(): number {
    const value = this.sum();
    if (this.at < this.items.length) throw new NoValue();
    return value;
  }

  private takes(item: string): boolean {
    const found = this.items[this.at] === item;
    if (found) this.at++;
    return found;
  }

  private sum(): number {
    let value = this.takes('−') ? -this.product() : this.product();
    for (;;) {
      if (this.takes('+')) value += this.product();
      else if (this.takes('−')) value -= this.product();
      else return value;
    }
  }

  private product(): number {
    let value = this.factor();
    for (;;) {
      const next = this.items[this.at];
      if (this.takes('/')) value /= this.factor();
      else if (typeof next === 'number' || next === '(') value *= this.factor();
      else return value;
    }
  }

  private factor(): number {
    const item = this.items[this.at++];
    if (typeof item === 'number') return item;
    if (item !== '(') throw new NoValue();
    const value = this.sum();
    if (!this.takes(')')) throw new NoValue();
    return value;
  }
}

const computed = (formula: Formula, read: Reader): number => new Row(itemsOf(formula, read)).value();

/** Value of a formula; null if a part of it has none. */
function valueIn(formula: Formula, read: Reader): number | null {
  try {
    return computed(formula, read);
  } catch (error) {
    if (error instanceof NoValue) return null;
    throw error;
  }
}

/** Values are float32 on the device, and credit may be corrected after them. */
const tolerance = 1e-3;

/**
 * True unless both sides of the line's equals sign have values and these differ. Rules that the formula leaves out,
 * such as the value of an ending, can make them differ.
 */
export function holds(line: Formula, read: Reader): boolean {
  if (!Array.isArray(line) || !line.includes('=')) return true;
  const at = line.indexOf('=');
  const [left, right] = [valueIn(line.slice(0, at), read), valueIn(line.slice(at + 1), read)];
  return left === null || right === null || Math.abs(left - right) <= tolerance * Math.max(1, Math.abs(left));
}
