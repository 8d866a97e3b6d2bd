/**
 * WebSockets on the server's port: the paths that accept them, the check at the door, and a conversation that answers
 * each message before it reads the next. A client that never reads, or sends a message over the limit, loses its own
 * socket only.
 */
import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Door } from './door.ts';
import { onSocketRequest } from './upgrades.ts';

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

function dispatch(http: HttpServer, mounts: Sockets[]): void {
  attached.set(http, mounts);
  onSocketRequest(http, (request, socket, head) => {
    const mount = mounts.find((each) => each.owns(request.url ?? ''));
    if (mount) void mount.upgrade(request, socket, head);
    // An application's own sockets have a listener of their own.
    else if (http.listenerCount('upgrade') === 1) refuse(socket, '404 Not Found', 'There is no socket here.');
  });
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
