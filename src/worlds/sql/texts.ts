/** Texts of tables and rows, as the agent reads them. */
import type { Result, Value } from '../../corpus/databases/read-only.ts';

/** Bounds of the rows that an answer shows. */
const mostShownRows = 20;
const mostCell = 80;
const mostText = 4000;
/** Rows and values of a brief answer. */
const briefRows = 2;

const hex = (bytes: Uint8Array) =>
  [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export function cellText(value: Value): string {
  if (value === null) return 'NULL';
  const text = value instanceof Uint8Array ? `x'${hex(value)}'` : String(value);
  return text.length > mostCell ? `${text.slice(0, mostCell)}…` : text;
}

export const countOf = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;

const lineOf = (cells: readonly string[]) => cells.join(' | ');

/** Columns and first rows, with their number. */
export function tableText({ columns, rows }: Result): string {
  const shown = rows.slice(0, mostShownRows).map((row) => lineOf(row.map(cellText)));
  const rest = rows.length > mostShownRows ? `; the first ${mostShownRows} are shown` : '';
  const text = [lineOf(columns), ...shown, `(${countOf(rows.length, 'row')}${rest})`].join('\n');
  return text.length > mostText ? `${text.slice(0, mostText)}…` : text;
}

/** A few words: the number of rows, and the first of them. */
export const briefText = ({ rows }: Result): string =>
  [countOf(rows.length, 'row'), ...rows.slice(0, briefRows).map((row) => row.map(cellText).join(' '))].join(' : ');
