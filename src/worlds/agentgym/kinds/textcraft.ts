/**
 * AgentGym's TextCraft server. Its items are numbered in the order in which the server's file system lists the recipe
 * files.
 */
import { oneAction } from '../../../envs/reply.ts';
import { idIn, observed, plainAnswer } from '../answers.ts';
import { modelledOn } from '../kind.ts';

/** Valid actions of an observation: each listed command, and a `get` for each of its ingredients. */
export function offeredBy(observation: string): string[] {
  const offered = observation.split('\n').flatMap((line) => {
    const used = /^craft .+? using (.+)$/.exec(line)?.[1].split(', ') ?? [];
    return used.length ? [line, ...used.map((each) => `get ${each}`)] : [];
  });
  return [...new Set(offered)];
}

export const textcraft = modelledOn('textcraft', (own) => ({
  kind: own.name,
  title: 'TextCraft',
  summary: own.summary,
  instruction: own.instruction,
  acknowledgement: "OK. I'll follow your instructions and try my best to solve the task.",
  reply: oneAction,
  credit: own.credit,
  successReward: 1,
  hasValidActions: true,
  vocabulary: { as: own.name },
  budget: own.budget.language({}),
  tiny: own.budget.tiny,
  ...own.agentgymItems!,
  greeting: 'This is environment TextCraft.',
  idField: 'id',
  create: { body: { minecraft_dir: 'agentenv_textcraft/', commands: null, goal: null }, id: idIn },
  closes: true,
  async reset(requests, item) {
    const observation = observed('POST /reset', await requests.post('/reset', { data_idx: item }));
    return { observation, validActions: offeredBy(observation) };
  },
  answer: plainAnswer,
  refused: /^(?:Could not|Wrong item format)/,
}));
