/**
 * AgentGym's sheet environment over our book (agentenv-tool at 3ef9235: environment/sheet_env.py,
 * utils/sheet/sheets_tools.py): its judging, and its tools as far as Google's service answers them. The service itself and
 * the texts of its errors are this project's.
 */
import type { Json } from '../../../envs/env.ts';
import { type Literal, LiteralDict, LiteralTuple, literalRepr, literalType } from '../../../python/literal.ts';
import { jsonOf, literalOf } from '../calls.ts';
import { type Original, type OriginalAnswer, PythonError, refusal, result } from '../family.ts';
import { int, item } from '../original-values.ts';
import type { Call } from '../tool.ts';
import { operators } from './formula.ts';
import type { TableInstance } from './instance.ts';
import { shownCells } from './sheet.ts';
import { tableTools } from './tools.ts';

type Given = { [key: string]: Literal };

/** Arguments that the original reads of a call, in its order. */
function readArguments(name: string, input: Literal): Given {
  const formula = name === 'update_cell_by_formula' || name === 'get_value_by_formula';
  const keys = Object.keys(tableTools.find((tool) => tool.name === name)!.parameters);
  if (name === 'finish') return {};
  if (name === 'filter_cells') return given(input, keys);
  const wanted = formula ? formulaKeys(name, input) : keys;
  return Object.fromEntries(wanted.map((key) => [key, item(input, key)]));
}

/** `input.get(key)` of some keys; None is left out. */
function given(input: Literal, keys: readonly string[]): Given {
  if (!(input instanceof LiteralDict))
    throw new PythonError('AttributeError', `'${literalType(input)}' object has no attribute 'get'`);
  return Object.fromEntries(keys.flatMap((key) => (input.get(key) == null ? [] : [[key, input.get(key)!]])));
}

/** Arguments that the original makes whole numbers, by tool. */
const wholeNumbers: { readonly [tool: string]: readonly string[] } = {
  freeze_data: ['num'],
  get_A1_annotation: ['row', 'col'],
  sort_sheet_by_col: ['col_num'],
  filter_cells: ['in_row', 'in_column'],
};

/** Items that Python's `for` goes through: the characters of a text, the keys of a dict. Throws for other values. */
function itemsOf(value: Literal): readonly Literal[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...value];
  if (value instanceof LiteralTuple) return value.items;
  if (value instanceof LiteralDict) return [...value.entries.values()].map(([key]) => key);
  throw new PythonError('TypeError', `'${literalType(value)}' object is not iterable`);
}

/** `float(value)`; a text that is no number stays. */
function floatOrText(value: Literal): Json {
  if (typeof value === 'string')
    return /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value) ? Number(value) : value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  throw new PythonError('TypeError', `float() argument must be a string or a real number, not '${literalType(value)}'`);
}

/** Arguments of the book's tool. Throws as the original's conversions do. */
function argumentsOf(name: string, read: Given): Call['arguments'] {
  const whole = wholeNumbers[name] ?? [];
  const converted = (key: string, value: Literal): Json => {
    // An insertion converts its place, and uses it as it was written.
    if (key === 'col_idx' || key === 'row_idx') int(value);
    // A deletion sorts by whole numbers.
    if (key === 'index_list') for (const each of itemsOf(value)) int(each);
    if (whole.includes(key)) return int(value);
    return key === 'values_list' ? itemsOf(value).map((row) => itemsOf(row).map(floatOrText)) : jsonOf(value);
  };
  return Object.fromEntries(Object.entries(read).map(([key, value]) => [key, converted(key, value)]));
}

function formulaKeys(name: string, input: Literal): string[] {
  const result = name === 'update_cell_by_formula' ? ['result_position'] : [];
  // `"position_list" in input`.
  if (input === null || ['bool', 'int', 'float'].includes(literalType(input)))
    throw new PythonError('TypeError', `argument of type '${literalType(input)}' is not iterable`);
  const listed = input instanceof LiteralDict && input.get('position_list') !== undefined;
  if (listed) return ['position_list', 'operator', ...result];
  return ['start_position', 'end_position', ...result, 'operator'];
}

