/**
 * The wiki's articles, made from a seed: towns (those of the map), people born there, rivers. Every fact is stated in
 * exactly one article.
 */
import { slugOf } from '../html.ts';
import { people, type Town, towns } from '../names.ts';
import { Random } from '../random.ts';

/** A piece of text, or a link to another article. */
export type Piece = string | { to: string };

interface Article {
  title: string;
  slug: string;
  lead: Piece[];
  facts: (readonly [string, Piece])[];
  sections: { title: string; text: Piece[] }[];
}

export interface Figure {
  name: string;
  job: string;
  born: number;
  died: number;
  town: string;
  work: string;
  teacher: string;
}

export interface WikiData {
  towns: Town[];
  figures: Figure[];
  rivers: { name: string; km: number; towns: string[] }[];
  articles: Article[];
}

const jobs = ['painter', 'botanist', 'composer', 'engineer', 'poet', 'astronomer'];
const works: { [job: string]: readonly string[] } = {
  painter: ['The Blue Gate', 'Harvest', 'Three Boats'],
  botanist: ['Flowers of the North', 'On Moss', 'The Seed Book'],
  composer: ['Winter Suite', 'The River Mass', 'Eight Dances'],
  engineer: ['the Long Bridge', 'the Hill Tunnel', 'the Old Lock'],
  poet: ['Salt', 'Evening Roads', 'The Clockmaker'],
  astronomer: ['A Map of Stars', 'On Comets', 'The Night Tables'],
};

function makeFigures(random: Random, all: readonly Town[]): Figure[] {
  const persons = people(random, 14);
  return persons.map(({ name }, k) => {
    const job = random.pick(jobs);
    const born = 1700 + 13 * k + random.below(9);
    return {
      name,
      job,
      born,
      died: born + random.between(40, 88),
      town: random.pick(all).name,
      work: random.pick(works[job]),
      teacher: k > 0 ? persons[random.below(k)].name : '',
    };
  });
}

const article = (title: string, rest: Omit<Article, 'title' | 'slug'>): Article => ({
  title,
  slug: slugOf(title),
  ...rest,
});

function townArticle(town: Town, figures: readonly Figure[]): Article {
  const born = figures.filter((figure) => figure.town === town.name);
  return article(town.name, {
    lead: [`${town.name} is a town on the river `, { to: town.river }, '.'],
    facts: [
      ['Population', String(town.population)],
      ['Founded', String(town.founded)],
      ['River', { to: town.river }],
      ['Mayor', town.mayor],
    ],
    sections: born.length
      ? [
          {
            title: 'People',
            text: ['Born here: ', ...born.flatMap(({ name }, k): Piece[] => [k > 0 ? ', ' : '', { to: name }]), '.'],
          },
        ]
      : [],
  });
}

function figureArticle(figure: Figure): Article {
  const { name, job, born, died, town, work, teacher } = figure;
  return article(name, {
    lead: [`${name} was ${/^[aeiou]/.test(job) ? 'an' : 'a'} ${job} from `, { to: town }, '.'],
    facts: [
      ['Born', String(born)],
      ['Died', String(died)],
      ['Birthplace', { to: town }],
      ['Known for', work],
    ],
    sections: teacher ? [{ title: 'Life', text: ['A pupil of ', { to: teacher }, '.'] }] : [],
  });
}

export function openWiki(seed: number): WikiData {
  const all = towns(new Random(seed, 'towns'));
  const random = new Random(seed, 'wiki');
  const figures = makeFigures(random, all);
  const lengths = random.shuffle([48, 97, 133, 210, 305]);
  const names = [...new Set(all.map(({ river }) => river))].sort();
  const rivers = names.map((name, k) => ({
    name,
    km: lengths[k],
    towns: all.filter(({ river }) => river === name).map((town) => town.name),
  }));
  const articles = [
    ...all.map((town) => townArticle(town, figures)),
    ...figures.map(figureArticle),
    ...rivers.map(({ name, km, towns: along }) =>
      article(name, {
        lead: [
          `The ${name} is a river. It passes `,
          ...along.flatMap((to, k): Piece[] => [k > 0 ? ', ' : '', { to }]),
          '.',
        ],
        facts: [['Length', `${km} km`]],
        sections: [],
      }),
    ),
  ].sort((a, b) => (a.title < b.title ? -1 : 1));
  return { towns: all, figures, rivers, articles };
}
