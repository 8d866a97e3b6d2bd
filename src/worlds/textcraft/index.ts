/** TextCraft's module: description, options, budget. The rules are in envs-wasm/textcraft, the client in `world.ts`. */
import type { WorldModule } from '../../envs/module.ts';
import { textcraftDescription } from './description.ts';
import { listedInTextCraft } from './listed-actions.ts';
import { parseTextCraftOptions } from './options.ts';
import { itemNames } from './recipe-list.ts';
import { splitIds } from './split.ts';
import { textcraftSuites } from './suites.ts';

export const textcraft: WorldModule = {
  ...textcraftDescription,
  options: parseTextCraftOptions,
  vocabulary: {
    play: {
      options: [{}],
      openings: Infinity,
      episodes: 24,
      randomTurns: 0,
      spread: false,
      probes: ['inventory', 'look around', 'get 1 nothing', 'craft 1 nothing using 1 nothing'],
      closing: ['inventory'],
    },
    names: itemNames,
  },
  budget: {
    tiny: { promptTokens: 256, completionTokens: 128, maxTokensPerTurn: 32 },
    // At any depth, the first observation has at most 2,500 characters.
    language: () => ({ promptTokens: 1024, observationTokens: 20, oracleTurns: 4 }),
  },
  plain: 'An agent learns to craft things from recipes.',
  view: 'textcraft',
  suites: textcraftSuites,
  connection: { kind: 'wasm' },
  listedActions: listedInTextCraft,
  agentgymItems: { items: splitIds },
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async () => (await import('./world.ts')).TextCraft.open(),
};
