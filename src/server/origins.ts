/**
 * Pages that may use the server. The protocols have no login, so a page of an unlisted origin is refused: its preflight
 * gets no CORS headers, its other requests get a 403, and its socket is refused before it opens. Programs send no
 * Origin header and are allowed.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request came from a page whose origin was not listed with --origin. */
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

  /**
   * Sets the CORS headers for a listed origin, answers its preflights and refuses all others. Returns true if it sent
   * the answer.
   */
  handle(request: FastifyRequest, reply: FastifyReply): boolean {
    const { origin } = request.headers;
    if (origin === undefined) return false;
    if (!this.named.has(origin)) {
      // The preflight of an unlisted origin gets a normal answer without CORS headers; the browser then sends no
      // request.
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
      // Chromium checks before a public page reaches a private address:
      // developer.chrome.com/blog/private-network-access-preflight
      ...(request.headers['access-control-request-private-network'] && {
        'access-control-allow-private-network': 'true',
      }),
    });
    void reply.code(200).send('OK');
    return true;
  }
}
