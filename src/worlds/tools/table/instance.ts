/** One task of the table family: a book of sheets, its goal, and the changes that reach it. */
import type { Json } from '../../../envs/env.ts';
import type { Answer, Instance, Original } from '../family.ts';
import type { Arguments, Call, Tool } from '../tool.ts';
import type { StateTable } from '../view-data.ts';
import { Book } from './book.ts';
import { addressOf, operators, type Value } from './formula.ts';
import { copySheet, lookOf, type Sheet, shownCells } from './sheet.ts';

/** Result of a template. */
export interface TableDraft {
  sheets: readonly Sheet[];
  goal: string;
  answer: Json;
  reads: readonly Call[];
  /** Changes that the goal asks for, in their order, after the reads. */
  plan: readonly Call[];
  /** Values, rows and notes in the goal that a call may take. */
  values: readonly Value[];
  rows: readonly (readonly Value[])[];
  notes: readonly string[];
}

/** Sheet that all tasks but a few are about. */
const mainSheet = 'Sheet1';

export class TableInstance implements Instance {
  readonly goal: string;
  readonly answer: Json;
  readonly reads: readonly Call[];
  version = 0;
  readonly book: Book;
  private readonly first: readonly Sheet[];
  private readonly target: readonly Sheet[];
  /** Look of the sheets before each planned change, and after the last. */
  private readonly looks: readonly string[];
  private hasSeen = false;
  private hasOpened = false;
  originalOf: (() => Original) | null = null;

  constructor(private readonly draft: TableDraft) {
    [this.goal, this.answer, this.reads] = [draft.goal, draft.answer, draft.reads];
    this.book = new Book(draft.sheets.map(copySheet));
    this.first = draft.sheets;
    const done = this.book.copy();
    done.call({ name: 'open_sheet', arguments: { name: mainSheet } });
    const looks = [lookOf(done.sheets)];
    for (const call of draft.plan) {
      const { ok, value } = done.call(call);
      if (!ok) throw new Error(`A planned call is refused: ${JSON.stringify(call)}: ${value}`);
      looks.push(lookOf(done.sheets));
    }
    this.looks = looks;
    this.target = done.sheets;
  }

  get targetCells(): Value[][] {
    return shownCells(this.target.find(({ name }) => name === mainSheet)!);
  }

  call(call: Call): Answer {
    this.version++;
    const answer = this.book.call(call);
    if (this.book.open?.name === mainSheet) this.hasOpened = true;
    if (answer.ok && Array.isArray(answer.value)) this.hasSeen = true;
    return answer;
  }

  /** The rest of the plan if the sheets look as at one of its points; otherwise repairs, as far as there are any. */
  changes(): Call[] | null {
    const at = this.looks.lastIndexOf(lookOf(this.book.sheets));
    const calls = at >= 0 ? this.draft.plan.slice(at) : this.repairs();
    if (!calls?.length) return calls;
    // The reads open the sheet at first.
    const opened = this.book.open?.name === mainSheet || !this.hasOpened || calls[0].name === 'del_sheet';
    return opened ? calls : [{ name: 'open_sheet', arguments: { name: mainSheet } }, ...calls];
  }

  /** Calls that give the main sheet the target's cells and notes; null if a sheet is gone or merged. */
  private repairs(): Call[] | null {
    const [sheet, target] = [this.book.sheets, this.target].map((all) => all.find(({ name }) => name === mainSheet));
    const names = (all: readonly Sheet[]) => all.map(({ name }) => name).join();
    if (!sheet || !target || sheet.merged.some((range) => !target.merged.includes(range))) return null;
    if (names(this.book.sheets.filter(({ name }) => name !== 'Sheet2')) !== mainSheet) return null;
    const calls: Call[] = [];
    if (names(this.book.sheets) !== names(this.target)) {
      if (this.book.sheets.length < this.target.length) return null;
      calls.push({ name: 'del_sheet', arguments: { name: 'Sheet2' } });
    }
    return [...calls, ...this.cellRepairs(sheet, target), ...this.markRepairs(sheet, target)];
  }

