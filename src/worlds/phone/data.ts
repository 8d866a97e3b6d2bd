/**
 * Draws the data of a phone from word lists. Names are pairs of words; the pairs of training and of held-out tasks are
 * apart, so that no held-out name occurs in training, while every word does.
 */
import { mixSeeds, type Random } from '../../envs/random.ts';
import type { PhoneOptions } from './options.ts';
import {
  appNames,
  type Catalogue,
  days,
  eventKey,
  hours,
  levels,
  type PhoneState,
  type Show,
  switches,
} from './state.ts';

export const words = {
  people: [
    ['Ada', 'Bo', 'Carla', 'Dev', 'Elif', 'Finn', 'Gita', 'Hugo', 'Ines', 'Jonas'],
    ['Lind', 'Marek', 'Nunez', 'Rao', 'Aydin', 'Holm', 'Shah', 'Weber', 'Costa', 'Kim'],
  ],
  products: [
    ['blue', 'red', 'green', 'striped', 'warm', 'light', 'plain', 'woollen'],
    ['shirt', 'jacket', 'scarf', 'hat', 'gloves', 'socks', 'dress', 'apron'],
  ],
  songs: [
    ['Silver', 'Slow', 'Paper', 'Distant', 'Golden', 'Quiet', 'Empty', 'Early'],
    ['River', 'Train', 'Window', 'Summer', 'Shadow', 'Garden', 'Signal', 'Harbour'],
  ],
  artists: [
    ['The', 'New', 'Young', 'Last'],
    ['Lanterns', 'Sparrows', 'Neighbours', 'Pilots'],
  ],
  places: [
    ['Old', 'North', 'Corner', 'Bridge', 'Market', 'Station', 'Park', 'Hill'],
    ['Bakery', 'Museum', 'Library', 'Clinic', 'School', 'Hotel', 'Cinema', 'Theatre'],
  ],
  shows: [
    ['Winter', 'Midnight', 'Glass', 'Broken', 'Open', 'Seven', 'Hidden', 'Wooden'],
    ['Concert', 'Comedy', 'Opera', 'Ballet', 'Film', 'Match', 'Musical', 'Lecture'],
  ],
  titles: [
    ['team', 'dentist', 'yoga', 'piano', 'doctor', 'school', 'garden', 'budget'],
    ['meeting', 'visit', 'class', 'lesson', 'call', 'lunch', 'review', 'party'],
  ],
  notes: [
    ['packing', 'reading', 'cooking', 'travel', 'house', 'birthday', 'sports', 'project'],
    ['list', 'plan', 'ideas', 'costs', 'rules', 'questions', 'dates', 'steps'],
  ],
  phrases: [
    ['bring', 'call', 'check', 'fetch', 'paint', 'print', 'repair', 'return'],
    ['the keys', 'the tent', 'the books', 'the lamp', 'the tickets', 'the bike', 'the cake', 'the map'],
  ],
  playlists: [
    ['morning', 'evening', 'running', 'cooking'],
    ['mix', 'songs', 'hits', 'favourites'],
  ],
} as const;

export type Words = keyof typeof words;

/** Largest number of names of a kind that a catalogue has. */
const cells = 16;

export interface Draw {
  random: Random;
  /** True for held-out tasks, whose names are pairs that training never shows. */
  heldOut: boolean;
  options: PhoneOptions;
}

const isHeldOut = (first: number, second: number) => mixSeeds(17, first, second) % 3 === 0;

/** All pairs of a list of words in a split, in the order of the list. */
function pairsOf(kind: Words, heldOut: boolean): string[] {
  const [firsts, seconds] = words[kind];
  return firsts.flatMap((first, j) =>
    seconds.flatMap((second, k) => (isHeldOut(j, k) === heldOut ? [`${first} ${second}`] : [])),
  );
}

/** Different names of a kind. A name shares no word with a name before it while there are such names. */
export function drawNames(kind: Words, count: number, { random, heldOut }: Draw, without: readonly string[] = []) {
  const drawn = random.shuffle(pairsOf(kind, heldOut)).filter((name) => !without.includes(name));
  return drawn.slice(0, count);
}

function drawShow(name: string, { random }: Draw): Show {
  const times = random.shuffle([...hours]).slice(0, 3);
  return { name, day: random.pick(days), hours: times.sort((a, b) => a - b), soldOut: false };
}

export function drawCatalogue(draw: Draw): Catalogue {
  const { random, options } = draw;
  const count = options.items;
  const places = random.shuffle(Array.from({ length: cells }, (_, cell) => cell));
  const artists = drawNames('artists', 3, draw);
  return {
    people: drawNames('people', count, draw),
    products: drawNames('products', count, draw).map((name) => ({
      name,
      price: 5 * random.between(1, 30),
      soldOut: false,
    })),
    places: drawNames('places', count, draw).map((name, k) => ({
      name,
      kind: name.split(' ')[1].toLowerCase(),
      cell: places[k],
    })),
    songs: drawNames('songs', count, draw).map((name) => ({ name, artist: random.pick(artists) })),
    shows: drawNames('shows', Math.max(2, count - 2), draw).map((name) => drawShow(name, draw)),
    locked: [],
    slow: appNames.filter(() => random.chance(options.slow)),
  };
}

const keyed = <T>(names: readonly string[], value: (name: string, k: number) => T) =>
  Object.fromEntries(names.map((name, k) => [name, value(name, k)]));

export function drawState(catalogue: Catalogue, draw: Draw): PhoneState {
  const { random, options } = draw;
  const count = options.items;
  const phrases = drawNames('phrases', count, draw);
  const events = drawNames('titles', Math.max(2, count - 1), draw).map((title) => ({
    title,
    day: random.pick(days),
    hour: random.pick(hours) as number,
    reminder: random.chance(30),
  }));
  const switchNames = Object.values(switches).flat();
  const playlists = drawNames('playlists', 2, draw);
  return {
    messages: keyed(catalogue.people, (_, k) => ({
      log: [`them: ${phrases[k % phrases.length]}`],
      muted: random.chance(20),
      pinned: random.chance(20),
    })),
    calendar: Object.fromEntries(events.map((event) => [eventKey(event.title, event.day, event.hour), event])),
    notes: keyed(drawNames('notes', Math.max(2, count - 1), draw), (_, k) => ({
      text: phrases[(k + 1) % phrases.length],
      pinned: random.chance(25),
    })),
    switches: {
      ...keyed(switchNames, () => random.chance(50)),
      ...{ 'Dark mode': random.chance(40), 'Large font': random.chance(options.largeFont) },
    },
    levels: keyed(Object.values(levels), () => 10 * random.between(1, 9)),
    notifications: keyed(appNames, () => random.chance(50)),
    shop: { cart: {}, orders: {}, wishes: {} },
    map: { saved: {}, route: '' },
    music: {
      playing: '',
      liked: {},
      playlists: keyed(playlists, () => ({})),
    },
    tickets: {},
    device: { permissions: {}, accepted: {}, pictures: {} },
  };
}
