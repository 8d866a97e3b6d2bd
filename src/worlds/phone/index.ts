/** Module of the phone: its facts, options and budgets. Apps, layout and tasks are loaded when the world is opened. */
import type { WorldModule } from '../../envs/module.ts';
import { phoneDescription } from './description.ts';
import { parsePhoneOptions } from './options.ts';

export const phone: WorldModule = {
  ...phoneDescription,
  options: parsePhoneOptions,
  vocabulary: {
    texts: async () => (await import('./vocabulary.ts')).phoneTexts(),
    play: {
      options: [{ observation: 'brief', actions: 'numbers', items: 10, instances: 8, testInstances: 4 }],
      openings: 400,
      episodes: 120,
      randomTurns: 2,
      spread: true,
      probes: [],
      closing: [],
    },
  },
  budget: {
    tiny: { promptTokens: 96, completionTokens: 640, maxTokensPerTurn: 16 },
    // A screen has up to 20 elements of some 50 characters.
    language: () => ({ promptTokens: 1024, observationTokens: 420, oracleTurns: 7 }),
  },
  plain: 'An agent learns to use a phone: to tap, scroll and type in eight apps.',
  view: 'phone',
  connection: { kind: 'wasm' },
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async () => (await import('./world.ts')).PhoneWorld.open(),
};
