/** Answers of the tools of the films family, as the original's film database gives them. */
import type { Json } from '../../../envs/env.ts';
import { type Film, type FilmData, jobsOf, type Person, partsOf } from './data.ts';
import { codeOf, words } from './words.ts';

/** Maximum number of entries of a list of credits. */
const mostCredits = 10;

const genreOf = (name: string) => ({ id: 10 + words.genres.indexOf(name as never), name });
const handle = (name: string) => name.toLowerCase().replace(' ', '');

/** Ids of a person on other sites; a site's id may be missing. */
const externalIds = ({ id, name }: Person) => ({
  imdb_id: `nm${String((id * 7919) % 10_000_000).padStart(7, '0')}`,
  facebook_id: id % 3 ? handle(name) : null,
  instagram_id: id % 2 ? `${handle(name)}_official` : null,
  twitter_id: id % 5 ? `the_${handle(name)}` : null,
});

/** Answers about a film, by tool. */
export const onFilm: { readonly [tool: string]: (film: Film) => Json } = {
  get_movie_details: ({ title, budget, genres, revenue, vote, release }) => ({
    ...{ title, budget, genres: genres.map(genreOf), revenue, vote_average: vote, release_date: release },
  }),
  get_movie_production_companies: ({ companies }) => ({
    production_companies: companies.map((name) => ({
      ...{ id: 200 + words.companies.indexOf(name as never), logo_path: null, name, origin_country: 'AR' },
    })),
  }),
  get_movie_production_countries: ({ countries }) => ({
    production_countries: countries.map((name) => ({ iso_3166_1: codeOf(name), name })),
  }),
  get_movie_cast: ({ cast }) => ({
    cast: cast.slice(0, mostCredits).map(({ person, character }) => ({ id: person.id, name: person.name, character })),
  }),
  get_movie_crew: ({ crew }) => ({
    crew: crew.slice(0, mostCredits).map(({ person, job }) => ({ id: person.id, name: person.name, job })),
  }),
  get_movie_keywords: ({ keywords }) => ({ keywords }),
  get_movie_alternative_titles: ({ id, titles }) => ({
    ...{ id, titles: titles.map(({ country, title }) => ({ iso_3166_1: codeOf(country), title, type: '' })) },
  }),
  get_movie_translation: ({ id, overview, titles }) => ({
    id,
    translations: titles.map(({ country }) => ({
      ...{
        iso_3166_1: codeOf(country),
        iso_639_1: codeOf(country).toLowerCase(),
        name: country,
        english_name: country,
      },
      data: { homepage: '', overview: `${overview} (${country})`, runtime: 0, tagline: '' },
    })),
  }),
};

/** Answers about a person, by tool. */
export const onPerson: { readonly [tool: string]: (person: Person, data: FilmData) => Json } = {
  get_person_details: ({ name, birthday, birthplace }) => ({
    ...{ name, biography: `${name} was born in ${birthplace}.`, birthday, place_of_birth: birthplace },
  }),
  get_person_cast: (person, data) => ({
    cast: partsOf(person, data)
      .slice(0, mostCredits)
      .map(({ film, character }) => ({ id: film.id, title: film.title, character })),
  }),
  get_person_crew: (person, data) => ({
    crew: jobsOf(person, data)
      .slice(0, mostCredits)
      .map(({ film, job }) => ({ id: film.id, title: film.title, job })),
  }),
  get_person_external_ids: externalIds,
};

export const imdbOf = (person: Person): string => externalIds(person).imdb_id;

/** A name in the form in which names are compared. */
const nameKey = (name: string): string => name.trim().toLowerCase();
export const filmNamed = (name: string, { films }: FilmData) =>
  films.find(({ title }) => nameKey(title) === nameKey(name));
export const personNamed = (name: string, { people }: FilmData) =>
  people.find((each) => nameKey(each.name) === nameKey(name));
export const foundFilm = ({ id, overview, title }: Film): Json => ({ id, overview, title });
export const foundPerson = ({ id, name }: Person): Json => ({ id, name });
