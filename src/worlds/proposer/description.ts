/** Description of proposer and solver: the facts that both its module and its client need. */
import type { WorldDescription, WorldOptions } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { leagueOf } from '../../envs/seat-options.ts';
import { ownOptions } from './options.ts';

export const proposerDescription: WorldDescription = {
  name: 'proposer',
  title: 'Proposer and solver',
  summary: 'Propose a room that the other finds late, or get to the room that it proposes.',
  instruction:
    'Two players walk in a house. The proposer walks to a room and says "stop"; the solver begins where it began and has to get to that room. ' +
    'The solver is paid for few moves, the proposer for each move that the solver needs more than it did. ' +
    'Say "go" and a room next to yours, as in "go hall"; as the proposer also "stop".',
  under: ownInstruction(ownOptions),
  credit: 'Asymmetric self-play of Sukhbaatar et al. (2018); house and texts are our own.',
  hasOracle: true,
  hasValidActions: true,
  // A ninth: a solver that arrives with its last move, or a proposer one move faster than the solver.
  successReward: 1 / 9,
  freeRunning: false,
  replayable: true,
  seats: {
    informations: async (options) => (await import('./games.ts')).informationsOf(options as WorldOptions),
    result: async () => (await import('./games.ts')).resultOf,
    memoryless: true,
    league: (options) => {
      const own = ownOptions(options as WorldOptions);
      return own.opponent === 'self' ? leagueOf(own, 'own') : null;
    },
  },
};
