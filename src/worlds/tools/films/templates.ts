/** Templates of the films family: questions over a catalogue, and their answers. */
import type { Draw, Template } from '../family.ts';
import { ask, callOf, type Plot, type Question, templateMaker, yesNo } from '../questions.ts';
import { imdbOf } from './catalogue.ts';
import { drawAbsent, drawFilms, type Film, type FilmData, jobsOf, type Person, partsOf } from './data.ts';
import { FilmInstance } from './instance.ts';
import { FilmOriginal } from './original.ts';
import { codeOf, words } from './words.ts';

/** A catalogue with two films, two actors of the first one, and its director. */
interface Scene {
  draw: Draw;
  data: FilmData;
  film: Film;
  other: Film;
  actor: Film['cast'][number];
  rival: Film['cast'][number];
  director: Person;
}

const find = ({ title }: Film) => callOf('get_search_movie', { movie_name: title });
const findPerson = ({ name }: Person) => callOf('get_search_person', { person_name: name });
const onFilm = (tool: string, { id }: Film) => callOf(tool, { movie_id: String(id) });
const onPerson = (tool: string, { id }: Person) => callOf(tool, { person_id: String(id) });
const look = (tool: string, ...films: Film[]) => films.flatMap((film) => [find(film), onFilm(tool, film)]);
const ofPeople = (tool: string, ...people: Person[]) =>
  people.flatMap((each) => [findPerson(each), onPerson(tool, each)]);
const inJob = (film: Film, job: string) => film.crew.find((each) => each.job === job)!.person;
const common = <T>(a: readonly T[], b: readonly T[]) => a.filter((each) => b.includes(each));
const titlesOf = (person: Person, data: FilmData) => partsOf(person, data).map(({ film }) => film.title);

function sceneOf(draw: Draw): Scene {
  const data = drawFilms(draw);
  const [film, other] = draw.random.shuffle([...data.films]);
  const [actor, rival] = draw.random.shuffle([...film.cast]);
  return { draw, data, film, other, actor, rival, director: inJob(film, 'Director') };
}

const template = templateMaker({
  sceneOf,
  instanceOf: (question: Question<FilmData>) => new FilmInstance(question),
  originalOf: (instance) => new FilmOriginal(instance),
  namesOf: ({ films, people }: FilmData) => [...films.map(({ title }) => title), ...people.map(({ name }) => name)],
});

const crewQuestion = (name: string, job: string, verb: string) =>
  template(name, 'question', ({ film }) => ({
    goal: `Who ${verb} the film ${film.title}? ${ask.name}`,
    answer: inJob(film, job).name,
    reads: look('get_movie_crew', film),
  }));

