/** Data of the films family: films with their credits, and the people in them. */
import type { Random } from '../../../envs/random.ts';
import { addDays } from '../dates.ts';
import { distinct, drawPairs, several } from '../draws.ts';
import type { Draw } from '../family.ts';
import { words } from './words.ts';

export interface Person {
  id: number;
  name: string;
  birthday: string;
  birthplace: string;
}

export interface Film {
  id: number;
  title: string;
  overview: string;
  budget: number;
  revenue: number;
  genres: string[];
  vote: number;
  release: string;
  companies: string[];
  countries: string[];
  keywords: string[];
  cast: { person: Person; character: string }[];
  crew: { person: Person; job: string }[];
  /** Titles in other countries. */
  titles: { country: string; title: string }[];
}

export interface FilmData {
  films: Film[];
  people: Person[];
}

const million = 1_000_000;

/** Ids that are different, in random order: two digits, or six as in the original's database. */
function drawIds(count: number, random: Random, long: boolean): number[] {
  const short = distinct(10, 99, count, random);
  return long ? short.map((id) => id * 10_000 + random.below(10_000)) : short;
}

function drawPeople(count: number, ids: number[], draw: Draw): Person[] {
  const { random } = draw;
  return drawPairs(words.first, words.surname, count, draw).map((name) => ({
    id: ids.pop()!,
    name,
    birthday: addDays('1930-01-01', random.below(24_000)),
    birthplace: random.pick(words.towns),
  }));
}

/** The crew: one person in each job; now and then the director also writes or composes. */
function drawCrew(people: readonly Person[], random: Random): Film['crew'] {
  const [director, ...others] = several(people, words.crew.length, random);
  return words.crew.map((job, k) => {
    const same = k === 0 || ((job === 'Writer' || job === 'Composer') && random.chance(25));
    return { person: same ? director : others[k - 1], job };
  });
}

/** Draws a catalogue. Budgets, revenues, votes and dates are different from film to film. */
export function drawFilms(draw: Draw): FilmData {
  const { random, options } = draw;
  const [count, players] = [Number(options.films), Number(options.cast)];
  const crowd = Math.max(3 * players, 4 + 2 * count);
  const ids = drawIds(count + crowd, random, options.upstream);
  const people = drawPeople(crowd, ids, draw);
  const actors = people.slice(0, Math.max(players + 1, Math.floor(crowd / 2)));
  const makers = people.slice(crowd - words.crew.length - 2);
  const [titles, budgets, revenues, votes, days] = [
    drawPairs(words.titleFirst, words.titleLast, 2 * count, draw),
    ...[distinct(5, 90, count, random), distinct(5, 90, count, random), distinct(30, 95, count, random)],
    distinct(0, 20_000, count, random),
  ] as const;
  const films = Array.from({ length: count }, (_, k): Film => {
    const characters = drawPairs(words.rank, words.character, players, draw);
    const keywords = several(words.keywords, 3, random);
    return {
      id: ids.pop()!,
      title: titles[k],
      overview: `A story of a ${keywords[0]} and a ${keywords[1]}.`,
      budget: budgets[k] * million,
      revenue: revenues[k] * million,
      genres: several(words.genres, random.between(1, 3), random),
      vote: votes[k] / 10,
      release: addDays('1968-01-01', days[k]),
      companies: several(words.companies, random.between(1, 2), random),
      countries: several(words.countries, random.between(1, 2), random),
      keywords,
      cast: several(actors, players, random).map((person, i) => ({ person, character: characters[i] })),
      crew: drawCrew(makers, random),
      titles: [{ country: random.pick(words.countries), title: titles[count + k] }],
    };
  });
  return { films, people };
}

/** A name of the split that the catalogue does not contain. */
export function drawAbsent(draw: Draw, kind: 'film' | 'person', { films, people }: FilmData): string {
  const [first, last] = kind === 'film' ? [words.titleFirst, words.titleLast] : [words.first, words.surname];
  const taken = new Set([
    ...films.flatMap(({ title, titles }) => [title, titles[0].title]),
    ...people.map(({ name }) => name),
  ]);
  return drawPairs(first, last, first.length * last.length, draw).find((name) => !taken.has(name))!;
}

/** Films in which a person has a part, and films on which a person worked. */
export const partsOf = (person: Person, { films }: FilmData) =>
  films.flatMap((film) =>
    film.cast.filter((each) => each.person === person).map(({ character }) => ({ film, character })),
  );
export const jobsOf = (person: Person, { films }: FilmData) =>
  films.flatMap((film) => film.crew.filter((each) => each.person === person).map(({ job }) => ({ film, job })));
