/** The map: towns, places in them, roads between towns, and shortest routes. The wiki describes the same towns. */
import { slugOf } from '../html.ts';
import { type Town, towns } from '../names.ts';
import { Random } from '../random.ts';

export interface Place {
  slug: string;
  name: string;
  kind: string;
  town: string;
  street: string;
  phone: string;
  opens: string;
  closes: string;
  /** Kilometres east and north of the map's corner. */
  x: number;
  y: number;
}

interface Road {
  from: number;
  to: number;
  km: number;
}

export interface MapData {
  towns: Town[];
  places: Place[];
  roads: Road[];
}

export interface MapState {
  saved: string[];
  notice: string;
}

export const kinds = ['Bakery', 'Hotel', 'Library', 'Museum', 'Pharmacy', 'Station'] as const;
const plurals: { [kind: string]: string } = { Bakery: 'Bakeries', Library: 'Libraries', Pharmacy: 'Pharmacies' };
export const pluralOf = (kind: string) => plurals[kind] ?? `${kind}s`;
const streets = ['High Street', 'Mill Lane', 'Station Road', 'Bridge Street', 'Park Avenue', 'Church Row'];
const nicknames = ['Golden', 'Little', 'Old', 'Red', 'Royal', 'Silver', 'Sunny', 'White'];

export const modes = ['Car', 'Bicycle', 'Foot'] as const;
export type Mode = (typeof modes)[number];
/** Speed in kilometres per hour. */
const speed: { [mode in Mode]: number } = { Car: 60, Bicycle: 15, Foot: 5 };
/** Length of a route relative to the car's; cycling and walking routes are slightly longer. */
const detour: { [mode in Mode]: number } = { Car: 1, Bicycle: 1.1, Foot: 1.05 };

export const distance = (a: { x: number; y: number }, b: { x: number; y: number }) =>
  Math.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2);

/** Connects every town with its two nearest, and all towns in a chain from west to east. */
function makeRoads(all: readonly Town[]): Road[] {
  const roads = new Map<string, Road>();
  const add = (a: number, b: number) => {
    const [from, to] = a < b ? [a, b] : [b, a];
    roads.set(`${from} ${to}`, { from, to, km: Math.max(1, Math.round(distance(all[from], all[to]) * 1.2)) });
  };
  for (const [k, town] of all.entries()) {
    const others = all.map((_, m) => m).filter((m) => m !== k);
    others.sort((a, b) => distance(town, all[a]) - distance(town, all[b]) || a - b);
    for (const other of others.slice(0, 2)) add(k, other);
  }
  const chain = all.map((_, k) => k).sort((a, b) => all[a].x - all[b].x || a - b);
  for (let k = 1; k < chain.length; k++) add(chain[k - 1], chain[k]);
  return [...roads.values()];
}

function makePlaces(random: Random, all: readonly Town[]): Place[] {
  const taken = new Set<string>();
  return all.flatMap((town) =>
    random.some(kinds, 4).map((kind) => {
      let name = '';
      do name = kind === 'Station' ? `${town.name} Station` : `${random.pick(nicknames)} ${kind} ${town.name}`;
      while (taken.has(name));
      taken.add(name);
      return {
        slug: slugOf(name),
        name,
        kind,
        town: town.name,
        street: `${random.between(1, 80)} ${random.pick(streets)}`,
        phone: `0${random.between(100, 999)} ${random.between(100000, 999999)}`,
        opens: `${random.between(6, 10)}:00`,
        closes: `${random.between(16, 22)}:00`,
        x: town.x + random.between(-9, 9) / 10,
        y: town.y + random.between(-9, 9) / 10,
      };
    }),
  );
}

export function openMap(seed: number): MapData {
  const all = towns(new Random(seed, 'towns'));
  return { towns: all, places: makePlaces(new Random(seed, 'places'), all), roads: makeRoads(all) };
}

export const startMap = (): MapState => ({ saved: [], notice: '' });

/** Shortest route by road (Dijkstra): the towns on it and its length, or null. */
function shortestWay({ towns: all, roads }: MapData, from: number, to: number): { towns: number[]; km: number } {
  const best = all.map(() => Number.POSITIVE_INFINITY);
  const before = all.map(() => -1);
  const open = new Set(all.keys());
  best[from] = 0;
  while (open.size) {
    const at = [...open].reduce((a, b) => (best[b] < best[a] ? b : a));
    open.delete(at);
    for (const road of roads) {
      if (road.from !== at && road.to !== at) continue;
      const next = road.from === at ? road.to : road.from;
      if (best[at] + road.km >= best[next]) continue;
      best[next] = best[at] + road.km;
      before[next] = at;
    }
  }
  const way = [to];
  while (way[0] !== from && before[way[0]] >= 0) way.unshift(before[way[0]]);
  return { towns: way, km: best[to] };
}

export interface Directions {
  km: number;
  minutes: number;
  towns: string[];
}

/** Finds a town or place by its name, ignoring case. */
export function findSpot(data: MapData, text: string): { name: string; town: number } | null {
  const wanted = text.trim().toLowerCase();
  const town = data.towns.findIndex(({ name }) => name.toLowerCase() === wanted);
  if (town >= 0) return { name: data.towns[town].name, town };
  const place = data.places.find(({ name }) => name.toLowerCase() === wanted);
  return place ? { name: place.name, town: data.towns.findIndex(({ name }) => name === place.town) } : null;
}

/** Route by road between towns. A place counts as its town; within a town the distance is one kilometre. */
export function directions(data: MapData, from: number, to: number, mode: Mode): Directions {
  const way = shortestWay(data, from, to);
  const km = Math.max(1, Math.round(way.km * detour[mode]));
  return {
    km,
    minutes: Math.max(1, Math.round((km / speed[mode]) * 60)),
    towns: way.towns.map((k) => data.towns[k].name),
  };
}

export const timeText = (minutes: number) =>
  minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
