/**
 * Names of people, places, organisations and works, composed from short lists: a small universe needs few tokens (a
 * tiny policy's vocabulary), and a large one still has unique names. Names share parts on purpose, which makes searches
 * ambiguous and articles worth reading.
 */

import type { Random } from '../../../envs/random.ts';
import type { Kind } from './relations.ts';

const she =
  'Mira Ilse Noor Petra Anya Lena Tove Rhea Cora Edda Vera Yara Nadia Selma Iris Dora Freya Juna Kaia Lotte'.split(' ');
const he =
  'Ansel Tomas Joren Emil Bram Otto Pavel Ruben Silas Viggo Aldo Cato Dario Evan Felix Gideon Hugo Ivo Karel Milo'.split(
    ' ',
  );
const surnameStarts = 'Bran Vel Tol Har Mor Rey Kal Dun Fen Gar Hol Jas Lin Nor Pel Ras Sten Tar Ul Wen'.split(' ');
const surnameEnds = 'dell ven mark low ster by ner wick son rath field strom man berg dale'.split(' ');
const placeStarts = 'Oru Vela Tama Lume Iste Grey Asha Bel Cor Dray El Fal Gil Hesa Ker Lor Mar Nes Pol Sar'.split(' ');
const placeEnds = 'ria vale ford port mere ton haven wick grad stead mouth by gate dorf'.split(' ');
const placeMarks = 'New Old Upper Lower North South East West Little Great Port Fort Saint Mount Lake High'.split(' ');
const regionEnds = 'land mark shire ania istan onia'.split(' ');
const institutions =
  'Museum Academy Theatre Library Press Observatory Guild Bank Institute Hospital Orchestra Foundry'.split(' ');
const qualities =
  'Silent Winter Golden Broken Distant Hidden Burning Crooked Empty Final Gentle Hollow Iron Last Narrow Painted Quiet Red Second Velvet'.split(
    ' ',
  );
const things =
  'Harbor Map Lamp Garden River Mirror Tower Orchard Bridge Letter Clock Forest Island Window Crown Road Bell Shore Candle Key'.split(
    ' ',
  );

export const occupations =
  'painter writer doctor farmer baker singer lawyer sailor builder teacher printer gardener weaver dancer chemist banker'.split(
    ' ',
  );

/** The part of a list that a universe of this size uses: a short prefix if few names are needed. */
function share(list: readonly string[], articles: number): readonly string[] {
  const wanted = articles <= 200 ? 10 : articles <= 2000 ? 15 : list.length;
  return list.slice(0, Math.min(wanted, list.length));
}

interface Named {
  name: string;
  pronoun: 'It' | 'She' | 'He';
}

/** Number of available names of a kind, with `length` more parts than its shortest names. */
function capacity(kind: Kind, length: number, articles: number): number {
  const of = (list: readonly string[]) => share(list, articles).length;
  const places = (marks: number) => of(placeMarks) ** marks * of(placeStarts) * of(placeEnds);
  if (kind === 'person') return she.length ** (length + 1) * of(surnameStarts) * of(surnameEnds) * 2;
  if (kind === 'town') return places(length);
  if (kind === 'region') return of(placeMarks) ** length * of(placeStarts) * of(regionEnds);
  if (kind === 'organisation') return of(placeMarks) ** length * of(surnameStarts) * of(surnameEnds) * of(institutions);
  return of(qualities) * of(things) * (length ? places(length - 1) : 1);
}

/**
 * Draws the names of a universe, all different even without case (only names of works begin with an article). All names
 * of a kind have the same number of parts, the smallest for which at most half of the available names are used, so that
 * no name is the beginning of another.
 */
export class Namer {
  private readonly used = new Set<string>();
  private readonly lengths = new Map<Kind, number>();

  constructor(
    private readonly random: Random,
    private readonly articles: number,
  ) {}

  /** Sets the number of names of a kind that will be drawn. */
  prepare(kind: Kind, count: number): void {
    let length = 0;
    while (capacity(kind, length, this.articles) < 2 * count) length++;
    this.lengths.set(kind, length);
  }

  name(kind: Kind): Named {
    const pronoun = kind === 'person' ? this.random.pick(['She', 'He'] as const) : 'It';
    for (;;) {
      const name = this.draw(kind, pronoun, this.lengths.get(kind) ?? 0);
      const plain = name.toLowerCase();
      if (this.used.has(plain)) continue;
      this.used.add(plain);
      return { name, pronoun };
    }
  }

  private from(list: readonly string[]): string {
    return this.random.pick(share(list, this.articles));
  }

  private draw(kind: Kind, pronoun: Named['pronoun'], length: number): string {
    if (kind === 'person') return this.person(pronoun === 'She' ? she : he, length);
    if (kind === 'town') return this.place(length);
    if (kind === 'region') return `${this.marks(length)}${this.from(placeStarts)}${this.from(regionEnds)}`;
    if (kind === 'organisation') return `${this.marks(length)}${this.surname()} ${this.from(institutions)}`;
    const rest = length ? ` of ${this.place(length - 1)}` : '';
    return `The ${this.from(qualities)} ${this.from(things)}${rest}`;
  }

  private person(firsts: readonly string[], length: number): string {
    const middle = Array.from({ length }, () => `${this.random.pick(firsts)} `).join('');
    // Uses the full list of first names: a first name in half of the articles would be useless in a search.
    return `${this.random.pick(firsts)} ${middle}${this.surname()}`;
  }

  private surname(): string {
    return `${this.from(surnameStarts)}${this.from(surnameEnds)}`;
  }

  private place(length: number): string {
    return `${this.marks(length)}${this.from(placeStarts)}${this.from(placeEnds)}`;
  }

  private marks(length: number): string {
    return Array.from({ length }, () => `${this.from(placeMarks)} `).join('');
  }
}

const products = (starts: readonly string[], ends: readonly string[]) => starts.flatMap((a) => ends.map((b) => a + b));

/** All name parts that a universe of this size may use. */
export function nameWords(articles: number): string[] {
  const of = (list: readonly string[]) => share(list, articles);
  return [
    ...she,
    ...he,
    ...products(of(surnameStarts), of(surnameEnds)),
    ...products(of(placeStarts), of(placeEnds)),
    ...products(of(placeStarts), of(regionEnds)),
    ...of(placeMarks),
    ...of(institutions),
    ...of(qualities),
    ...of(things),
    'The',
    'of',
  ];
}
