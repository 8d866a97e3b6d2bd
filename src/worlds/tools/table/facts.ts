/** Facts of the table family. */
import { creditOf, type Facts } from '../facts.ts';
import { size, toolsOptions } from '../options.ts';
import { tableTools } from './tools.ts';

export const tableFacts: Facts = {
  name: 'tools-table',
  server: 'sheet',
  tools: tableTools,
  title: 'Tools: table',
  summary: 'Bring a table into the form that is asked for with the tools of a spreadsheet, formulas included.',
  plain: 'An agent learns to edit a table by calling tools.',
  does: 'edit a spreadsheet as you are asked',
  credit: creditOf('AgentBoard (arXiv 2401.13178)'),
  options: toolsOptions('Tools: table', {
    rows: size(4, 12, 6, {
      label: 'Rows',
      sentence: 'Number of rows of a table, without the header.',
      unit: 'rows',
    }),
  }),
  observationTokens: 240,
  oracleTurns: 5,
};
