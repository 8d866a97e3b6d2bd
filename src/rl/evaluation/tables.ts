/** Tables of a report as plain text and Markdown, and numbers with their intervals as text. */
import type { Estimate } from './statistics.ts';

/** Cells in reading order; the first column names the row. */
export type Table<Cell = string> = { head: string[]; rows: Cell[][] };

/** False for a number that overflowed, which is null once it was stored as JSON. */
const isKnown = (value: number | null): value is number => value !== null && Number.isFinite(value);

export const percent = (value: number | null) => (isKnown(value) ? (100 * value).toFixed(2) : '-');
export const decimals = (value: number | null) => (isKnown(value) ? value.toFixed(3) : '-');
export const interval = ({ mean, low, high }: Estimate) => `${percent(mean)} [${percent(low)}, ${percent(high)}]`;
export const plain = ({ mean, low, high }: Estimate) => `${decimals(mean)} [${decimals(low)}, ${decimals(high)}]`;

/** A cell on one line. */
export const oneLine = (cell: string) => cell.replace(/\s*[\n\r\u2028\u2029]\s*/g, ' ');
/**
 * A line or a cell of a Markdown table, where "|" and a line's end would divide it (github.github.com/gfm, section 4.10),
 * "<" would begin an element (section 6.10), and "](" a link or an image, which a viewer loads (sections 6.6 and 6.7).
 */
export const markdownCell = (cell: string) =>
  oneLine(cell).replace(/[\\|]/g, '\\$&').replaceAll('<', '&lt;').replaceAll('](', ']\\(');

export function textTable({ head, rows }: Table): string {
  const clean = [head, ...rows].map((row) => row.map(oneLine));
  const widths = head.map((_, c) => Math.max(...clean.map((row) => row[c].length)));
  const line = (row: string[]) =>
    row
      .map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c])))
      .join('  ')
      .trimEnd();
  return clean.map(line).join('\n');
}

export const markdownTable = ({ head, rows }: Table) =>
  [head, head.map((_, c) => (c === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.map(markdownCell).join(' | ')} |`)
    .join('\n');
