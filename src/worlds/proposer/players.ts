/** The world's own players: a proposer who draws any other room and takes a shortest way, and a solver who takes one. */
import type { Mover } from '../../envs/game-world.ts';
import { isProposed, nextTo, rooms, type Walk, walking } from './rules.ts';

/** Rooms on a shortest way, without the first: of several ways the first by name. */
export function shortestWay(from: string, to: string): string[] {
  let ways: string[][] = [[]];
  for (;;) {
    const found = ways.find((way) => (way.at(-1) ?? from) === to);
    if (found) return found;
    ways = ways.flatMap((way) => nextTo[way.at(-1) ?? from].map((next) => [...way, next]));
  }
}

/** Shortest ways from each room to all others. */
const waysFrom = new Map(
  rooms.map((start) => [start, rooms.filter((room) => room !== start).map((room) => shortestWay(start, room))]),
);

/**
 * The player of both seats. As the proposer each action has the share of the rooms that it leads to, among those that
 * its moves so far lead to, so that each room is drawn as often.
 */
export const ownMover = (moves: number): Mover<Walk> => {
  const game = walking(moves);
  return (walk) => {
    const actions = game.actions(walk);
    if (isProposed(walk, moves)) {
      const [next] = shortestWay(walk.tried.at(-1) ?? walk.start, walk.shown.at(-1)!);
      return actions.map((action) => (action === `go ${next}` ? 1 : 0));
    }
    const { shown, start } = walk;
    const open = waysFrom.get(start)!.filter((way) => way.length <= moves && shown.every((room, k) => way[k] === room));
    // After moves of another player, off every such way: it stops, or walks on.
    if (open.length === 0) return actions.map((_, a) => (a === 0 ? 1 : 0));
    const counts = actions.map(
      (action) =>
        open.filter((way) => (way.length > shown.length ? `go ${way[shown.length]}` : 'stop') === action).length,
    );
    return counts.map((count) => count / open.length);
  };
};
