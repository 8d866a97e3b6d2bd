// Formulas and changes of the table family's sheets.
import { describe, expect, it } from 'vitest';
import { Book } from '../../../src/worlds/tools/table/book.ts';
import type { Sheet } from '../../../src/worlds/tools/table/sheet.ts';

const sheet = (): Sheet => ({
  name: 'Sheet1',
  cells: [
    ['Name', 'Price', 'Count'],
    ['lamp', 2.5, 4],
    ['chair', 10, 3],
    ['clock', 0.1, 12],
  ],
  notes: { C3: 'sold out' },
  frozen: { rows: 1, columns: 0 },
  merged: [],
});

function opened(): Book {
  const book = new Book([sheet()]);
  book.call({ name: 'open_sheet', arguments: { name: 'Sheet1' } });
  return book;
}

describe('a formula', () => {
  // Values computed by hand from the definitions of the functions in Google Sheets.
  it.each([
    ['=SUM(B2:B4)', 12.6],
    ['=AVERAGE(B2:B3)', 6.25],
    ['=COUNT(A1:C4)', 6],
    ['=MAX(B2:C4)', 12],
    ['=MIN(B2:C4)', 0.1],
    ['=MINUS(B3,C3)', 7],
    ['=PRODUCT(B2:C2)', 10],
    ['=B4+0.2', 0.3],
    ['=-(B2 + 1) * 2 / C2', -1.75],
    ['=SUM(B2, C2, 3 * 2)', 12.5],
    ['=1/0', '#DIV/0!'],
    ['=A2+1', '#VALUE!'],
    ['=HELLO(1)', '#NAME?'],
    ['=(1', '#ERROR!'],
    ['=MINUS(1)', '#N/A'],
    ['=AVERAGE(A1:A2)', '#DIV/0!'],
    ['=E1', '#REF!'],
  ])('%s is %s', (value, shown) => {
    const book = opened();
    book.call({ name: 'update_cell', arguments: { position: 'E1', value } });
    expect(book.call({ name: 'get_cell_value', arguments: { position: 'E1' } }).value).toBe(shown);
  });
});

describe('a sheet', () => {
  const first = (book: Book) => book.open!.cells.map(([name]) => name);

  it('keeps its header and moves its notes when it is sorted', () => {
    const book = opened();
    book.call({ name: 'sort_sheet_by_col', arguments: { col_num: 2, order: 'des' } });
    expect(first(book)).toEqual(['Name', 'chair', 'lamp', 'clock']);
    expect(book.open!.notes).toEqual({ C2: 'sold out' });
  });

  it('inserts and deletes rows and columns', () => {
    const book = opened();
    book.call({ name: 'insert_rows', arguments: { values_list: [['shelf', 1]], row_idx: 2 } });
    expect(book.open!.cells[1]).toEqual(['shelf', 1, '']);
    expect(book.open!.notes).toEqual({ C4: 'sold out' });
    book.call({ name: 'delete_batch_data', arguments: { dimension: 'row', index_list: [2, 5] } });
    expect(first(book)).toEqual(['Name', 'lamp', 'chair']);
    book.call({ name: 'delete_batch_data', arguments: { dimension: 'col', index_list: [1] } });
    expect(book.open!.cells[2]).toEqual([10, 3]);
    expect(book.open!.notes).toEqual({ B3: 'sold out' });
  });

  it.each([
    ['update_cell', { position: 'ZZ1', value: 1 }, /is no cell/],
    ['insert_rows', { values_list: [1], row_idx: 2 }, /list of lists/],
    ['insert_rows', { values_list: [['a']], row_idx: 99 }, /no such place/],
    ['delete_batch_data', { dimension: 'row', index_list: [1, 2, 3, 4] }, /not all of them/],
    ['sort_sheet_by_col', { col_num: 9, order: 'asc' }, /no column 9/],
    ['update_range', { start_position: 'A1', end_position: 'B2', values_list: [['a']] }, /2 rows of 2/],
    ['open_sheet', { name: 'x' }, /no sheet "x"/],
  ])('refuses %s with %j', (name, given, reason) => {
    const book = opened();
    const before = JSON.stringify(book.sheets);
    const { ok, value } = book.call({ name, arguments: given });
    expect([ok, value]).toEqual([false, expect.stringMatching(reason)]);
    expect(JSON.stringify(book.sheets)).toBe(before);
  });
});
