/** Invented names of people and places, and dates, used by all sites. Nothing is taken from another site's data. */
import type { Random } from './random.ts';

const firstNames =
  'Ada Ben Cleo Dario Elsa Femi Greta Hugo Iris Jonas Kira Liam Mona Nils Olga Pavel Quinn Rosa Sven Tara Umar Vera Wanda Yusuf Zoe'.split(
    ' ',
  );
const lastNames =
  'Abbott Berger Castro Dahl Engel Fischer Grant Holm Ibsen Jansen Keller Lund Moreau Novak Olsen Petit Quist Rossi Stone Tanaka Urban Voss Weber Young Zeman'.split(
    ' ',
  );

export interface Person {
  first: string;
  last: string;
  name: string;
  user: string;
  mail: string;
}

export function people(random: Random, count: number): Person[] {
  const firsts = random.shuffle(firstNames);
  const lasts = random.shuffle(lastNames);
  return Array.from({ length: count }, (_, k) => {
    const first = firsts[k % firsts.length];
    const last = lasts[k % lasts.length];
    const user = `${first}${last[0]}`.toLowerCase();
    return { first, last, name: `${first} ${last}`, user, mail: `${user}@mail.test` };
  });
}

const months = 'January February March April May June July August September October November December'.split(' ');
export const monthNames: readonly string[] = months;

/** Prints days since 2030-01-01 as `14 March 2030`. A year has 360 days in twelve months of equal length. */
export function dateText(day: number): string {
  const year = 2030 + Math.floor(day / 360);
  const rest = ((day % 360) + 360) % 360;
  return `${(rest % 30) + 1} ${months[Math.floor(rest / 30)]} ${year}`;
}

const townStarts = 'Ash Brook Cold Dun East Fern Glen Hazel Kings Lake Maple North Oak Pine Rock Stone West Wood'.split(
  ' ',
);
const townEnds = 'bridge bury dale field ford ham haven mouth port stead ton wick'.split(' ');

export interface Town {
  name: string;
  /** Kilometres east and north of the map's corner. */
  x: number;
  y: number;
  population: number;
  founded: number;
  river: string;
  mayor: string;
}

/** The towns of a seed, shared by map and wiki. */
export function towns(random: Random): Town[] {
  const starts = random.shuffle(townStarts);
  const ends = random.shuffle(townEnds);
  const rivers = random.shuffle(['Alder', 'Birch', 'Calder', 'Derwent', 'Esk']);
  const mayors = people(random, 10);
  return Array.from({ length: 10 }, (_, k) => ({
    name: `${starts[k]}${ends[k]}`,
    x: random.between(0, 90),
    y: random.between(0, 90),
    population: random.between(12, 940) * 100 + random.below(100),
    founded: random.between(1105, 1899),
    river: rivers[k % rivers.length],
    mayor: mayors[k].name,
  }));
}
