/**
 * Access to a server: the Host header, the page's origin and the token. The token is either the first segment of the
 * path, because sockets and AgentGym's Python clients cannot send headers of their own, or `Authorization: Bearer`, as
 * OpenAI's clients send it. The segment is removed before any other module reads the request. Programs send no Origin
 * header and need only the token. A refusal has status 403, or 429 after too many wrong tokens, and a named error.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Guesses, TooManyGuesses } from './guesses.ts';
import { countRequest, TooManyInProgress } from './in-progress.ts';
import { Origins } from './origins.ts';

class WrongToken extends Error {
  override name = 'WrongToken';
  override message =
    'Wrong token: the first part of the address is not the token of this server. Copy the address again from its output.';
}

/** The Host header names another machine, is empty, or came more than once. */
class ForeignHost extends Error {
  override name = 'ForeignHost';
}

/** A request came from a page whose origin was not listed. */
class ForeignOrigin extends Error {
  constructor(
    override name: 'ForeignOrigin' | 'ForeignPage',
    message: string,
  ) {
    super(message);
  }
}

export const newToken = () => randomBytes(24).toString('base64url');
export const tokenForm = /^[A-Za-z0-9_-]{16,128}$/;

const hash = (text: string) => createHash('sha256').update(text).digest();

/** True if two secrets are equal, in a time that does not depend on where they differ. */
export const isSameSecret = (a: string, b: string): boolean => timingSafeEqual(hash(a), hash(b));
/** Path to which requests with a wrong token are rewritten. No path of a server begins like this. */
const refusedPath = '/-/wrong-token';

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** True if only this machine reaches a server that listens on this address. */
const isLoopbackAddress = (host: string) => /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host);

/** Maximum number of characters of a header shown in a refusal. */
const mostShown = 100;

/** A host name without its port. */
const nameOf = (host: string) => host.toLowerCase().replace(/:\d*$/, '');
/** An address as an URL has it. */
export const inBrackets = (address: string) => (address.includes(':') ? `[${address}]` : address);

/** Address at which a request arrived, as a Host header spells it. */
const arrivalOf = ({ socket }: Incoming) =>
  socket?.localAddress && inBrackets(socket.localAddress.toLowerCase().replace(/^::ffff:/, ''));

type Incoming = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'method' | 'url' | 'socket'>;

export interface DoorOptions {
  /** Origins of pages that may use the server. */
  origins: readonly string[];
  /** `host` or `host:port` that requests may name, beside the loopback names and the address of their arrival. */
  hosts: readonly string[];
  /** Address that the server listens on. */
  host: string;
  token: string | null;
  /** Last sentence of a refusal: the setting that admits the host, or the origin. */
  admits: { host: string; origin(origin: string): string };
  /** True if the server serves a page of its own, whose requests are allowed. Default: false. */
  sameOrigin?: boolean;
  /** Name of the refusal of a page. */
  pageRefusal: ForeignOrigin['name'];
}

export class Door {
  private readonly wanted: Buffer | null;
  private readonly origins: Origins;
  private readonly hosts: ReadonlySet<string>;
  constructor(
    private readonly options: DoorOptions,
    private readonly guesses = new Guesses(),
  ) {
    const { origins, hosts, host, token } = options;
    this.wanted = token === null ? null : hash(token);
    this.origins = new Origins(origins);
    this.hosts = new Set([
      ...loopbackNames,
      inBrackets(host.toLowerCase()),
      ...hosts.map((each) => each.toLowerCase()),
    ]);
  }

