/**
 * Cells that refer to cells: equal to a plain computation that knows no cell twice, `#REF!` where the plain one goes in
 * a circle or more than 40 levels deep, and quick where the plain one would not end.
 */
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/envs/random.ts';
import { Calculation } from '../../../src/worlds/tools/table/calculation.ts';
import { addressOf, evaluate, isFormula, type Value } from '../../../src/worlds/tools/table/formula.ts';

type Cells = Value[][];
const all = (cells: Cells): Value[][] => {
  const calculation = new Calculation(cells);
  return cells.map((row, r) => row.map((_, c) => calculation.shown(r, c)));
};

/** Computes every reference anew. */
function plain(cells: Cells, row: number, column: number): Value {
  class Endless extends Error {}
  const look = (path: string[]) => (r: number, c: number) => {
    const content = cells[r]?.[c] ?? '';
    if (!isFormula(content)) return content;
    const at = addressOf(r, c);
    if (path.includes(at) || path.length > 40) throw new Endless();
    return evaluate(content, look([...path, at]));
  };
  try {
    return look([])(row, column);
  } catch (error) {
    if (error instanceof Endless) return '#REF!';
    throw error;
  }
}

function drawn(random: Random): Cells {
  const [rows, columns] = [random.between(1, 5), random.between(1, 4)];
  const cell = () => addressOf(random.below(rows), random.below(columns));
  const content = (): Value =>
    random.pick([
      () => random.between(0, 9),
      () => 'x',
      () => `=${cell()}`,
      () => `=${cell()}+${cell()}`,
      () => `=SUM(${cell()}:${cell()})`,
      () => `=MAX(${cell()},${cell()})*2`,
    ])();
  return Array.from({ length: rows }, () => Array.from({ length: columns }, content));
}

describe('cells that refer to cells', () => {
  it('have the values of a plain computation, in every order', () => {
    const random = new Random(5);
    let circles = 0;
    for (let k = 0; k < 2000; k++) {
      const cells = drawn(random);
      const wanted = cells.map((row, r) => row.map((_, c) => plain(cells, r, c)));
      expect(all(cells)).toEqual(wanted);
      const calculation = new Calculation(cells);
      for (let r = cells.length - 1; r >= 0; r--)
        for (let c = cells[r].length - 1; c >= 0; c--) expect(calculation.shown(r, c)).toBe(wanted[r][c]);
      circles += wanted.flat().filter((value) => value === '#REF!').length;
    }
    expect(circles).toBeGreaterThan(1000);
  });

  it('have no value in a circle, however they are looked at', () => {
    const cells = [
      ['=SUM(A1:C1)', 2, '=B1'],
      ['=B2', '=A2', '=SUM(A2:A2)+1'],
    ];
    expect(all(cells)).toEqual([
      ['#REF!', 2, 2],
      ['#REF!', '#REF!', '#REF!'],
    ]);
    expect(new Calculation(cells).formula('=SUM(A1:B1)')).toBe('#REF!');
    expect(new Calculation(cells).formula('=SUM(B1:C1)')).toBe(4);
  });

  it('refer 40 levels deep, the same from above and from below', () => {
    const chain: Cells = Array.from({ length: 60 }, (_, k) => [k === 0 ? 7 : `=A${k}`]);
    const values = all(chain).flat();
    expect(values).toEqual(chain.map((_, k) => plain(chain, k, 0)));
    expect(values.filter((value) => value === 7)).toHaveLength(42);
    const calculation = new Calculation(chain);
    for (let k = 59; k >= 0; k--) expect(calculation.shown(k, 0)).toBe(values[k]);
  });

  it('are computed once: a sheet of sums of all cells below it, and one of circles', () => {
    const rows = 39;
    const sums: Cells = Array.from({ length: rows }, (_, r) =>
      Array.from({ length: 26 }, () => (r === rows - 1 ? 1 : `=SUM(A${r + 2}:Z${rows})`)),
    );
    // Each row is 26 times the sum of the rows below it.
    expect(all(sums).at(-3)).toEqual(Array.from({ length: 26 }, () => 26 + 26 * 26));
    const circles: Cells = Array.from({ length: rows }, () => Array.from({ length: 26 }, () => '=SUM(A1:Z39)'));
    expect(new Set(all(circles).flat())).toEqual(new Set(['#REF!']));
  });
});
