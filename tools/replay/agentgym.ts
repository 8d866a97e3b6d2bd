/**
 * AgentGym's part of `npm run replay`: plays recordings of its servers and Python clients through our client, with the
 * recording as the server. An exchange of a transcript agrees if our client sends the recorded request and reads the
 * recorded answer; an invalid answer agrees if our client refuses it with an error. A client's record agrees if ours
 * sends the same requests and returns the same result.
 */
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { WorldError } from '../../src/envs/env.ts';
import { parseReact } from '../../src/envs/reply.ts';
import { AnswerError, ClosedToPagesError, JsonServer, UnreachableError } from '../../src/envs/transport/http.ts';
import { agentGymKinds } from '../../src/worlds/agentgym/index.ts';
import type { AgentGymKind } from '../../src/worlds/agentgym/kind.ts';
import { AgentGymClient, type Environment } from '../../src/worlds/agentgym/world.ts';
import { worldModules } from '../../src/worlds/registry.ts';
import { readRecordingFile } from './recording-file.ts';
import type { ReplayResult } from './result.ts';

const ExchangeSchema = v.object({
  method: v.string(),
  path: v.string(),
  request_headers: v.record(v.string(), v.string()),
  body: v.nullable(v.string()),
  status: v.number(),
  headers: v.record(v.string(), v.string()),
  response: v.string(),
});
type Exchange = v.InferOutput<typeof ExchangeSchema>;
const TranscriptSchema = v.object({ server: v.string(), name: v.string(), exchanges: v.array(ExchangeSchema) });

type Json = { [key: string]: unknown };
const ADDRESS = 'http://127.0.0.1:9';

