/**
 * Facts of a family that its module and its clients both need (`facts.ts` in its folder), and the description of its
 * world made of them. Light, so that a page can show them.
 */
import type { WorldDescription } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { wholeReply } from '../../envs/reply.ts';
import { callOfCommand, replyWith } from './command.ts';
import type { toolsOptions } from './options.ts';
import { functionOf, signatureOf, type Tool } from './tool.ts';

export interface Facts {
  /** Name of its world in documents. */
  name: string;
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

export const creditOf = (original: string) =>
  `Tool use of AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT, after ${original}; its tools by name and argument. Data, tasks and program are this project's own.`;

const opening = ({ does }: Facts) =>
  `You ${does} by calling tools. Each turn you make one call and then read its answer.`;

const closing =
  'Use only names and ids that the task or a tool has shown. If what is asked cannot be done with these tools, finish with "impossible"; after a change alone, finish with "done".\n';

/** Instruction for a language model: what it does, its tools, and the form of a reply. */
const instructionOf = (facts: Facts): string =>
  `${opening(facts)} The tools are:\n` +
  `${facts.tools.map((tool) => `${signatureOf(tool)}: ${tool.description}`).join('\n')}\n` +
  `${closing}` +
  'Write a turn as:\nThought: your thoughts.\nAction: the tool with Action Input: {"argument": "value"}\n';

export function descriptionOf(facts: Facts): WorldDescription {
  const { name, title, summary, options } = facts;
  const tools = facts.tools.map(functionOf);
  const callInstruction = `${opening(facts)} ${closing}`;
  const calls = { tools, callOf: (action: string) => callOfCommand(action, facts.tools) };
  return {
    name,
    title,
    summary,
    instruction: instructionOf(facts),
    acknowledgement: 'Ok.',
    reply: wholeReply,
    writeReply: (action) => replyWith(action, facts.tools),
    under: ownInstruction(options, { instruction: callInstruction, calls }),
    tools,
    callInstruction,
    credit: facts.credit,
    hasOracle: true,
    hasValidActions: true,
    successReward: 1,
    freeRunning: false,
    replayable: true,
  };
}
