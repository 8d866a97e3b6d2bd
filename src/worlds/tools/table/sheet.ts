/** A sheet: cells with notes, frozen and merged parts, and the changes that a tool can make. */
import { Calculation } from './calculation.ts';
import { addressOf, mostColumns, mostRows, type Position, positionOf, type Value } from './formula.ts';

export interface Sheet {
  name: string;
  /** Contents, in rows of one length; a formula begins with "=". */
  cells: Value[][];
  notes: { [address: string]: string };
  frozen: { rows: number; columns: number };
  /** Merged ranges, like A1:B1. */
  merged: string[];
}

export const copySheet = ({ name, cells, notes, frozen, merged }: Sheet): Sheet => ({
  name,
  cells: cells.map((row) => [...row]),
  notes: { ...notes },
  frozen: { ...frozen },
  merged: [...merged],
});

const widthOf = ({ cells }: Sheet) => cells[0]?.length ?? 0;

export function shownCells({ cells }: Sheet): Value[][] {
  const calculation = new Calculation(cells);
  return cells.map((contents, row) => contents.map((_, column) => calculation.shown(row, column)));
}

/** Removes empty rows and columns at the end. */
function trim(sheet: Sheet): void {
  const { cells } = sheet;
  while (cells.length > 1 && cells.at(-1)!.every((each) => each === '')) cells.pop();
  while (widthOf(sheet) > 1 && cells.every((row) => row.at(-1) === '')) for (const row of cells) row.pop();
}

/** Sets the content of a cell; the sheet grows if it lies outside. */
export function setCell(sheet: Sheet, { row, column }: Position, content: Value): void {
  while (sheet.cells.length <= row) sheet.cells.push(Array.from({ length: widthOf(sheet) }, () => ''));
  for (const cells of sheet.cells) while (cells.length <= column) cells.push('');
  sheet.cells[row][column] = content;
  trim(sheet);
}

/** Moves the notes of rows that a change has moved, and drops those of rows that are gone. */
function moveNotes(sheet: Sheet, before: readonly Value[][]): void {
  const notes = Object.entries(sheet.notes).flatMap(([address, note]) => {
    const { row, column } = positionOf(address)!;
    const at = row < before.length ? sheet.cells.indexOf(before[row]) : -1;
    return at < 0 ? [] : [[addressOf(at, column), note]];
  });
  sheet.notes = Object.fromEntries(notes);
}

const turnedNotes = (notes: Sheet['notes']): Sheet['notes'] =>
  Object.fromEntries(
    Object.entries(notes).flatMap(([address, note]) => {
      const { row, column } = positionOf(address)!;
      return row < mostColumns ? [[addressOf(column, row), note]] : [];
    }),
  );

/** Inserts rows before the row of this index. False if they do not fit. */
export function insertRows(sheet: Sheet, index: number, rows: readonly Value[][]): boolean {
  const width = Math.max(widthOf(sheet), ...rows.map((row) => row.length));
  if (index > sheet.cells.length || sheet.cells.length + rows.length > mostRows || width > mostColumns) return false;
  const before = [...sheet.cells];
  sheet.cells.splice(index, 0, ...rows.map((row) => [...row]));
  moveNotes(sheet, before);
  for (const row of sheet.cells) while (row.length < width) row.push('');
  trim(sheet);
  return true;
}

const transposed = (cells: readonly (readonly Value[])[]): Value[][] =>
  Array.from({ length: Math.max(0, ...cells.map((row) => row.length)) }, (_, k) => cells.map((row) => row[k] ?? ''));

/** Runs a change of rows on the columns. */
export function onColumns(sheet: Sheet, change: (turned: Sheet) => boolean): boolean {
  // A sheet has at most as many rows as a turned address can name: notes below are kept as they are.
  const kept = Object.entries(sheet.notes).filter(([address]) => positionOf(address)!.row >= mostColumns);
  const turned = { ...copySheet(sheet), cells: transposed(sheet.cells), notes: turnedNotes(sheet.notes) };
  if (!change(turned)) return false;
  sheet.notes = { ...turnedNotes(turned.notes), ...Object.fromEntries(kept) };
  sheet.cells = transposed(turned.cells);
  return true;
}

export function deleteRows(sheet: Sheet, indices: readonly number[]): boolean {
  const all = new Set(indices);
  if ([...all].some((each) => each < 0 || each >= sheet.cells.length) || all.size >= sheet.cells.length) return false;
  const before = sheet.cells;
  sheet.cells = before.filter((_, k) => !all.has(k));
  moveNotes(sheet, before);
  trim(sheet);
  return true;
}

/** Order of a sheet: numbers before texts, empty cells last. */
function compare(a: Value, b: Value): number {
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sorts the rows below the frozen ones by a column. Equal rows keep their order. */
export function sortRows(sheet: Sheet, column: number, descending: boolean): void {
  const { rows: first } = sheet.frozen;
  const calculation = new Calculation(sheet.cells);
  const rows = sheet.cells.slice(first).map((cells, k) => ({ cells, key: calculation.shown(first + k, column) }));
  rows.sort((a, b) => {
    const empty = a.key === '' || b.key === '';
    return compare(a.key, b.key) * (descending && !empty ? -1 : 1);
  });
  const before = sheet.cells;
  sheet.cells = [...before.slice(0, first), ...rows.map(({ cells }) => cells)];
  moveNotes(sheet, before);
}

/** Addresses of the cells with this shown text. */
export const cellsWith = (sheet: Sheet, query: string, row?: number, column?: number): string[] =>
  shownCells(sheet).flatMap((cells, r) =>
    cells.flatMap((value, c) =>
      String(value) === query && (row === undefined || r === row) && (column === undefined || c === column)
        ? [addressOf(r, c)]
        : [],
    ),
  );

/** Text that is the same for sheets that look the same: shown cells, notes, frozen and merged parts. */
export const lookOf = (sheets: readonly Sheet[]): string =>
  JSON.stringify(
    sheets.map((sheet) => [
      ...[sheet.name, shownCells(sheet), Object.entries(sheet.notes).sort(), sheet.frozen.rows, sheet.frozen.columns],
      [...sheet.merged].sort(),
    ]),
  );
