/**
 * WebSockets on the server's port: which paths have one, whose pages may open it, and a conversation in which each message is answered
 * before the next is read. A client that never reads, or sends what is too large, loses its own socket and nothing else.
 */
import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { ForeignOrigin, type Origins } from './origins.ts';

/** What answers on one socket. */
export interface Conversation {
  /** The answer to a message; null: the socket is closed. */
  answer(text: string): Promise<object | null>;
  /** The socket is gone. */
  end(): void;
}

/** Closes a socket, with a last message where there is one. */
export type Hang = (last: object | null, code: number, reason: string) => void;

/** Opens a conversation, or says why not: the socket is then closed with that message. */
export type OpenConversation = (hang: Hang) => Conversation | { refusal: object };

// github.com/websockets/ws, RFC 6455 section 7.4.1, and 1013 of the IANA registry.
export const CloseCode = { normal: 1000, goingAway: 1001, tryLater: 1013, policy: 1008 } as const;

/** Answers that a client has not taken yet, in bytes. */
const mostUnread = 4 << 20;
const closingMs = 5000;

export class Sockets {
  private readonly paths = new Map<string, OpenConversation>();
  private readonly server: WebSocketServer;

  constructor(
    private readonly origins: Origins,
    mostBytes: number,
  ) {
    this.server = new WebSocketServer({ noServer: true, maxPayload: mostBytes, perMessageDeflate: false });
  }

  add(path: string, open: OpenConversation): void {
    this.paths.set(path, open);
  }

  attach(http: HttpServer): void {
    http.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const open = this.paths.get((request.url ?? '').split('?', 1)[0]);
    const { origin } = request.headers;
    if (!this.origins.allows(origin)) refuse(socket, '403 Forbidden', new ForeignOrigin(origin!).message);
    else if (!open) refuse(socket, '404 Not Found', `There is no socket at ${request.url}.`);
    else this.server.handleUpgrade(request, socket, head, (opened) => converse(opened, open));
  }

  /** Tells every client that the server goes away. */
  close(): void {
    for (const socket of this.server.clients) socket.close(CloseCode.goingAway, 'the server was closed');
    setTimeout(() => {
      for (const socket of this.server.clients) socket.terminate();
    }, closingMs).unref();
    this.server.close();
  }
}

function refuse(socket: Duplex, status: string, why: string): void {
  socket.on('error', () => {});
  const body = JSON.stringify({ detail: why });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function converse(socket: WebSocket, open: OpenConversation): void {
  const hang: Hang = (last, code, reason) => {
    if (last && socket.readyState === socket.OPEN) socket.send(JSON.stringify(last));
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), closingMs).unref();
  };
  // Too large a message, a frame that is none: the library closes the socket and says why by its code.
  socket.on('error', () => {});
  const opened = open(hang);
  if ('refusal' in opened) hang(opened.refusal, CloseCode.tryLater, 'no session could be had');
  else listen(socket, opened, hang);
}

function listen(socket: WebSocket, opened: Conversation, hang: Hang): void {
  socket.on('close', () => opened.end());
  const waiting: string[] = [];
  let answering = false;
  const answerAll = async () => {
    answering = true;
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
      const answer = await opened.answer(text);
      if (socket.readyState !== socket.OPEN) break;
      if (answer === null) hang(null, CloseCode.normal, 'closed as asked');
      else if (socket.bufferedAmount > mostUnread) socket.terminate();
      else socket.send(JSON.stringify(answer));
    }
    answering = false;
    socket.resume();
  };
  socket.on('message', (data) => {
    waiting.push(String(data));
    if (answering) socket.pause();
    else void answerAll();
  });
}
