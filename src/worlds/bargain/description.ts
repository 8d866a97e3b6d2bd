/** Description of the bargaining world: the facts that both its module and its client need. */
import type { WorldDescription, WorldOptions } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { leagueOf } from '../../envs/seat-options.ts';
import { ownOptions } from './options.ts';

export const bargainDescription: WorldDescription = {
  name: 'bargain',
  title: 'Bargaining',
  summary: 'Divide a pool of goods with another, whose values you do not know.',
  instruction:
    'You and another player divide a pool of goods. Each good has a value for you, and another one for the other player, which you do not know; ' +
    'the whole pool is worth 10 to either of you. In turn, say "offer" and what the other may have, as in "offer 2 oak planks, 1 stick" or "offer nothing", ' +
    'and you keep the rest; or say "accept" to take the last offer. Without an agreement before the turns are used up nobody gets anything.',
  under: ownInstruction(ownOptions),
  credit:
    'Game of Lewis et al., Deal or No Deal? (2017), with the rules of OpenSpiel’s bargaining; deals and texts are our own.',
  hasOracle: true,
  hasValidActions: true,
  successReward: 0.5,
  freeRunning: false,
  replayable: true,
  seats: {
    informations: async (options) => (await import('./games.ts')).informationsOf(options as WorldOptions),
    measures: async () => (await import('./agreement.ts')).measuresOf,
    result: async () => (await import('./agreement.ts')).resultOf,
    memoryless: true,
    league: (options) => {
      const own = ownOptions(options as WorldOptions);
      return own.opponent === 'self' ? leagueOf(own, 'conceding') : null;
    },
  },
};
