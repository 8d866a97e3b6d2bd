/** Tables of a report as plain text, Markdown and CSV, and numbers with their intervals as text. */
import type { Estimate } from './statistics.ts';

/** Cells in reading order; the first column names the row. */
export type Table<Cell = string> = { head: string[]; rows: Cell[][] };

export const percent = (value: number) => (Number.isNaN(value) ? '-' : (100 * value).toFixed(2));
export const interval = ({ mean, low, high }: Estimate) => `${percent(mean)} [${percent(low)}, ${percent(high)}]`;
export const plain = ({ mean, low, high }: Estimate) => `${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;

export function textTable({ head, rows }: Table): string {
  const widths = head.map((_, c) => Math.max(...[head, ...rows].map((row) => row[c].length)));
  const line = (row: string[]) =>
    row
      .map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c])))
      .join('  ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}

export const markdownTable = ({ head, rows }: Table) =>
  [head, head.map((_, c) => (c === 0 ? '---' : '---:')), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const csvCell = (value: string | number) => {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csvTable = ({ head, rows }: Table<string | number>): string =>
  `${[head, ...rows].map((row) => row.map(csvCell).join(',')).join('\n')}\n`;
