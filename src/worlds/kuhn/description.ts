/** Description of Kuhn poker: the facts that both its module and its client need. */
import type { WorldDescription, WorldOptions } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { leagueOf, withoutStrategy } from '../../envs/seat-options.ts';
import { parseKuhnOptions } from './options.ts';

/** Options of a task, which may carry a strategy beside the world's own options. */
export const ownOptions = withoutStrategy(parseKuhnOptions);

export const kuhnDescription: WorldDescription = {
  name: 'kuhn',
  title: 'Kuhn poker',
  summary: 'Bet, call or fold with one of three cards, against yourself and your earlier selves.',
  instruction:
    'You play Kuhn poker: there are a jack, a queen and a king. You and the other player hold one card each and have put one chip in. ' +
    'In turn, say "check" or "bet"; after a bet, say "call" or "fold". The higher card wins the chips unless a player folds.',
  under: ownInstruction(ownOptions),
  credit: 'H. W. Kuhn, A simplified two-person poker (Contributions to the Theory of Games, 1950).',
  hasOracle: false,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
  seats: {
    informations: async () => ({ lines: (await import('./rules.ts')).kuhnLines() }),
    exploitability: async () => (await import('./rules.ts')).kuhnExploitability,
    result: async () => (_, chips) => (Math.sign(chips) + 1) / 2,
    league: (options) => {
      const own = ownOptions(options as WorldOptions);
      return own.opponent === 'self' ? leagueOf(own, 'equilibrium') : null;
    },
  },
};
