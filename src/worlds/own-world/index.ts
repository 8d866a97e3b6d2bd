/** Module of a world that a person typed: facts that hold for any code. The code is an option of the world. */
import type { WorldModule } from '../../envs/module.ts';
import { ownDescription } from './description.ts';
import { parseOwnOptions } from './options.ts';

export const own: WorldModule = {
  ...ownDescription,
  options: parseOwnOptions,
  codeOptions: ['code'],
  codeTemplates: async () => (await import('./templates.ts')).templates,
  vocabulary: {
    play: {
      options: 'given',
      openings: 500,
      episodes: 60,
      randomTurns: 24,
      spread: true,
      probes: [],
      closing: [],
    },
  },
  budget: {
    tiny: { promptTokens: 96, completionTokens: 384, maxTokensPerTurn: 16 },
    language: () => ({ promptTokens: 512, observationTokens: 80, oracleTurns: 8 }),
  },
  plain: 'An agent learns to succeed in a world of your own.',
  view: 'own-world',
  // Interrupted by a count of loop passes, so a slow machine needs time.
  connection: { kind: 'wasm', timeoutMs: 60_000 },
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async (settings) => (await import('./world.ts')).OwnWorld.open(settings),
};
