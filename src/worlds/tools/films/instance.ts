/** One task of the films family: a question over a catalogue. */
import type { Json } from '../../../envs/env.ts';
import { type Answer, refusal, result } from '../family.ts';
import { QuestionInstance } from '../questions.ts';
import type { Arguments, Call, Tool } from '../tool.ts';
import type { StateTable } from '../view-data.ts';
import { filmNamed, foundFilm, foundPerson, imdbOf, onFilm, onPerson, personNamed } from './catalogue.ts';
import { type Film, type FilmData, jobsOf, type Person, partsOf } from './data.ts';

type Kind = 'film' | 'person' | 'title' | 'name' | 'word' | 'date' | 'number' | 'list';

const credits = (list: readonly { id: number; name: string; role: string }[]) =>
  list.map(({ id, name, role }) => `${role} ${name} ${id}`).join(' ; ') || 'none';

export class FilmInstance extends QuestionInstance<FilmData, Kind> {
  call({ name, arguments: given }: Call): Answer {
    if (name === 'get_search_movie') return this.showFilm(filmNamed(String(given.movie_name), this.data));
    if (name === 'get_search_person') return this.showPerson(personNamed(String(given.person_name), this.data));
    const id = String(given.movie_id ?? given.person_id);
    return 'movie_id' in given ? this.callOnFilm(name, id) : this.callOnPerson(name, id);
  }

  private callOnFilm(name: string, id: string): Answer {
    const film = this.film(id);
    if (!film) return refusal(`There is no film "${id.slice(0, 60)}". get_search_movie finds them by title.`);
    this.noteFilm(name, film);
    return result(onFilm[name](film));
  }

  private callOnPerson(name: string, id: string): Answer {
    const person = this.person(id);
    if (!person) return refusal(`There is no person "${id.slice(0, 60)}". get_search_person finds them by name.`);
    this.notePerson(name, person);
    return result(onPerson[name](person, this.data));
  }

  film(id: string): Film | undefined {
    return this.data.films.find((each) => String(each.id) === id);
  }

  person(id: string): Person | undefined {
    return this.data.people.find((each) => String(each.id) === id);
  }

  showFilm(film: Film | undefined): Answer {
    if (film) this.meetFilms(film);
    return result(film ? [foundFilm(film)] : []);
  }

  showPerson(person: Person | undefined): Answer {
    if (person) this.meet(person);
    return result(person ? [foundPerson(person)] : []);
  }

  private meet(...people: readonly Person[]): void {
    this.shown.add('person', ...people.map(({ id }) => String(id)));
    this.shown.add('name', ...people.map(({ name }) => name));
  }

  private meetFilms(...films: readonly Film[]): void {
    this.shown.add('film', ...films.map(({ id }) => String(id)));
    this.shown.add('title', ...films.map(({ title }) => title));
  }

  private noteList(list: readonly string[]): void {
    this.shown.add('word', ...list);
    this.shown.add('list', [...list]);
  }

  /** Notes what an answer about a film shows. */
  noteFilm(tool: string, film: Film): void {
    if (tool === 'get_movie_details') {
      this.shown.add('number', film.budget, film.revenue, film.vote, film.revenue - film.budget);
      this.shown.add('date', film.release);
      this.noteList(film.genres);
    } else if (tool === 'get_movie_production_companies') this.noteList(film.companies);
    else if (tool === 'get_movie_production_countries') this.noteList(film.countries);
    else if (tool === 'get_movie_keywords') this.noteList(film.keywords);
    else if (tool === 'get_movie_cast') {
      this.meet(...film.cast.map(({ person }) => person));
      this.shown.add('word', ...film.cast.map(({ character }) => character));
      this.shown.add(
        'list',
        film.cast.map(({ person }) => person.name),
      );
    } else if (tool === 'get_movie_crew') this.meet(...film.crew.map(({ person }) => person));
    else if (tool === 'get_movie_alternative_titles') this.shown.add('word', ...film.titles.map(({ title }) => title));
  }

