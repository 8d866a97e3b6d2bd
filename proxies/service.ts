/**
 * Assembles the proxy: one Fastify server behind the door, with the parts that its configuration names. `app.listen`
 * starts it; `app.inject` sends it a request within this process.
 */
import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { Door, newToken } from '../src/server/door.ts';
import { timeOuts } from '../src/server/time-outs.ts';
import { delaySocketRequests } from '../src/server/upgrades.ts';
import type { ProxyConfig } from './config.ts';
import { openForward } from './forward/open.ts';
import type { Part } from './part.ts';
import { openRetrieval } from './retrieval/open.ts';
import { openWebArena } from './webarena/open.ts';

export interface ProxyOptions {
  version: string;
  /** Receives errors, without addresses and tokens. */
  report(error: Error): void;
}

/** Maximum size of a request body. */
const mostBytes = 4 << 20;

export interface OpenedProxy {
  app: FastifyInstance;
  token: string;
  parts: readonly Part[];
  close(): Promise<void>;
}

/**
 * Each function opens the parts of its kind that the configuration names. To add a part, write a folder and list its
 * opener here.
 */
const openers: readonly ((config: ProxyConfig, options: ProxyOptions) => Promise<Part[]>)[] = [
  openWebArena,
  openRetrieval,
  openForward,
];

function answerErrors(app: FastifyInstance, { report }: ProxyOptions): void {
  const known = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    known.set(url, methods);
  });
  app.setNotFoundHandler((request, reply) => {
    const methods = known.get(request.url.split('?', 1)[0]);
    if (!methods) return reply.code(404).send({ detail: 'Not Found' });
    return reply
      .code(405)
      .header('allow', [...methods].join(', '))
      .send({ detail: 'Method Not Allowed' });
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) report(error);
    return reply.code(status).send({ detail: status >= 500 ? 'Internal Server Error' : error.message });
  });
}

/** A server behind the door, without parts. */
export function openServer(config: ProxyConfig, token: string, options: ProxyOptions): FastifyInstance {
  const { origins, hosts, host } = config;
  const admits = {
    host: `add it to "hosts" in the proxy's configuration`,
    origin: () => 'add the origin to "origins" in its configuration',
  };
  const door = new Door({ origins, hosts, host, token, admits, pageRefusal: 'ForeignPage' });
  const app = fastify({
    bodyLimit: mostBytes,
    ...timeOuts(),
    forceCloseConnections: true,
    rewriteUrl: door.strip,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  door.guard(app);
  answerErrors(app, options);
  return app;
}

export async function openProxy(config: ProxyConfig, options: ProxyOptions): Promise<OpenedProxy> {
  const token = config.token ?? newToken();
  const app = openServer(config, token, options);
  const parts: Part[] = [];
  try {
    for (const open of openers) parts.push(...(await open(config, options)));
  } catch (error) {
    await Promise.allSettled(parts.map((part) => part.close()));
    throw error;
  }
  for (const part of parts) part.mount(app);
  app.addHook('onReady', async () => delaySocketRequests(app.server));
  const descriptions = parts.map(({ path, title, notes }) => ({ path, title, notes }));
  app.get('/', async () => ({ name: 'tabgym-proxy', version: options.version, parts: descriptions }));
  return {
    app,
    token,
    parts,
    async close() {
      // No request may open an environment while the others close.
      await Promise.allSettled([app.close(), ...parts.map((part) => part.close())]);
    },
  };
}