  /** Returns the path without its token, or `refusedPath` if the token is wrong. */
  strip = ({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string => {
    if (!this.wanted) return url;
    const [, segment = '', rest = ''] = /^\/([^/?]*)(.*)$/s.exec(url) ?? [];
    if (timingSafeEqual(hash(segment), this.wanted)) return rest.startsWith('/') ? rest : `/${rest}`;
    const bearer = /^Bearer (\S{1,200})$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(hash(bearer), this.wanted) ? url : refusedPath;
  };

  private hostObjection(request: Incoming): ForeignHost | null {
    const named = request.rawHeaders.filter((name, k) => k % 2 === 0 && name.toLowerCase() === 'host').length;
    const { host = '' } = request.headers;
    if (named > 1) return new ForeignHost(`A request must have one Host header; this one has ${named}.`);
    if (host === '') return new ForeignHost('A request must name its host; the Host header is empty or missing.');
    const name = nameOf(host);
    if (this.hosts.has(name) || this.hosts.has(host.toLowerCase()) || name === arrivalOf(request)) return null;
    return new ForeignHost(
      `Requests to the host "${host.slice(0, mostShown)}" are refused: ${this.options.admits.host}.`,
    );
  }

  /** True for the page that this server serves. Its host was checked before. */
  private isOwnPage({ headers: { origin, host } }: Incoming): boolean {
    return this.options.sameOrigin === true && (origin === `https://${host}` || origin === `http://${host}`);
  }

  /** Returns the reason to refuse a request whose path was stripped, or null if it is allowed. */
  objection(request: Incoming): Error | null {
    const { origin } = request.headers;
    const foreign = this.hostObjection(request);
    if (foreign) return foreign;
    // AgentGym's servers answer every OPTIONS alike. Without CORS headers the browser sends nothing after it.
    const isPreflight = !this.wanted && request.method === 'OPTIONS';
    if (!isPreflight && !this.origins.allows(origin) && !this.isOwnPage(request)) {
      const shown = origin!.slice(0, mostShown);
      const { pageRefusal, admits } = this.options;
      return new ForeignOrigin(pageRefusal, `Pages of ${shown} may not use this server: ${admits.origin(shown)}.`);
    }
    return request.url === refusedPath ? new WrongToken() : null;
  }

  /**
   * Resolves with the reason to refuse a request, or with null if it is allowed. Earlier wrong tokens delay the answer.
   */
  async decide(request: Incoming): Promise<Error | null> {
    const objection = this.objection(request);
    if (!this.wanted || (objection && !(objection instanceof WrongToken))) return objection;
    try {
      const waitMs = this.guesses.wait(request.socket?.remoteAddress ?? '', !objection);
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs).unref());
      return objection;
    } catch (error) {
      return error as TooManyGuesses;
    }
  }

  /** Guards every route of a server that was made with `rewriteUrl: door.strip`. */
  guard(app: FastifyInstance): void {
    app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
      const objection = countRequest(request.raw, reply.raw) ?? (await this.decide(request.raw));
      // Pages of allowed origins get CORS headers with the refusal too: without them they could not read the reason.
      const readable = !objection || objection instanceof WrongToken || objection instanceof TooManyGuesses;
      if (readable && this.origins.handle(request, reply)) return reply;
      if (!objection) return;
      if (objection instanceof TooManyGuesses) reply.header('retry-after', objection.seconds);
      const tooMany = objection instanceof TooManyGuesses || objection instanceof TooManyInProgress;
      return reply.code(tooMany ? 429 : 403).send({ detail: objection.message, type: objection.name });
    });
  }
}

export interface Exposure {
  /** True if connections are encrypted. */
  encrypted?: boolean;
  /** Word for the token, as people of this server know it. */
  secret?: string;
}

/** Returns a warning about an address that other machines reach, or null for this machine's own. */
export function exposureWarning(
  host: string,
  token: string | null,
  { encrypted = false, secret = 'token' }: Exposure = {},
): string | null {
  if (isLoopbackAddress(host)) return null;
  const who = `Anyone who reaches this machine${token === null ? '' : ` and has the ${secret}`}`;
  return `Warning: ${host} is not a loopback address. ${who} can use this server${encrypted ? '' : ', and connections are not encrypted'}.`;
}

/** Describes in one line why a server cannot listen, or returns null for other errors. */
export function listenProblem(error: NodeJS.ErrnoException, host: string, port: number): string | null {
  if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') return null;
  if (error.code === 'EADDRINUSE')
    return `Port ${port} of ${host} is in use: stop the other server, or choose another port.`;
  if (error.code === 'EACCES')
    return `Port ${port} of ${host} may not be opened by this user: choose a port above 1023.`;
  return `The server cannot listen on ${host}, port ${port} (${error.code}): choose an address of this machine.`;
}
