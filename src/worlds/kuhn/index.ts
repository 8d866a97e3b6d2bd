/** Module of Kuhn poker: its facts, options and budgets. The rules are in `rules.ts`. */
import type { WorldModule } from '../../envs/module.ts';
import { kuhnDescription } from './description.ts';
import { parseKuhnOptions } from './options.ts';

export const kuhn: WorldModule = {
  ...kuhnDescription,
  options: parseKuhnOptions,
  vocabulary: {
    texts: [
      'you hold a jack queen king and move first second',
      'check bet call fold',
      'the other checks bets calls folds holds . you win lose 1 2',
    ],
  },
  budget: {
    tiny: { promptTokens: 24, completionTokens: 32, maxTokensPerTurn: 4 },
    language: () => ({ promptTokens: 256, observationTokens: 16, oracleTurns: 2 }),
  },
  plain: 'An agent learns to bet, bluff and fold in a game of three cards.',
  pays: 'The chips that the agent wins: −2 to 2, below 0 if it loses.',
  view: 'text',
  connection: { kind: 'wasm' },
  open: async () => (await import('./world.ts')).openKuhn(),
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
};
