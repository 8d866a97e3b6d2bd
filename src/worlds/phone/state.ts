/**
 * Data of a phone: the catalogue, which never changes during an episode, and the state, which the apps change and the
 * judge compares. Lists of the state are keyed by content, so that the order in which things are made does not count.
 */
export const appNames = ['messages', 'calendar', 'notes', 'settings', 'shop', 'map', 'music', 'tickets'] as const;
export type AppName = (typeof appNames)[number];

export const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
export const hours = [8, 9, 10, 11, 14, 15, 16, 18, 20] as const;
export const seats = [1, 2, 3, 4] as const;
export const modes = ['walk', 'bus', 'car'] as const;
export const sizes = ['small', 'medium', 'large'] as const;

/** Switches of the settings, by their section. */
export const switches = {
  network: ['Wi-Fi', 'Bluetooth', 'Airplane mode', 'Hotspot'],
  display: ['Dark mode', 'Large font', 'Auto-rotate'],
  sound: ['Do not disturb', 'Vibration'],
  battery: ['Battery saver', 'Show percentage'],
} as const;
export type Section = keyof typeof switches;
export const sections = Object.keys(switches) as Section[];

/** Sliders of the settings, by their section. */
export const levels = { display: 'Brightness', sound: 'Volume' } as const;

interface Product {
  name: string;
  price: number;
  soldOut: boolean;
}
interface Song {
  name: string;
  artist: string;
}
interface Place {
  name: string;
  kind: string;
  /** Cell of the map, row by row. */
  cell: number;
}
export interface Show {
  name: string;
  day: string;
  hours: number[];
  soldOut: boolean;
}

/** What the phone contains and nobody changes. */
export interface Catalogue {
  people: string[];
  products: Product[];
  places: Place[];
  songs: Song[];
  shows: Show[];
  /** Apps that ask for a password which the agent does not have. */
  locked: AppName[];
  /** Apps that load when they are opened. */
  slow: AppName[];
}

type Keyed<T> = { [key: string]: T };

export interface PhoneState {
  messages: { [person: string]: { log: string[]; muted: boolean; pinned: boolean } };
  calendar: Keyed<{ title: string; day: string; hour: number; reminder: boolean }>;
  notes: Keyed<{ text: string; pinned: boolean }>;
  switches: Keyed<boolean>;
  levels: Keyed<number>;
  notifications: Keyed<boolean>;
  shop: { cart: Keyed<true>; orders: Keyed<true>; wishes: Keyed<true> };
  map: { saved: Keyed<true>; route: string };
  music: { playing: string; liked: Keyed<true>; playlists: Keyed<Keyed<true>> };
  tickets: Keyed<{ seats: number }>;
  device: { permissions: Keyed<string>; accepted: Keyed<true>; pictures: Keyed<true> };
}

export const eventKey = (title: string, day: string, hour: number) => `${title} ${day} ${hour}`;
export const itemKey = (product: string, size: string) => `${product} ${size}`;
export const bookingKey = (show: string, hour: number) => `${show} ${hour}`;

/** A place in the state, and its value before and after. Absent values are null. */
export interface Difference {
  path: string;
  before: string | null;
  after: string | null;
}

/** Between the keys of a path. */
const joint = ' › ';

/** Values of a state by their paths. */
function leavesOf(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  if (value === null || typeof value !== 'object') return into.set(path, JSON.stringify(value));
  // An empty list leaves a trace, so that its disappearance is a difference.
  into.set(path, '{}');
  for (const [key, each] of Object.entries(value)) leavesOf(each, path ? `${path}${joint}${key}` : key, into);
  return into;
}

/** Value of a state at a path, as `leavesOf` writes it; null if it has none. */
export function leafAt(state: unknown, path: string): string | null {
  let value = state;
  for (const key of path.split(joint)) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return null;
    value = (value as { [key: string]: unknown })[key];
  }
  return value === null || typeof value !== 'object' ? JSON.stringify(value) : '{}';
}

/** Differences of two states, in the order of their paths. */
export function differences(before: PhoneState, after: PhoneState): Difference[] {
  const [first, second] = [leavesOf(before), leavesOf(after)];
  const paths = [...new Set([...first.keys(), ...second.keys()])].sort();
  return paths
    .filter((path) => first.get(path) !== second.get(path))
    .map((path) => ({ path, before: first.get(path) ?? null, after: second.get(path) ?? null }));
}
