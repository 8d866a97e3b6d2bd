/**
 * Form of a world behind AgentGym's HTTP protocol (github.com/WooooDyy/AgentGym, MIT, `agentenv-*`): its routes, their
 * fields and their answers. A world's module names its form (`agentgym.ts` in its folder). Forms handle worlds,
 * sessions and texts; `src/server` reads the requests and sends the answers.
 */
import type { Feedback, Json, Task, WorldOptions, WorldView } from '../env.ts';

/** A field of a body or a query, as pydantic reads it: integers of any size, or texts. */
export interface Field {
  type: 'int' | 'str';
  /** The field may be absent or null; it is then null, or the default if it is absent. */
  optional?: boolean;
  whenAbsent?: bigint;
}

export type Fields = { readonly [name: string]: Field };
export type Values = { readonly [name: string]: bigint | string | null };

/** A session of a world, as the original keeps it. */
export interface ServedSession {
  readonly id: number;
  /** State that the form keeps for the session. */
  info: { [name: string]: Json };
}

/** Functions of the server that a form may use. */
export interface SessionHost {
  /** Creates a session; ids count from 0. Throws `SessionLimit` if there are too many. */
  create(): ServedSession;
  find(id: bigint): ServedSession | undefined;
  /** Ids of the open sessions, ascending. Does not count as a call of theirs. */
  openIds(): number[];
  /** True if this id was ever handed out. */
  wasCreated(id: bigint): boolean;
  /** Idle time in seconds after which a session of this id was closed, if it was. */
  expiredAfter(id: bigint): number | undefined;
  close(session: ServedSession): void;
  begin(session: ServedSession, task: Task): Promise<Feedback>;
  act(session: ServedSession, action: string): Promise<Feedback>;
  view(session: ServedSession): Promise<WorldView>;
  /** Further state of a session (`World.inspect`). */
  inspect(session: ServedSession, what: string): Promise<Json>;
  /** Task of an item of this world, under the form's options merged with those that the server was started with. */
  task(id: number): Task;
  /** All tasks under the same options, training tasks first. */
  tasks(): Promise<readonly Task[]>;
}

export interface Route {
  method: 'GET' | 'POST';
  path: string;
  /** Fields of the JSON body, or of the query for a GET. If empty, no body is read. */
  fields: Fields;
  answer(host: SessionHost, values: Values): Json | Promise<Json>;
}

/** Form of a failure: a text in an answer with status 200 (`{"error": ...}`), or status 500. */
type ErrorForm = 'answer' | 'status';

export interface AgentGymForm {
  /** Name of the original server: its task's name, or that of several worlds together. */
  server: string;
  /** Path on that server: '' or '/maze'. */
  path: string;
  /** Answer to GET /. */
  greeting: string;
  errors: ErrorForm;
  /** Name of the field with a session's id. */
  idField: 'id' | 'env_idx';
  /** The original's own rules. */
  options: WorldOptions;
  /**
   * `data_idx` of a task, or null if it has none. `all`: training tasks, then held-out tasks. Default: the task's id.
   */
  itemOf?(task: Task, all: readonly Task[]): number | null;
  routes: readonly Route[];
}

/** A request that the protocol answers with an error in its own form. */
export class Refused extends Error {
  override name = 'Refused';
}

/** A failure that the original answers with status 500. */
export class ServerFault extends Error {
  override name = 'ServerFault';
}

/** Too many sessions. */
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

/** The session of an id. Throws the refusal of the servers that name the field `id`. */
export function sessionOf(host: SessionHost, id: Values[string]): ServedSession {
  const session = host.find(id as bigint);
  if (session) return session;
  const idle = host.expiredAfter(id as bigint);
  throw new Refused(
    `The id ${id} is not valid${idle === undefined ? '' : `: it was idle for ${idle} s and has expired`}.`,
  );
}

/** The session of an id, if its episode has not ended. */
export function unfinishedSession(host: SessionHost, id: Values[string]): ServedSession {
  const session = sessionOf(host, id);
  if (session.info.done === true) throw new Refused(`The task with environment ${session.id} has finished.`);
  return session;
}

/** Returns a world's answer. Throws if the world itself failed. */
export function requireAnswer(feedback: Feedback): Feedback {
  if (feedback.failure !== undefined) throw new Refused(feedback.failure);
  return feedback;
}

/**
 * Creates a session and begins it. If that fails, the session is closed, because nobody learns its id; the id counts as
 * handed out.
 */
export async function createAndBegin<T>(host: SessionHost, begin: (session: ServedSession) => Promise<T>): Promise<T> {
  const session = host.create();
  try {
    return await begin(session);
  } catch (error) {
    host.close(session);
    throw error;
  }
}

/** Closes a session. Returns false if there is none. */
export function closeById(host: SessionHost, id: Values[string]): boolean {
  const session = host.find(id as bigint);
  if (session) host.close(session);
  return session !== undefined;
}

/** The environment of an id, for servers that answer every error with status 500. Throws ServerFault for an unknown id. */
export function environmentOf(host: SessionHost, id: Values[string]): ServedSession {
  const session = host.find(id as bigint);
  if (!session) throw new ServerFault(`There is no environment ${id}.`);
  return session;
}

/** The task of an item where items are indices into the list of all tasks. Throws ServerFault beyond it. */
export async function taskAtItem(host: SessionHost, item: Values[string]): Promise<Task> {
  const tasks = await host.tasks();
  if (item === null || (item as bigint) < 0n || (item as bigint) >= BigInt(tasks.length))
    throw new ServerFault(`The items are 0 to ${tasks.length - 1} (it is ${item}).`);
  return tasks[Number(item)];
}

/** Item number of a task where items are indices into the list of all tasks. */
export function placeOfTask({ id }: Task, all: readonly Task[]): number | null {
  const place = all.findIndex((each) => each.id === id);
  return place < 0 ? null : place;
}

/** Python's `%`: the sign of the divisor. */
export const modulo = (value: bigint, by: number): number => Number(((value % BigInt(by)) + BigInt(by)) % BigInt(by));

/** Python's floor division. */
export const floorDivide = (value: bigint, by: bigint): bigint => (value - (((value % by) + by) % by)) / by;

/** Python's list index: negative numbers count from the end. Throws with Python's message. */
export function indexInto(value: bigint, length: number): number {
  const index = value < 0n ? value + BigInt(length) : value;
  if (index < 0n || index >= BigInt(length)) throw new Refused('list index out of range');
  return Number(index);
}
