/** AgentGym's BabyAI server: each observation ends with the list of valid actions. */

import { oneAction } from '../../../envs/reply.ts';
import { babyai as own } from '../../babyai/index.ts';
import { itemOf, itemsOf, levelOf, RL_LEVELS } from '../../babyai/split.ts';
import { idIn, observed, scoreAnswer } from '../answers.ts';
import { type AgentGymKind, range } from '../kind.ts';

/** Seeds of a level that AgentGym trains on are not all known: these are the lowest, without those it evaluates. */
const TRAINING_SEEDS = 45;

const evaluated = () => RL_LEVELS.flatMap((level) => itemsOf(level, 'test', 0));

function trained(): number[] {
  const heldOut = new Set(evaluated());
  const seeds = range(0, TRAINING_SEEDS - 1);
  return RL_LEVELS.flatMap((level) => seeds.map((seed) => itemOf(level, seed))).filter((item) => !heldOut.has(item));
}

/** The list at the end of an observation: JSON; undefined where there is none, as after the end. */
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

export const babyai: AgentGymKind = {
  kind: 'babyai',
  title: 'BabyAI',
  summary: own.summary,
  instruction: own.instruction,
  acknowledgement: "OK. I'll follow your instructions and try my best to solve the task.",
  reply: oneAction,
  credit: own.credit,
  successReward: own.successReward,
  hasValidActions: true,
  vocabulary: { as: 'babyai' },
  budget: own.budget.language({}),
  tiny: own.budget.tiny,
  items: (split) => (split === 'test' ? evaluated() : trained()),
  strata: (item) => ({ level: levelOf(item) }),
  hello: 'This is environment BabyAI.',
  idField: 'id',
  create: { id: idIn },
  closes: true,
  async reset(line, item) {
    const observation = observed('POST /reset', await line.post('/reset', { data_idx: item }));
    return { observation, validActions: listed(observation) };
  },
  answer(value) {
    const answer = scoreAnswer(value);
    return { ...answer, validActions: listed(answer.observation) };
  },
  refused: /^(?:The action is not recognized|You can not|There is no|The .* is not)/,
};
