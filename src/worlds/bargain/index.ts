/** Module of the bargaining world: its facts, options and budgets. The rules are in `rules.ts`. */
import type { WorldModule } from '../../envs/module.ts';
import { goodsNames } from './deals.ts';
import { bargainDescription } from './description.ts';
import { parseBargain } from './options.ts';

export const bargain: WorldModule = {
  ...bargainDescription,
  options: parseBargain,
  vocabulary: {
    texts: [
      goodsNames.join(', '),
      '0 1 2 3 4 5 6 7 8 9 10',
      'the pool: worth each, no offer yet the other offers you nothing turns left',
      'offer accept agreed: you get the gets to it no agreement',
      'there is no offer to accept yet: make an offer',
      'say "accept", or "offer" and what may have, as in',
      'an offer names a number and a good of the pool once or leave out',
    ],
  },
  budget: {
    tiny: { promptTokens: 48, completionTokens: 320, maxTokensPerTurn: 16 },
    language: () => ({ promptTokens: 384, observationTokens: 64, oracleTurns: 3 }),
  },
  plain: 'An agent learns to divide goods with another whose wishes it does not know.',
  pays: 'The value of what the agent gets, as a share of the whole pool: 0 without an agreement, at most 1.',
  view: 'text',
  connection: { kind: 'wasm' },
  open: async () => (await import('./world.ts')).openBargain(),
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
};
