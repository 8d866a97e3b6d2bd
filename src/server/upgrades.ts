/**
 * Requests that ask for another protocol. Node takes its own listeners off their connection, also while answers to
 * earlier requests are due there: until these are sent, no other answer can be.
 */
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { onceEnded } from './in-progress.ts';

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** For each connection, the request that came last, while its answer is not complete. */
const latest = new WeakMap<object, { request: IncomingMessage; response: ServerResponse }>();

function follow(request: IncomingMessage, response: ServerResponse): void {
  const each = { request, response };
  latest.set(request.socket, each);
  onceEnded(request, response, () => {
    if (latest.get(request.socket) === each) latest.delete(request.socket);
  });
}

/** Resolves once the connection has sent its answers to all requests, or is closed. Answers are sent in order. */
function earlierAnswers(socket: Duplex): Promise<void> {
  const last = latest.get(socket);
  return new Promise((resolve) => (last ? onceEnded(last.request, last.response, resolve) : resolve()));
}

const ofUpgrade = (name: string) => /^(?:upgrade|http2-settings)$/i.test(name.trim());
const withoutUpgrade = (connection: string) =>
  connection
    .split(',')
    .filter((name) => !ofUpgrade(name))
    .join(',');

/**
 * Answers a request that asks for another protocol as one that does not, as RFC 9110, section 7.8 allows: Java's client
 * asks for `h2c` with every first request.
 */
function answerPlainly(http: HttpServer, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let k = 0; k < rawHeaders.length; k += 2) {
    const [name, value] = rawHeaders.slice(k, k + 2);
    if (!ofUpgrade(name)) lines.push(`${name}: ${/^connection$/i.test(name) ? withoutUpgrade(value) : value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  http.emit('connection', socket);
}

/** Calls `open` for each request for a WebSocket, after the earlier answers of its connection. */
export function onSocketRequest(http: HttpServer, open: Upgrade): void {
  http.on('request', follow);
  http.on('upgrade', async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A client that leaves meanwhile must not end the process.
    const ignore = () => {};
    socket.on('error', ignore);
    await earlierAnswers(socket);
    if (socket.destroyed) return;
    if (/websocket/i.test(request.headers.upgrade ?? '')) return open(request, socket, head);
    answerPlainly(http, request, socket, head);
    // Node has its own listener again.
    socket.off('error', ignore);
  });
}

/** Puts `onSocketRequest` before the listeners that libraries have added. */
export function delaySocketRequests(http: HttpServer): void {
  const listeners = http.listeners('upgrade') as Upgrade[];
  if (!listeners.length) return;
  http.removeAllListeners('upgrade');
  onSocketRequest(http, (...upgrade) => {
    for (const listener of listeners) listener.apply(http, upgrade);
  });
}
