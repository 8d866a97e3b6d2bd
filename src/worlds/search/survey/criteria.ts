/**
 * Criteria of a survey: the relations of a work that each concerns, and its wordings. A direct criterion names something
 * that a work's own article names, so that it can be searched for; the others are judged by reading. Held-out wordings
 * are new as a whole, of words that occur in training. Writes questions and parses them; independent of universes.
 */

export interface CriterionKind {
  id: string;
  /** Relations from a work to the value that is compared; the first is stated in the work's own article. */
  relations: readonly string[];
  direct: boolean;
  compare: 'equal' | 'before' | 'after';
  /** Verb phrases with `{o}` for the object, which matches `object`. */
  train: readonly string[];
  test: readonly string[];
  object: string;
}

const name = '[A-Z][^,]*?';
const year = '\\d+';
const word = '[a-z]+';

export const criterionKinds: readonly CriterionKind[] = [
  {
    id: 'creator',
    relations: ['creator'],
    direct: true,
    compare: 'equal',
    train: ['were made by {o}', 'have the creator {o}'],
    test: ['are works of {o}'],
    object: name,
  },
  {
    id: 'setting',
    relations: ['setting'],
    direct: true,
    compare: 'equal',
    train: ['are set in {o}', 'tell of life in {o}'],
    test: ['tell of {o}'],
    object: name,
  },
  {
    id: 'keeper',
    relations: ['keeper'],
    direct: true,
    compare: 'equal',
    train: ['are kept by {o}', 'are owned by {o}'],
    test: ['have the keeper {o}'],
    object: name,
  },
  {
    id: 'before',
    relations: ['finishing year'],
    direct: false,
    compare: 'before',
    train: ['were finished before {o}', 'date from before {o}'],
    test: ['are from before {o}'],
    object: year,
  },
  {
    id: 'after',
    relations: ['finishing year'],
    direct: false,
    compare: 'after',
    train: ['were finished after {o}', 'date from after {o}'],
    test: ['are from after {o}'],
    object: year,
  },
  {
    id: 'occupation',
    relations: ['creator', 'occupation'],
    direct: false,
    compare: 'equal',
    train: ['were made by a {o}', 'have a creator who works as a {o}'],
    test: ['have a creator who is a {o}'],
    object: word,
  },
  {
    id: 'region',
    relations: ['setting', 'region'],
    direct: false,
    compare: 'equal',
    train: ['are set in a town in {o}', 'tell of life in a town of {o}'],
    test: ['tell of a town in {o}'],
    object: name,
  },
  {
    id: 'seat',
    relations: ['keeper', 'seat'],
    direct: false,
    compare: 'equal',
    train: ['are kept by an organisation in {o}', 'are owned by an organisation based in {o}'],
    test: ['are kept by an organisation based in {o}'],
    object: name,
  },
];

export interface Criterion {
  kind: CriterionKind;
  object: string;
}

/** Sentences around the criteria. */
export const openings = {
  train: ['Which works {all}?', 'Find all works that {all}.', 'List the works that {all}.'],
  test: ['Which are all the works that {all}?'],
};

/** Combinations of criteria, by their ids. Those with a creator and a keeper but no setting are held out. */
const combinations: readonly (readonly string[])[] = [
  ['creator', 'setting'],
  ['setting', 'keeper'],
  ['creator', 'keeper'],
  ['creator', 'setting', 'keeper'],
  ['creator', 'setting', 'year'],
  ['creator', 'setting', 'seat'],
  ['setting', 'keeper', 'year'],
  ['setting', 'keeper', 'occupation'],
  ['creator', 'keeper', 'year'],
  ['creator', 'keeper', 'region'],
  ['creator', 'setting', 'keeper', 'year'],
  ['creator', 'setting', 'year', 'seat'],
  ['setting', 'keeper', 'year', 'occupation'],
  ['creator', 'keeper', 'year', 'region'],
];

const isHeldOut = (ids: readonly string[]) =>
  ids.includes('creator') && ids.includes('keeper') && !ids.includes('setting');

/** Combinations of this many criteria, held-out or not. */
export const combinationsOf = (count: number, heldOut: boolean): readonly (readonly string[])[] =>
  combinations.filter((ids) => ids.length === count && isHeldOut(ids) === heldOut);

export const kindOf = (id: string): CriterionKind => criterionKinds.find((kind) => kind.id === id)!;

export type Wording = 'train' | 'test';

const filled = (wording: string, object: string): string => wording.replace('{o}', () => object);

const listed = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts[texts.length - 1]}`;

/** Writes a question. `pick` chooses one of several wordings. */
export function writeQuestion(
  criteria: readonly Criterion[],
  wording: Wording,
  pick: (list: readonly string[]) => string,
): string {
  const phrases = criteria.map(({ kind, object }) => filled(pick(kind[wording]), object));
  return pick(openings[wording]).replace('{all}', () => listed(phrases));
}

/** A wording as a sentence of the view and the judge: "are set in Velora". */
export const criterionText = ({ kind, object }: Criterion): string => filled(kind.train[0], object);

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function compile(wording: string, slot: string, form: string): RegExp {
  const [before, after] = wording.split(slot).map(literal);
  return new RegExp(`^${before}(${form})${after}$`);
}

const openingPatterns = [...openings.train, ...openings.test].map((opening) => compile(opening, '{all}', '.+'));
const phrasePatterns = criterionKinds.flatMap((kind) =>
  [...kind.train, ...kind.test].map((wording) => ({ kind, pattern: compile(wording, '{o}', kind.object) })),
);

/** Criterion of a verb phrase; null if no wording matches. */
function readPhrase(phrase: string): Criterion | null {
  for (const { kind, pattern } of phrasePatterns) {
    const object = pattern.exec(phrase)?.[1];
    if (object) return { kind, object };
  }
  return null;
}

/** Criteria of a question; null if a wording is unknown. Each phrase begins with its verb, which no name does. */
export function readQuestion(text: string): Criterion[] | null {
  const all = openingPatterns.map((pattern) => pattern.exec(text)?.[1]).find((found) => found !== undefined);
  const phrases = all?.split(/, | and (?=(?:were|are|have|tell|date) )/) ?? [];
  const read = phrases.map(readPhrase);
  return read.length && !read.includes(null) ? (read as Criterion[]) : null;
}

/** True if a value meets the criterion. */
export const meets = ({ kind: { compare }, object }: Criterion, value: string): boolean =>
  compare === 'equal' ? value === object : compare === 'before' ? +value < +object : +value > +object;
