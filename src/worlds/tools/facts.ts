/** Facts of the families that their modules and their clients both need. Light, so that a page can show them. */
import type { WorldDescription } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { wholeReply } from '../../envs/reply.ts';
import { replyWith } from './command.ts';
import { size, toolsOptions } from './options.ts';
import { todoTools } from './todo/tools.ts';
import { signatureOf, type Tool } from './tool.ts';

export interface Facts {
  /** AgentGym's name of the server. */
  server: string;
  tools: readonly Tool[];
  plain: string;
  does: string;
  title: string;
  summary: string;
  credit: string;
  options: ReturnType<typeof toolsOptions>;
  /** Longest observation of a language model, in tokens, and its usual number of turns. */
  observationTokens: number;
  oracleTurns: number;
}

const credit = (original: string) =>
  `Tool use of AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT, after ${original}; its tools by name and argument. Data, tasks and program are this project's own.`;

export const todoFacts: Facts = {
  server: 'todo',
  tools: todoTools,
  title: 'Tools: to-do',
  summary: 'Look after a to-do list with tools: find, change, complete and delete tasks, and answer questions.',
  plain: 'An agent learns to look after a to-do list by calling tools.',
  does: "look after a person's to-do list",
  credit: credit('AgentBoard (arXiv 2401.13178)'),
  options: toolsOptions('Tools: to-do', {
    projects: size(2, 8, 5, {
      label: 'Projects',
      sentence: 'Number of projects of an account: with more projects there is more to search.',
      unit: 'projects',
    }),
    tasks: size(2, 8, 4, {
      label: 'Tasks a project',
      sentence: 'Maximum number of tasks of a project.',
      unit: 'tasks',
    }),
  }),
  observationTokens: 240,
  oracleTurns: 6,
};

/** Instruction for a language model: what it does, its tools, and the form of a reply. */
const instructionOf = ({ does, tools }: Facts): string =>
  `You ${does} by calling tools. Each turn you make one call and then read its answer. The tools are:\n` +
  `${tools.map((tool) => `${signatureOf(tool)}: ${tool.description}`).join('\n')}\n` +
  'Use only ids that a tool has returned. If what is asked cannot be done with these tools, finish with "impossible"; after a change alone, finish with "done".\n' +
  'Write a turn as:\nThought: your thoughts.\nAction: the tool with Action Input: {"argument": "value"}\n';

export function descriptionOf(facts: Facts): WorldDescription {
  const { server, title, summary, options } = facts;
  return {
    name: `tools-${server}`,
    title,
    summary,
    instruction: instructionOf(facts),
    acknowledgement: 'Ok.',
    reply: wholeReply,
    writeReply: (action) => replyWith(action, facts.tools),
    under: ownInstruction(options),
    credit: facts.credit,
    hasOracle: true,
    hasValidActions: true,
    successReward: 1,
    freeRunning: false,
    replayable: true,
  };
}