const kindNamed = (name: string): AgentGymKind => {
  const found = agentGymKinds(worldModules).find(({ kind }) => kind === name);
  if (!found) throw new WorldError(`There is no AgentGym kind named "${name}".`);
  return found;
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A server that answers by a function and records its requests. */
class Recorded {
  readonly sent: { method: string; path: string; json: unknown }[] = [];

  constructor(private readonly answer: (path: string) => { status?: number; headers?: Json; text: string } | null) {}

  readonly fetch = (async (input: string, init: RequestInit = {}) => {
    const path = input.slice(ADDRESS.length);
    if (init.mode === 'no-cors') return new Response(null);
    const json = init.body === undefined ? null : JSON.parse(init.body as string);
    this.sent.push({ method: init.method ?? 'GET', path, json });
    const answer = this.answer(path);
    if (!answer) throw new TypeError('fetch failed');
    const { status = 200, headers = {}, text } = answer;
    return new Response(status === 204 ? null : text, { status, headers: headers as { [name: string]: string } });
  }) as typeof fetch;
}

const clientOf = (kind: AgentGymKind, recorded: Recorded) =>
  new AgentGymClient({ ...kind, prefix: undefined }, { address: ADDRESS }, { fetch: recorded.fetch, attempts: 1 });

const environment = (id: number): Environment => ({
  id,
  prepared: ['panic'],
  observation: '',
  options: {},
  lost: false,
});

// --- requests of the Python clients ---------------------------------------------------------------------------------

/** The Python client's answers came from a stand-in with environment 4. */
const ID = 4;
const created = ({ kind, idField }: AgentGymKind) => (kind === 'searchqa' ? ID : { [idField]: ID });

type ClientRecord = Json & { kind: string; client?: string; n: number };
type Check = [what: string, expected: unknown, found: unknown];

const requestsOf = (recorded: unknown) =>
  (recorded as { method: string; url: string; json: unknown }[]).map(({ method, url, json }) => ({
    method,
    path: url.slice(ADDRESS.length),
    json,
  }));

async function lifeChecks(record: ClientRecord): Promise<Check[]> {
  const kind = kindNamed(record.client!);
  const { returned = { id: ID, observation: 'RESET' } } = record.reset as { returned?: unknown };
  const answers: { [path: string]: unknown } = { '/create': created(kind), '/reset': returned };
  const recorded = new Recorded((path) => {
    const plain = path.replace(/\?.*/, '');
    return { text: JSON.stringify(answers[plain] ?? (plain === '/observation' ? 'OBS' : ['panic'])) };
  });
  const client = clientOf(kind, recorded);
  const made = await client.create();
  const creating = recorded.sent.splice(0);
  const reset = requestsOf(record.reset_requests);
  const { json } = reset[0] as { json: Json };
  const item = Number(json.data_idx ?? json.game ?? json.idx ?? json.seed ?? (json.env_idx === ID ? json.id : 0));
  const opening = await client.reset(made, item, {});
  const ends = typeof record.observe === 'string';
  return [
    ['create', requestsOf(record.create_requests), creating],
    ['reset', [...reset, ...requestsOf(record.observe_requests)], recorded.sent],
    // Maze's and Wordle's clients put their rules before the first observation; here the rules are the instruction.
    ['first observation', ends ? record.observe : 'RESET', opening.observation],
  ];
}

async function closeChecks(record: ClientRecord): Promise<Check[]> {
  const recorded = new Recorded(() => ({ text: 'true' }));
  const closed = await clientOf(kindNamed(record.client!), recorded).close(environment(ID));
  return [
    ['close', requestsOf(record.requests), recorded.sent],
    ['closed', record.result === true, closed],
  ];
}

async function stepChecks(record: ClientRecord, reply: unknown): Promise<Check[]> {
  const kind = kindNamed(record.client!);
  const { action, refusal } = kind.reply(record.text as string);
  const recorded = new Recorded(() => ({ text: JSON.stringify(reply) }));
  const feedback =
    refusal === undefined
      ? await clientOf(kind, recorded).step(environment(ID), action)
      : { observation: refusal, reward: 0, done: false };
  const { observation: state, reward, done } = feedback;
  return [
    ['sent', record.sent, recorded.sent.map(({ json }) => (json as Json).action)],
    ['result', record.result, { state, reward, done }],
  ];
}

async function rewardChecks(record: ClientRecord): Promise<Check[]> {
  const server = { observation: 'O', truncated: false, info: null, ...(record.server as Json) };
  const recorded = new Recorded(() => ({ text: JSON.stringify(server) }));
  const feedback = await clientOf(kindNamed('webarena'), recorded).step(environment(ID), '```stop [1]```');
  const { observation: state, reward, done } = feedback;
  return [['result', record.result, { state, reward, done }]];
}

function clientChecks(record: ClientRecord, replies: Json): Promise<Check[]> | Check[] {
  if (record.kind === 'life') return lifeChecks(record);
  if (record.kind === 'close') return closeChecks(record);
  if (record.kind === 'step') return stepChecks(record, replies[record.client!]);
  if (record.kind === 'webarena-reward') return rewardChecks(record);
  if (record.kind === 'parse_react') return [['action', record.action, parseReact(record.text as string)]];
  throw new WorldError(`Record ${record.n} is of an unknown kind, "${record.kind}".`);
}

// --- answers of the servers -----------------------------------------------------------------------------------------

/** Kind of a server and the route within it. */
function placeOf(server: string, path: string): { kind: AgentGymKind; route: string } {
  const prefixed = /^\/(maze|wordle)(\/.*)$/.exec(path);
  if (prefixed) return { kind: kindNamed(prefixed[1]), route: prefixed[2] };
  return { kind: kindNamed(server === 'lmrlgym' ? 'maze' : server), route: path };
}

const itemFields = ['data_idx', 'game', 'seed', 'idx', 'item_id', 'session_id'];

/** The exchange as a call of our client (with the item of a reset), or null if our client would never send it. */
function ours({ method, status, response }: Exchange, kind: AgentGymKind, route: string, body: Json | null) {
  const value = jsonOf(response) as Json | null | undefined;
  if (method !== 'POST' || status !== 200 || value === undefined || value?.error !== undefined) return null;
  if (route === '/create') return { call: 'create' as const, value };
  const id = body?.[kind.idField];
  if (!body || !Number.isInteger(id)) return null;
  const at = { id: id as number, value };
  if (route === '/close' && kind.closes && Object.keys(body).length === 1) return { call: 'close' as const, ...at };
  const stepFields = Object.keys(body).length === 2 && typeof body.action === 'string';
  if (route === '/step' && stepFields && (kind.formatAction?.(body.action as string) ?? body.action) === body.action)
    return { call: 'step' as const, action: body.action as string, ...at };
  // Our client always sends seed 0 with an item.
  if ('idx' in body && body.seed !== 0) return null;
  const field = kind.idField === 'env_idx' && 'id' in body ? 'id' : itemFields.findLast((name) => name in body);
  if (route === '/reset' && field && Number.isSafeInteger(body[field]) && value?.observation !== 'TimeoutError')
    return { call: 'reset' as const, item: body[field] as number, ...at };
  return null;
}

async function exchangeChecks(server: string, exchange: Exchange, next: Exchange | undefined): Promise<Check[]> {
  // The recordings for pages name the server together with the way it was started.
  const { kind, route } = placeOf(server.split(' ')[0], exchange.path);
  const body = exchange.body === null ? null : ((jsonOf(exchange.body) ?? null) as Json | null);
  const sent = ours(exchange, kind, route, body);
  if (!sent || exchange.request_headers.Origin) return rawChecks(exchange);
  const seen =
    next && /^(?:\/\w+)?\/observation\?\w+=\d+$/.test(next.path) && next.status === 200 ? next.response : '""';
  const recorded = new Recorded((path) => {
    if (path.startsWith('/observation')) return { text: seen };
    return { text: path.startsWith('/filtered_vocab') ? '["panic"]' : exchange.response };
  });
  const client = clientOf(kind, recorded);
  const value = sent.value as Json;
  if (sent.call === 'create') {
    const made = await client.create();
    return [['id', typeof value === 'number' ? value : value[kind.idField], made.id]];
  }
  const request: Check = ['request', body, undefined];
  const done = (...checks: Check[]): Check[] => [['request', request[1], recorded.sent[0].json], ...checks];
  if (sent.call === 'close')
    return done(['closed', value !== (false as unknown), await client.close(environment(sent.id))]);
  if (sent.call === 'reset') {
    const { observation } = await client.reset(environment(sent.id), sent.item, {});
    const observes = recorded.sent.some(({ path }) => path.startsWith('/observation'));
    const described = value?.task_description === undefined ? '' : `${value.task_description}\n`;
    return done(['observation', observes ? jsonOf(seen) : `${described}${value.observation}`, observation]);
  }
  const found = await client.step(environment(sent.id), sent.action);
  const ended = (value.terminated ?? value.done) as boolean;
  const reward = value.terminated === false ? 0 : (value.score ?? value.reward);
  return done(
    ['observation', value.observation ?? value.state, found.observation],
    ['reward', reward, found.reward],
    ['done', ended, found.done],
  );
}

/** Result of our client for an answer, whatever the request was. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return { value: await call };
  } catch (error) {
    if (error instanceof ClosedToPagesError) return { closedToPages: true };
    if (error instanceof AnswerError) return { status: error.status };
    if (error instanceof UnreachableError) return { unreadable: true };
    throw error;
  }
}

/** True if, after this answer to its preflight, a page of this origin may send JSON (Fetch Standard 4.8). */
function preflighted({ status, headers, request_headers }: Exchange): boolean {
  const lists = (name: string) => (headers[name] ?? '').toLowerCase().split(/\s*,\s*/);
  const origin = headers['access-control-allow-origin'];
  return (
    status >= 200 &&
    status < 300 &&
    (origin === '*' || origin === request_headers.Origin) &&
    lists('access-control-allow-headers').some((each) => each === '*' || each === 'content-type')
  );
}

async function rawChecks(exchange: Exchange): Promise<Check[]> {
  const { method, path, status, headers, response, request_headers } = exchange;
  const { Origin } = request_headers;
  if (method === 'OPTIONS' && Origin) {
    const wanted = (request_headers['Access-Control-Request-Headers'] ?? '').includes('content-type');
    return [['a page may send requests', status === 200 && wanted, preflighted(exchange)]];
  }
  const readable = !Origin || [Origin, '*'].includes(headers['access-control-allow-origin']);
  const recorded = new Recorded(() => (readable ? { status, text: response } : null));
  const server = new JsonServer(ADDRESS, { fetch: recorded.fetch, attempts: 1, inPage: Boolean(Origin) });
  const found = await outcomeOf(method === 'GET' ? server.get(path) : server.post(path, {}));
  const value = jsonOf(response);
  const expected = status === 200 && value !== undefined ? { value } : { status };
  return [['answer', readable ? expected : { closedToPages: true }, found]];
}

// --- files ----------------------------------------------------------------------------------------------------------

function rowsOf(text: string): Json[] {
  return text.split('\n').flatMap((line, k) => {
    if (!line.trim()) return [];
    const row = jsonOf(line);
    if (typeof row !== 'object' || row === null) throw new WorldError(`Line ${k + 1} is not a JSON object.`);
    return [row as Json];
  });
}

async function compare(result: ReplayResult, where: string, checks: () => Promise<Check[]> | Check[]): Promise<void> {
  result.total++;
  let wrong: Check | undefined;
  try {
    wrong = (await checks()).find(([, expected, found]) => !isDeepStrictEqual(expected, found));
  } catch (error) {
    wrong = ['failure', null, (error as Error).message];
  }
  if (!wrong) result.agree++;
  else result.first ??= { where, what: wrong[0], expected: wrong[1], found: wrong[2] };
}

/**
 * Replays a file's text: records of clients, or transcripts of a server. Methods that no client uses (HEAD, PUT) are
 * skipped.
 */
export async function replayAgentGym(text: string): Promise<ReplayResult> {
  const rows = rowsOf(text);
  const header = rows.find(({ kind }) => kind === 'header');
  const records = rows.filter((row) => row !== header);
  if (!records.length) throw new WorldError('The file contains no record.');
  const result: ReplayResult = { items: records.length, agree: 0, total: 0, first: null };
  for (const record of records) {
    if ('exchanges' in record) await replayTranscript(result, v.parse(TranscriptSchema, record));
    else {
      const replies = (header?.step_reply ?? {}) as Json;
      const { kind, client = '', n } = record as ClientRecord;
      await compare(result, `record ${n}, ${kind} ${client}`, () => clientChecks(record as ClientRecord, replies));
    }
  }
  return result;
}

async function replayTranscript(
  result: ReplayResult,
  { server, name, exchanges }: v.InferOutput<typeof TranscriptSchema>,
) {
  for (const [k, exchange] of exchanges.entries()) {
    const preflight = exchange.method === 'OPTIONS' && exchange.request_headers.Origin;
    if (!['GET', 'POST'].includes(exchange.method) && !preflight) continue;
    const where = `${server}, ${name}, exchange ${k + 1}, ${exchange.method} ${exchange.path} ${exchange.body ?? ''}`;
    await compare(result, where, () => exchangeChecks(server, exchange, exchanges[k + 1]));
  }
}

export const agentgymForm = (file: string) => replayAgentGym(readRecordingFile(file));