  private cellRepairs({ cells }: Sheet, target: Sheet): Call[] {
    const [height, width] = [target.cells.length, target.cells[0].length];
    const surplus = (have: number, want: number) =>
      Array.from({ length: Math.max(0, have - want) }, (_, k) => want + k + 1);
    const removed = (dimension: string, index_list: number[]): Call[] =>
      index_list.length ? [{ name: 'delete_batch_data', arguments: { dimension, index_list } }] : [];
    const set = target.cells.flatMap((row, r) =>
      row.flatMap((value, c) =>
        value === (cells[r]?.[c] ?? '')
          ? []
          : [{ name: 'update_cell', arguments: { position: addressOf(r, c), value } }],
      ),
    );
    return [
      ...removed('row', surplus(cells.length, height)),
      ...removed('col', surplus(cells[0].length, width)),
      ...set,
    ];
  }

  private markRepairs(sheet: Sheet, target: Sheet): Call[] {
    const addresses = [...new Set([...Object.keys(sheet.notes), ...Object.keys(target.notes)])];
    const notes = addresses.flatMap((position): Call[] => {
      const content = target.notes[position] ?? '';
      return (sheet.notes[position] ?? '') === content
        ? []
        : [{ name: 'update_note', arguments: { position, content } }];
    });
    const frozen = (['rows', 'columns'] as const).flatMap((dimension): Call[] =>
      sheet.frozen[dimension] === target.frozen[dimension]
        ? []
        : [{ name: 'freeze_data', arguments: { dimension, num: target.frozen[dimension] } }],
    );
    const merged = target.merged
      .filter((range) => !sheet.merged.includes(range))
      .map((range): Call => {
        const [start_position, end_position] = range.split(':');
        return { name: 'merge_cells', arguments: { start_position, end_position } };
      });
    return [...notes, ...frozen, ...merged];
  }

  brief({ name }: Call, { value }: Answer): string {
    if (!Array.isArray(value)) return String(value) || 'none';
    if (name !== 'get_all_values' && name !== 'get_range_values' && name !== 'filter_cells') return 'done';
    return value.map((row) => (Array.isArray(row) ? row.join(' ') : String(row))).join(' ; ') || 'none';
  }

  /** The open sheet, once its values were returned. */
  private seen(): Sheet | null {
    return this.hasSeen ? this.book.open : null;
  }

  offers({ name }: Tool): Arguments[] {
    if (name === 'finish') return this.answers().map((answer) => ({ answer }));
    if (name === 'open_sheet' || name === 'del_sheet')
      return this.goal.match(/Sheet\d/g)?.map((each) => ({ name: each })) ?? [];
    if (!this.book.open) return [];
    if (name === 'get_all_values') return [{}];
    const sheet = this.seen();
    return sheet ? (this.offersOn(name, sheet) ?? []) : [];
  }

  private offersOn(name: string, sheet: Sheet): Arguments[] | undefined {
    const { rows, notes } = this.draft;
    const [height, width] = [sheet.cells.length, sheet.cells[0].length];
    const upTo = (count: number) => Array.from({ length: count }, (_, k) => k + 1);
    const positions = () => upTo(height).flatMap((r) => upTo(width).map((c) => addressOf(r - 1, c - 1)));
    const makers: { readonly [tool: string]: () => Arguments[] } = {
      get_cell_value: () => positions().map((position) => ({ position })),
      get_note: () => positions().map((position) => ({ position })),
      update_note: () => positions().flatMap((position) => notes.map((content) => ({ position, content }))),
      update_cell: () => this.settings(sheet),
      update_cell_by_formula: () => this.formulas(sheet),
      get_value_by_formula: () =>
        this.columnRanges(sheet).flatMap((range) => operators.map((operator) => ({ operator, ...range }))),
      sort_sheet_by_col: () => upTo(width).flatMap((col_num) => ['asc', 'des'].map((order) => ({ col_num, order }))),
      delete_batch_data: () => [
        ...upTo(height).map((index) => ({ dimension: 'row', index_list: [index] })),
        ...upTo(width).map((index) => ({ dimension: 'col', index_list: [index] })),
      ],
      insert_rows: () =>
        rows.flatMap((row) => upTo(height + 1).map((row_idx) => ({ values_list: [[...row]], row_idx }))),
      freeze_data: () => ['rows', 'columns'].flatMap((dimension) => upTo(3).map((num) => ({ dimension, num }))),
      merge_cells: () =>
        upTo(width - 1).map((c) => ({ start_position: addressOf(0, c - 1), end_position: addressOf(0, c) })),
      filter_cells: () => this.draft.values.map((query) => ({ query: String(query) })),
    };
    return makers[name]?.();
  }

