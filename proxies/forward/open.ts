/**
 * Forwards requests and sockets at `/forward/NAME` to servers of AgentGym and OpenEnv that send no CORS headers.
 * Responses carry this proxy's CORS headers and none of the server's own.
 */
import { Readable } from 'node:stream';
import httpProxy from '@fastify/http-proxy';
import type { FastifyInstance } from 'fastify';
import type { ForwardConfig, ProxyConfig } from '../config.ts';
import type { Part } from '../part.ts';

/** Headers that identify the page or its user; they are removed before a request is forwarded. */
const removedHeaders = ['origin', 'referer', 'cookie', 'authorization', 'access-control-request-private-network'];

/** For a socket only the address is forwarded, without headers. The library's types lack this option. */
const noHeaders: object = { rewriteRequestHeaders: () => ({}) };

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
      http: { requestOptions: { timeout: answerMs } },
      replyOptions: {
        // The only hook between an answer's arrival and its status being set.
        retryDelay: ({ req, res, err, attempt, getDefaultDelay }) => {
          if (res) checkStatus(res as unknown as UpstreamAnswer, name);
          return getDefaultDelay(req, res, err, attempt);
        },
        rewriteRequestHeaders: (_request, headers) =>
          without(headers, (name) => removedHeaders.includes(name)) as never,
        rewriteHeaders: (headers) => without(headers, (name) => /^access-control-|^set-cookie$/.test(name)) as never,
      },
      wsClientOptions: noHeaders,
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
