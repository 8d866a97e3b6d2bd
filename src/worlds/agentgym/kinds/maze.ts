/** Maze of AgentGym's LMRL-Gym server, under /maze: one maze with a different start for each game. */

import { firstAction } from '../../../envs/reply.ts';
import { idIn, observed, plainAnswer } from '../answers.ts';
import { modelledOn, range } from '../kind.ts';

const moves = ['move left', 'move right', 'move up', 'move down'];

export const maze = modelledOn('maze', (own) => ({
  kind: own.name,
  title: 'Maze',
  summary: own.summary,
  instruction: own.instruction,
  acknowledgement: "OK. I'll follow your instructions and try my best to solve the task.",
  reply: firstAction,
  credit: own.credit,
  successReward: 1,
  hasValidActions: true,
  vocabulary: { as: own.name },
  budget: own.budget.language({}),
  tiny: own.budget.tiny,
  // All games serve for both training and evaluation.
  items: () => range(0, 24),
  greeting: 'This is environment LMRL-Gym.',
  prefix: '/maze',
  idField: 'id',
  create: { id: idIn },
  closes: false,
  async reset(requests, item) {
    return { observation: observed('POST /reset', await requests.post('/reset', { game: item })), validActions: moves };
  },
  answer: plainAnswer,
}));
