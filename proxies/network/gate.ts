/**
 * A browser's only way out: a forward proxy on loopback, one for each episode. It sees every hop (redirects and sockets
 * too, which a browser's own request filter misses), passes what `Hosts` allows, counts bytes, and cuts off responses
 * that are too large. It does not depend on pages.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as sendRequest,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Hosts, Target } from './hosts.ts';

export interface GateLimits {
  responseBytes: number;
  episodeBytes: number;
}

export interface GateEvents {
  /** A connection to this address (`host:port`) was refused. */
  refused(host: string): void;
  /** A response or the episode exceeded its size limit and was cut off. */
  tooLarge(what: 'response' | 'episode', bytes: number): void;
}

/** Hosts that Chromium contacts by itself. A refusal of these is not reported: no page caused it. */
const browserHosts = /(?:^|\.)(?:googleapis\.com|gstatic\.com|google\.com|gvt1\.com)$/;

const hopByHop = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

function forwardable(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = new Set(
    String(headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((each) => each.trim()),
  );
  return Object.fromEntries(Object.entries(headers).filter(([key]) => !hopByHop.has(key) && !named.has(key)));
}

/** Parses the `host:port` of a CONNECT request. Returns null if it is malformed. */
function authority(text: string): { host: string; port: number } | null {
  const found = /^(\[[0-9a-f:.]+\]|[^:/?#[\]]+):(\d{1,5})$/i.exec(text);
  return found && { host: found[1], port: Number(found[2]) };
}

/** Least status of HTTP; Node throws if a lower one is sent on. */
const leastStatus = 100;

/** Answers for a site that did not, or ends an answer that has begun. */
function refuseAnswer(response: ServerResponse, why: string): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(502, { 'content-type': 'text/plain' }).end(`The site did not answer: ${why}.`);
}

const refusal = 'This address is not one of the sites in the configuration of the proxy.';

export class Gate {
  bytes = 0;
  /** Time of the last start or end of a request, or of the last bytes in a tunnel. */
  activeAt = 0;
  /** Start times of the requests whose response is not complete yet. */
  private readonly unanswered = new Map<ServerResponse, number>();
  private readonly sockets = new Set<Duplex>();

  private constructor(
    private readonly server: Server,
    private readonly hosts: Hosts,
    private readonly limits: GateLimits,
    private readonly events: GateEvents,
  ) {
    server.on('request', (request, response) => this.pass(request, response));
    server.on('connect', (request, socket, head) => this.tunnel(request, socket, head));
    // Chromium opens sockets by CONNECT, so a plain upgrade does not come from the browser.
    server.on('upgrade', (_request, socket) => socket.destroy());
    server.on('connection', (socket) => this.keep(socket));
    server.on('clientError', (_error, socket) => socket.destroy());
  }

  static async open(hosts: Hosts, limits: GateLimits, events: GateEvents): Promise<Gate> {
    const server = createServer({ requestTimeout: 0 });
    const gate = new Gate(server, hosts, limits, events);
    await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
    return gate;
  }

  /** Address for a browser's proxy setting. */
  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Closes every connection. */
  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private keep(socket: Duplex): void {
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.sockets.delete(socket));
  }

  private refuse(host: string): void {
    if (!browserHosts.test(host.replace(/:\d+$/, ''))) this.events.refused(host);
  }

  /** Number of incomplete requests that began at or after `ms` (as `performance.now()` counts). */
  inFlightSince(ms: number): number {
    let count = 0;
    for (const began of this.unanswered.values()) if (began >= ms) count++;
    return count;
  }

  /** Adds to the episode's bytes. Returns true if its limit is exceeded. */
  private count(bytes: number): boolean {
    this.bytes += bytes;
    if (this.bytes <= this.limits.episodeBytes) return false;
    this.events.tooLarge('episode', this.bytes);
    return true;
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? '';
    const target = /^http:/i.test(url) ? this.hosts.targetOf(url) : null;
    if (!target) {
      this.refuse(URL.canParse(url) ? new URL(url).host : 'an invalid address');
      response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(refusal);
      return;
    }
    this.forward(request, response, target, new URL(url));
  }

  private forward(request: IncomingMessage, response: ServerResponse, target: Target, url: URL): void {
    this.activeAt = performance.now();
    this.unanswered.set(response, this.activeAt);
    response.once('close', () => {
      this.unanswered.delete(response);
      this.activeAt = performance.now();
    });
    const headers = { ...forwardable(request.headers), host: url.host };
    const path = `${url.pathname}${url.search}`;
    const outgoing = sendRequest({
      host: target.address,
      port: target.port,
      method: request.method,
      path,
      headers,
      agent: false,
    });
    outgoing.once('response', (answer) => this.answer(answer, response));
    // Without a listener Node closes the connection, and no other event follows.
    outgoing.once('upgrade', (_answer, socket) => {
      socket.destroy();
      refuseAnswer(response, 'it switched protocols unasked');
    });
    outgoing.once('error', (error: NodeJS.ErrnoException) => refuseAnswer(response, String(error.code)));
    response.once('close', () => outgoing.destroy());
    request.pipe(outgoing);
  }

  private answer(answer: IncomingMessage, response: ServerResponse): void {
    const status = answer.statusCode ?? 502;
    if (status < leastStatus) {
      answer.on('error', () => {}).destroy();
      refuseAnswer(response, `its status is ${status}, below ${leastStatus}`);
      return;
    }
    response.writeHead(status, forwardable(answer.headers));
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > this.limits.responseBytes) this.events.tooLarge('response', bytes);
      if (this.count(chunk.length) || bytes > this.limits.responseBytes) {
        answer.destroy();
        response.destroy();
      } else if (!response.write(chunk)) {
        answer.pause();
        response.once('drain', () => answer.resume());
      }
    });
    answer.once('end', () => response.end());
    answer.once('error', () => response.destroy());
  }

  /** Tunnels TLS and sockets: bytes in both directions, to an allowed host and port only. */
  private tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const wanted = authority(request.url ?? '');
    const target = wanted && this.hosts.target(wanted.host, wanted.port);
    if (!target) {
      this.refuse(request.url ?? '');
      socket.end(`HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const out = connect({ host: target.address, port: target.port });
    this.keep(out);
    out.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length) out.write(head);
      this.join(out, socket);
    });
    out.once('error', () => socket.destroy());
    socket.once('close', () => out.destroy());
    out.once('close', () => socket.destroy());
  }

  private join(out: Socket, socket: Duplex): void {
    socket.pipe(out);
    out.pipe(socket);
    out.on('data', (chunk: Buffer) => {
      this.activeAt = performance.now();
      if (this.count(chunk.length)) out.destroy();
    });
  }
}
