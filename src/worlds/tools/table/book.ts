/** A book of sheets behind the tools of the table family. */
import type { Json } from '../../../envs/env.ts';
import { type Answer, refusal, result } from '../family.ts';
import type { Arguments, Call } from '../tool.ts';
import { Calculation } from './calculation.ts';
import { addressOf, mostColumns, mostRows, operators, type Position, positionOf, type Value } from './formula.ts';
import {
  cellsWith,
  copySheet,
  deleteRows,
  insertRows,
  onColumns,
  type Sheet,
  setCell,
  shownCells,
  sortRows,
} from './sheet.ts';

/** Reason why a call cannot be made. */
class Refusal extends Error {
  override name = 'Refusal';
}

const cut = (text: string) => text.slice(0, 60);

function cellOf(value: Json): Position {
  const position = positionOf(String(value));
  if (!position) throw new Refusal(`"${cut(String(value))}" is no cell: write it like B3.`);
  return position;
}

/** A value of a cell: a number is read from its text. */
function contentOf(value: Json): Value {
  if (typeof value === 'number') return value;
  if (value === null) return '';
  if (typeof value === 'object' || typeof value === 'boolean') throw new Refusal('A value is a text or a number.');
  const text = value.slice(0, 200);
  return /^-?\d{1,12}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : text;
}

function listsOf(value: Json): Value[][] {
  if (!Array.isArray(value) || !value.length || !value.every(Array.isArray))
    throw new Refusal('values_list is a list of lists, like [["a", 1]].');
  if (value.length > mostRows || value.some((row) => (row as Json[]).length > mostRows))
    throw new Refusal(`values_list has at most ${mostRows} rows and columns.`);
  return (value as Json[][]).map((row) => row.map(contentOf));
}

export class Book {
  open: Sheet | null = null;

  constructor(public sheets: Sheet[]) {}

  copy(): Book {
    const book = new Book(this.sheets.map(copySheet));
    book.open = book.sheets.find(({ name }) => name === this.open?.name) ?? null;
    return book;
  }

  call(call: Call): Answer {
    try {
      return this.answer(call);
    } catch (error) {
      if (error instanceof Refusal) return refusal(error.message);
      throw error;
    }
  }

  private answer({ name, arguments: given }: Call): Answer {
    if (name === 'open_sheet') return this.openSheet(String(given.name));
    if (name === 'del_sheet') return this.deleteSheet(String(given.name));
    const sheet = this.open;
    if (!sheet) return refusal('Please open a sheet before operating it');
    return this.read(name, given, sheet) ?? this.change(name, given, sheet);
  }

  private sheetNamed(name: string): Sheet {
    const sheet = this.sheets.find((each) => each.name === name);
    const known = this.sheets.map((each) => each.name).join(', ');
    if (!sheet) throw new Refusal(`There is no sheet "${cut(name)}". The sheets are: ${known}.`);
    return sheet;
  }

  private openSheet(name: string): Answer {
    this.open = this.sheetNamed(name);
    return result(`${name} is open.`);
  }

  private deleteSheet(name: string): Answer {
    const sheet = this.sheetNamed(name);
    if (this.sheets.length === 1) throw new Refusal('The last sheet cannot be deleted.');
    this.sheets = this.sheets.filter((each) => each !== sheet);
    if (this.open === sheet) this.open = null;
    return { ok: true, value: `You have deleted sheet ${name} successfully`, changed: [`${name}: deleted`] };
  }

  /** Answer of a tool that reads, or null for the others. */
  private read(name: string, given: Arguments, sheet: Sheet): Answer | null {
    if (name === 'get_all_values') return result(shownCells(sheet));
    if (name === 'get_range_values') return result(this.range(sheet, given));
    if (name === 'get_A1_annotation') return result(this.annotation(Number(given.row), Number(given.col)));
    if (name === 'get_value_by_formula') return result(new Calculation(sheet.cells).formula(this.formula(given)));
    if (name === 'filter_cells') {
      const [row, column] = [given.in_row, given.in_column].map((each) =>
        each === undefined ? undefined : Number(each) - 1,
      );
      return result(cellsWith(sheet, String(given.query), row, column));
    }
    if (name !== 'get_cell_value' && name !== 'get_note') return null;
    const { row, column } = cellOf(given.position);
    return result(
      name === 'get_note'
        ? (sheet.notes[addressOf(row, column)] ?? '')
        : new Calculation(sheet.cells).shown(row, column),
    );
  }

  private annotation(row: number, column: number): string {
    if (row < 1 || row > mostRows || column < 1 || column > mostColumns)
      throw new Refusal(`A cell has a row up to ${mostRows} and a column up to ${mostColumns}.`);
    return addressOf(row - 1, column - 1);
  }

  private range(sheet: Sheet, given: Arguments): Value[][] {
    const { start, height, width } = this.corners(given);
    const calculation = new Calculation(sheet.cells);
    return Array.from({ length: height }, (_, r) =>
      Array.from({ length: width }, (_, c) => calculation.shown(start.row + r, start.column + c)),
    );
  }

