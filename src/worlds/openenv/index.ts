/**
 * Module of OpenEnv: any server with OpenEnv's WebSocket protocol, whatever world it serves. The client is in
 * `world.ts`.
 */
import type { WorldModule } from '../../envs/module.ts';
import { openenvDescription } from './description.ts';
import { parseOpenEnvOptions } from './options.ts';

const WAIT_FOR_A_PLACE_MS = 3_600_000;

export const openenv: WorldModule = {
  ...openenvDescription,
  group: 'Servers',
  options: parseOpenEnvOptions,
  budget: {
    tiny: { promptTokens: 256, completionTokens: 512, maxTokensPerTurn: 32 },
    language(given) {
      const { instruction } = parseOpenEnvOptions(given);
      return { promptTokens: 1024 + Math.ceil(instruction.length / 3), observationTokens: 300, oracleTurns: 10 };
    },
  },
  view: 'openenv',
  // An episode may wait for a free session of the server; each message has its own, shorter deadline.
  connection: { kind: 'socket', timeoutMs: WAIT_FOR_A_PLACE_MS },
  check: async (settings, signal) => (await import('./check.ts')).checkOpenEnv(settings, signal),
  open: async (settings) => (await import('./world.ts')).OpenEnvWorld.open(settings),
};
