/**
 * Checks an OpenEnv server without playing: whether its socket answers, its latency, its name and version, and whether
 * it accepts a second session.
 */
import * as v from 'valibot';
import { median } from '../../envs/median.ts';
import type { ConnectionFinding, ConnectionReport, ConnectionSettings } from '../../envs/module.ts';
import { type HttpOptions, JsonServer, ServerError, UnreachableError } from '../../envs/transport/http.ts';
import { blockedByPage, reportOf } from '../../envs/transport/server-check.ts';
import { CapacityError, OpenEnvSession } from './session.ts';
import { addressesOf } from './world.ts';

const PINGS = 3;
const quick = { connectMs: 10_000, answerMs: 10_000 };
const MetadataSchema = v.object({
  name: v.string(),
  description: v.optional(v.nullable(v.string()), ''),
  version: v.optional(v.nullable(v.string()), ''),
});

export async function checkOpenEnv(
  settings: ConnectionSettings,
  signal?: AbortSignal,
  options: HttpOptions = {},
): Promise<ConnectionReport> {
  if (!settings.address) return reportOf([{ kind: 'no-address', detail: '' }]);
  let addresses: ReturnType<typeof addressesOf>;
  try {
    addresses = addressesOf(settings);
  } catch (error) {
    return reportOf([{ kind: 'bad-address', detail: (error as Error).message }]);
  }
  if (blockedByPage(addresses.socket)) return reportOf([{ kind: 'insecure', detail: '' }]);
  const server = new JsonServer(addresses.http, { attempts: 1, attemptMs: 10_000, ...options });
  try {
    return await check(addresses.socket, server, signal);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return reportOf([unreached(error)]);
  }
}

function unreached(error: ServerError): ConnectionFinding {
  if (error instanceof CapacityError) return { kind: 'full', detail: error.message };
  return { kind: error instanceof UnreachableError ? 'unreachable' : 'not-understood', detail: error.message };
}

async function check(socket: string, server: JsonServer, signal?: AbortSignal): Promise<ConnectionReport> {
  const session = await OpenEnvSession.open(socket, quick, signal);
  try {
    const times: number[] = [];
    for (let ping = 0; ping < PINGS; ping++) {
      const start = performance.now();
      await session.ping(signal);
      times.push(performance.now() - start);
    }
    const described = await getOrNull(server, '/metadata', MetadataSchema, signal);
    const schema = await getOrNull(server, '/schema', v.object({ action: v.looseObject({}) }), signal);
    const findings: ConnectionFinding[] = [
      ...(described?.version ? [] : [{ kind: 'no-version' as const, detail: '' }]),
      ...(schema ? [] : [{ kind: 'no-schema' as const, detail: '' }]),
      ...(await placesFinding(socket, signal)),
    ];
    const summary = described ? `${described.name}: ${described.description}` : 'OpenEnv';
    return {
      works: true,
      description: summary.slice(0, 200),
      version: described?.version ?? '',
      ms: median(times),
      findings,
    };
  } finally {
    session.close();
  }
}

/**
 * Result of an HTTP route, or null if it cannot be read. In a page it usually cannot: the reference server sends no
 * CORS headers.
 */
async function getOrNull<S extends v.GenericSchema>(
  server: JsonServer,
  path: string,
  schema: S,
  signal?: AbortSignal,
): Promise<v.InferOutput<S> | null> {
  try {
    const result = v.safeParse(schema, await server.get(path, { signal }));
    return result.success ? result.output : null;
  } catch (error) {
    if (error instanceof ServerError) return null;
    throw error;
  }
}

/** Checks if the server accepts a second session beside the first. */
async function placesFinding(socket: string, signal?: AbortSignal): Promise<ConnectionFinding[]> {
  let second: OpenEnvSession | null = null;
  try {
    second = await OpenEnvSession.open(socket, quick, signal);
    await second.ping(signal);
    return [];
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return error instanceof CapacityError ? [{ kind: 'places', detail: String(error.places ?? 1) }] : [];
  } finally {
    second?.close();
  }
}
