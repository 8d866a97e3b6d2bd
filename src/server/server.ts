/**
 * The server of worlds: one process and one port, with several protocols over the same sessions. Puts together limits,
 * the door and paths, and answers failed requests. The protocols have a folder each.
 */
import { Readable } from 'node:stream';
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { type World, WorldError, type WorldOptions } from '../envs/env.ts';
import type { WorldModule } from '../envs/module.ts';
import { worldModules } from '../worlds/registry.ts';
import { Door } from './door.ts';
import { mountWorlds } from './mounts.ts';
import type { ChatModel } from './openai/chat-model.ts';
import { mountChat } from './openai/routes.ts';
import { type Answer, keepSentType, Router } from './router.ts';
import { ServedWorld } from './served-world.ts';
import { SessionLedger } from './sessions.ts';
import { Sockets } from './sockets.ts';
import { timeOuts } from './time-outs.ts';
import { mountTinker } from './tinker/routes.ts';
import type { TrainedModel } from './tinker/trained-model.ts';

export interface ServerOptions {
  /** Names of worlds, or of AgentGym's servers (`searchqa`, `lmrlgym`). Empty: every world that can be served. */
  worlds: readonly string[];
  openWorld(name: string): Promise<World>;
  /** Options by world name. */
  options?: { readonly [world: string]: WorldOptions };
  /** Policies served as chat models. */
  models?: readonly ChatModel[];
  /** Policies that clients train. */
  trained?: readonly TrainedModel[];
  sessions: number;
  idleSeconds: number;
  /** Origins of pages that may use the server. */
  origins: readonly string[];
  /** `host` or `host:port` that requests may name, beside the loopback names and the address of their arrival. */
  hosts?: readonly string[];
  /** Address that the server will listen on. Default: 127.0.0.1. */
  host?: string;
  /** First segment of every path, or `Authorization: Bearer`. Default: none is needed. */
  token?: string;
  /** Time limit for receiving a whole request, in milliseconds. */
  requestMs?: number;
  /** Receives failures of the server itself, as opposed to errors in a request. */
  report(error: unknown): void;
}

/** Largest request body or socket message. Messages of these protocols are far smaller. */
const mostBytes = 1 << 20;
/** Time without traffic after which a connection is closed. */
const silentMs = 120_000;

export interface Server {
  app: FastifyInstance;
  /** Titles and paths of the served worlds. */
  served: readonly { title: string; path: string }[];
  /** Number of open sessions. */
  sessions(): number;
  close(): Promise<void>;
}

interface Form {
  module: WorldModule;
  form: Awaited<ReturnType<NonNullable<WorldModule['agentgym']>>>;
}

async function formsOf(names: readonly string[]): Promise<Form[]> {
  const servable = worldModules.filter(({ agentgym }) => agentgym);
  const all = await Promise.all(servable.map(async (module) => ({ module, form: await module.agentgym!() })));
  if (names.length === 0) return all;
  return names.flatMap((name) => {
    const found = all.filter(({ module, form }) => module.name === name || form.server === name);
    if (found.length) return found;
    const known = [...new Set(all.flatMap(({ module, form }) => [module.name, form.server]))].sort();
    throw new WorldError(`There is no world "${name}" to serve. Choose one of: ${known.join(', ')}.`);
  });
}

async function send(reply: FastifyReply, answer: Answer): Promise<unknown> {
  reply.code(answer.status);
  if ('json' in answer) return reply.type('application/json').send(JSON.stringify(answer.json));
  if ('text' in answer) return reply.type('text/plain; charset=utf-8').send(answer.text);
  if ('bytes' in answer) return reply.type(answer.type).send(Buffer.from(answer.bytes));
  return reply.type('text/event-stream').header('cache-control', 'no-cache').send(Readable.from(answer.events));
}

/** Interfaces of models that are not served, whose clients expect an error with a message. */
const foreignPath = /\/v1\/(?:messages|responses|completions|embeddings|complete)(?:[/?]|$)/;

