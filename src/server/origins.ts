/**
 * Pages that may use the server. The protocols have no login of a page, so a page of an unlisted origin is refused (see
 * `door.ts`). Programs send no Origin header and are allowed.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

const preflightSeconds = 600;

export class Origins {
  private readonly named: ReadonlySet<string>;

  constructor(named: readonly string[]) {
    this.named = new Set(named);
  }

  allows(origin: string | undefined): boolean {
    return origin === undefined || this.named.has(origin);
  }

  /** Sets the CORS headers for a listed origin and answers its preflights. Returns true if it sent the answer. */
  handle(request: FastifyRequest, reply: FastifyReply): boolean {
    const { origin } = request.headers;
    if (origin === undefined || !this.named.has(origin)) return false;
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
