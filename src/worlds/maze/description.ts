/** Description of Maze: the facts that both its module and its client need. */
import type { WorldDescription } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { firstAction } from '../../envs/reply.ts';
import { parseMazeOptions } from './options.ts';

export const mazeDescription: WorldDescription = {
  name: 'maze',
  title: 'Maze',
  summary: 'Find the goal of a maze, step by step, seeing only the walls beside you.',
  // Our own wording of the rules in the original client's instruction. Actions and answer format are the same.
  instruction:
    'You are in a maze and have to reach its goal in as few moves as you can. Each turn you are told the position of the goal, your own position and the walls right beside you. ' +
    'A position is two numbers, the row and the column: moving down makes the first one larger, moving right the second. A move against a wall leaves you where you are.\n' +
    'The actions are: move left, move right, move up, move down.\n' +
    'For example, at position 1, 1 with the goal at position 1, 3 and walls to your left and above you, you would answer: move right.\n' +
    'Answer strictly in this format:\nThought:\nyour thoughts.\n\nAction:\nyour next action\n',
  reply: firstAction,
  under: ownInstruction(parseMazeOptions),
  credit:
    'Maze: Abdulhai et al., LMRL-Gym (arXiv 2311.18232), github.com/abdulhaim/LMRL-Gym, MIT; as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT. Mazes from a seed are our own.',
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
};
