/** Description of SQL: the facts that both its module and its client need. */
import type { PromptRules, WorldDescription, WorldOptions } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { sqlBlock, wholeReply } from '../../envs/reply.ts';
import type { ToolCall } from '../../envs/tools.ts';
import { parseSqlOptions } from './options.ts';
import { functionTools, sqlTools } from './tools.ts';

const signature = ({ name, argument }: (typeof sqlTools)[number]) =>
  argument ? `${name} ${argument.name.toUpperCase()}` : name;

const opening =
  'You answer questions about a SQLite database that you can only read. Each turn you take one action and then read its answer.';

const judged =
  'The rows of the last statement must be exactly those that the question asks for, with no other columns. Their order counts only if the question asks for one.\n';

const instruction =
  `${opening} The actions are:\n` +
  `${sqlTools.map((tool) => `${signature(tool)}: ${tool.description}`).join('\n')}\n` +
  `${judged}` +
  'Write a turn as:\nThought: your thoughts.\nAction: query SELECT name FROM table\n';

/** Our own wording of SQLGym's instruction; the form is the same. */
const originalInstruction =
  'You are told about a SQLite database and asked a question. Explain the problem and your way to solve it, then answer with one SQL statement, on one line and without comments, that gives what was asked for. ' +
  'Answer in this format:\nThought: your thoughts.\n\nAction: ```sql\nSELECT * FROM table WHERE condition;\n```\n';

/** The call that a command stands for; null: it names no tool. */
function callOf(action: string): ToolCall | null {
  const [word] = /^\S*/.exec(action)!;
  const tool = sqlTools.find(({ name }) => name === word.toLowerCase());
  if (!tool) return null;
  const rest = action.slice(word.length).trim();
  return { name: tool.name, arguments: tool.argument && rest ? { [tool.argument.name]: rest } : {} };
}

const originalRules: Partial<PromptRules> = {
  instruction: originalInstruction,
  reply: sqlBlock,
  writeReply: (action) => `Action: \`\`\`sql\n${action}\n\`\`\``,
};

const callInstruction = `${opening} ${judged}`;

const calls = { tools: functionTools, callOf };

const ownRules = ownInstruction(parseSqlOptions, { instruction: callInstruction, calls });

const under = (given: WorldOptions): Partial<PromptRules> => ({
  ...(parseSqlOptions(given).upstream && originalRules),
  ...ownRules(given),
});

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
  callInstruction,
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
};
