/**
 * Forwards requests and sockets at `/forward/NAME` to servers of AgentGym and OpenEnv that send no CORS headers.
 * Responses carry this proxy's CORS headers and none of the server's own.
 */
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

/** An AgentGym environment may take minutes to start. */
const answerMs = 2_400_000;

export function mountForward(app: FastifyInstance, prefix: string, { address }: ForwardConfig): void {
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
