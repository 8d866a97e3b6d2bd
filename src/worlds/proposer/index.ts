/** Module of proposer and solver: its facts, options and budgets. The rules are in `rules.ts`. */
import type { WorldModule } from '../../envs/module.ts';
import { proposerDescription } from './description.ts';
import { parseProposer } from './options.ts';

export const proposer: WorldModule = {
  ...proposerDescription,
  options: parseProposer,
  vocabulary: {
    texts: [
      'propose a room : you began in the and are in , next to . 0 1 2 3 4 5 6 7 8 moves left',
      'get to the go stop attic bedroom cellar garden hall kitchen library stairs',
      'the solver proposer got did not get',
    ],
  },
  budget: {
    tiny: { promptTokens: 40, completionTokens: 48, maxTokensPerTurn: 4 },
    language: () => ({ promptTokens: 256, observationTokens: 32, oracleTurns: 4 }),
  },
  plain: 'An agent sets itself tasks that it can just not solve yet, and learns to solve them.',
  pays: 'For the solver 1, less a ninth for each move, and 0 if it does not arrive; for the proposer a ninth for each move that the solver needs more.',
  view: 'text',
  connection: { kind: 'wasm' },
  open: async () => (await import('./world.ts')).openProposer(),
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
};
