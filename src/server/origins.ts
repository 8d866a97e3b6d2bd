/**
 * Which pages may use the server. The protocols have no login, so a page that was not named is refused: by an answer without
 * headers for it, by 403 where it sends more than a question, and before its socket opens. Programs send no Origin.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A page of an origin that was not named with --origin. */
export class ForeignOrigin extends Error {
  override name = 'ForeignOrigin';
  constructor(readonly origin: string) {
    super(`Pages of ${origin} may not use this server: start it with --origin ${origin}.`);
  }
}

const preflightSeconds = 600;

export class Origins {
  private readonly named: ReadonlySet<string>;

  constructor(named: readonly string[]) {
    this.named = new Set(named);
  }

  allows(origin: string | undefined): boolean {
    return origin === undefined || this.named.has(origin);
  }

  /** Sets the headers of a named origin; answers its preflights; refuses the others. True where the answer is sent. */
  handle(request: FastifyRequest, reply: FastifyReply): boolean {
    const { origin } = request.headers;
    if (origin === undefined) return false;
    if (!this.named.has(origin)) {
      // A preflight is answered like anything else: without headers for it, the browser sends nothing more.
      if (request.method === 'OPTIONS') return false;
      const { name, message } = new ForeignOrigin(origin);
      void reply.code(403).send({ detail: message, type: name });
      return true;
    }
    reply.headers({ 'access-control-allow-origin': origin, vary: 'Origin' });
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return false;
    reply.headers({
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': request.headers['access-control-request-headers'] ?? 'content-type',
      'access-control-max-age': String(preflightSeconds),
      // Chromium asks before a public page reaches a private address: developer.chrome.com/blog/private-network-access-preflight
      ...(request.headers['access-control-request-private-network'] && {
        'access-control-allow-private-network': 'true',
      }),
    });
    void reply.code(200).send('OK');
    return true;
  }
}
