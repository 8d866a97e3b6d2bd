/**
 * Forwards requests and sockets at `/forward/NAME` to servers of AgentGym and OpenEnv that send no CORS headers.
 * Responses carry this proxy's CORS headers and none of the server's own.
 */
import { type ClientRequest, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import httpProxy from '@fastify/http-proxy';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { WebSocket } from 'ws';
import type { ForwardConfig, ProxyConfig } from '../config.ts';
import type { Part } from '../part.ts';

/** Headers that identify the page or its user; they are removed before a request is forwarded. */
const removedHeaders = ['origin', 'referer', 'cookie', 'authorization', 'access-control-request-private-network'];

/** For a socket only the address is forwarded, without headers. The library's types lack this option. */
const noHeaders: object = { rewriteRequestHeaders: () => ({}) };

/** Maximum number of bytes that wait for one side of a socket. Beyond it both sides are cut. */
const mostUnread = 16 << 20;
/** Maximum size of a message of a socket. */
const mostMessage = 100 << 20;
const connectMs = 30_000;

/** Bytes of messages that came before the server's side was open. */
const early = new WeakMap<WebSocket, number>();

/** Bytes that wait for one side of a socket. */
function waitingFor(side: WebSocket, bytes: number): number {
  if (side.readyState !== side.CONNECTING) return side.bufferedAmount;
  const waiting = (early.get(side) ?? 0) + bytes;
  early.set(side, waiting);
  return waiting;
}

/** Size of a message or ping, with what is kept for each. */
const sizeOf = (data: unknown) => 1000 + (Buffer.isBuffer(data) ? data.length : 0);

/** Cuts a socket of which one side sends while the other does not read: the library would keep all of it. */
const boundedSockets = {
  onConnect(_context: object, source: WebSocket, target: WebSocket) {
    for (const [from, to] of [
      [source, target],
      [target, source],
    ])
      for (const kind of ['ping', 'pong'] as const) from.on(kind, (data) => cutSlow(to, data, from));
  },
  onIncomingMessage: (_context: object, source: WebSocket, target: WebSocket, { data }: { data: unknown }) =>
    cutSlow(target, data, source),
  onOutgoingMessage: (_context: object, source: WebSocket, target: WebSocket, { data }: { data: unknown }) =>
    cutSlow(source, data, target),
};

function cutSlow(to: WebSocket, data: unknown, from: WebSocket): void {
  if (waitingFor(to, sizeOf(data)) <= mostUnread) return;
  from.terminate();
  to.terminate();
}

/**
 * Headers of an answer that are not passed on: the server's own access control, and those that concern its connection
 * (RFC 9110, section 7.6.1). Node throws at a `trailer` beside a length.
 */
const droppedHeaders =
  /^(?:access-control-.*|set-cookie|connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/;

type Headers = { [name: string]: unknown };

function without(headers: Headers, drop: (name: string) => boolean): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !drop(name.toLowerCase())));
}

/** Status of an answer that HTTP does not know: below 100 or above 599. */
const badGateway = 502;

interface UpstreamAnswer {
  statusCode: number;
  headers: Headers;
  stream: Readable;
}

/** Replaces an answer with an impossible status, which Fastify would refuse in a callback that ends the process. */
function checkStatus(answer: UpstreamAnswer, name: string): void {
  if (answer.statusCode >= 100 && answer.statusCode <= 599) return;
  const detail = `The server "${name}" answered with status ${answer.statusCode}, which is not one of HTTP's (100 to 599).`;
  answer.stream.on('error', () => {}).destroy();
  Object.assign(answer, {
    statusCode: badGateway,
    headers: { 'content-type': 'application/json' },
    stream: Readable.from([Buffer.from(JSON.stringify({ detail }))]),
  });
}

interface Failure extends Error {
  statusCode?: number;
}

const mostReason = 200;

/** Answers in place of a server that does not answer, or whose answer is not HTTP. */
function answerFailure(reply: FastifyReply, { statusCode = 500, message, cause }: Failure, name: string): void {
  const status = statusCode === 500 ? badGateway : statusCode;
  const reason = String((cause as Error | undefined)?.message ?? message).slice(0, mostReason);
  void reply.code(status).send({ detail: `The server "${name}" did not answer as HTTP requires: ${reason}` });
}

interface Requesting {
  addRequest(request: ClientRequest, ...rest: unknown[]): void;
}

/**
 * Makes an agent's requests fail when a server switches protocols unasked, where Node closes the connection without an
 * event. `addRequest` is undocumented, and is what libraries of agents replace
 * (https://github.com/TooTallNate/proxy-agents/blob/main/packages/agent-base/src/index.ts).
 */
function withoutUpgrades<A extends HttpAgent>(agent: A): A {
  const own = agent as unknown as Requesting;
  const add = own.addRequest.bind(agent);
  own.addRequest = (request, ...rest) => {
    request.once('upgrade', (_answer, socket) => {
      socket.destroy();
      request.emit('error', new Error('it switched protocols unasked'));
    });
    add(request, ...rest);
  };
  return agent;
}

const agents = () => ({
  'http:': withoutUpgrades(new HttpAgent({ keepAlive: true })),
  'https:': withoutUpgrades(new HttpsAgent({ keepAlive: true })),
});

/** An AgentGym environment may take minutes to start. */
const answerMs = 2_400_000;

function mountForward(app: FastifyInstance, prefix: string, { name, address }: ForwardConfig): void {
  void app.register(async (scope) => {
    // Bodies are streamed, not parsed.
    scope.removeAllContentTypeParsers();
    const { origin, pathname } = new URL(address);
    await scope.register(httpProxy, {
      upstream: origin,
      prefix,
      rewritePrefix: pathname === '/' ? '' : pathname,
      websocket: true,
      http: { requestOptions: { timeout: answerMs }, agents: agents() },
      destroyAgent: true,
      replyOptions: {
        onError: (reply, { error }) => answerFailure(reply as unknown as FastifyReply, error as Failure, name),
        // The only hook between an answer's arrival and its status being set.
        retryDelay: ({ req, res, err, attempt, getDefaultDelay }) => {
          if (res) checkStatus(res as unknown as UpstreamAnswer, name);
          return getDefaultDelay(req, res, err, attempt);
        },
        rewriteRequestHeaders: (_request, headers) =>
          without(headers, (name) => removedHeaders.includes(name)) as never,
        rewriteHeaders: (headers) => without(headers, (name) => droppedHeaders.test(name)) as never,
      },
      wsClientOptions: { ...noHeaders, handshakeTimeout: connectMs, maxPayload: mostMessage },
      wsServerOptions: { maxPayload: mostMessage },
      wsHooks: boundedSockets,
    });
  });
}

export async function openForward({ forward }: ProxyConfig): Promise<Part[]> {
  return forward.map((each) => {
    const path = `/forward/${each.name}`;
    return {
      path,
      title: each.name,
      notes: ['forwarded unchanged'],
      mount: (app) => mountForward(app, path, each),
      close: async () => {},
    };
  });
}