const ofOneFilm: readonly Template[] = [
  crewQuestion('director-of', 'Director', 'directed'),
  crewQuestion('writer-of', 'Writer', 'wrote'),
  crewQuestion('producer-of', 'Producer', 'produced'),
  template('release-of', 'question', ({ film }) => ({
    goal: `When was the film ${film.title} released? ${ask.date}`,
    answer: film.release,
    reads: look('get_movie_details', film),
  })),
  template('lead-of', 'question', ({ film }) => ({
    goal: `Who has the leading part, named first, in ${film.title}? ${ask.name}`,
    answer: film.cast[0].person.name,
    reads: look('get_movie_cast', film),
  })),
  template('who-plays', 'question', ({ film, actor }) => ({
    goal: `Who plays ${actor.character} in ${film.title}? ${ask.name}`,
    answer: actor.person.name,
    reads: look('get_movie_cast', film),
  })),
  template('character-of', 'question', ({ film, actor }) => ({
    goal: `Whom does ${actor.person.name} play in ${film.title}? Answer with the character.`,
    answer: actor.character,
    reads: look('get_movie_cast', film),
  })),
  template('budget-of', 'question', ({ film }) => ({
    goal: `What was the budget of ${film.title}? ${ask.number}`,
    answer: film.budget,
    reads: look('get_movie_details', film),
  })),
  template('profit-of', 'question', ({ film }) => ({
    goal: `How much more than its budget did ${film.title} bring in? Answer with a number, negative for a loss.`,
    answer: film.revenue - film.budget,
    reads: look('get_movie_details', film),
  })),
  template('made-profit', 'question', ({ film }) => ({
    goal: `Did ${film.title} bring in more than its budget? ${ask.yes}`,
    answer: yesNo(film.revenue > film.budget),
    reads: look('get_movie_details', film),
  })),
  template('genres-of', 'question', ({ film }) => ({
    goal: `To which genres does ${film.title} belong? ${ask.names}`,
    answer: film.genres,
    reads: look('get_movie_details', film),
  })),
  template('keywords-of', 'question', ({ film }) => ({
    goal: `Which keywords has ${film.title}? Answer with a list.`,
    answer: film.keywords,
    reads: look('get_movie_keywords', film),
  })),
  template('countries-of', 'question', ({ film }) => ({
    goal: `In which countries was ${film.title} produced? ${ask.names}`,
    answer: film.countries,
    reads: look('get_movie_production_countries', film),
  })),
  template('title-abroad', 'question', ({ film }) => ({
    goal: `What is ${film.title} called in the country ${codeOf(film.titles[0].country)}? Answer with the title.`,
    answer: film.titles[0].title,
    reads: look('get_movie_alternative_titles', film),
  })),
];

const compared: readonly Template[] = [
  template('better-rated', 'question', ({ film, other }) => ({
    goal: `Which film has the higher vote, ${film.title} or ${other.title}? Answer with the title.`,
    answer: film.vote > other.vote ? film.title : other.title,
    reads: look('get_movie_details', film, other),
  })),
  template('older-film', 'question', ({ film, other }) => ({
    goal: `Which film was released first, ${film.title} or ${other.title}? Answer with the title.`,
    answer: film.release < other.release ? film.title : other.title,
    reads: look('get_movie_details', film, other),
  })),
  template('share-genre', 'question', ({ film, other }) => ({
    goal: `Do ${film.title} and ${other.title} share a genre? ${ask.yes}`,
    answer: yesNo(common(film.genres, other.genres).length > 0),
    reads: look('get_movie_details', film, other),
  })),
  template('same-company', 'question', ({ film, other }) => ({
    goal: `Did one company produce both ${film.title} and ${other.title}? ${ask.yes}`,
    answer: yesNo(common(film.companies, other.companies).length > 0),
    reads: look('get_movie_production_companies', film, other),
  })),
  template('same-director', 'question', ({ film, other }) => ({
    goal: `Have ${film.title} and ${other.title} the same director? ${ask.yes}`,
    answer: yesNo(inJob(film, 'Director') === inJob(other, 'Director')),
    reads: look('get_movie_crew', film, other),
  })),
  template('is-in-cast', 'question', ({ draw, data, film }) => {
    const asked = draw.random.pick(data.people.slice(0, 8));
    return {
      goal: `Has ${asked.name} a part in ${film.title}? ${ask.yes}`,
      answer: yesNo(film.cast.some(({ person }) => person === asked)),
      reads: look('get_movie_cast', film),
    };
  }),
  template(
    'shared-keywords',
    'question',
    ({ film, other }) => ({
      goal: `How many keywords do ${film.title} and ${other.title} share? ${ask.number}`,
      answer: common(film.keywords, other.keywords).length,
      reads: look('get_movie_keywords', film, other),
    }),
    true,
  ),
];

