/** Module of tic-tac-toe: its facts, options and budgets. The rules are in `rules.ts`. */
import type { WorldModule } from '../../envs/module.ts';
import { ticTacToeDescription } from './description.ts';
import { parseTicTacToe } from './options.ts';

export const ticTacToe: WorldModule = {
  ...ticTacToeDescription,
  options: parseTicTacToe,
  vocabulary: { texts: ['x o you play mark 1 2 3 4 5 6 7 8 9', 'a draw you win lose'] },
  budget: {
    tiny: { promptTokens: 24, completionTokens: 96, maxTokensPerTurn: 4 },
    language: () => ({ promptTokens: 256, observationTokens: 32, oracleTurns: 5 }),
  },
  plain: 'An agent learns to put three marks in a line.',
  pays: '1 for a win, 0 for a draw, −1 for a loss.',
  view: 'text',
  connection: { kind: 'wasm' },
  open: async () => (await import('./world.ts')).openTicTacToe(),
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
};
