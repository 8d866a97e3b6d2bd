/**
 * AgentGym's film environment over our catalogue (agentenv-tool at 3ef9235: environment/movie_env.py,
 * utils/movie/movie_tools.py). In the place of The Movie Database stands one with the same answers.
 */
import type { Json } from '../../../envs/env.ts';
import { type Literal, literalText } from '../../../python/literal.ts';
import { literalOf } from '../calls.ts';
import { PythonError } from '../family.ts';
import { type LiteralAnswer, OriginalTools } from '../original-tools.ts';
import { withoutKeys } from '../original-values.ts';
import { filmNamed, onFilm, onPerson, personNamed } from './catalogue.ts';
import type { Film } from './data.ts';
import type { FilmInstance } from './instance.ts';
import { filmTools } from './tools.ts';

const missing = '{"success":false,"status_code":34,"status_message":"The resource you requested could not be found."}';

/** Jobs that the original lists first; it then adds people who have none of these. */
const firstJobs = ['Director', 'Producer', 'Writer'];

/** The crew as the original lists it: another job of a person who is already listed is left out. */
function crewOf({ crew }: Film): Json {
  const first = crew.filter(({ job }) => firstJobs.includes(job));
  const ids = new Set(first.map(({ person }) => person.id));
  const all = [...first, ...crew.filter(({ person }) => !ids.has(person.id))];
  return { crew: all.map(({ person, job }) => ({ id: person.id, name: person.name, job })) };
}

/** Keys of a result that the original leaves out before comparing. */
const ignored = ['overview', 'biography', 'vote_average', 'genres', 'revenue', 'budget', 'release_date'];

export class FilmOriginal extends OriginalTools {
  constructor(private readonly films: FilmInstance) {
    super(filmTools, literalOf(films.answer));
  }

  protected answerTo(name: string, [first]: readonly Literal[]): LiteralAnswer {
    const text = literalText(first);
    if (name === 'get_search_movie') return this.search(first === null ? '' : text);
    if (name === 'get_search_person')
      return {
        ok: true,
        value: literalOf(this.films.showPerson(personNamed(first === null ? '' : text, this.films.data)).value),
      };
    if (name === 'get_movie_translation') return this.translation(text);
    const value = name in onFilm ? this.onFilm(name, text) : this.onPerson(name, text);
    return value === null ? { ok: false, value: missing } : { ok: true, value: literalOf(value) };
  }

  private search(name: string): LiteralAnswer {
    const film = filmNamed(name, this.films.data);
    if (!film) throw new PythonError('IndexError', 'list index out of range');
    return { ok: true, value: literalOf(this.films.showFilm(film).value) };
  }

  /** The original keeps the translations of six countries, of which the made world has none. */
  private translation(id: string): LiteralAnswer {
    const film = this.films.film(id);
    return film ? { ok: true, value: literalOf({ id: film.id, translations: [] }) } : { ok: false, value: missing };
  }

  private onFilm(tool: string, id: string): Json {
    const film = this.films.film(id);
    if (!film) return null;
    this.films.noteFilm(tool, film);
    return tool === 'get_movie_crew' ? crewOf(film) : onFilm[tool](film);
  }

  private onPerson(tool: string, id: string): Json {
    const person = this.films.person(id);
    if (!person) return null;
    this.films.notePerson(tool, person);
    return onPerson[tool](person, this.films.data);
  }

  protected override subgoalOf(value: Literal): Literal {
    return withoutKeys(value, ignored);
  }
}
