/** Description of OpenEnv: the facts that both its module and its client need. */
import type { WorldDescription } from '../../envs/env.ts';
import { parseReact } from '../../envs/reply.ts';
import { parseOpenEnvOptions } from './options.ts';

export const openenvDescription: WorldDescription = {
  name: 'openenv',
  title: 'OpenEnv server',
  summary: 'Any environment behind an OpenEnv server, reached by its socket.',
  instruction:
    'You act in an environment. Each turn you read what it tells you and answer with one action.\n' +
    'Answer in this format:\nThought:\nyour thoughts.\n\nAction:\nyour next action\n',
  // A reply without "Action:" is the action itself.
  reply: (text) => ({ action: text.includes('Action:') ? parseReact(text) : text.trim() }),
  under(given) {
    const { instruction, successReward } = parseOpenEnvOptions(given);
    return { successReward, ...(instruction && { instruction }) };
  },
  credit: 'OpenEnv: Meta-PyTorch and others, github.com/meta-pytorch/OpenEnv, BSD-3-Clause.',
  hasOracle: false,
  hasValidActions: false,
  successReward: 1,
  freeRunning: true,
  replayable: false,
};
