/**
 * WebSockets on the server's port: the paths that accept them, the check at the door, and a conversation that answers
 * each message before it reads the next. A client that never reads, or sends a message over the limit, loses its own
 * socket only.
 */
import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Door } from './door.ts';
import { earlierAnswers, followRequests } from './in-progress.ts';

/** One side of a socket: produces an answer to each message. */
interface Conversation {
  /** Returns the answer to a message, or null to close the socket. */
  answer(text: string): Promise<object | null>;
  /** Called when the socket has closed. */
  end(): void;
}

/** Closes a socket, after a last message if there is one. */
type Hang = (last: object | null, code: number, reason: string) => void;

/** Opens a conversation, or returns a refusal: the socket then closes with that message. */
export type OpenConversation = (hang: Hang) => Conversation | { refusal: object };

// github.com/websockets/ws, RFC 6455 section 7.4.1, and 1013 of the IANA registry.
export const CloseCode = { normal: 1000, goingAway: 1001, policy: 1008, internal: 1011, tryLater: 1013 } as const;

/** Maximum number of bytes of answers that the client has not read yet; beyond it the socket is cut. */
const mostUnread = 4 << 20;
const closingMs = 5000;
/** Maximum number of characters of a path shown in a refusal. */
const mostShown = 100;

export class Sockets {
  private readonly paths = new Map<string, OpenConversation>();
  private readonly server: WebSocketServer;

  constructor(
    private readonly door: Door,
    mostBytes: number,
    /** Receives what a conversation throws; its socket is then closed. */
    private readonly report: (error: unknown) => void,
    /** Path below which this server's sockets are; sockets elsewhere are not its own. */
    private readonly prefix = '',
  ) {
    this.server = new WebSocketServer({ noServer: true, maxPayload: mostBytes, perMessageDeflate: false });
  }

  add(path: string, open: OpenConversation): void {
    this.paths.set(path, open);
  }

  attach(http: HttpServer): void {
    const others = attached.get(http);
    if (others) others.push(this);
    else dispatch(http, [this]);
  }

  /** True for the paths below its prefix. */
  owns(path: string): boolean {
    return !this.prefix || path.startsWith(`${this.prefix}/`);
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // A client that leaves during a delay must not end the process.
    socket.on('error', () => {});
    await earlierAnswers(socket);
    request.url = this.door.strip(request);
    const objection = await this.door.decide(request);
    const path = request.url.split('?', 1)[0].slice(this.prefix.length);
    const open = this.paths.get(path);
    if (objection) refuse(socket, '403 Forbidden', objection.message);
    else if (!open) refuse(socket, '404 Not Found', `There is no socket at ${path.slice(0, mostShown)}.`);
    else this.server.handleUpgrade(request, socket, head, (opened) => answerInOrder(opened, open, this.report));
  }

  /** Closes every socket with the status "going away". */
  close(): void {
    for (const socket of this.server.clients) socket.close(CloseCode.goingAway, 'the server was closed');
    setTimeout(() => {
      for (const socket of this.server.clients) socket.terminate();
    }, closingMs).unref();
    this.server.close();
  }
}

/** Each server's sockets: those of the mounts of one application share its server. */
const attached = new WeakMap<HttpServer, Sockets[]>();

/** Listens for requests that ask for another protocol. */
function dispatch(http: HttpServer, mounts: Sockets[]): void {
  attached.set(http, mounts);
  followRequests(http);
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const isSocket = /websocket/i.test(request.headers.upgrade ?? '');
    const mount = mounts.find((each) => each.owns(request.url ?? ''));
    if (!isSocket) void answerPlainly(http, request, socket, head);
    else if (mount) void mount.upgrade(request, socket, head);
    // An application's own sockets have a listener of their own.
    else if (http.listenerCount('upgrade') === 1) refuse(socket, '404 Not Found', 'There is no socket here.');
  });
}

const ofUpgrade = (name: string) => /^(?:upgrade|http2-settings)$/i.test(name.trim());
const withoutUpgrade = (connection: string) =>
  connection
    .split(',')
    .filter((name) => !ofUpgrade(name))
    .join(',');

/**
 * Answers a request that asks for another protocol as one that does not, as RFC 9110, section 7.8 allows: Java's client
 * asks for `h2c` with every first request. Node hands all of them to the listener of sockets. Before the answers to
 * earlier requests are sent, Node would not send this one.
 */
async function answerPlainly(http: HttpServer, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const ignore = () => {};
  socket.on('error', ignore);
  await earlierAnswers(socket);
  socket.off('error', ignore);
  if (socket.destroyed) return;
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let k = 0; k < rawHeaders.length; k += 2) {
    const [name, value] = rawHeaders.slice(k, k + 2);
    if (!ofUpgrade(name)) lines.push(`${name}: ${/^connection$/i.test(name) ? withoutUpgrade(value) : value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  http.emit('connection', socket);
}

/** Closes the socket after the answer. Node leaves it open until the client closes its side too. */
function refuse(socket: Duplex, status: string, why: string): void {
  const body = JSON.stringify({ detail: why });
  socket.once('finish', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function answerInOrder(socket: WebSocket, open: OpenConversation, report: (error: unknown) => void): void {
  const hang: Hang = (last, code, reason) => {
    if (last && socket.readyState === socket.OPEN) socket.send(JSON.stringify(last));
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), closingMs).unref();
  };
  // After an oversized message or an invalid frame the library closes the socket itself, with the matching status code.
  socket.on('error', () => {});
  const opened = open(hang);
  if ('refusal' in opened) hang(opened.refusal, CloseCode.tryLater, 'no session available');
  else listen(socket, opened, hang, report);
}

function listen(socket: WebSocket, opened: Conversation, hang: Hang, report: (error: unknown) => void): void {
  socket.on('close', () => opened.end());
  const waiting: string[] = [];
  let answering = false;
  const answerAll = async () => {
    answering = true;
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
      const answer = await opened.answer(text);
      if (socket.readyState !== socket.OPEN) break;
      if (answer === null) hang(null, CloseCode.normal, 'closed by request');
      else if (socket.bufferedAmount > mostUnread) socket.terminate();
      else socket.send(JSON.stringify(answer));
    }
    answering = false;
    socket.resume();
  };
  socket.on('message', (data) => {
    waiting.push(String(data));
    if (answering) socket.pause();
    else
      void answerAll().catch((error) => {
        report(error);
        hang(null, CloseCode.internal, 'the server failed on this message: see its log');
      });
  });
}
