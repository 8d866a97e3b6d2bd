/**
 * AgentGym's `webarena` protocol over HTTP. Requests are parsed as Quart parses them (pallets.quart, MIT), and answers
 * are its JSON: sorted keys, ASCII. Added to the original: a list of the tasks, the tasks that cannot be played, and a
 * description.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ParsedJson, PythonNumber, parseJson } from '../../src/server/agentgym/json.ts';
import { type Environments, Full, type ResetAnswer, TaskRefused } from './environments.ts';
import { EpisodeFailure, ForbiddenAddress } from './failures.ts';
import { wholeOfQuery } from './python-values.ts';
import type { TaskList } from './tasks.ts';

/** A request that Quart answers with this status. */
class Refusal extends Error {
  override name = 'Refusal';
  constructor(
    readonly status: 400 | 500,
    message: string,
  ) {
    super(message);
  }
}

interface Fields {
  [name: string]: ParsedJson;
}

const isJson = (type = '') => /^\s*application\/(?:[^;]*\+)?json\s*(?:;|$)/i.test(type);

function bodyOf({ body, headers }: FastifyRequest): Fields {
  if (!isJson(headers['content-type'])) throw new Refusal(500, 'The content-type of the body must be JSON.');
  let value: ParsedJson;
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body as Buffer | undefined));
  } catch {
    throw new Refusal(400, 'The body must be JSON.');
  }
  const isObject =
    value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof PythonNumber);
  if (!isObject) throw new Refusal(500, 'The body must be a JSON object.');
  return value as Fields;
}

function fieldOf(fields: Fields, name: string): ParsedJson {
  if (!Object.hasOwn(fields, name)) throw new Refusal(500, `The body has no "${name}".`);
  return fields[name];
}

/** If the query gives a name twice, the first value counts. */
const queryId = ({ url }: FastifyRequest): ParsedJson =>
  wholeOfQuery(new URL(url, 'http://localhost').searchParams.get('env_idx'));

const sorted = (_key: string, value: unknown) =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

function quartJson(value: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  // The original sends whole rewards as 1.0, this server sends 1; JSON parsers read both as the same number.
  return JSON.stringify(value, sorted).replace(/[\u007f-\uffff]/g, escaped);
}

const errorReset: ResetAnswer = { object: 'Error', observation: 'TimeoutError', sites: 'Error' };

/** The field `why` for refusals by the proxy itself. Failures that the original has too get no such field. */
const whyOf = (error: unknown) =>
  error instanceof TaskRefused || error instanceof ForbiddenAddress || error instanceof EpisodeFailure
    ? { why: `${(error as Error).name}: ${(error as Error).message}` }
    : {};

export interface WebArenaParts {
  environments: Environments;
  tasks: TaskList;
  version: string;
  report(error: Error): void;
}

type Handler = (request: FastifyRequest) => unknown;

function handlers({ environments, tasks, version, report }: WebArenaParts) {
  const reset: Handler = async (request) => {
    const fields = bodyOf(request);
    const idx = fieldOf(fields, 'idx');
    if (!('seed' in fields && 'env_idx' in fields)) return errorReset;
    try {
      return await environments.reset(fields.env_idx, idx);
    } catch (error) {
      report(error as Error);
      return { ...errorReset, ...whyOf(error) };
    }
  };
  const close: Handler = async (request) => {
    const id = fieldOf(bodyOf(request), 'env_idx');
    try {
      await environments.close(id);
      return { closed: 'closed' };
    } catch (error) {
      return { closed: `Close Env ${JSON.stringify(id)} Error: ${(error as Error).message}` };
    }
  };
  const step: Handler = (request) => {
    const fields = bodyOf(request);
    return environments.step(fieldOf(fields, 'env_idx'), fieldOf(fields, 'action'));
  };
  const listed = () => {
    const { size, refused, ids } = tasks;
    const unplayable = new Set(refused.flatMap((each) => each.ids));
    return {
      tasks: size,
      playable: ids.filter((id) => !unplayable.has(id)),
      refused,
      environments: environments.active,
    };
  };
  return [
    ['POST', '/create', async () => ({ env_idx: await environments.create() })],
    ['POST', '/reset', reset],
    ['POST', '/step', step],
    ['POST', '/close', close],
    ['GET', '/observation', (request: FastifyRequest) => environments.observation(queryId(request))],
    ['GET', '/observation_metadata', (request: FastifyRequest) => environments.metadata(queryId(request))],
    ['GET', '/list_envs', () => Promise.reject(new Refusal(500, 'The original fails here too.'))],
    ['GET', '/tasks', listed],
    ['GET', '/openapi.json', () => describe(version, listed())],
  ] as const satisfies readonly (readonly ['GET' | 'POST', string, Handler])[];
}

const missingOf = (refused: TaskList['refused'], tasks: number) =>
  refused.map(({ why, ids }) => `${ids.length} of ${tasks} tasks are refused: ${why}`);

function describe(version: string, { tasks, refused }: { tasks: number; refused: TaskList['refused'] }) {
  const paths = ['/create', '/reset', '/step', '/close', '/observation', '/observation_metadata', '/tasks'];
  return {
    openapi: '3.1.0',
    info: { title: "WebArena behind Tabgym's proxy", version, 'x-missing': missingOf(refused, tasks) },
    paths: Object.fromEntries(paths.map((path) => [path, {}])),
  };
}

const page = (status: number, title: string, why: string) =>
  `<!doctype html>\n<html lang=en>\n<title>${status} ${title}</title>\n<h1>${title}</h1>\n<p>${why.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</p>\n`;

function sendError(reply: FastifyReply, error: Error, report: WebArenaParts['report']) {
  const status = error instanceof Refusal ? error.status : error instanceof Full ? 503 : 500;
  if (status === 500 && !(error instanceof Refusal)) report(error);
  const title = { 400: 'Bad Request', 500: 'Internal Server Error', 503: 'Service Unavailable' }[status]!;
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(page(status, title, error.message));
}

/** Adds every route under `prefix`. */
export function mountWebArena(app: FastifyInstance, prefix: string, parts: WebArenaParts): void {
  for (const path of [prefix, `${prefix}/`])
    app.get(path, (_request, reply) => reply.type('text/html; charset=utf-8').send('ok'));
  for (const path of [prefix, `${prefix}/`]) app.options(path, (_request, reply) => reply.send(''));
  for (const [method, path, answer] of handlers(parts)) {
    app.options(`${prefix}${path}`, (_request, reply) => reply.header('allow', `${method}, OPTIONS`).send(''));
    app.route({
      method,
      url: `${prefix}${path}`,
      handler: async (request, reply) => {
        try {
          return reply.type('application/json').send(quartJson(await answer(request)));
        } catch (error) {
          return sendError(reply, error as Error, parts.report);
        }
      },
    });
  }
}
