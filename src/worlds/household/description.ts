/** Description of the household: the facts that both its module and its client need. */
import type { WorldDescription } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { lastAction } from '../../envs/reply.ts';
import { parseHousehold } from './options.ts';

export const householdDescription: WorldDescription = {
  name: 'household',
  title: 'Household',
  summary: 'Do a chore in a house: find things in its receptacles, carry, clean, heat and cool them.',
  instruction:
    'You are in a house and have a task to do with the things in it. Each turn you read what you see and answer with one command. ' +
    'The commands are: go to (receptacle), open (receptacle), close (receptacle), take (object) from (receptacle), ' +
    'move (object) to (receptacle), use (lamp), clean, heat or cool (object) with (receptacle), slice (object) with (knife), ' +
    'examine (receptacle or the object in your hand), inventory, look. In older games, put (object) in/on (receptacle) replaces move. ' +
    'You can carry one object. "Nothing happens" means that the command was not possible: try another one.\n' +
    'Answer strictly in this format:\nThought:\nyour thoughts.\n\nAction:\nyour next action\n',
  acknowledgement: "OK. I'll follow your instructions and try my best to solve the task.",
  reply: lastAction,
  under: ownInstruction(parseHousehold),
  credit:
    'ALFWorld: Shridhar et al. (arXiv 2010.03768), github.com/alfworld/alfworld, MIT: actions, texts and kinds of tasks; TextWorld: Côté et al. (arXiv 1806.11532), MIT: the rules of its games. Houses are our own.',
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
};
