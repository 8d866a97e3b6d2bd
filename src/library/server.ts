/**
 * `tabgym/server`: the worlds served to other programs, over AgentGym's HTTP protocol and OpenEnv's, and policies over
 * OpenAI's. Node only.
 *
 * @example Mount TextCraft in a Fastify of one's own:
 * ```js
 * import fastify from 'fastify';
 * import { worldsPlugin } from 'tabgym/server';
 *
 * const app = fastify();
 * await app.register(worldsPlugin, { prefix: '/worlds', worlds: ['textcraft'] });
 * const answer = await app.inject({ method: 'POST', url: '/worlds/textcraft/create', payload: {} });
 * console.log(answer.statusCode, answer.body);
 * await app.close();
 * ```
 */
import type { WorldOptions } from '../envs/env.ts';
import { createServer, mountServer, type ServerOptions } from '../server/server.ts';
import type { TrainedModel } from '../server/tinker/trained-model.ts';
import { openGuardedWorld } from '../workers/spawn-world.ts';
import { chatModel } from './chat-model.ts';
import { loadPolicy, type Policy, type PolicyOptions } from './policy.ts';

export { loadPolicy, type Policy, type PolicyOptions };

/** What is served, and to whom. */
export interface ServeOptions {
  /** Names of worlds. Default: every world that can be served. */
  worlds?: readonly string[];
  /** Options of worlds by name. Default: those of the original servers. */
  options?: { readonly [world: string]: WorldOptions };
  /** Policies that answer at `/v1/chat/completions`, by the name of the model in requests. Default: none. */
  policies?: { readonly [model: string]: Policy };
  /** @internal Policies that clients train over Tinker's protocol. Default: none. */
  trained?: readonly TrainedModel[];
  /** Maximum number of sessions, over all worlds together. Default: 4096. */
  sessions?: number;
  /** Seconds without a call after which a session is closed. Default: 3600. */
  idleSeconds?: number;
  /** Origins of pages that may use the server. Default: none; programs send no origin. */
  origins?: readonly string[];
  /** Host names that requests may name beside the loopback names and the address of their arrival. Default: none. */
  hosts?: readonly string[];
  /** Receives failures of the server itself. Default: console.error. */
  report?(error: unknown): void;
}

const settingsOf = ({ worlds = [], policies = {}, ...options }: ServeOptions): ServerOptions => ({
  worlds,
  options: options.options,
  models: Object.entries(policies).map(([id, policy]) => chatModel(id, policy)),
  trained: options.trained,
  sessions: options.sessions ?? 4096,
  idleSeconds: options.idleSeconds ?? 3600,
  origins: options.origins ?? [],
  hosts: options.hosts ?? [],
  report: options.report ?? console.error,
  openWorld: (name) => openGuardedWorld(name),
});

/** The parts of a Fastify application that the plugin needs. */
export interface FastifyLike {
  addHook(name: 'onClose', hook: () => Promise<void>): unknown;
}

/**
 * Fastify plugin that mounts the protocols below the prefix it is registered with. `app.close` ends the sessions.
 *
 * @throws WorldError if a world cannot be served.
 */
export async function worldsPlugin(app: FastifyLike, options: ServeOptions = {}): Promise<void> {
  const mounted = await mountServer(app as Parameters<typeof mountServer>[0], settingsOf(options));
  app.addHook('onClose', () => mounted.close());
}

/** A listening server. */
export interface ListeningServer {
  /** Its address, as in `http://127.0.0.1:36001`. */
  address: string;
  /** Titles and paths of the worlds. */
  served: readonly { title: string; path: string }[];
  close(): Promise<void>;
}

/**
 * Starts a server of its own.
 *
 * @param options.port 0: any free port. Default: 36001.
 * @param options.host Default: 127.0.0.1, this machine only.
 * @param options.token What every request must carry, as the first segment of its path or as a bearer token.
 */
export async function serve(
  options: ServeOptions & { port?: number; host?: string; token?: string } = {},
): Promise<ListeningServer> {
  const { port = 36_001, host = '127.0.0.1', token } = options;
  const server = await createServer({ ...settingsOf(options), host, token });
  const address = await server.app.listen({ port, host });
  return { address, served: server.served, close: () => server.close() };
}
