/** Tools of the world SQL. A call is also an action: `NAME argument`. */
import type { FunctionTool } from '../../envs/tools.ts';

export interface SqlTool {
  name: 'tables' | 'describe' | 'query' | 'answer';
  description: string;
  /** Its only argument, if it has one. */
  argument?: { name: string; description: string; optional?: boolean };
}

export const sqlTools: readonly SqlTool[] = [
  { name: 'tables', description: 'Lists the tables of the database.' },
  {
    name: 'describe',
    description: 'Shows the columns and keys of a table, and its first rows.',
    argument: { name: 'table', description: 'Name of the table.' },
  },
  {
    name: 'query',
    description: 'Runs one SQLite statement that reads, and shows its rows or the error.',
    argument: { name: 'sql', description: 'The statement.' },
  },
  {
    name: 'answer',
    description: 'Answers the question with the rows of a statement, and ends the episode.',
    argument: { name: 'sql', description: 'The statement; without it, the last query is the answer.', optional: true },
  },
];

/** Tools as OpenAI's `tools` list them. */
export const functionTools: readonly FunctionTool[] = sqlTools.map(({ name, description, argument }) => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: {
      type: 'object',
      properties: argument ? { [argument.name]: { type: 'string', description: argument.description } } : {},
      required: argument && !argument.optional ? [argument.name] : [],
      additionalProperties: false,
    },
  },
}));
