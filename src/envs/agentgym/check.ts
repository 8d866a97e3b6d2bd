/** A look at an AgentGym server: what answers, of which kind, how fast, with which routes. Creates nothing there. */
import * as v from 'valibot';
import type { ConnectionFinding, ConnectionReport, ConnectionSettings } from '../module.ts';
import { AnswerError, ClosedToPagesError, JsonServer, ServerError, UnreachableError } from '../transport/http.ts';
import { blockedByPage, median, reportOf } from '../transport/looking.ts';
import type { AgentGymKind } from './kind.ts';
import { routesOf } from './world.ts';

const DescriptionSchema = v.object({
  // What is missing there, in words: our proxy tells it.
  info: v.object({ version: v.string(), 'x-missing': v.optional(v.array(v.string()), []) }),
  paths: v.record(v.string(), v.unknown()),
});
const PINGS = 3;

/** A greeting without its quotes, where it is JSON. */
function greeting(text: string): string {
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === 'string' ? said : text;
  } catch {
    return text.trim();
  }
}

interface Look {
  kind: AgentGymKind;
  server: JsonServer;
  signal?: AbortSignal;
}

export async function checkAgentGym(
  kind: AgentGymKind,
  settings: ConnectionSettings,
  signal?: AbortSignal,
  options: ConstructorParameters<typeof JsonServer>[1] = {},
): Promise<ConnectionReport> {
  if (!settings.address) return reportOf([{ what: 'no-address', detail: '' }]);
  let address: string;
  try {
    address = routesOf(kind, settings);
  } catch (error) {
    return reportOf([{ what: 'bad-address', detail: (error as Error).message }]);
  }
  if (blockedByPage(address)) return reportOf([{ what: 'insecure', detail: '' }]);
  const root = kind.prefix ? address.slice(0, -kind.prefix.length) : address;
  const server = new JsonServer(root, { attempts: 1, attemptMs: 10_000, ...options });
  try {
    return await look({ kind, server, signal });
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return reportOf([unreached(error)]);
  }
}

function unreached(error: ServerError): ConnectionFinding {
  if (error instanceof ClosedToPagesError) return { what: 'closed-to-pages', detail: '' };
  if (error instanceof AnswerError && error.status === 403) return { what: 'refused', detail: error.message };
  return { what: error instanceof UnreachableError ? 'unreachable' : 'not-understood', detail: error.message };
}

async function look({ kind, server, signal }: Look): Promise<ConnectionReport> {
  const times: number[] = [];
  let said = '';
  for (let ping = 0; ping < PINGS; ping++) {
    const start = performance.now();
    said = greeting(await server.getText('/', { signal }));
    times.push(performance.now() - start);
  }
  const known = said === kind.hello;
  const described = await descriptionOf(server, signal);
  const findings: ConnectionFinding[] = [
    ...(known ? [] : [{ what: 'another-kind' as const, detail: said.slice(0, 160) }]),
    ...missingRoutes(kind, described),
    ...(described ? [] : [{ what: 'no-version' as const, detail: '' }]),
    ...(await postFindings(kind, server, signal)),
    ...(kind.closes ? [] : [{ what: 'stays-open' as const, detail: '' }]),
    ...(described?.info['x-missing'] ?? []).map((detail) => ({ what: 'lacks' as const, detail })),
  ];
  const harmless = ['no-version', 'stays-open', 'lacks'];
  const works = findings.every(({ what }) => harmless.includes(what));
  return { works, says: said.slice(0, 160), version: described?.info.version ?? '', ms: median(times), findings };
}

async function descriptionOf(server: JsonServer, signal?: AbortSignal) {
  try {
    const result = v.safeParse(DescriptionSchema, await server.get('/openapi.json', { signal }));
    return result.success ? result.output : null;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return null;
  }
}

function missingRoutes(
  { prefix = '', closes }: AgentGymKind,
  described: { paths: { [path: string]: unknown } } | null,
): ConnectionFinding[] {
  if (!described) return [];
  const wanted = ['/create', '/reset', '/step', ...(closes ? ['/close'] : [])].map((path) => `${prefix}${path}`);
  const missing = wanted.filter((path) => !(path in described.paths));
  return missing.length ? [{ what: 'routes-missing', detail: missing.join(', ') }] : [];
}

/** A step without an environment is refused, and that is read: else a page may ask and not act. */
async function postFindings(
  { prefix = '' }: AgentGymKind,
  server: JsonServer,
  signal?: AbortSignal,
): Promise<ConnectionFinding[]> {
  try {
    await server.post(`${prefix}/step`, {}, { signal });
    return [];
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return error instanceof UnreachableError ? [{ what: 'may-not-post', detail: '' }] : [];
  }
}
