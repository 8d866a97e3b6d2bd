/**
 * Parts of a formula that another formula has not: both are aligned row by row, and what stays alone is marked. Marks
 * are kept by row, as positions in it.
 */
import type { Formula } from '../../rl/common/formula.ts';

/** Marked positions of the rows of a formula. */
export type Marks = ReadonlyMap<object, ReadonlySet<number>>;

type Row = readonly Formula[];

const textOf = (formula: Formula) => JSON.stringify(formula);

/** Aligned positions of two rows: the longest common subsequence of equal parts. */
function aligned(a: Row, b: Row): [number, number][] {
  const [left, right] = [a.map(textOf), b.map(textOf)];
  const best = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i][j] = left[i] === right[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (left[i] === right[j]) pairs.push([i++, j++]);
    else if (best[i + 1][j] >= best[i][j + 1]) i++;
    else j++;
  }
  return pairs;
}

const keysOf = (formula: Formula) =>
  typeof formula === 'object' && !Array.isArray(formula) ? Object.keys(formula) : [];

/** True for two fractions, two powers and the like: their parts are compared. */
const isSameShape = (a: Formula, b: Formula) => {
  if (Array.isArray(a) && Array.isArray(b)) return true;
  const keys = keysOf(a);
  return keys.length > 0 && !keys.includes('symbol') && keys.join() === keysOf(b).join();
};

const asRow = (formula: Formula): Row => (Array.isArray(formula) ? (formula as Row) : [formula]);

function compareParts(a: Formula, b: Formula, marks: Map<object, Set<number>>): void {
  if (Array.isArray(a)) {
    compareRows(a as Row, b as Row, marks);
    return;
  }
  const [own, other] = [a as { [key: string]: Formula }, b as { [key: string]: Formula }];
  for (const key of Object.keys(own)) {
    if (key === 'as' || textOf(own[key]) === textOf(other[key])) continue;
    if (Array.isArray(own[key])) compareRows(own[key] as Row, asRow(other[key]), marks);
    else marks.set(a as object, new Set([...(marks.get(a as object) ?? []), 0]));
  }
}

function compareRows(a: Row, b: Row, marks: Map<object, Set<number>>): void {
  const pairs = aligned(a, b);
  const mark = (i: number) => marks.set(a, new Set([...(marks.get(a) ?? []), i]));
  [...pairs, [a.length, b.length]].reduce(
    ([i, j], [nextI, nextJ]) => {
      const [own, others] = [a.slice(i, nextI), b.slice(j, nextJ)];
      own.forEach((part, k) => {
        if (others.length === own.length && isSameShape(part, others[k])) compareParts(part, others[k], marks);
        else mark(i + k);
      });
      return [nextI + 1, nextJ + 1];
    },
    [0, 0],
  );
}

export const linesOf = (formula: Formula): readonly Formula[] =>
  typeof formula === 'object' && 'lines' in formula ? formula.lines : [formula];

/** Marks of a formula's lines against the lines of another that begin alike, or else against the first. */
export function formulaDifferences(formula: Formula, base: Formula | null): Marks {
  const marks = new Map<object, Set<number>>();
  const others = base === null ? [] : linesOf(base);
  for (const line of linesOf(formula)) {
    const row = asRow(line);
    const like = others.find((each) => textOf(asRow(each)[0]) === textOf(row[0]));
    if (like) compareRows(row, asRow(like), marks);
    else marks.set(row, new Set(row.keys()));
  }
  return marks;
}