const ofPerson: readonly Template[] = [
  template('birthplace-of', 'question', ({ actor }) => ({
    goal: `Where was ${actor.person.name} born? ${ask.name}`,
    answer: actor.person.birthplace,
    reads: ofPeople('get_person_details', actor.person),
  })),
  template('birthday-of', 'question', ({ actor }) => ({
    goal: `On which day was ${actor.person.name} born? ${ask.date}`,
    answer: actor.person.birthday,
    reads: ofPeople('get_person_details', actor.person),
  })),
  template('imdb-of', 'question', ({ actor }) => ({
    goal: `What is the IMDb id of ${actor.person.name}? Answer with the id.`,
    answer: imdbOf(actor.person),
    reads: ofPeople('get_person_external_ids', actor.person),
  })),
  template('count-parts', 'question', ({ data, actor }) => ({
    goal: `In how many films has ${actor.person.name} a part? ${ask.number}`,
    answer: partsOf(actor.person, data).length,
    reads: ofPeople('get_person_cast', actor.person),
  })),
  template('older-person', 'question', ({ actor, rival }) => ({
    goal: `Who is older, ${actor.person.name} or ${rival.person.name}? ${ask.name}`,
    answer: actor.person.birthday < rival.person.birthday ? actor.person.name : rival.person.name,
    reads: ofPeople('get_person_details', actor.person, rival.person),
  })),
  template('films-made', 'question', ({ data, director }) => ({
    goal: `On which films did ${director.name} work behind the camera? Answer with a list of titles.`,
    answer: [...new Set(jobsOf(director, data).map(({ film }) => film.title))],
    reads: ofPeople('get_person_crew', director),
  })),
  template('director-born', 'question', ({ film, director }) => ({
    goal: `Where was the director of ${film.title} born? ${ask.name}`,
    answer: director.birthplace,
    reads: [...look('get_movie_crew', film), onPerson('get_person_details', director)],
  })),
  template('director-acts', 'question', ({ film, data, director }) => ({
    goal: `Has the director of ${film.title} ever had a part in a film? ${ask.yes}`,
    answer: yesNo(partsOf(director, data).length > 0),
    reads: [...look('get_movie_crew', film), onPerson('get_person_cast', director)],
  })),
  template(
    'lead-birthday',
    'question',
    ({ film }) => ({
      goal: `On which day was the leading actor, named first, of ${film.title} born? ${ask.date}`,
      answer: film.cast[0].person.birthday,
      reads: [...look('get_movie_cast', film), onPerson('get_person_details', film.cast[0].person)],
    }),
    true,
  ),
  template(
    'films-together',
    'question',
    ({ data, actor, rival }) => ({
      goal: `In which films do both ${actor.person.name} and ${rival.person.name} have parts? Answer with a list of titles.`,
      answer: common(titlesOf(actor.person, data), titlesOf(rival.person, data)),
      reads: ofPeople('get_person_cast', actor.person, rival.person),
    }),
    true,
  ),
];

const missing = ({ draw, data }: Scene, kind: 'film' | 'person', goal: (name: string) => string): Plot => {
  const name = drawAbsent(draw, kind, data);
  const search =
    kind === 'film'
      ? callOf('get_search_movie', { movie_name: name })
      : callOf('get_search_person', { person_name: name });
  return { goal: goal(name), named: [name], reads: draw.options.upstream ? [] : [search] };
};

const impossibles: readonly Template[] = [
  template('missing-film', 'impossible', (scene) =>
    missing(scene, 'film', (name) => `Who directed the film ${name}? ${ask.name}`),
  ),
  template('missing-person', 'impossible', (scene) =>
    missing(scene, 'person', (name) => `Where was ${name} born? ${ask.name}`),
  ),
  template('prizes', 'impossible', ({ film }) => ({ goal: `How many prizes did ${film.title} win? ${ask.number}` })),
  template(
    'on-screen',
    'impossible',
    ({ draw, film }) => ({
      goal: `In which cinema of ${draw.random.pick(words.towns)} is ${film.title} shown tonight? ${ask.name}`,
    }),
    true,
  ),
];

/** All templates; a task's id contains its place in this list. */
export const filmTemplates: readonly Template[] = [...ofOneFilm, ...compared, ...ofPerson, ...impossibles];
