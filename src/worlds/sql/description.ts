/** Description of SQL: the facts that both its module and its client need. */
import type { PromptRules, WorldDescription, WorldOptions } from '../../envs/env.ts';
import { sqlBlock, wholeReply } from '../../envs/reply.ts';
import { parseSqlOptions } from './options.ts';
import { functionTools, sqlTools } from './tools.ts';

const signature = ({ name, argument }: (typeof sqlTools)[number]) =>
  argument ? `${name} ${argument.name.toUpperCase()}` : name;

const instruction =
  'You answer questions about a SQLite database that you can only read. Each turn you take one action and then read its answer. The actions are:\n' +
  `${sqlTools.map((tool) => `${signature(tool)}: ${tool.description}`).join('\n')}\n` +
  'The rows of the last statement must be exactly those that the question asks for, with no other columns. Their order counts only if the question asks for one.\n' +
  'Write a turn as:\nThought: your thoughts.\nAction: query SELECT name FROM table\n';

/** Our own wording of SQLGym's instruction; the form is the same. */
const originalInstruction =
  'You are told about a SQLite database and asked a question. Explain the problem and your way to solve it, then answer with one SQL statement, on one line and without comments, that gives what was asked for. ' +
  'Answer in this format:\nThought: your thoughts.\n\nAction: ```sql\nSELECT * FROM table WHERE condition;\n```\n';

const originalRules: Partial<PromptRules> = {
  instruction: originalInstruction,
  reply: sqlBlock,
  writeReply: (action) => `Action: \`\`\`sql\n${action}\n\`\`\``,
};

function under(given: WorldOptions): Partial<PromptRules> {
  const { upstream, instruction: own } = parseSqlOptions(given);
  return { ...(upstream && originalRules), ...(own !== null && { instruction: own }) };
}

export const sqlDescription: WorldDescription = {
  name: 'sql',
  title: 'SQL',
  summary: 'Answer a question about a database: look at its tables, try statements, read their rows or errors, answer.',
  instruction,
  acknowledgement: 'Ok.',
  reply: wholeReply,
  writeReply: (action) => `Action: ${action}`,
  under,
  credit:
    "SQLGym of AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT, and the judging of BIRD (arXiv 2305.03111). Databases, questions and program are this project's own.",
  tools: functionTools,
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
};
