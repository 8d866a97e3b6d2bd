/**
 * Proposer and solver: asymmetric self-play (Sukhbaatar et al. 2018, https://arxiv.org/abs/1703.05407, section 2.1) in a
 * house of eight rooms. The proposer walks from a room to another and stops; the solver is put back and has to get to
 * the room where the proposer stopped. With tA and tB moves, the proposer is paid max(0, tB - tA) and the solver -tB,
 * each over the largest tB; here the solver gets 1 more, so that a failure pays 0. A proposer is therefore paid for rooms
 * that it reaches sooner than the solver does, and for none if the solver knows every shortest way.
 */
import { type Game, lineAt, type SeatLine } from '../../envs/game.ts';

const doors: readonly (readonly [string, string])[] = [
  ['hall', 'kitchen'],
  ['hall', 'library'],
  ['hall', 'stairs'],
  ['stairs', 'attic'],
  ['stairs', 'bedroom'],
  ['kitchen', 'cellar'],
  ['cellar', 'garden'],
  ['library', 'garden'],
];

export const rooms: readonly string[] = [...new Set(doors.flat())].sort();

/** Rooms next to each room, in the order of their names. */
export const nextTo: { readonly [room: string]: readonly string[] } = Object.fromEntries(
  rooms.map((room) => [room, doors.flatMap(([a, b]) => (a === room ? [b] : b === room ? [a] : [])).sort()]),
);

/** Largest number of the solver's moves. The longest of the shortest ways has four. */
const MOST_MOVES = 8;
/** What a failure counts as, and what all payoffs are divided by. */
const FAILED = MOST_MOVES + 1;

export interface Walk {
  start: string;
  /** Rooms that the proposer went to. */
  shown: readonly string[];
  stopped: boolean;
  /** Rooms that the solver went to. */
  tried: readonly string[];
}

const [proposer, solver] = [0, 1];
const go = (room: string) => `go ${room}`;
const stop = 'stop';

const placeIn = ({ start, shown }: Walk): string => shown.at(-1) ?? start;
const solverIn = ({ start, tried }: Walk): string => tried.at(-1) ?? start;

/** True if the proposer's room is settled. */
export const isProposed = ({ stopped, shown }: Walk, moves: number): boolean => stopped || shown.length >= moves;

/** Moves that the solver needed, or one more than the most. */
const solverMoves = (walk: Walk): number => (solverIn(walk) === placeIn(walk) ? walk.tried.length : FAILED);

/** Seat that won: the solver, if it was no slower than the proposer. */
export const winnerOf = (walk: Walk): number => (solverMoves(walk) <= walk.shown.length ? solver : proposer);

const listed = (names: readonly string[]) => names.join(' , ');

const proposerText = (start: string, room: string, left: number) =>
  `propose a room : you began in the ${start} and are in the ${room} , next to ${listed(nextTo[room])} . ${left} moves left`;

const solverText = (target: string, room: string) =>
  `get to the ${target} : you are in the ${room} , next to ${listed(nextTo[room])}`;

/** The room that is proposed is another than the first one: the last move cannot lead back to it, nor can it stop there. */
function proposals(start: string, room: string, left: number): string[] {
  const ways = nextTo[room].filter((next) => left > 1 || next !== start).map(go);
  return room === start ? ways : [stop, ...ways];
}

/** The game with this largest number of the proposer's moves. */
export const walking = (moves: number): Game<Walk> => ({
  seats: ['proposer', 'solver'],
  memoryless: true,
  deals: rooms.map((start) => ({ start, shown: [], stopped: false, tried: [] })),
  toAct: (walk) => {
    if (!isProposed(walk, moves)) return proposer;
    return solverIn(walk) === placeIn(walk) || walk.tried.length >= MOST_MOVES ? null : solver;
  },
  actions: (walk) =>
    isProposed(walk, moves)
      ? nextTo[solverIn(walk)].map(go)
      : proposals(walk.start, placeIn(walk), moves - walk.shown.length),
  play: (walk, action) => {
    if (action === stop) return { ...walk, stopped: true };
    const room = action.slice(go('').length);
    return isProposed(walk, moves)
      ? { ...walk, tried: [...walk.tried, room] }
      : { ...walk, shown: [...walk.shown, room] };
  },
  sees: (walk, seat) =>
    seat === proposer
      ? proposerText(walk.start, placeIn(walk), moves - walk.shown.length)
      : solverText(placeIn(walk), solverIn(walk)),
  payoff: (walk, seat) => {
    const needed = solverMoves(walk);
    return seat === solver ? (FAILED - needed) / FAILED : Math.max(0, needed - walk.shown.length) / FAILED;
  },
});

/** Text after the last move. */
export function walkEnding(walk: Walk, seat: number): string {
  const place = placeIn(walk);
  const other = seat === proposer ? 'the solver' : 'you';
  const end =
    solverIn(walk) === place ? `got to the ${place} in ${walk.tried.length} moves` : `did not get to the ${place}`;
  return `${other} ${end} , ${seat === proposer ? 'you' : 'the proposer'} in ${walk.shown.length}`;
}

/** The turns that a proposer can have from a room, each once. */
export function proposerLines(start: string, moves: number): SeatLine[] {
  const game = walking(moves);
  const opening = game.deals.find((walk) => walk.start === start)!;
  const lines: SeatLine[] = [];
  let here = new Set([start]);
  for (let gone = 0; gone < moves; gone++) {
    for (const room of here) {
      // Of the way only its length and its last room can be seen.
      const shown = new Array<string>(gone).fill(room);
      lines.push(lineAt(game, { ...opening, shown }, proposer));
    }
    here = new Set([...here].flatMap((room) => nextTo[room]));
  }
  return lines;
}

/** The turns that a solver can have. */
export function solverLines(moves: number): SeatLine[] {
  const game = walking(moves);
  return rooms.flatMap((target) =>
    rooms
      .filter((room) => room !== target)
      .map((start) => lineAt(game, { start, shown: [target], stopped: true, tried: [] }, solver)),
  );
}