const asTexts = (value: Json): Json =>
  Array.isArray(value) ? value.map(asTexts) : typeof value === 'number' ? String(value) : value;

const badDimension = "'Wrong dimension, please choose from row/col'";
const badOperator = `'the operator should be one of the [${operators.map((each) => `"${each}"`).join(', ')}]'`;
const badAddress =
  "'In the sheet formula, you should use A1 notation to display all positions in the sheet and you can use get_A1_annotation(row, col) to get its A1 address.'";

/** The original's own refusal of a call, without asking the service; null: it sends the call. */
function refusedText({ name, arguments: given }: Call): string | null {
  if (name === 'freeze_data' && given.dimension !== 'rows' && given.dimension !== 'columns')
    return "'Error: the dimension should be one of the rows/columns'";
  if (name === 'delete_batch_data') return given.dimension === 'row' || given.dimension === 'col' ? null : badDimension;
  if (name !== 'update_cell_by_formula') return null;
  if (!operators.includes(given.operator as never)) return badOperator;
  const cells = given.position_list ?? [given.start_position, given.end_position];
  const addresses = [...(Array.isArray(cells) ? cells : [cells]), given.result_position];
  return addresses.every((each) => typeof each === 'string' && /^[A-Z]\d+$/.test(each)) ? null : badAddress;
}

const unopened = 'Please open a sheet before operating it';

export class TableOriginal implements Original {
  readonly subgoals: readonly Literal[] = [];
  /** True once a sheet was opened, even if it was deleted afterwards: the service then refuses calls. */
  private hasOpened = false;

  constructor(private readonly table: TableInstance) {}

  call(name: string, input: Literal): OriginalAnswer {
    const answer = this.answer(name, readArguments(name, input));
    return { observation: answer, subgoal: answer };
  }

  private answer(name: string, read: Given): Literal {
    // Before a sheet is opened, every tool but the one that opens it answers this text.
    if (!this.hasOpened && name !== 'open_sheet') return unopened;
    try {
      return this.answerOpened({ name, arguments: argumentsOf(name, read) });
    } catch (error) {
      if (!(error instanceof PythonError)) throw error;
      return `${error.type}(${literalRepr(error.message)})`;
    }
  }

  /** Throws PythonError, which the original catches here. */
  private answerOpened(call: Call): Literal {
    const { book } = this.table;
    const { dimension, num, name, position } = call.arguments;
    const refused = refusedText(call);
    if (refused) return refused;
    const { ok, value } =
      call.name !== 'finish' ? this.table.call(call) : book.open ? result(shownCells(book.open)) : refusal(unopened);
    if (!ok) throw new PythonError('APIError', String(value));
    if (call.name === 'open_sheet') {
      this.hasOpened = true;
      return `<Worksheet ${literalRepr(book.open!.name)} id:0>`;
    }
    if (call.name === 'freeze_data') return `You have successfully freeze the ${dimension} ${num}`;
    if (call.name === 'del_sheet') return `You have deleted sheet ${name} successfully`;
    if (call.name === 'update_note') return `Updated! the ${position}'s note is ${this.noteAt(position)}`;
    return literalOf(asTexts(value));
  }

  private noteAt(position: Json): string {
    return String(this.table.call({ name: 'get_note', arguments: { position } }).value);
  }

  stateMatches(): boolean {
    return this.share() === 1;
  }

  /** Share of equal cells where both sheets have one: rows and columns that only one of them has do not count. */
  share(): number {
    const { open } = this.table.book;
    if (!open) return 0;
    const [cells, target] = [shownCells(open), this.table.targetCells];
    const [height, width] = [Math.min(cells.length, target.length), Math.min(cells[0].length, target[0].length)];
    let equal = 0;
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++)
        equal += Number(String(cells[row][column]) === String(target[row][column]));
    return equal / (height * width);
  }
}
