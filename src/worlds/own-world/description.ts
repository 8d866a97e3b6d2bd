/** Description of a world that a person typed. What differs from code to code is found when it runs. */
import type { WorldDescription } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { firstAction } from '../../envs/reply.ts';
import { parseOwnOptions } from './options.ts';

export const ownDescription: WorldDescription = {
  name: 'own-world',
  title: 'Own world',
  summary: 'A world that you type yourself, in JavaScript.',
  instruction:
    'You act in a world of text. Each turn you read what happened and answer with your next action. Act so that you succeed in as few turns as you can.\n' +
    'Answer strictly in this format:\nThought:\nyour thoughts.\n\nAction:\nyour next action\n',
  reply: firstAction,
  under: ownInstruction(parseOwnOptions),
  credit: 'The contract follows that of Gymnasium and OpenEnv; the templates are our own.',
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
};
