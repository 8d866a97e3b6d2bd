/**
 * Tables as CSV (RFC 4180, with a line feed at the end of a line). Texts may be other people's, such as the names of an
 * imported experiment, so no cell is run as a formula.
 */

interface CsvTable {
  head: readonly string[];
  rows: readonly (readonly (string | number)[])[];
}

const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));

/**
 * A cell that begins with one of these signs would be run as a formula by a spreadsheet, unless it is a number or one
 * dash.
 */
const guarded = (value: string | number): string =>
  typeof value === 'string' && /^\s*[=+\-@\t\r\n＝＋－＠]/.test(value) && !isNumber(value) && value !== '-'
    ? `'${value}`
    : String(value);

const cell = (value: string | number) => {
  const text = guarded(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csvTable = ({ head, rows }: CsvTable): string =>
  `${[head, ...rows].map((row) => row.map(cell).join(',')).join('\n')}\n`;
