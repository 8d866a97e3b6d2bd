/**
 * Servers of AgentGym and OpenEnv that send no CORS headers, passed on at `/forward/NAME`: routes and sockets alike. What comes back
 * carries this proxy's headers for the page and none of the server's own.
 */
import httpProxy from '@fastify/http-proxy';
import type { FastifyInstance } from 'fastify';
import type { ForwardConfig, ProxyConfig } from '../config.ts';
import type { Part } from '../part.ts';

/** Who asks is this machine's affair, and not the server's. */
const kept = ['origin', 'referer', 'cookie', 'authorization', 'access-control-request-private-network'];

/** Of a socket only its address goes on. The library's types do not name this option. */
const noHeaders: object = { rewriteRequestHeaders: () => ({}) };

type Headers = { [name: string]: unknown };

function without(headers: Headers, drop: (name: string) => boolean): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !drop(name.toLowerCase())));
}

/** An AgentGym environment may take minutes to begin. */
const answerMs = 2_400_000;

export function mountForward(app: FastifyInstance, prefix: string, { address }: ForwardConfig): void {
  void app.register(async (scope) => {
    // Bodies go through as they come.
    scope.removeAllContentTypeParsers();
    const { origin, pathname } = new URL(address);
    await scope.register(httpProxy, {
      upstream: origin,
      prefix,
      rewritePrefix: pathname === '/' ? '' : pathname,
      websocket: true,
      http: { requestOptions: { timeout: answerMs } },
      replyOptions: {
        rewriteRequestHeaders: (_request, headers) => without(headers, (name) => kept.includes(name)) as never,
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
      notes: ['passed on as it is'],
      mount: (app) => mountForward(app, path, each),
      close: async () => {},
    };
  });
}