  private corners(given: Arguments): { start: Position; height: number; width: number } {
    const [start, end] = [cellOf(given.start_position), cellOf(given.end_position)];
    if (end.row < start.row || end.column < start.column)
      throw new Refusal('A range goes from its upper left to its lower right cell.');
    return { start, height: end.row - start.row + 1, width: end.column - start.column + 1 };
  }

  private formula({ operator, start_position, end_position, position_list }: Arguments): string {
    if (!operators.includes(String(operator) as never))
      throw new Refusal(`operator is one of ${operators.join(', ')}.`);
    if (Array.isArray(position_list)) {
      const cells = position_list.map((each) => cellOf(each)).map(({ row, column }) => addressOf(row, column));
      return `=${operator}(${cells.join(',')})`;
    }
    if (start_position === undefined || end_position === undefined)
      throw new Refusal('A formula needs start_position and end_position, or position_list.');
    cellOf(start_position);
    cellOf(end_position);
    return `=${operator}(${start_position}:${end_position})`;
  }

  private change(name: string, given: Arguments, sheet: Sheet): Answer {
    const before = sheet.cells.map((row) => [...row]);
    const changed = this.apply(name, given, sheet);
    if (changed) return { ok: true, value: shownCells(sheet), changed: [changed] };
    const cells = this.changedCells(before, sheet);
    return { ok: true, value: shownCells(sheet), changed: cells };
  }

  /** Changed cells of a sheet of one size, or its new size. */
  private changedCells(before: readonly Value[][], { cells }: Sheet): string[] {
    const size = (all: readonly Value[][]) => `${all.length} × ${all[0]?.length ?? 0}`;
    if (size(before) !== size(cells)) return [`${size(before)} → ${size(cells)}`];
    return cells
      .flatMap((row, r) => row.flatMap((value, c) => (value === before[r][c] ? [] : [`${addressOf(r, c)}: ${value}`])))
      .slice(0, 5);
  }

  /** Makes a change; returns a sentence if it is not one of cells. */
  private apply(name: string, given: Arguments, sheet: Sheet): string | null {
    if (name === 'update_cell') setCell(sheet, cellOf(given.position), contentOf(given.value));
    else if (name === 'update_cell_by_formula') setCell(sheet, cellOf(given.result_position), this.formula(given));
    else if (name === 'update_range') this.fill(sheet, given);
    else if (name === 'insert_rows' || name === 'insert_cols') this.insert(sheet, name === 'insert_cols', given);
    else if (name === 'delete_batch_data') this.remove(sheet, given.dimension === 'col', given.index_list);
    else if (name === 'sort_sheet_by_col') this.sort(sheet, Number(given.col_num), given.order === 'des');
    else return this.mark(name, given, sheet);
    return null;
  }

  private fill(sheet: Sheet, given: Arguments): void {
    const { start, height, width } = this.corners(given);
    const values = listsOf(given.values_list);
    if (values.length !== height || values.some((row) => row.length !== width))
      throw new Refusal(`values_list must have ${height} rows of ${width} values.`);
    for (const [r, row] of values.entries())
      for (const [c, value] of row.entries()) setCell(sheet, { row: start.row + r, column: start.column + c }, value);
  }

  private insert(sheet: Sheet, columns: boolean, given: Arguments): void {
    const values = listsOf(given.values_list);
    const index = Number(columns ? given.col_idx : given.row_idx) - 1;
    const insert = (rows: Sheet) => index >= 0 && insertRows(rows, index, values);
    if (!(columns ? onColumns(sheet, insert) : insert(sheet)))
      throw new Refusal('There is no such place in the sheet.');
  }

  private remove(sheet: Sheet, columns: boolean, list: Json): void {
    const indices = Array.isArray(list) ? list.map((each) => Number(each) - 1) : [];
    const known = indices.length && indices.every(Number.isInteger);
    const remove = (rows: Sheet) => deleteRows(rows, indices);
    if (!known || !(columns ? onColumns(sheet, remove) : remove(sheet)))
      throw new Refusal('index_list must have numbers of rows or columns of the sheet, and not all of them.');
  }

  private sort(sheet: Sheet, column: number, descending: boolean): void {
    if (column < 1 || column > (sheet.cells[0]?.length ?? 0)) throw new Refusal(`There is no column ${column}.`);
    sortRows(sheet, column - 1, descending);
  }

  private mark(name: string, given: Arguments, sheet: Sheet): string {
    if (name === 'update_note') {
      const { row, column } = cellOf(given.position);
      sheet.notes[addressOf(row, column)] = String(given.content).slice(0, 200);
      return `${addressOf(row, column)}: note`;
    }
    if (name === 'merge_cells') {
      const { start, height, width } = this.corners(given);
      if (height * width < 2) throw new Refusal('At least two cells can be merged.');
      const range = `${addressOf(start.row, start.column)}:${addressOf(start.row + height - 1, start.column + width - 1)}`;
      if (!sheet.merged.includes(range)) sheet.merged.push(range);
      return `${range}: merged`;
    }
    const count = Number(given.num);
    if (count < 0 || count > mostColumns) throw new Refusal(`Up to ${mostColumns} rows or columns can be frozen.`);
    sheet.frozen[given.dimension === 'rows' ? 'rows' : 'columns'] = count;
    return `${count} ${given.dimension} frozen`;
  }
}
