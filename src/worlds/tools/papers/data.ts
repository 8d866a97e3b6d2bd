/** Data of the papers family: authors, their papers, and who cites whom. */
import type { Random } from '../../../envs/random.ts';
import { distinct, drawPairs, several } from '../draws.ts';
import type { Draw } from '../family.ts';

export interface Author {
  name: string;
  org: string;
}

export interface Paper {
  title: string;
  authors: Author[];
  year: number;
  venue: string;
  citations: number;
  keywords: string[];
  type: string;
  /** Papers that it cites. */
  references: Paper[];
}

export interface PaperData {
  papers: Paper[];
  authors: Author[];
}

export const words = {
  titleFirst: [
    'Sparse',
    'Robust',
    'Fast',
    'Deep',
    'Causal',
    'Federated',
    'Neural',
    'Random',
    'Local',
    'Visual',
    'Private',
    'Stable',
  ],
  titleLast: [
    'Graphs',
    'Parsing',
    'Planning',
    'Retrieval',
    'Sampling',
    'Clustering',
    'Hashing',
    'Routing',
    'Speech',
    'Vision',
    'Proofs',
    'Codes',
  ],
  first: ['Alma', 'Bruno', 'Chen', 'Dina', 'Emre', 'Fatima', 'Goran', 'Hana', 'Ivan', 'Julia', 'Kenji', 'Lena'],
  surname: ['Abel', 'Bauer', 'Cho', 'Duarte', 'Eriksen', 'Farkas', 'Gupta', 'Horn', 'Ito', 'Jansen', 'Keller', 'Lopez'],
  orgs: ['University of Arland', 'Borduria Institute', 'Caldora Labs', 'Drava College', 'Esperia Research'],
  venues: ['Journal of Methods', 'Learning Letters', 'Systems Meeting', 'Data Workshop', 'Theory Days'],
  keywords: ['graphs', 'language', 'privacy', 'search', 'robotics', 'images', 'proofs', 'speech', 'networks', 'memory'],
  types: ['Conference', 'Journal', 'Repository'],
} as const;

/** Authors that a person may have, and references that a paper may have. */
const [mostAuthors, mostReferences] = [3, 4];

function drawAuthors(count: number, draw: Draw): Author[] {
  const { random } = draw;
  return drawPairs(words.first, words.surname, count, draw).map((name) => ({ name, org: random.pick(words.orgs) }));
}

/** Draws a network. Years may be equal, counts of citations are different; a paper cites earlier ones in the list. */
export function drawPapers(draw: Draw): PaperData {
  const { random, options } = draw;
  const authors = drawAuthors(Number(options.authors), draw);
  const count = Number(options.papers);
  const titles = drawPairs(words.titleFirst, words.titleLast, count, draw);
  const citations = distinct(0, 250, count, random);
  const years = Array.from({ length: count }, () => random.between(1990, 2024)).sort((a, b) => a - b);
  const papers: Paper[] = [];
  for (const [k, title] of titles.entries())
    papers.push({
      title,
      authors: several(authors, random.between(2, mostAuthors), random),
      year: years[k],
      venue: random.pick(words.venues),
      citations: citations[k],
      keywords: several(words.keywords, random.between(1, 3), random),
      type: random.pick(words.types),
      references: several(papers, random.between(0, Math.min(k, mostReferences)), random),
    });
  return { papers, authors: authors.filter((each) => papers.some((paper) => paper.authors.includes(each))) };
}

/** A name of the split that the network does not contain. */
export function drawAbsent(draw: Draw, kind: 'paper' | 'author', { papers, authors }: PaperData): string {
  const [first, last] = kind === 'paper' ? [words.titleFirst, words.titleLast] : [words.first, words.surname];
  const taken = new Set([...papers.map(({ title }) => title), ...authors.map(({ name }) => name)]);
  return drawPairs(first, last, first.length * last.length, draw).find((name) => !taken.has(name))!;
}

const papersOf = (author: Author, { papers }: PaperData): Paper[] =>
  papers.filter((each) => each.authors.includes(author));

export const jointPapers = (a: Author, b: Author, data: PaperData): Paper[] =>
  papersOf(a, data).filter((each) => each.authors.includes(b));

/** Authors with whom an author has written, in the order of the first joint papers. */
export const collaboratorsOf = (author: Author, data: PaperData): Author[] => [
  ...new Set(papersOf(author, data).flatMap((paper) => paper.authors.filter((each) => each !== author))),
];

/** A member of a list that has something; the random one of several. */
export const pickWith = <T>(list: readonly T[], has: (each: T) => boolean, random: Random): T => {
  const found = list.filter(has);
  return random.pick(found.length ? found : list);
};
