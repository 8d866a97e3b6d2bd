/** Description of BabyAI: the facts that both its module and its client need. */
import type { WorldDescription } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { oneAction } from '../../envs/reply.ts';
import { parseBabyAiOptions } from './options.ts';
import { RL_LEVELS } from './split.ts';

export const babyaiDescription: WorldDescription = {
  name: 'babyai',
  title: 'BabyAI',
  summary: 'Follow an instruction in a world of rooms, doors, keys, balls and boxes, seen only in part.',
  // The original client's instruction, rephrased; the actions and the answer format are the same.
  instruction:
    'You are an explorer of rooms, and your goal is given to you first. Each turn you read what you see and answer with one action. The actions are:\n' +
    '- turn left, turn right: a quarter turn where you stand\n' +
    '- move forward: one step ahead\n' +
    '- go to <object> <number>: walk up to an object in sight\n' +
    '- pickup <object> <number>: walk up to an object and take it; drop: put down what you carry, in front of you\n' +
    '- go through <door> <number>: walk into an open door\n' +
    '- toggle and go through <door> <number>: walk to a closed door, open it and step in; a locked one needs the key of its color in your hands\n' +
    '- toggle: open or close the door right in front of you\n' +
    'Name objects and numbers as they are told to you, as in: go to red ball 1.\n' +
    'Answer strictly in this format:\nThought:\nyour thoughts.\n\nAction:\nyour next action\n',
  reply: oneAction,
  under: ownInstruction(parseBabyAiOptions),
  credit:
    'BabyAI: Chevalier-Boisvert et al. (arXiv 1810.08272), BSD-3-Clause, as carried on in github.com/Farama-Foundation/Minigrid, Apache-2.0; its text form as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT.',
  hasOracle: true,
  hasValidActions: true,
  // A success earns 1 - 0.9 * steps / limit, between 1 and 0.1.
  successReward: 0.05,
  freeRunning: false,
  replayable: true,
  others: (options) => {
    const { levels } = parseBabyAiOptions(options);
    return RL_LEVELS.filter((level) => !levels.includes(level)).map((level) => ({
      name: `level ${level}`,
      options: { ...options, levels: [level] },
    }));
  },
};
