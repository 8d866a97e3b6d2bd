/** Checks an AgentGym server without creating anything: whether it answers, its kind, latency and routes. */

import { median } from '../../envs/median.ts';
import type { ConnectionFinding, ConnectionReport, ConnectionSettings } from '../../envs/module.ts';
import { JsonServer, ServerError, UnreachableError } from '../../envs/transport/http.ts';
import { checkServer, descriptionOf, missingParts } from '../../envs/transport/server-check.ts';
import type { AgentGymKind } from './kind.ts';
import { routesOf } from './world.ts';

const PINGS = 3;

/** Greeting of the server; quotes are removed if it is JSON. */
function greeting(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'string' ? parsed : text;
  } catch {
    return text.trim();
  }
}

interface Look {
  kind: AgentGymKind;
  server: JsonServer;
  signal?: AbortSignal;
}

export const checkAgentGym = (
  kind: AgentGymKind,
  settings: ConnectionSettings,
  signal?: AbortSignal,
  options: ConstructorParameters<typeof JsonServer>[1] = {},
): Promise<ConnectionReport> =>
  checkServer(
    settings.address,
    () => routesOf(kind, settings),
    (address) => {
      const root = kind.prefix ? address.slice(0, -kind.prefix.length) : address;
      return check({ kind, server: new JsonServer(root, { attempts: 1, attemptMs: 10_000, ...options }), signal });
    },
  );

async function check({ kind, server, signal }: Look): Promise<ConnectionReport> {
  const times: number[] = [];
  let text = '';
  for (let ping = 0; ping < PINGS; ping++) {
    const start = performance.now();
    text = greeting(await server.getText('/', { signal }));
    times.push(performance.now() - start);
  }
  const known = text === kind.greeting;
  const described = await descriptionOf(server, signal);
  const findings: ConnectionFinding[] = [
    ...(known ? [] : [{ kind: 'another-kind' as const, detail: text.slice(0, 160) }]),
    ...missingRoutes(kind, described),
    ...(described ? [] : [{ kind: 'no-version' as const, detail: '' }]),
    ...(await postFindings(kind, server, signal)),
    ...(kind.closes ? [] : [{ kind: 'stays-open' as const, detail: '' }]),
    ...missingParts(described),
  ];
  const harmless = ['no-version', 'stays-open', 'lacks'];
  const works = findings.every(({ kind }) => harmless.includes(kind));
  return {
    works,
    description: text.slice(0, 160),
    version: described?.info.version ?? '',
    ms: median(times),
    findings,
  };
}

function missingRoutes(
  { prefix = '', closes }: AgentGymKind,
  described: { paths: { [path: string]: unknown } } | null,
): ConnectionFinding[] {
  if (!described) return [];
  const wanted = ['/create', '/reset', '/step', ...(closes ? ['/close'] : [])].map((path) => `${prefix}${path}`);
  const missing = wanted.filter((path) => !(path in described.paths));
  return missing.length ? [{ kind: 'routes-missing', detail: missing.join(', ') }] : [];
}

/**
 * Sends a step without an environment. The server must refuse it readably; if the request fails altogether, the page
 * may read from this server but not post to it.
 */
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
    return error instanceof UnreachableError ? [{ kind: 'may-not-post', detail: '' }] : [];
  }
}
