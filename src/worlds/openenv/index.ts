/** OpenEnv's module: any server that speaks its socket, whatever world it has. What plays it is in `world.ts`. */
import type { WorldModule } from '../../envs/module.ts';
import { parseReact } from '../../envs/reply.ts';
import { parseOpenEnvOptions } from './options.ts';

const WAIT_FOR_A_PLACE_MS = 3_600_000;

export const openenv: WorldModule = {
  name: 'openenv',
  title: 'OpenEnv server',
  group: 'Servers',
  summary: 'Any environment behind an OpenEnv server, reached by its socket.',
  instruction:
    'You act in an environment. Each turn you read what it tells you and answer with one action.\n' +
    'Answer in this format:\nThought:\nyour thoughts.\n\nAction:\nyour next action\n',
  // Whoever says no "Action:" has said the action alone.
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
  options: parseOpenEnvOptions,
  budget: {
    tiny: { promptTokens: 256, completionTokens: 512, maxTokensPerTurn: 32 },
    language(given) {
      const { instruction } = parseOpenEnvOptions(given);
      return { promptTokens: 1024 + Math.ceil(instruction.length / 3), observationTokens: 300, oracleTurns: 10 };
    },
  },
  view: 'openenv',
  // An episode may wait for a place at the server; each message has its own, shorter deadline.
  connection: { kind: 'socket', timeoutMs: WAIT_FOR_A_PLACE_MS },
  check: async (settings, signal) => (await import('./check.ts')).checkOpenEnv(settings, signal),
  open: async (settings) => (await import('./world.ts')).OpenEnvWorld.open(settings),
};
