/**
 * AgentGym's sheet environment over our book (agentenv-tool at 3ef9235: environment/sheet_env.py,
 * utils/sheet/sheets_tools.py): its judging, and its tools as far as Google's service answers them. The service itself and
 * the texts of its errors are this project's.
 */
import type { Json } from '../../../envs/env.ts';
import { type Literal, LiteralDict, literalRepr, literalType } from '../../../python/literal.ts';
import { jsonOf, literalOf } from '../calls.ts';
import { type Original, type OriginalAnswer, PythonError } from '../family.ts';
import { item } from '../original-values.ts';
import type { Call } from '../tool.ts';
import type { TableInstance } from './instance.ts';
import { shownCells } from './sheet.ts';
import { tableTools } from './tools.ts';

/** Arguments that the original reads of a call, in its order. */
function readArguments(name: string, input: Literal): { [key: string]: Json } {
  const formula = name === 'update_cell_by_formula' || name === 'get_value_by_formula';
  const keys = Object.keys(tableTools.find((tool) => tool.name === name)!.parameters);
  if (name === 'finish') return {};
  if (name === 'filter_cells') return given(input, keys);
  const wanted = formula ? formulaKeys(name, input) : keys;
  return Object.fromEntries(wanted.map((key) => [key, jsonOf(item(input, key))]));
}

/** `input.get(key)` of some keys; None is left out. */
function given(input: Literal, keys: readonly string[]): { [key: string]: Json } {
  if (!(input instanceof LiteralDict))
    throw new PythonError('AttributeError', `'${literalType(input)}' object has no attribute 'get'`);
  return Object.fromEntries(keys.flatMap((key) => (input.get(key) == null ? [] : [[key, jsonOf(input.get(key)!)]])));
}

function formulaKeys(name: string, input: Literal): string[] {
  const result = name === 'update_cell_by_formula' ? ['result_position'] : [];
  const listed = input instanceof LiteralDict && input.get('position_list') !== undefined;
  if (listed) return ['position_list', 'operator', ...result];
  return ['start_position', 'end_position', ...result, 'operator'];
}

const asTexts = (value: Json): Json =>
  Array.isArray(value) ? value.map(asTexts) : typeof value === 'number' ? String(value) : value;

export class TableOriginal implements Original {
  readonly subgoals: readonly Literal[] = [];

  constructor(private readonly table: TableInstance) {}

  call(name: string, input: Literal): OriginalAnswer {
    const answer = this.answer({ name, arguments: readArguments(name, input) });
    return { observation: answer, subgoal: answer };
  }

  private answer(call: Call): Literal {
    const { book } = this.table;
    if (call.name === 'finish') return this.finish();
    const { ok, value } = this.table.call(call);
    if (ok && call.name === 'open_sheet') return `<Worksheet ${literalRepr(book.open!.name)} id:0>`;
    if (ok) return literalOf(asTexts(value));
    // Without a sheet, every tool but the one that opens it answers this text.
    if (!book.open && call.name !== 'open_sheet' && call.name !== 'del_sheet') return String(value);
    return `APIError(${literalRepr(String(value))})`;
  }

  private finish(): Literal {
    const { open } = this.table.book;
    return open ? literalOf(asTexts(shownCells(open))) : 'Please open a sheet before operating it';
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
