/** AgentGym's BabyAI server: each observation ends with the list of valid actions. */

import { oneAction } from '../../../envs/reply.ts';
import { idIn, observed, scoreAnswer } from '../answers.ts';
import { modelledOn } from '../kind.ts';

/**
 * Valid actions from the JSON list at the end of an observation, or undefined if it has none, as after the end of an
 * episode.
 */
export function listed(observation: string): string[] | undefined {
  const list = /\nAvailable actions: (\[.*\])\s*$/.exec(observation)?.[1];
  if (!list) return undefined;
  try {
    const actions: unknown = JSON.parse(list);
    return Array.isArray(actions) && actions.every((each) => typeof each === 'string') ? actions : undefined;
  } catch {
    return undefined;
  }
}

export const babyai = modelledOn('babyai', (own) => ({
  kind: own.name,
  title: 'BabyAI',
  summary: own.summary,
  instruction: own.instruction,
  acknowledgement: "OK. I'll follow your instructions and try my best to solve the task.",
  reply: oneAction,
  credit: own.credit,
  successReward: own.successReward,
  hasValidActions: true,
  vocabulary: { as: own.name },
  budget: own.budget.language({}),
  tiny: own.budget.tiny,
  ...own.agentgymItems!,
  greeting: 'This is environment BabyAI.',
  idField: 'id',
  create: { id: idIn },
  closes: true,
  async reset(requests, item) {
    const observation = observed('POST /reset', await requests.post('/reset', { data_idx: item }));
    return { observation, validActions: listed(observation) };
  },
  answer(value) {
    const answer = scoreAnswer(value);
    return { ...answer, validActions: listed(answer.observation) };
  },
  refused: /^(?:The action is not recognized|You can not|There is no|The .* is not)/,
}));
