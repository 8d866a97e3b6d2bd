/** Tasks: each is drawn for a furnished house, before its objects are placed. */
import type { Random } from '../../../envs/random.ts';
import { type Clause, objectBits, type StateName } from '../house.ts';
import { bitsOfKind, contents, lampPlaces, openableKinds } from './kinds.ts';
import type { Room, RoomName } from './rooms.ts';
import type { TaskKind } from './task-kinds.ts';

/** Rooms in which a kind of task can be set. */
export const taskRooms: { readonly [kind in TaskKind]: readonly RoomName[] } = {
  pick: ['kitchen', 'living room', 'bedroom', 'bathroom'],
  light: ['living room', 'bedroom'],
  clean: ['kitchen', 'bathroom'],
  heat: ['kitchen'],
  cool: ['kitchen'],
  two: ['kitchen', 'living room', 'bedroom', 'bathroom'],
  'second-room': ['kitchen', 'living room', 'bedroom', 'bathroom'],
  closed: ['kitchen', 'living room', 'bedroom', 'bathroom'],
  both: ['kitchen', 'bathroom'],
};

/** Kinds of receptacles that a task needs beside those of its rooms; null: none. */
export interface DrawnTask {
  goal: readonly Clause[];
  task: string;
  /** Kinds of the objects that the goal needs, once for each. */
  needed: readonly string[];
  /** Kinds that may lie only in closed receptacles. */
  closedOnly: ReadonlySet<string>;
  /** Kinds that may lie only in the second room. */
  secondOnly: ReadonlySet<string>;
}

const abilities = { clean: objectBits.cleanable, hot: objectBits.heatable, cool: objectBits.coolable } as const;
type Treatment = keyof typeof abilities;
const treatments: { readonly [kind: string]: Treatment } = { clean: 'clean', heat: 'hot', cool: 'cool' };
const stations: { readonly [treatment in Treatment]: string } = {
  clean: 'sinkbasin',
  hot: 'microwave',
  cool: 'fridge',
};
const verbs: { readonly [treatment in Treatment]: string } = { clean: 'clean', hot: 'heat', cool: 'cool' };

interface Pair {
  object: string;
  receptacle: string;
}

/** Receptacles into which no task asks to put anything, as in the original. */
const noGoals: ReadonlySet<string> = new Set(['handtowelholder', 'laundryhamper', 'tvstand', 'toiletpaperhanger']);

/** All pairs of an object of a room and a receptacle kind that can contain it; at least one other place must remain. */
function pairsOf(objects: readonly string[], goals: ReadonlySet<string>, places: ReadonlySet<string>): Pair[] {
  return objects.flatMap((object) =>
    [...goals]
      .filter((receptacle) => !noGoals.has(receptacle) && contents[receptacle].includes(object))
      .filter((receptacle) => [...places].some((other) => other !== receptacle && contents[other].includes(object)))
      .map((receptacle) => ({ object, receptacle })),
  );
}

function placeText({ object, receptacle }: Pair, states: readonly Treatment[], other: boolean): string {
  if (!states.length) return other ? `put some ${object} on ${receptacle}` : `put a ${object} in ${receptacle}`;
  if (other && states.length === 1) return `${verbs[states[0]]} some ${object} and put it in ${receptacle}`;
  return `put a ${states.join(' and ')} ${object} in ${receptacle}`;
}

const placeClause = ({ object, receptacle }: Pair, states: readonly Treatment[], count: 1 | 2 = 1): Clause => ({
  type: 'place',
  object,
  receptacle,
  count,
  states: states as readonly StateName[],
  bits: states.reduce((sum, state) => sum + abilities[state], 0),
});

const canBe = (object: string, states: readonly Treatment[]) =>
  states.every((state) => (bitsOfKind(object) & abilities[state]) !== 0);

const plain = { closedOnly: new Set<string>(), secondOnly: new Set<string>() };

function placeTask(pair: Pair, states: readonly Treatment[], random: Random): DrawnTask {
  return {
    ...plain,
    goal: [placeClause(pair, states)],
    task: placeText(pair, states, random.chance(50)),
    needed: [pair.object],
  };
}

/** A house before its objects are placed. */
export interface Furnished {
  rooms: readonly Room[];
  /** Kinds of receptacles of each room. */
  kinds: readonly ReadonlySet<string>[];
}