/** The error of such an interface, in the form that clients of Anthropic and of OpenAI read. */
function foreignInterface(url: string): object {
  const [path] = foreignPath.exec(url) ?? [];
  if (!path) return {};
  const message =
    `${path.replace(/[/?]$/, '')} is not served: this server answers chat completions as OpenAI does, ` +
    'at /v1/chat/completions. Use a client of that interface.';
  return { type: 'error', error: { type: 'not_found_error', message, param: null, code: null } };
}

/** Answers errors with the texts of the original servers, which are FastAPI's. */
function answerErrors(app: FastifyInstance, router: Router, report: ServerOptions['report']): void {
  app.setNotFoundHandler((request, reply) => {
    const { status, location, allow } = router.missing(request.url, request.originalUrl);
    if (location) return reply.code(307).header('location', location).send();
    if (allow) reply.header('allow', allow);
    const detail = status === 405 ? 'Method Not Allowed' : 'Not Found';
    return reply.code(status).send({ detail, ...foreignInterface(request.url) });
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) {
      report(error);
      return reply.code(500).type('text/plain; charset=utf-8').send('Internal Server Error');
    }
    const detail =
      status === 413
        ? `The request body is larger than the limit of ${mostBytes} bytes: send a smaller one.`
        : error.message;
    return reply.code(status).send({ detail, type: error.code });
  });
}

function doorOf({ origins, hosts = [], host = '127.0.0.1', token }: ServerOptions): Door {
  const admits = {
    host: 'start the server with --allow-host NAME',
    origin: (origin: string) => `start it with --origin ${origin}`,
  };
  return new Door({ origins, hosts, host, token: token ?? null, admits, pageRefusal: 'ForeignOrigin' });
}

/** Part of a server: the protocols of its worlds, without the port. */
export interface Mount {
  served: Server['served'];
  sessions(): number;
  close(): Promise<void>;
}

/** Opens the worlds and mounts their routes on an application, below its prefix; sockets on its server's port. */
async function mount(app: FastifyInstance, door: Door, options: ServerOptions): Promise<Mount> {
  const { report } = options;
  const forms = await formsOf(options.worlds);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  door.guard(app);
  app.addHook('onRequest', (request, _reply, done) => {
    keepSentType(request);
    done();
  });
  const router = new Router(app, send);
  answerErrors(app, router, report);
  const ledger = new SessionLedger(options);
  const worlds = await Promise.all(
    forms.map(async ({ module, form }) => {
      const world = await options.openWorld(module.name);
      return new ServedWorld(module, form, world, ledger, options.options?.[module.name]);
    }),
  );
  const sockets = new Sockets(door, mostBytes, report, app.prefix);
  mountWorlds({ router, sockets, worlds, report });
  mountChat(router, options.models ?? [], report);
  mountTinker(router, options.trained ?? [], report);
  sockets.attach(app.server);
  return {
    served: worlds.map(({ module }) => ({ title: module.title, path: `${app.prefix}/${module.name}` })),
    sessions: () => ledger.active,
    async close() {
      ledger.close();
      sockets.close();
      await Promise.all(worlds.map(({ world }) => world.close()));
    },
  };
}

/**
 * Mounts the protocols on an application of the caller's own, below the prefix it was registered with. Its hooks decide
 * who may use it, beside the checks of host and origin; a token of this server's kind is for `createServer`.
 */
export const mountServer = (
  app: FastifyInstance,
  options: Omit<ServerOptions, 'token' | 'requestMs'>,
): Promise<Mount> => mount(app, doorOf(options), options);

/**
 * Opens the worlds and mounts their routes. `app.listen` starts the server; `app.inject` sends it a request within this
 * process.
 */
export async function createServer(options: ServerOptions): Promise<Server> {
  const door = doorOf(options);
  const app = fastify({
    ...timeOuts(options.requestMs),
    bodyLimit: mostBytes,
    connectionTimeout: silentMs,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 200 },
    rewriteUrl: door.strip,
  });
  const { served, sessions, close } = await mount(app, door, options);
  return {
    ...{ app, served, sessions },
    async close() {
      const closing = close();
      await app.close();
      await closing;
    },
  };
}
