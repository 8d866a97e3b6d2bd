/**
 * Shared parts of the examination of servers: a report from its findings, and requests that a page's
 * browser would block.
 */
import * as v from 'valibot';
import type { ConnectionFinding, ConnectionReport } from '../module.ts';
import {
  AnswerError,
  ClosedToPagesError,
  DeadlineError,
  type JsonServer,
  ServerError,
  UnreachableError,
} from './http.ts';

/** Report of an examination that stopped at these findings. */
export const reportOf = (findings: readonly ConnectionFinding[]): ConnectionReport => ({
  works: false,
  description: '',
  version: '',
  ms: null,
  findings,
});

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|.*\.localhost)$/;

/**
 * True if a page that was loaded over HTTPS cannot reach this address: of unencrypted servers it reaches only those on
 * its own machine (W3C Mixed Content).
 */
export function blockedByPage(address: string, page: string | undefined = globalThis.location?.protocol): boolean {
  const { protocol, hostname } = new URL(address);
  return page === 'https:' && (protocol === 'http:' || protocol === 'ws:') && !loopback.test(hostname);
}

/** Finding for a server that did not answer. */
function unreached(error: ServerError): ConnectionFinding {
  if (error instanceof ClosedToPagesError) return { kind: 'closed-to-pages', detail: '' };
  if (error instanceof AnswerError && [401, 403].includes(error.status))
    return { kind: 'refused', detail: error.message };
  const silent = error instanceof UnreachableError || error instanceof DeadlineError;
  return { kind: silent ? 'unreachable' : 'not-understood', detail: error.message };
}

/** Examines the server of a typed address: reports why it cannot be reached, or else the findings of `look`. */
export async function checkServer(
  typed: string | undefined,
  /** Throws if the text is not an address. */
  addressOf: (typed: string) => string,
  look: (address: string) => Promise<ConnectionReport>,
): Promise<ConnectionReport> {
  if (!typed) return reportOf([{ kind: 'no-address', detail: '' }]);
  let address: string;
  try {
    address = addressOf(typed);
  } catch (error) {
    return reportOf([{ kind: 'bad-address', detail: (error as Error).message }]);
  }
  if (blockedByPage(address)) return reportOf([{ kind: 'insecure', detail: '' }]);
  try {
    return await look(address);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return reportOf([unreached(error)]);
  }
}

const DescriptionSchema = v.object({
  // Description of missing parts, which our proxy sends.
  info: v.object({
    title: v.optional(v.string()),
    version: v.string(),
    'x-missing': v.optional(v.array(v.string()), []),
  }),
  paths: v.record(v.string(), v.unknown()),
});

export type Description = v.InferOutput<typeof DescriptionSchema>;

/** The server's OpenAPI description, or null if none can be read. */
export async function descriptionOf(server: JsonServer, signal?: AbortSignal): Promise<Description | null> {
  try {
    const result = v.safeParse(DescriptionSchema, await server.get('/openapi.json', { signal }));
    return result.success ? result.output : null;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return null;
  }
}

export const missingParts = (described: Description | null): ConnectionFinding[] =>
  (described?.info['x-missing'] ?? []).map((detail) => ({ kind: 'lacks', detail }));
