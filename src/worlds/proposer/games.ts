/** The game of the world's options, its informations for self-play, and who won. */
import type { WorldOptions } from '../../envs/env.ts';
import type { Informations, PlayedGame, SeatLine, Strategy } from '../../envs/game.ts';
import { byChance, stateAfter } from '../../envs/game-world.ts';
import { ownOptions } from './options.ts';
import { ownMover } from './players.ts';
import { proposerLines, rooms, solverLines, walking, winnerOf } from './rules.ts';

/** Rules that a game goes on by. */
export const walkPlay = {
  game: (options: WorldOptions) => walking(ownOptions(options).moves),
  opponent: (options: WorldOptions) => {
    const { opponent, moves } = ownOptions(options);
    return opponent === 'chance' ? byChance(walking(moves)) : ownMover(moves);
  },
};

const part = (strategy: Strategy, lines: readonly SeatLine[]): Strategy =>
  Object.fromEntries(lines.map(({ information }) => [information, strategy[information]]));

export function informationsOf(options: WorldOptions): Informations {
  const { moves } = ownOptions(options);
  const solving = solverLines(moves);
  return {
    lines: [...rooms.flatMap((start) => proposerLines(start, moves)), ...solving],
    // The other seat of a solver is a proposer, who begins in the room of the deal.
    partFor: (id, strategy) => {
      const start = rooms[Math.floor(id / 2) % rooms.length];
      return part(strategy, id % 2 === 0 ? solving : proposerLines(start, moves));
    },
  };
}

export function resultOf(played: PlayedGame): number {
  const { state, seat } = stateAfter(walkPlay, played);
  return winnerOf(state) === seat ? 1 : 0;
}
