/** Tables as CSV (RFC 4180, with a line feed at the end of a line). */

interface CsvTable {
  head: readonly string[];
  rows: readonly (readonly (string | number)[])[];
}

const cell = (value: string | number) => {
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csvTable = ({ head, rows }: CsvTable): string =>
  `${[head, ...rows].map((row) => row.map(cell).join(',')).join('\n')}\n`;

/** A cell that begins with one of these signs would be run as a formula by a spreadsheet. */
const guarded = (value: string | number): string =>
  /^\s*[=+\-@\t\r\n＝＋－＠]/.test(String(value)) ? `'${value}` : String(value);

/** A table with texts that other people wrote: no cell is run as a formula. */
export const guardedCsv = ({ head, rows }: CsvTable): string =>
  csvTable({ head: head.map(guarded), rows: rows.map((row) => row.map(guarded)) });
