/**
 * Access control. The token is the first segment of the path because sockets and AgentGym's Python clients cannot send
 * headers of their own; it is removed before any other module sees the request. Programs send no Origin header and need
 * only the token. A page from an unlisted origin, a foreign Host header and a wrong token are answered with status 403
 * and a named error.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Origins } from '../src/server/origins.ts';
import type { ProxyConfig } from './config.ts';

class WrongToken extends Error {
  override name = 'WrongToken';
  override message =
    'Wrong token: the first part of the address is not the token of this proxy. Copy the address again from its output.';
}
class ForeignHost extends Error {
  override name = 'ForeignHost';
  constructor(host: string) {
    super(`Requests to the host "${host.slice(0, 100)}" are refused: add it to "hosts" in the proxy's configuration.`);
  }
}
class ForeignPage extends Error {
  override name = 'ForeignPage';
  constructor(origin: string) {
    super(`Pages of ${origin.slice(0, 100)} may not use this proxy: add the origin to "origins" in its configuration.`);
  }
}

export const newToken = () => randomBytes(24).toString('base64url');

const hash = (text: string) => createHash('sha256').update(text).digest();
/** Path to which requests with a wrong token are rewritten. No path of the proxy begins like this. */
const refusedPath = '/-/wrong-token';

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** A host name without its port. */
const nameOf = (host: string) => host.toLowerCase().replace(/:\d*$/, '');

export class Door {
  private readonly wanted: Buffer;
  private readonly origins: Origins;
  private readonly hosts: ReadonlySet<string>;

  constructor({ origins, hosts, host }: Pick<ProxyConfig, 'origins' | 'hosts' | 'host'>, token: string) {
    this.wanted = hash(token);
    this.origins = new Origins(origins);
    this.hosts = new Set([...loopbackNames, nameOf(host.includes(':') ? `[${host}]` : host), ...hosts]);
  }

  /** Returns the path without its token, or `refusedPath` if the token is wrong. */
  strip = (url: string | undefined): string => {
    const [, segment = '', rest = ''] = /^\/([^/?]*)(.*)$/s.exec(url ?? '') ?? [];
    if (!timingSafeEqual(hash(segment), this.wanted)) return refusedPath;
    return rest.startsWith('/') ? rest : `/${rest}`;
  };

  /** Returns the reason to refuse a request, or null if it is allowed. */
  objection({ headers, url }: Pick<IncomingMessage, 'headers' | 'url'>): Error | null {
    const { host = '', origin } = headers;
    if (!this.hosts.has(nameOf(host)) && !this.hosts.has(host.toLowerCase())) return new ForeignHost(host);
    if (!this.origins.allows(origin)) return new ForeignPage(origin!);
    return url === refusedPath ? new WrongToken() : null;
  }

  /** Guards every route of a server that was made with `rewriteUrl: door.strip`. */
  guard(app: FastifyInstance): void {
    app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
      const objection = this.objection(request.raw);
      // Pages of allowed origins get CORS headers with the refusal too: without them they could not read the reason.
      const allowed = this.origins.allows(request.headers.origin);
      if (!objection || (objection instanceof WrongToken && allowed)) {
        if (this.origins.handle(request, reply)) return;
      }
      if (!objection) return done();
      void reply.code(403).send({ detail: objection.message, type: objection.name });
    });
  }
}