  /** Notes what an answer about a person shows. */
  notePerson(tool: string, person: Person): void {
    if (tool === 'get_person_details') {
      this.shown.add('date', person.birthday);
      this.shown.add('word', person.birthplace);
    } else if (tool === 'get_person_external_ids') this.shown.add('word', imdbOf(person));
    else if (tool === 'get_person_cast') {
      const parts = partsOf(person, this.data);
      this.meetFilms(...parts.map(({ film }) => film));
      this.shown.add('word', ...parts.map(({ character }) => character));
      this.shown.add(
        'list',
        parts.map(({ film }) => film.title),
      );
    } else {
      const jobs = jobsOf(person, this.data);
      this.meetFilms(...jobs.map(({ film }) => film));
      this.shown.add('list', [...new Set(jobs.map(({ film }) => film.title))]);
    }
  }

  brief({ name, arguments: given }: Call, { value }: Answer): string {
    const film = this.film(String(given.movie_id));
    const person = this.person(String(given.person_id));
    if (film) return this.briefOnFilm(name, film);
    if (person) return this.briefOnPerson(name, person);
    const [found] = value as { id: number; title?: string; name?: string }[];
    return found ? `${found.title ?? found.name} ${found.id}` : 'none';
  }

  private briefOnFilm(tool: string, film: Film): string {
    const { budget, revenue, vote, release, genres, companies, countries, keywords } = film;
    if (tool === 'get_movie_details')
      return `release ${release} vote ${vote} budget ${budget} revenue ${revenue} genres ${genres.join(' , ')}`;
    if (tool === 'get_movie_production_companies') return companies.join(' , ');
    if (tool === 'get_movie_production_countries') return countries.join(' , ');
    if (tool === 'get_movie_keywords') return keywords.join(' , ');
    if (tool === 'get_movie_cast')
      return credits(film.cast.map(({ person, character }) => ({ id: person.id, name: person.name, role: character })));
    if (tool === 'get_movie_crew')
      return credits(film.crew.map(({ person, job }) => ({ id: person.id, name: person.name, role: job })));
    if (tool === 'get_movie_translation') return film.overview;
    return film.titles.map(({ country, title }) => `${country} ${title}`).join(' ; ');
  }

  private briefOnPerson(tool: string, person: Person): string {
    if (tool === 'get_person_details') return `born ${person.birthday} in ${person.birthplace}`;
    if (tool === 'get_person_external_ids') return imdbOf(person);
    return tool === 'get_person_cast'
      ? credits(
          partsOf(person, this.data).map(({ film, character }) => ({ id: film.id, name: film.title, role: character })),
        )
      : credits(jobsOf(person, this.data).map(({ film, job }) => ({ id: film.id, name: film.title, role: job })));
  }

  protected argumentsFor({ parameters }: Tool): Arguments[] {
    const all = (key: string, values: readonly Json[]) => values.map((value) => ({ [key]: value }));
    if ('movie_name' in parameters) return all('movie_name', this.named);
    if ('person_name' in parameters) return all('person_name', this.named);
    if ('movie_id' in parameters) return all('movie_id', this.shown.of('film'));
    if ('person_id' in parameters) return all('person_id', this.shown.of('person'));
    return [{}];
  }

  protected answers(): Json[] {
    return [...this.named, ...this.shown.of('title', 'name', 'word', 'date', 'number'), ...this.lists()];
  }

  /** Lists that texts have shown, and the common members of any two. */
  private lists(): Json[] {
    const lists = this.shown.of<string[]>('list');
    const common = lists.flatMap((list, k) =>
      lists.slice(k + 1).map((other) => list.filter((each) => other.includes(each))),
    );
    return [...lists, ...common.filter((list) => list.length > 0)];
  }

  tables(): StateTable[] {
    const { films, people } = this.data;
    const seen = (kind: Kind, id: number) => (this.shown.has(kind, String(id)) ? ('seen' as const) : ('' as const));
    return [
      {
        title: 'Films',
        columns: ['id', 'title', 'released', 'vote', 'director'],
        rows: films.map(({ id, title, release, vote, crew }) => ({
          cells: [String(id), title, release, String(vote), crew[0].person.name],
          change: seen('film', id),
        })),
      },
      {
        title: 'People',
        columns: ['id', 'name', 'born', 'place'],
        rows: people.map(({ id, name, birthday, birthplace }) => ({
          cells: [String(id), name, birthday, birthplace],
          change: seen('person', id),
        })),
      },
    ];
  }
}
