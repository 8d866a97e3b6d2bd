/** Tools of the table family, by the names and arguments of AgentGym's (agentenv-tool, MIT). Sentences are our own. */
import { answerTool, type Parameter, scalar, type Tool, text } from '../tool.ts';
import { operators } from './formula.ts';

const position = text('A cell, like B3.');
const start_position = text('First cell of a range, like B2.');
const end_position = text('Last cell of a range, like C5.');
const operator: Parameter = { type: 'string', enum: operators };
const position_list: Parameter = {
  type: 'array',
  items: { type: 'string' },
  description: 'Cells in the place of a range.',
};
const index = (description: string): Parameter => ({ type: 'integer', description });
const values_list: Parameter = {
  type: 'array',
  items: { type: 'array', items: scalar },
  description: 'A list of lists of values.',
};

export const tableTools: readonly Tool[] = [
  {
    name: 'open_sheet',
    description: 'Opens a sheet. This comes first.',
    parameters: { name: text('Name of a sheet.') },
  },
  { name: 'del_sheet', description: 'Deletes a sheet.', parameters: { name: text('Name of a sheet.') } },
  {
    name: 'freeze_data',
    description: 'Freezes the first rows or columns.',
    parameters: { dimension: { type: 'string', enum: ['rows', 'columns'] }, num: index('How many.') },
  },
  {
    name: 'get_A1_annotation',
    description: 'Returns the name of a cell.',
    parameters: { row: index('Row, from 1.'), col: index('Column, from 1.') },
  },
  {
    name: 'insert_cols',
    description: 'Inserts columns before a column.',
    parameters: { values_list, col_idx: index('Column, from 1.') },
  },
  {
    name: 'insert_rows',
    description: 'Inserts rows before a row.',
    parameters: { values_list, row_idx: index('Row, from 1.') },
  },
  {
    name: 'delete_batch_data',
    description: 'Deletes rows or columns.',
    parameters: {
      dimension: { type: 'string', enum: ['row', 'col'] },
      index_list: { type: 'array', items: { type: 'integer' }, description: 'Their numbers, from 1.' },
    },
  },
  {
    name: 'update_cell',
    description: 'Sets a cell to a value or to a formula, like =C2*D2.',
    parameters: { position, value: { type: ['string', 'number'] } },
  },
  {
    name: 'update_cell_by_formula',
    description: 'Sets a cell to a formula over a range or a list of cells.',
    parameters: { operator, result_position: position, start_position, end_position, position_list },
    optional: ['start_position', 'end_position', 'position_list'],
  },
  {
    name: 'update_range',
    description: 'Sets the cells of a range.',
    parameters: { start_position, end_position, values_list },
  },
  {
    name: 'sort_sheet_by_col',
    description: 'Sorts the rows below the frozen ones.',
    parameters: { col_num: index('Column, from 1.'), order: { type: 'string', enum: ['asc', 'des'] } },
  },
  { name: 'merge_cells', description: 'Merges the cells of a range.', parameters: { start_position, end_position } },
  {
    name: 'update_note',
    description: 'Sets the note of a cell.',
    parameters: { position, content: text('Text of the note.') },
  },
  { name: 'get_all_values', description: 'Returns all values of the sheet.', parameters: {} },
  {
    name: 'get_range_values',
    description: 'Returns the values of a range.',
    parameters: { start_position, end_position },
  },
  { name: 'get_cell_value', description: 'Returns the value of a cell.', parameters: { position } },
  {
    name: 'get_value_by_formula',
    description: 'Returns the value of a formula over a range or a list of cells.',
    parameters: { operator, start_position, end_position, position_list },
    optional: ['start_position', 'end_position', 'position_list'],
  },
  {
    name: 'filter_cells',
    description: 'Returns the cells with a value.',
    parameters: { query: text('Value.'), in_row: index('Row, from 1.'), in_column: index('Column, from 1.') },
    optional: ['in_row', 'in_column'],
  },
  { name: 'get_note', description: 'Returns the note of a cell.', parameters: { position } },
  {
    ...answerTool,
    description: 'Ends the task, after a question with its answer.',
    optional: ['answer'],
  },
];
