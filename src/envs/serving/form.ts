/**
 * What a world looks like behind AgentGym's HTTP protocol (github.com/WooooDyy/AgentGym, MIT, `agentenv-*`): its routes, their
 * fields, and what each answers. A world's module names its form (`agentgym.ts` in its folder). Forms know worlds, sessions and
 * texts; how a request is read and an answer is sent is the server's affair (`src/server`).
 */
import type { Feedback, Json, Task, WorldOptions, WorldView } from '../env.ts';

/** A field of a body or a query, as pydantic reads it: whole numbers of any size, or texts. */
export interface Field {
  type: 'int' | 'str';
  /** May be left out or null; it is then null, or the default where it was left out. */
  optional?: boolean;
  whenAbsent?: bigint;
}

export type Fields = { readonly [name: string]: Field };
export type Values = { readonly [name: string]: bigint | string | null };

/** One session of a world, as its original keeps it. */
export interface ServedSession {
  readonly id: number;
  /** What the form remembers of it. */
  info: { [name: string]: Json };
}

/** What a server gives to a form. */
export interface SessionHost {
  /** A new session: ids count from 0. Throws `SessionLimit` where there are too many. */
  create(): ServedSession;
  find(id: bigint): ServedSession | undefined;
  /** Whether this id was ever handed out. */
  wasCreated(id: bigint): boolean;
  /** Set where a session of this id was closed for being idle: how long it was, in seconds. */
  expiredAfter(id: bigint): number | undefined;
  close(session: ServedSession): void;
  begin(session: ServedSession, task: Task): Promise<Feedback>;
  act(session: ServedSession, action: string): Promise<Feedback>;
  view(session: ServedSession): Promise<WorldView>;
  /** What else the world tells of a session (`World.inspect`). */
  inspect(session: ServedSession, what: string): Promise<Json>;
  /** The task of an item of this world under the form's options, merged with those the server was started with. */
  task(id: number): Task;
  /** All tasks, those of training first, under the same options. */
  tasks(): Promise<readonly Task[]>;
}

export interface Route {
  method: 'GET' | 'POST';
  path: string;
  /** Of the JSON body, or of the query where it is a GET. None: no body is read. */
  fields: Fields;
  answer(host: SessionHost, values: Values): Json | Promise<Json>;
}

/** How a failure is told: as a text in an answer with status 200 (`{"error": ...}`), or by status 500. */
export type ErrorForm = 'answer' | 'status';

export interface AgentGymForm {
  /** The server that has it upstream: its task's name, or that of several worlds together. */
  server: string;
  /** Where it is on that server: '' or '/maze'. */
  path: string;
  /** What GET / answers. */
  greeting: string;
  errors: ErrorForm;
  /** Name of the field that holds a session's id. */
  idField: 'id' | 'env_idx';
  /** The original's own rules. */
  options: WorldOptions;
  /** `data_idx` of a task; null: no item is it. `all`: training, then held out. Absent: the task's id. */
  itemOf?(task: Task, all: readonly Task[]): number | null;
  routes: readonly Route[];
}

/** A request that the protocol answers with an error in its own form. */
export class Refused extends Error {
  override name = 'Refused';
}

/** What the original answers with status 500. */
export class ServerFault extends Error {
  override name = 'ServerFault';
}

/** There is room for no more sessions. */
export class SessionLimit extends Error {
  override name = 'SessionLimit';
  constructor(
    readonly active: number,
    readonly most: number,
  ) {
    super(
      `There are ${active} sessions, and ${most} is the most: close some, or start the server with a higher --sessions.`,
    );
  }
}

export const int: Field = { type: 'int' };
export const str: Field = { type: 'str' };

/** The session of an id, or the refusal of the servers that call the field `id`. */
export function sessionOf(host: SessionHost, id: Values[string]): ServedSession {
  const session = host.find(id as bigint);
  if (session) return session;
  const idle = host.expiredAfter(id as bigint);
  throw new Refused(
    `The id ${id} is not valid${idle === undefined ? '' : `: it was idle for ${idle} s and has expired`}.`,
  );
}

/** The same, refused after an episode's end. */
export function unfinishedOf(host: SessionHost, id: Values[string]): ServedSession {
  const session = sessionOf(host, id);
  if (session.info.done === true) throw new Refused(`The task with environment ${session.id} has finished.`);
  return session;
}

/** An answer that a world gave, or the refusal where the world itself failed. */
export function standing(feedback: Feedback): Feedback {
  if (feedback.failure !== undefined) throw new Refused(feedback.failure);
  return feedback;
}

/** True where it was closed, false where there is none. */
export function closeById(host: SessionHost, id: Values[string]): boolean {
  const session = host.find(id as bigint);
  if (session) host.close(session);
  return session !== undefined;
}

/** Where items are places in the list of all tasks. */
export function placeOfTask({ id }: Task, all: readonly Task[]): number | null {
  const place = all.findIndex((each) => each.id === id);
  return place < 0 ? null : place;
}

/** Python's `%`: the sign of the divisor. */
export const modulo = (value: bigint, by: number): number => Number(((value % BigInt(by)) + BigInt(by)) % BigInt(by));

/** Python's floor division. */
export const floorDivide = (value: bigint, by: bigint): bigint => (value - (((value % by) + by) % by)) / by;

/** Python's index into a list: negative numbers count from its end. Refused as Python words it. */
export function indexInto(value: bigint, length: number): number {
  const index = value < 0n ? value + BigInt(length) : value;
  if (index < 0n || index >= BigInt(length)) throw new Refused('list index out of range');
  return Number(index);
}
