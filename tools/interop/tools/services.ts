/**
 * Services in the place of the ones that AgentGym's tools call over the network: Todoist, Open-Meteo, The Movie Database,
 * and a Google sheet. Each answers requests from the made data of one task.
 */
import type { Json } from '../../../src/envs/env.ts';
import { isDate } from '../../../src/worlds/tools/dates.ts';
import type { Instance } from '../../../src/worlds/tools/family.ts';
import {
  filmNamed,
  foundFilm,
  foundPerson,
  onFilm,
  onPerson,
  personNamed,
} from '../../../src/worlds/tools/films/catalogue.ts';
import { FilmInstance } from '../../../src/worlds/tools/films/instance.ts';
import { TableInstance } from '../../../src/worlds/tools/table/instance.ts';
import type { Project, TodoTask } from '../../../src/worlds/tools/todo/data.ts';
import { TodoInstance } from '../../../src/worlds/tools/todo/instance.ts';
import { kilometres, placeAt } from '../../../src/worlds/tools/weather/data.ts';
import { WeatherInstance } from '../../../src/worlds/tools/weather/instance.ts';
import { placeAnswer, seriesAnswer } from '../../../src/worlds/tools/weather/station.ts';
import type { Quantity } from '../../../src/worlds/tools/weather/tools.ts';

interface Request {
  method: string;
  url: string;
  /** Values as the texts of a query; None is left out. */
  params: { [name: string]: string };
}

interface Response {
  status: number;
  /** Result, or the text of an error. */
  body: Json;
}

/** Answers a request: of HTTP, or a call of a sheet by tool and arguments. */
export type Service = (request: Request | { call: string; arguments: { [name: string]: Json } }) => Response;

const found = (body: Json): Response => ({ status: 200, body });
const refused = (status: number, body: string): Response => ({ status, body });

/** Fields of Todoist's projects and tasks that the original removes. */
const projectExtras = Object.fromEntries(
  ['comment_count', 'is_shared', 'is_inbox_project', 'is_team_inbox', 'url', 'view_style', 'parent_id'].map((key) => [
    key,
    null,
  ]),
);
const taskExtras = Object.fromEntries(
  [
    ...['assigner_id', 'assignee_id', 'section_id', 'parent_id', 'labels', 'comment_count', 'creator_id'],
    ...['created_at', 'url', 'project_id'],
  ].map((key) => [key, null]),
);
const projectOf = ({ id, order, color, name, favourite }: Project): Json => ({
  ...{ id, order, color, name, is_favorite: favourite },
  ...projectExtras,
});
const taskOf = ({ id, order, content, priority, due, place, contact, duration }: TodoTask): Json => ({
  ...{ id, order, content, is_completed: false, priority, due: { date: due } },
  ...{ description: `- Place: ${place}\n- Contact: ${contact}`, duration: { amount: duration, unit: 'minute' } },
  ...taskExtras,
});

function todoService({ data }: TodoInstance): Service {
  const onProjects = (id: string | undefined, { is_favorite }: Request['params']): Response => {
    if (id === undefined) return found(data.projects.map(projectOf));
    const project = data.projects.find((each) => each.id === id);
    if (!project) return refused(404, 'Project not found');
    const flag =
      is_favorite === undefined ? project.favourite : { true: true, false: false }[is_favorite.toLowerCase()];
    if (flag === undefined) return refused(400, 'Invalid argument value');
    project.favourite = flag;
    return found(projectOf(project));
  };
  const onTask = (method: string, task: TodoTask | undefined, closes: boolean, params: Request['params']): Response => {
    if (!task) return refused(404, 'Task not found');
    if (method === 'GET') return found(taskOf(task));
    if (method === 'DELETE' || closes) {
      data.tasks.splice(data.tasks.indexOf(task), 1);
      return { status: 204, body: null };
    }
    if (params.due_date !== undefined && !isDate(params.due_date)) return refused(400, 'Invalid date format');
    task.due = params.due_date ?? task.due;
    return found(taskOf(task));
  };
  return (request) => {
    const { method, url, params } = request as Request;
    const [, kind, rest] = /\/v2\/(projects|tasks)(?:\/(.*))?$/s.exec(url)!;
    if (kind === 'projects') return onProjects(rest, params);
    if (rest === undefined) {
      const project = data.projects.find(({ id }) => id === params.project_id);
      return project
        ? found(data.tasks.filter((task) => task.project === project.id).map(taskOf))
        : refused(404, 'Project not found');
    }
    const closes = method === 'POST' && rest.endsWith('/close');
    const id = closes ? rest.slice(0, -'/close'.length) : rest;
    return onTask(
      method,
      data.tasks.find((task) => task.id === id),
      closes,
      params,
    );
  };
}

const weatherError = (reason: string) => refused(400, `{"error":true,"reason":"${reason}"}`);

/** Columns that a request for the weather names, as the quantities of the made weather. */
const quantities: { readonly [columns: string]: Quantity } = {
  'temperature_2m_max,temperature_2m_min,temperature_2m_mean': 'temp',
  rain_sum: 'rain',
  snowfall_sum: 'snow',
  european_aqi_pm2_5: 'air_quality_index',
};

