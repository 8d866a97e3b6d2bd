/**
 * Values of a sheet's cells, each computed once. Cells whose formulas refer to themselves over others, or to cells that
 * refer to cells more than `mostDepth` levels deep, have no value: the sheet shows `#REF!` for all that depend on them.
 */
import { evaluate, isFormula, mostColumns, mostDepth, type Value } from './formula.ts';

/** The cell depends on itself, or on too long a chain of cells. */
class NoValue extends Error {
  override name = 'NoValue';
  constructor(readonly isCircle: boolean) {
    super('This cell has no value.');
  }
}

/** What is known of a cell: its value with its height (levels of formulas below it), or why it has none. */
type Known = { value: Value; height: number } | { circle: true } | { atLeast: number };

export class Calculation {
  private readonly known = new Map<number, Known>();
  /** Cells whose formulas are being computed, and from the outermost the heights found so far. */
  private readonly open = new Set<number>();
  private readonly heights: number[] = [];

  /** `cells`: contents, in rows; they must not change while this is used. */
  constructor(private readonly cells: readonly (readonly Value[])[]) {}

  /** Shown value of a cell; empty outside of the sheet. */
  shown(row: number, column: number): Value {
    return this.valueOf(this.cells[row]?.[column] ?? '', () => this.look(row, column));
  }

  /** Value of a formula that stands in no cell. */
  formula(text: string): Value {
    return this.valueOf(text, () => evaluate(text, this.look));
  }

  private valueOf(content: Value, compute: () => Value): Value {
    if (!isFormula(content)) return content;
    try {
      return compute();
    } catch (error) {
      if (error instanceof NoValue) return '#REF!';
      throw error;
    }
  }

  private readonly look = (row: number, column: number): Value => {
    const content = this.cells[row]?.[column] ?? '';
    if (!isFormula(content)) return content;
    const key = row * mostColumns + column;
    const { value, height } = this.find(key) ?? this.compute(key, content);
    const above = this.heights.length - 1;
    if (above >= 0) this.heights[above] = Math.max(this.heights[above], height + 1);
    return value;
  };

  /** The value of a cell that was computed before; null: it was not, or not for this depth. */
  private find(key: number): { value: Value; height: number } | null {
    const known = this.known.get(key);
    if (this.open.has(key) || (known && 'circle' in known)) throw new NoValue(true);
    if (!known) return null;
    if (this.open.size + ('value' in known ? known.height : known.atLeast) > mostDepth) throw new NoValue(false);
    return 'value' in known ? known : null;
  }

  private compute(key: number, content: string): { value: Value; height: number } {
    const depth = this.open.size;
    if (depth > mostDepth) throw new NoValue(false);
    this.open.add(key);
    this.heights.push(0);
    try {
      const value = evaluate(content, this.look);
      const found = { value, height: this.heights.at(-1)! };
      this.known.set(key, found);
      return found;
    } catch (error) {
      if (error instanceof NoValue)
        this.known.set(key, error.isCircle ? { circle: true } : { atLeast: mostDepth + 1 - depth });
      throw error;
    } finally {
      this.open.delete(key);
      this.heights.pop();
    }
  }
}
