/** Module of the household: its facts, options and budgets. The rules are in envs-wasm/household, the client in `world.ts`. */
import type { WorldModule } from '../../envs/module.ts';
import { householdDescription } from './description.ts';
import { parseHousehold } from './options.ts';
import { householdSuites } from './suites.ts';

export const household: WorldModule = {
  ...householdDescription,
  options: parseHousehold,
  vocabulary: {
    texts: async () => (await import('./vocabulary.ts')).householdTexts(),
    play: {
      options: [{ observation: 'brief' }, { dialect: 'put' }, {}],
      openings: 60,
      episodes: 24,
      randomTurns: 6,
      spread: true,
      probes: ['dance', 'look', 'inventory', 'help'],
      closing: [],
    },
  },
  budget: {
    tiny: { promptTokens: 96, completionTokens: 384, maxTokensPerTurn: 16 },
    // Measured in houses of 12 receptacles: a plan of an oracle that sees has 4 to 14 actions.
    language: ({ receptacles }) => ({
      promptTokens: 640 + 8 * Number(receptacles ?? 12),
      observationTokens: 60,
      oracleTurns: 10,
    }),
  },
  plain: 'An agent learns to do chores in a house that it has never seen.',
  view: 'household',
  suites: householdSuites,
  connection: { kind: 'wasm' },
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  ownFiles: { kind: 'games', option: 'games', check: async () => (await import('./original/game.ts')).readGame },
  open: async () => (await import('./world.ts')).Household.open(),
};
