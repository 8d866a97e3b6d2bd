/**
 * The server of a class: the page, and below `/class` the board. Every request below `/class` needs the class's code as
 * bearer token, through the same door as `npm run serve`; wrong codes are answered slower and slower.
 */
import type { Server } from 'node:net';
import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import * as v from 'valibot';
import { Board, ClassFull, NotInClass } from '../../classroom/together/board.ts';
import { joinSchema, memberSchema, removeSchema, reportedSchema } from '../../classroom/together/messages.ts';
import { MemberRefused, NotHandedOut } from '../../classroom/together/shared-training.ts';
import { Door, type DoorOptions, isSameSecret, newToken } from '../../server/door.ts';
import { timeOuts } from '../../server/time-outs.ts';
import type { Certificate } from './certificate.ts';
import { servePage } from './page-files.ts';

/** Largest message of a pupil's page. */
const mostBytes = 64 * 1024;
const mostConnections = 1000;
/** Maximum number of connections of one address, so that no machine takes all; a class may share a router's address. */
const mostOfAddress = mostConnections / 2;
const silentMs = 120_000;

/** The request is the teacher's, and has not the teacher's key. */
class NotTheTeacher extends Error {
  override name = 'NotTheTeacher';
  override message = 'Only the board with the teacher’s key can do this.';
}

export interface ClassOptions {
  title: string;
  code: string;
  /** Key of the teacher's board. */
  teacherKey: string;
  /** Folder of the built page; null: only the board's paths are served. */
  page: string | null;
  /** Absent: http, for tests within this process. */
  certificate?: Certificate;
  door: Pick<DoorOptions, 'host' | 'hosts'>;
  report(error: unknown): void;
  now?: () => number;
  /** Name of the experiment that the class trains together; absent: none. */
  training?: string;
  /** Mounts further paths of the class. */
  mount?(app: FastifyInstance): void;
}

export interface ClassServer {
  app: FastifyInstance;
  board: Board;
  close(): Promise<void>;
}

/** Sentence and status of a failed request. */
function failureOf(error: Error & { statusCode?: number }): { status: number; type: string; detail: string } {
  if (error instanceof v.ValiError) {
    const { path, message } = (error as v.ValiError<v.GenericSchema>).issues[0];
    const where = path?.map(({ key }) => String(key)).join('.') || 'message';
    return { status: 400, type: 'BadMessage', detail: `${where.slice(0, 100)}: ${message.slice(0, 300)}` };
  }
  if (error instanceof NotInClass) return { status: 410, type: error.name, detail: error.message };
  if (error instanceof NotTheTeacher) return { status: 403, type: error.name, detail: error.message };
  if (error instanceof MemberRefused || error instanceof NotHandedOut)
    return { status: 403, type: error.name, detail: error.message };
  if (error instanceof ClassFull) return { status: 409, type: error.name, detail: error.message };
  const status = error.statusCode ?? 500;
  const tooLarge = `The message is larger than the limit of this path: send a smaller one.`;
  return {
    status,
    type: (error as FastifyError).code ?? error.name,
    detail: status === 413 ? tooLarge : status < 500 ? error.message : 'Internal error',
  };
}

function mountBoard(app: FastifyInstance, board: Board, { title, teacherKey, training }: ClassOptions): void {
  app.get('/class/info', () => ({ title, members: board.size, training: training ?? null }));
  app.get('/class/board', () => ({ title, members: board.view() }));
  app.post('/class/join', ({ body }) => board.join(v.parse(joinSchema, body).name));
  app.post('/class/report', ({ body }) => {
    const { secret, report } = v.parse(reportedSchema, body);
    board.report(secret, report);
    return {};
  });
  app.post('/class/leave', ({ body }) => {
    board.leave(v.parse(memberSchema, body).secret);
    return {};
  });
  app.post('/class/remove', ({ body, headers }) => {
    if (!isSameSecret(String(headers['x-teacher-key'] ?? ''), teacherKey)) throw new NotTheTeacher();
    board.remove(v.parse(removeSchema, body).id);
    return {};
  });
}

/** True for a path that needs the class's code. */
const isOfClass = (path: string) => /^\/class(?:[/?]|$)/.test(path);

/** Closes further connections of an address that has its most. */
function boundAddresses(server: Server): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    const count = open.get(remoteAddress) ?? 0;
    if (count >= mostOfAddress) return void socket.destroy();
    open.set(remoteAddress, count + 1);
    socket.once('close', () => {
      const left = open.get(remoteAddress)! - 1;
      if (left) open.set(remoteAddress, left);
      else open.delete(remoteAddress);
    });
  });
}

export function createClassServer(options: ClassOptions): ClassServer {
  const { code, certificate, page, report } = options;
  const admits = {
    host: 'start the class with --allow-host NAME',
    origin: () => 'open the page from the address of the class',
  };
  const door = new Door({
    ...options.door,
    ...{ origins: [], token: code, admits, pageRefusal: 'ForeignPage', sameOrigin: true },
  });
  const app = fastify({
    ...timeOuts(),
    ...(certificate && { https: { ...certificate, ...timeOuts().http } }),
    bodyLimit: mostBytes,
    connectionTimeout: silentMs,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    rewriteUrl: (request) => (isOfClass(request.url ?? '') ? door.strip(request) : (request.url ?? '')),
  }) as FastifyInstance;
  app.server.maxConnections = mostConnections;
  boundAddresses(app.server);
  app.removeContentTypeParser('text/plain');
  door.guard(app);
  // The router decodes paths: "/%63lass/board" is the board's, and its code was not looked at.
  app.addHook('onRequest', async ({ routeOptions, originalUrl }, reply) => {
    if (isOfClass(routeOptions.url ?? '') && !isOfClass(originalUrl)) return reply.callNotFound();
  });
  app.setErrorHandler((error: Error, _request, reply) => {
    const { status, ...answer } = failureOf(error);
    if (status >= 500) report(error);
    return reply.code(status).send(answer);
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found', type: 'NotFound' }));
  const board = new Board(newToken, options.now);
  mountBoard(app, board, options);
  options.mount?.(app);
  if (page !== null) servePage(app, page);
  return { app, board, close: () => app.close() };
}