const lightTask = (room: Room, object: string, random: Random): DrawnTask => ({
  ...plain,
  goal: [
    { type: 'light', object: room.lamp!, lying: false },
    { type: 'hold', object },
  ],
  task: random.chance(50) ? `look at ${object} under the ${room.lamp}` : `examine the ${object} with the ${room.lamp}`,
  needed: [object, room.lamp!],
});

const twoTask = (pair: Pair, random: Random): DrawnTask => ({
  ...plain,
  goal: [placeClause(pair, [], 2)],
  task: random.chance(50)
    ? `put two ${pair.object} in ${pair.receptacle}`
    : `find two ${pair.object} and put them in ${pair.receptacle}`,
  needed: [pair.object, pair.object],
});

/** Treatments of which the house has the station, none included. */
function possibleStates(kinds: readonly ReadonlySet<string>[]): (readonly Treatment[])[] {
  const has = (kind: string) => kinds.some((each) => each.has(kind));
  return [[], ...(['clean', 'hot', 'cool'] as const).filter((state) => has(stations[state])).map((state) => [state])];
}

function treated(pairs: readonly Pair[], choices: readonly (readonly Treatment[])[], random: Random) {
  const states = random.pick(choices);
  const able = pairs.filter(({ object }) => canBe(object, states));
  return able.length ? { pair: random.pick(able), states } : null;
}

/** A thing that lies only in closed receptacles, other than the goal's. */
function closedTask(pairs: readonly Pair[], kinds: ReadonlySet<string>, random: Random): DrawnTask | null {
  const hidden = pairs.filter(({ object, receptacle }) =>
    [...kinds].some((kind) => openableKinds.has(kind) && kind !== receptacle && contents[kind].includes(object)),
  );
  const drawn = treated(hidden, possibleStates([kinds]), random);
  return drawn && { ...placeTask(drawn.pair, drawn.states, random), closedOnly: new Set([drawn.pair.object]) };
}

/** A task to bring something from the second room to a receptacle that only the first room has. */
function secondRoomTask({ rooms, kinds }: Furnished, random: Random): DrawnTask | null {
  const goals = new Set([...kinds[0]].filter((kind) => !kinds[1].has(kind)));
  const drawn = treated(pairsOf(rooms[1].objects, goals, kinds[1]), possibleStates(kinds), random);
  return drawn && { ...placeTask(drawn.pair, drawn.states, random), secondOnly: new Set([drawn.pair.object]) };
}

/** Two conditions: two states of one thing, or two things with a state each or one of them. */
function bothTask(pairs: readonly Pair[], kinds: ReadonlySet<string>, random: Random): DrawnTask | null {
  const choices = possibleStates([kinds]);
  const warm = choices.filter(([state]) => state === 'hot' || state === 'cool');
  if (warm.length && random.chance(50)) {
    const drawn = treated(
      pairs,
      warm.map(([state]) => [state, 'clean'] as const),
      random,
    );
    return drawn && placeTask(drawn.pair, drawn.states, random);
  }
  const one = treated(pairs, choices.slice(1), random);
  const other =
    one &&
    treated(
      pairs.filter(({ object }) => object !== one.pair.object),
      choices,
      random,
    );
  if (!one || !other) return null;
  return {
    ...plain,
    goal: [placeClause(one.pair, one.states), placeClause(other.pair, other.states)],
    task: `${placeText(one.pair, one.states, false)} and ${placeText(other.pair, other.states, false)}`,
    needed: [one.pair.object, other.pair.object],
  };
}

/** A task for a furnished house, or null if this draw gives none. */
export function drawTask(kind: TaskKind, house: Furnished, random: Random): DrawnTask | null {
  const [{ objects, lamp }, [kinds]] = [house.rooms[0], house.kinds];
  const pairs = pairsOf(objects, kinds, kinds);
  if (!pairs.length) return null;
  if (kind === 'light') {
    const stands = lamp !== null && lampPlaces[lamp].some((place) => kinds.has(place));
    return stands ? lightTask(house.rooms[0], random.pick(pairs).object, random) : null;
  }
  if (kind === 'two') return twoTask(random.pick(pairs), random);
  if (kind === 'closed') return closedTask(pairs, kinds, random);
  if (kind === 'second-room') return secondRoomTask(house, random);
  if (kind === 'both') return bothTask(pairs, kinds, random);
  const states = kind === 'pick' ? [] : [treatments[kind]];
  const able = pairs.filter(({ object }) => canBe(object, states));
  return able.length ? placeTask(random.pick(able), states, random) : null;
}