  /** Values for each cell: those of the goal, and sums and differences of a number and a number of the goal. */
  private settings(sheet: Sheet): Arguments[] {
    const { values } = this.draft;
    const numbers = values.filter((each): each is number => typeof each === 'number');
    const width = sheet.cells[0].length;
    return sheet.cells.flatMap((row, r) =>
      [...row, ''].flatMap((own, c) => {
        const changed = typeof own === 'number' ? numbers.flatMap((each) => [own + each, own - each]) : [];
        const all = c === width && r > 0 ? [] : [...values, ...changed];
        return all.map((value) => ({ position: addressOf(r, c), value }));
      }),
    );
  }

  private columnRanges(sheet: Sheet): { start_position: string; end_position: string }[] {
    const last = sheet.cells.length - 1;
    return sheet.cells[0].flatMap((_, c) =>
      typeof sheet.cells[1]?.[c] === 'number'
        ? [{ start_position: addressOf(1, c), end_position: addressOf(last, c) }]
        : [],
    );
  }

  /** A formula over a column of numbers below it, and over two neighbours of a row beside the row. */
  private formulas(sheet: Sheet): Arguments[] {
    const [height, width] = [sheet.cells.length, sheet.cells[0].length];
    const below = this.columnRanges(sheet).map((range) => ({
      result_position: `${range.end_position[0]}${height + 1}`,
      ...range,
    }));
    const beside = sheet.cells.slice(1).flatMap((row, k) =>
      row.slice(1).flatMap((value, c) =>
        typeof value === 'number' && typeof row[c] === 'number'
          ? [width - 1, width].map((column) => ({
              result_position: addressOf(k + 1, column),
              start_position: addressOf(k + 1, c),
              end_position: addressOf(k + 1, c + 1),
            }))
          : [],
      ),
    );
    return [...below, ...beside].flatMap((given) => operators.map((operator) => ({ operator, ...given })));
  }

  private answers(): Json[] {
    const sheet = this.seen();
    if (!sheet) return [];
    const derived = this.columnRanges(sheet).flatMap((range) =>
      operators
        .filter((operator) => operator !== 'MINUS')
        .map((operator) => this.book.call({ name: 'get_value_by_formula', arguments: { operator, ...range } }).value),
    );
    return [...new Set<Json>([...shownCells(sheet).flat(), ...Object.values(sheet.notes), 'None', ...derived])];
  }

  tables(): StateTable[] {
    return this.book.sheets.map((sheet) => {
      const before = this.first.find(({ name }) => name === sheet.name)!;
      const cells = shownCells(sheet);
      const frozen = sheet.frozen.columns ? `, ${sheet.frozen.columns} columns frozen` : '';
      return {
        title: `${sheet.name}${frozen}${sheet.merged.length ? `, merged ${sheet.merged.join(' ')}` : ''}`,
        columns: ['', ...cells[0].map((_, c) => addressOf(0, c)[0])],
        rows: cells.map((row, r) => ({
          cells: [String(r + 1), ...row.map((value, c) => this.cellText(sheet, value, addressOf(r, c)))],
          change:
            r >= before.cells.length
              ? 'new'
              : JSON.stringify(sheet.cells[r]) === JSON.stringify(before.cells[r])
                ? ''
                : 'changed',
        })),
      };
    });
  }

  private cellText(sheet: Sheet, value: Value, address: string): string {
    const note = sheet.notes[address];
    return note ? `${value} (${note})` : String(value);
  }

  original(): Original {
    if (!this.originalOf) throw new Error('A table has no original: set originalOf.');
    return this.originalOf();
  }
}
