/** Description of twenty questions: the facts that both its module and its client need. */
import type { WorldDescription } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { parseTwentyQuestions } from './options.ts';
import { names, properties } from './rules.ts';

export const twentyQuestionsDescription: WorldDescription = {
  name: 'twenty-questions',
  title: 'Twenty questions',
  summary: 'Find out by five questions which thing the other has in mind.',
  instruction:
    `You play twenty questions, with five. The keeper says "choose THING", one of ${names.join(', ')}. ` +
    `The asker says "ask PROPERTY", one of ${properties.join(', ')}, and reads yes or no; then it says "name THING". A wrong name loses.`,
  under: ownInstruction(parseTwentyQuestions),
  credit: 'A traditional game; things, rules and texts are our own.',
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
};
