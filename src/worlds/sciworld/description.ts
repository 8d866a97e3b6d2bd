/** Description of ScienceWorld: the facts that both its module and its client need. */
import type { WorldDescription } from '../../envs/env.ts';
import { lastAction } from '../../envs/reply.ts';
import { freshTask } from './fresh-task.ts';
import { parseSciWorldOptions } from './options.ts';

export const sciworldDescription: WorldDescription = {
  name: 'sciworld',
  title: 'ScienceWorld',
  summary:
    'A house with ten rooms where things melt, burn, grow and conduct: do a science experiment by typing commands.',
  instruction:
    'You are in a house where you can do science experiments by giving text commands, one a turn. The commands are: ' +
    'open OBJ, close OBJ, activate OBJ, deactivate OBJ, connect OBJ to OBJ, disconnect OBJ, use OBJ [on OBJ], look around, look at OBJ, ' +
    'look in OBJ, read OBJ, move OBJ to OBJ, pick up OBJ, put down OBJ, pour OBJ into OBJ, dunk OBJ into OBJ, mix OBJ, go to LOC, eat OBJ, ' +
    'flush OBJ, focus on OBJ, wait (10 iterations), wait1 (1 iteration), examine OBJ, task, inventory.\n' +
    'Answer strictly in this format:\nThought:\nyour thoughts.\n\nAction:\nyour next action\n',
  reply: lastAction,
  credit:
    'ScienceWorld: Wang et al. (arXiv 2203.07540), github.com/allenai/ScienceWorld, Apache-2.0; as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT.',
  hasOracle: true,
  hasValidActions: true,
  hasMemory: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
  drawing: (options) => (parseSciWorldOptions(options).fresh ? freshTask : null),
};