/** A day's answer of the air, which the service gives for each hour. */
function hourly(answer: { [key: string]: Json }): Json {
  const { latitude, longitude, daily_units, daily } = answer as { [key: string]: { [key: string]: Json[] } };
  const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
  const time = daily.time.flatMap((noon) => hours.map((hour) => `${String(noon).slice(0, 10)}T${hour}:00`));
  const values = daily.european_aqi_pm2_5.flatMap((value) => hours.map((hour) => (hour === '12' ? value : -1)));
  return { latitude, longitude, hourly_units: daily_units, hourly: { time, european_aqi_pm2_5: values } };
}

function weatherService({ data }: WeatherInstance): Service {
  const numbersIn = (params: Request['params'], names: readonly string[]) =>
    names.map((name) => (/^-?\d{1,3}(\.\d{1,15})?$/.test(params[name] ?? '') ? Number(params[name]) : null));
  const series = ({ daily, hourly: air, start_date: start, end_date: end, ...params }: Request['params']): Response => {
    const [latitude, longitude] = numbersIn(params, ['latitude', 'longitude']);
    if (latitude === null || longitude === null)
      return weatherError('Parameters latitude and longitude must be numbers.');
    const place = placeAt(latitude, longitude, data);
    if (!place) return weatherError('No data is available for this location.');
    const asked = daily ?? air;
    if (asked === undefined) return found({ elevation: [place.elevation] });
    if (!isDate(start ?? '') || !isDate(end ?? '')) return weatherError('Invalid date.');
    if (end < start) return weatherError('End-date must be larger or equals than start-date.');
    const answer = seriesAnswer(quantities[asked], place, start, end);
    return found(air === undefined ? answer : hourly(answer as { [key: string]: Json }));
  };
  return (request) => {
    if ('call' in request) {
      const [latitude1, longitude1, latitude2, longitude2] = request.arguments.values as number[];
      const from = { latitude: latitude1, longitude: longitude1 };
      return found(kilometres(from, { latitude: latitude2, longitude: longitude2 }));
    }
    const { url, params } = request;
    if (!url.startsWith('https://geocoding')) return series(params);
    if (params.name === undefined) return weatherError('Parameter name required.');
    const name = params.name.trim().toLowerCase();
    const place = data.places.find((each) => each.name.toLowerCase() === name);
    if (!place) return found({});
    const { results } = placeAnswer(place) as { results: { [key: string]: Json }[] };
    return found({ results: results.map((each) => ({ ...each, country: 'a country', elevation: place.elevation })) });
  };
}

const missing = refused(
  404,
  '{"success":false,"status_code":34,"status_message":"The resource you requested could not be found."}',
);

function filmService({ data }: FilmInstance): Service {
  const film = (id: string, part: string | undefined): Response => {
    const one = data.films.find((each) => String(each.id) === id);
    if (!one) return missing;
    const of = (...tools: string[]) => found(Object.assign({}, ...tools.map((tool) => onFilm[tool](one))) as Json);
    if (part === 'credits') return of('get_movie_cast', 'get_movie_crew');
    if (part === 'keywords') return found({ keywords: one.keywords.map((name) => ({ name })) });
    if (part === 'alternative_titles') return of('get_movie_alternative_titles');
    if (part === 'translations') {
      const answer = onFilm.get_movie_translation(one) as { translations: { data: { [key: string]: Json } }[] };
      for (const each of answer.translations) each.data.title = one.title;
      return found(answer as unknown as Json);
    }
    return of('get_movie_details', 'get_movie_production_companies', 'get_movie_production_countries');
  };
  const person = (id: string, part: string | undefined): Response => {
    const one = data.people.find((each) => String(each.id) === id);
    if (!one) return missing;
    const of = (...tools: string[]) =>
      found(Object.assign({}, ...tools.map((tool) => onPerson[tool](one, data))) as Json);
    if (part === 'movie_credits') return of('get_person_cast', 'get_person_crew');
    return of(part === 'external_ids' ? 'get_person_external_ids' : 'get_person_details');
  };
  return (request) => {
    const { url, params } = request as Request;
    const query = params.query ?? '';
    const results = (one: Json | undefined) => found({ results: one === undefined ? [] : [one] });
    if (url.endsWith('/search/movie')) {
      const one = filmNamed(query, data);
      return results(one && foundFilm(one));
    }
    if (url.endsWith('/search/person')) {
      const one = personNamed(query, data);
      return results(one && foundPerson(one));
    }
    const [, kind, rest] = /\/3\/(movie|person)\/(.*)$/s.exec(url)!;
    const part = /\/(credits|keywords|alternative_titles|translations|movie_credits|external_ids)$/.exec(rest);
    const id = part ? rest.slice(0, part.index) : rest;
    return kind === 'movie' ? film(id, part?.[1]) : person(id, part?.[1]);
  };
}

/** A sheet's requests are calls of the book's tools. */
const tableService =
  (table: TableInstance): Service =>
  (request) => {
    const { call, arguments: given } = request as { call: string; arguments: { [name: string]: Json } };
    const { ok, value } = table.call({ name: call, arguments: given });
    return ok ? found(value) : refused(400, String(value));
  };

/** The service of a task's own copy of its data; null for papers, whose nets are files. */
export function serviceOf(instance: Instance): Service | null {
  if (instance instanceof TodoInstance) return todoService(instance);
  if (instance instanceof WeatherInstance) return weatherService(instance);
  if (instance instanceof FilmInstance) return filmService(instance);
  return instance instanceof TableInstance ? tableService(instance) : null;
}
