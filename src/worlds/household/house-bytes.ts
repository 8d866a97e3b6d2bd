/** A house as the bytes that the world reads (`envs-wasm/household/house.ts`). */
import { WorldError } from '../../envs/env.ts';
import { type Clause, type House, mostThings, objectBits, stateBits } from './house.ts';
import { namesOf } from './names.ts';

const none = 255;
const headerBytes = 16;
const clauseTypes = { place: 0, hold: 1, light: 2 } as const;
const roles: { readonly [kind: string]: number } = { sinkbasin: 1, microwave: 2, fridge: 4 };

/** Style bits of an episode. */
export const styleBits = { put: 1, brief: 2, acting: 4, explores: 8 } as const;

/** Names of a house's things, in its order. */
export interface HouseNames {
  receptacles: string[];
  objects: string[];
  locations: string[];
}

export function houseNames(house: House): HouseNames {
  const ids = [...house.receptacles, ...house.objects].map(({ id }) => id);
  const names = namesOf([...ids, ...house.locations]);
  const nameOf = (id: string) => names.get(id)!;
  return {
    receptacles: house.receptacles.map(({ id }) => nameOf(id)),
    objects: house.objects.map(({ id }) => nameOf(id)),
    locations: house.locations.map(nameOf),
  };
}

/** All kinds, sorted: kinds of things in the house and kinds in the goal. */
function kindsOf(things: readonly { kind: string | null }[], named: readonly string[]): string[] {
  const kinds = things.flatMap(({ kind }) => (kind === null ? [] : [kind]));
  return [...new Set([...kinds, ...named])].sort();
}

const goalObjects = (goal: readonly Clause[]) => goal.map(({ object }) => object);
const goalReceptacles = (goal: readonly Clause[]) =>
  goal.flatMap((clause) => (clause.type === 'place' ? [clause.receptacle] : []));

function clauseBytes(clause: Clause, objectKinds: string[], receptacleKinds: string[]): number[] {
  const object = objectKinds.indexOf(clause.object);
  if (clause.type !== 'place') {
    const light = clause.type === 'light';
    const bits = light ? objectBits.toggleable : 0;
    return [clauseTypes[clause.type], object, none, 1, 0, bits, light && clause.lying ? 1 : 0, 0];
  }
  const { receptacle, count, states, bits } = clause;
  const state = states.reduce((sum, each) => sum + stateBits[each], 0);
  return [clauseTypes.place, object, receptacleKinds.indexOf(receptacle), count, state, bits, 0, 0];
}

function refuseLarge(house: House): void {
  const { receptacles, objects, locations } = house;
  const counts = { 'receptacles and objects': receptacles.length + objects.length, locations: locations.length };
  for (const [what, count] of Object.entries(counts))
    if (count > mostThings)
      throw new WorldError(`The house has ${count} ${what}, and ${mostThings} is the most: choose a smaller one.`);
}

const encoder = new TextEncoder();

/** Pads a matrix of marks, row by row. */
const marks = (rows: readonly (readonly number[])[], columns: number) =>
  rows.flatMap((row) => Array.from({ length: columns }, (_, k) => (row.includes(k) ? 1 : 0)));

export function houseBytes(house: House, style: number, names: HouseNames = houseNames(house)): Uint8Array {
  refuseLarge(house);
  const { receptacles, objects, locations, goal, contains } = house;
  const receptacleKinds = kindsOf(receptacles, goalReceptacles(goal));
  const objectKinds = kindsOf(objects, goalObjects(goal));
  const inners = objects.flatMap(({ within }, inner) => within.map((outer) => [inner, outer]));
  const kindIndex = (kinds: string[], kind: string | null) => (kind === null ? none : kinds.indexOf(kind));
  const all = [...names.receptacles, ...names.objects];
  const order = all.map((_, k) => k).sort((a, b) => (all[a] < all[b] ? -1 : 1));
  const texts = [...all, ...names.locations, ...receptacleKinds, ...objectKinds].flatMap((name) => {
    const bytes = encoder.encode(name).slice(0, none);
    return [bytes.length, ...bytes];
  });
  const header = new Uint8Array(headerBytes);
  header.set([receptacles.length, objects.length, locations.length, receptacleKinds.length, objectKinds.length]);
  header.set([house.agent, none, goal.length, inners.length, style], 5);
  return Uint8Array.from([
    ...header,
    ...receptacles.map(({ kind }) => kindIndex(receptacleKinds, kind)),
    ...receptacles.map(({ location }) => location ?? none),
    ...receptacles.map(({ openable, opened }) => (openable ? 1 : 0) + (opened ? 2 : 0)),
    ...objects.map(({ kind }) => kindIndex(objectKinds, kind)),
    ...objects.map(({ bits }) => bits),
    ...objects.map(({ state }) => state),
    ...receptacleKinds.map((kind) => roles[kind] ?? 0),
    ...receptacleKinds.flatMap((kind) => objectKinds.map((each) => (contains.get(kind)?.has(each) ? 1 : 0))),
    ...marks(
      objects.map(({ inside }) => inside),
      receptacles.length,
    ),
    ...marks(
      objects.map(({ lying }) => lying),
      locations.length,
    ),
    ...inners.flat(),
    ...order,
    ...goal.flatMap((clause) => clauseBytes(clause, objectKinds, receptacleKinds)),
    ...texts,
  ]);
}
