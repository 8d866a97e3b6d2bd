/**
 * Comparison of the rows of two statements. BIRD's rule (arXiv 2305.03111): `set(rows) == set(gold rows)` in Python, so
 * that order and repetition do not count, and 1 equals 1.0. Where a question asks for an order, the rows must be equal
 * one by one.
 */
import type { Value } from '../../corpus/databases/read-only.ts';

function keyOf(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `text ${value}`;
  if (value instanceof Uint8Array) return `blob ${[...value].join(' ')}`;
  // A whole number as Python compares it: exactly, whatever its type.
  if (typeof value === 'number') return `number ${Number.isInteger(value) ? BigInt(value) : value}`;
  return `number ${value}`;
}

const rowKey = (row: readonly Value[]) => JSON.stringify(row.map(keyOf));

export function sameRows(
  rows: readonly (readonly Value[])[],
  gold: readonly (readonly Value[])[],
  ordered: boolean,
): boolean {
  if (ordered) return rows.length === gold.length && rows.every((row, k) => rowKey(row) === rowKey(gold[k]));
  const [own, right] = [new Set(rows.map(rowKey)), new Set(gold.map(rowKey))];
  return own.size === right.size && [...own].every((key) => right.has(key));
}
