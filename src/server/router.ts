/**
 * Paths of the server. As on the original servers, a known path with another method is a 405, and a path known only
 * with, or only without, a slash at its end is a 307. Handles requests and answers; independent of worlds.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { onceEnded } from './in-progress.ts';

export interface Request {
  /** Named parts of the path. */
  params: { readonly [name: string]: string };
  query: { readonly [name: string]: string | string[] };
  body: Buffer | undefined;
  contentType: string | undefined;
  /** Keys of the client, from the one that is hardest to change: its address, what it authorises itself with, its connection. */
  client: readonly unknown[];
  /** Returns a signal that aborts when the client disconnects. */
  disconnected(): AbortSignal;
}

export type Answer =
  | { status: number; json: unknown }
  | { status: number; text: string }
  | { status: number; bytes: Uint8Array; type: string }
  /** Server-sent events, each produced when the client is ready for it. */
  | { status: number; events: AsyncIterable<string> };

export type Handler = (request: Request) => Promise<Answer>;
type Method = 'GET' | 'POST';

export class Router {
  private readonly methods = new Map<string, Map<Method, Handler>>();

  constructor(
    private readonly app: FastifyInstance,
    private readonly send: (reply: FastifyReply, answer: Answer) => Promise<unknown>,
  ) {}

  add(method: Method, path: string, handler: Handler): void {
    const known = this.methods.get(path) ?? new Map<Method, Handler>();
    this.methods.set(path, known.set(method, handler));
    this.app.route({
      method,
      url: path,
      handler: async (request, reply) => this.send(reply, await handler(read(request, reply))),
    });
  }

  /** Every path with its methods, for API descriptions. */
  get paths(): ReadonlyMap<string, ReadonlyMap<Method, Handler>> {
    return this.methods;
  }

  /** Returns the answer to a request that matched no route. `sent`: its address as it was sent, with a token. */
  missing(url: string, sent: string): { status: number; location?: string; allow?: string } {
    const whole = url.split('?', 1)[0];
    const path = whole.slice(this.app.prefix.length);
    const known = this.methods.get(path);
    if (known) return { status: 405, allow: [...known.keys()].join(', ') };
    const other = path.endsWith('/') ? path.replace(/\/+$/, '') : `${path}/`;
    if (!other || !this.methods.has(other)) return { status: 404 };
    const [asked] = sent.split('?', 1);
    const elsewhere = path.endsWith('/') ? asked.replace(/\/+$/, '') : `${asked}/`;
    return { status: 307, location: elsewhere + sent.slice(asked.length) };
  }
}

/** Content types as they were sent: Fastify refuses those that it cannot parse, which the original servers read. */
const sentTypes = new WeakMap<object, string>();

/** Keeps a request's content type, and replaces it by one that Fastify reads. */
export function keepSentType({ raw }: FastifyRequest): void {
  const sent = raw.headers['content-type'];
  if (sent === undefined) return;
  sentTypes.set(raw, sent);
  raw.headers['content-type'] = 'application/octet-stream';
}

const sentType = ({ raw }: FastifyRequest) => sentTypes.get(raw) ?? raw.headers['content-type'];

function read(request: FastifyRequest, reply: FastifyReply): Request {
  return {
    params: request.params as Request['params'],
    query: request.query as Request['query'],
    body: request.body as Buffer | undefined,
    contentType: sentType(request),
    client: [request.ip, request.headers.authorization, request.raw.socket],
    disconnected() {
      const control = new AbortController();
      onceEnded(request.raw, reply.raw, () => control.abort());
      return control.signal;
    },
  };
}
