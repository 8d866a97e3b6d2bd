/** Module of the shop: its facts, options and budgets. Products and SQLite are loaded when the world is opened. */
import type { WorldModule } from '../../envs/module.ts';
import { shopDescription } from './description.ts';
import { parseShopOptions } from './options.ts';
import { shopSuites } from './suites.ts';

export const shop: WorldModule = {
  ...shopDescription,
  options: parseShopOptions,
  vocabulary: {
    texts: async () => (await import('./vocabulary.ts')).shopTexts(),
    play: {
      options: [{ observation: 'brief', products: 200, instances: 100, testInstances: 100 }],
      openings: 100,
      episodes: 20,
      randomTurns: 3,
      spread: true,
      probes: ['click[nothing]'],
      closing: [],
    },
  },
  budget: {
    tiny: { promptTokens: 64, completionTokens: 512, maxTokensPerTurn: 16 },
    // A product in a list has about 110 characters, the page of a product 700.
    language: ({ perPage }) => ({
      promptTokens: 512,
      observationTokens: Math.max(300, 120 + 50 * Number(perPage ?? 10)),
      oracleTurns: 5,
    }),
  },
  plain: 'An agent learns to buy what was asked for in a shop.',
  pays: 'How well the bought thing fits the wish, from 0 to 1; 0 if nothing is bought.',
  view: 'shop',
  suites: shopSuites,
  connection: { kind: 'wasm', timeoutMs: 60_000 },
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  ownFiles: { kind: 'shops', option: 'shop' },
  open: async () => (await import('./world.ts')).Shop.open(),
};
