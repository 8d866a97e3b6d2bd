/**
 * A world behind a message channel: the messages, the side that serves them, and the pool's interface to a worker. A
 * channel is anything that posts and receives structured clones: a page's worker, a Node thread, a pair of functions in
 * a test.
 */
import { playBaselines } from '../baseline-play.ts';
import {
  adviceOf,
  type BaselineEpisode,
  type BaselineResult,
  type BaselineRules,
  type Feedback,
  type Task,
  type World,
  WorldError,
} from '../env.ts';
import type { ConnectionSettings } from '../module.ts';
import { type ActionListReader, ActionListWriter, type PackedLists } from './action-lists.ts';

/** The calls of World that return a promise. */
export type WorldCall =
  | 'tasks'
  | 'reset'
  | 'step'
  | 'oracle'
  | 'advise'
  | 'view'
  | 'playBaselines'
  | 'inspect'
  | 'subgoals';

export type WorldRequest =
  | { id: number; call: 'open'; args: [name: string, settings: ConnectionSettings] }
  | { id: number; call: WorldCall; args: unknown[] }
  /** Cancels the call of this id, which is still answered, with its result or with `aborted`. */
  | { id: number; call: 'abort' };

export type WorldReply =
  | { id: number; value: unknown }
  /** The world cancelled the call on request. */
  | { id: number; aborted: true }
  /**
   * `refused`: the call was invalid and the world is intact. Otherwise the instance trapped and its state is unknown.
   */
  | { id: number; error: string; refused: boolean };

/** The pool's interface to a worker. */
export interface WorldPort {
  post(request: WorldRequest): void;
  /** Called once, before the first post. `lost` reports a worker that stopped without a request. */
  listen(receive: (reply: WorldReply) => void, lost: (reason: string) => void): void;
  terminate(): void;
}

/*
 * A step's messages have one string and a few typed arrays: 64 strings and a few arrays take twice as long to clone,
 * and plain loops fill a typed array ten times faster than `from` with a function does.
 */

/**
 * Columns of n numbers, one after the other. Request of a step: slots, then lengths (UTF-16 units) of the actions in
 * `text`.
 */
interface PackedStep {
  text: string;
  columns: Int32Array;
}

/** Columns: lengths of the observations in `text`, rewards, flags. Most steps' answers have only these. */
interface PackedFeedback {
  text: string;
  columns: Float64Array;
  /** Absent if all lists are unchanged. */
  validActions?: PackedLists;
  failures?: (string | undefined)[];
}

const DONE = 1;
const VALID = 2;

export function packStep(slots: readonly number[], actions: readonly string[]): PackedStep {
  const count = slots.length;
  const columns = new Int32Array(2 * count);
  for (let b = 0; b < count; b++) {
    columns[b] = slots[b];
    columns[count + b] = actions[b].length;
  }
  return { text: actions.join(''), columns };
}

function unpackStep({ text, columns }: PackedStep): [slots: number[], actions: string[]] {
  const count = columns.length / 2;
  const actions = new Array<string>(count);
  let start = 0;
  for (let b = 0; b < count; b++) {
    const end = start + columns[count + b];
    actions[b] = text.slice(start, end);
    start = end;
  }
  return [Array.from(columns.subarray(0, count)), actions];
}

function packFeedback(batch: readonly Feedback[], lists: ActionListWriter): PackedFeedback {
  const count = batch.length;
  const columns = new Float64Array(3 * count);
  let text = '';
  for (let b = 0; b < count; b++) {
    const { observation, reward, done, valid } = batch[b];
    text += observation;
    columns[b] = observation.length;
    columns[count + b] = reward;
    columns[2 * count + b] = (done ? DONE : 0) | (valid ? VALID : 0);
  }
  const packed: PackedFeedback = { text, columns };
  if (batch.some((f) => f.validActions !== null)) packed.validActions = lists.write(batch.map((f) => f.validActions));
  if (batch.some((f) => f.failure !== undefined)) packed.failures = batch.map((f) => f.failure);
  return packed;
}

export function unpackFeedback(value: unknown, reader: ActionListReader): Feedback[] {
  const { text, columns, validActions: packed, failures } = value as PackedFeedback;
  const validActions = packed && reader.read(packed);
  const count = columns.length / 3;
  const batch = new Array<Feedback>(count);
  let start = 0;
  for (let b = 0; b < count; b++) {
    const end = start + columns[b];
    const flags = columns[2 * count + b];
    batch[b] = {
      observation: text.slice(start, end),
      reward: columns[count + b],
      done: (flags & DONE) !== 0,
      valid: (flags & VALID) !== 0,
      validActions: validActions ? validActions[b] : null,
    };
    if (failures?.[b] !== undefined) batch[b].failure = failures[b];
    start = end;
  }
  return batch;
}

/** Each task once; and for each episode its task, its player and the key of its random choices. */
interface PackedEpisodes {
  tasks: Task[];
  taskOf: Int32Array;
  byOracle: Uint8Array;
  keys: Float64Array;
}

export function packEpisodes(episodes: readonly BaselineEpisode[]): PackedEpisodes {
  const numbers = new Map<Task, number>();
  const taskOf = new Int32Array(episodes.length);
  const byOracle = new Uint8Array(episodes.length);
  const keys = new Float64Array(episodes.length);
  episodes.forEach(({ player, task, key }, i) => {
    const number = numbers.get(task) ?? numbers.size;
    numbers.set(task, number);
    taskOf[i] = number;
    byOracle[i] = player === 'oracle' ? 1 : 0;
    keys[i] = key;
  });
  return { tasks: [...numbers.keys()], taskOf, byOracle, keys };
}

const unpackEpisodes = ({ tasks, taskOf, byOracle, keys }: PackedEpisodes): BaselineEpisode[] =>
  Array.from(keys, (key, i) => ({ player: byOracle[i] ? 'oracle' : 'chance', task: tasks[taskOf[i]], key }));

const SUCCEEDED = 1;
const FAILED = 2;

/** Flags, score and turns of each episode. */
export function packPlayed(played: readonly BaselineResult[]): Float64Array {
  const out = new Float64Array(3 * played.length);
  played.forEach(({ success, score, turns, failed }, i) => {
    out[3 * i] = (success ? SUCCEEDED : 0) | (failed ? FAILED : 0);
    out[3 * i + 1] = score;
    out[3 * i + 2] = turns;
  });
  return out;
}

/** Equal results are one object: they are remembered for each task, and the episodes of chance end in few ways. */
export function unpackPlayed(values: Float64Array): BaselineResult[] {
  const known = new Map<string, BaselineResult>();
  return Array.from({ length: values.length / 3 }, (_, i) => {
    const [flags, score, turns] = values.subarray(3 * i, 3 * i + 3);
    const key = `${flags} ${score} ${turns}`;
    const result: BaselineResult = known.get(key) ?? {
      success: (flags & SUCCEEDED) !== 0,
      score,
      turns,
      ...((flags & FAILED) !== 0 && { failed: true }),
    };
    known.set(key, result);
    return result;
  });
}

/** A served world, and the writer of its lists. */
interface Served {
  world: World;
  lists: ActionListWriter;
}

async function answer(
  { world, lists }: Served,
  call: WorldCall,
  args: unknown[],
  signal: AbortSignal,
): Promise<unknown> {
  if (call === 'step') return packFeedback(await world.step(...unpackStep(args[0] as PackedStep), signal), lists);
  if (call === 'reset') return packFeedback(await world.reset(args[0] as number[], args[1] as Task[], signal), lists);
  if (call === 'playBaselines')
    return packPlayed(await playBaselines(world, unpackEpisodes(args[0] as PackedEpisodes), args[1] as BaselineRules));
  if (call === 'advise') return adviceOf(world, args[0] as number[], signal);
  if (call === 'subgoals' && !world.subgoals) return (args[0] as Task[]).map(() => []);
  const method = world[call] as ((...args: unknown[]) => Promise<unknown>) | undefined;
  if (!method) throw new WorldError(`World "${world.describe().name}" has no call ${call} (${JSON.stringify(args)}).`);
  return method.apply(world, [...args, signal]);
}

/**
 * True if code could not be loaded: Node's code, or the words of Chromium, Firefox and Safari. The world is intact, but
 * it fails in the same way in every new worker.
 */
const isMissingCode = (error: Error & { code?: string }) =>
  error.code === 'ERR_MODULE_NOT_FOUND' ||
  /dynamically imported module|Importing a module script failed/.test(error.message ?? '');

const missingCode = (error: Error) =>
  new WorldError(
    `A part of the world could not be loaded: ${error.message}. Install its packages, or in a browser reload the page.`,
  );

/**
 * Serves a world over a channel: `open` creates it, and each further request is one call. Returns the receiver of
 * requests.
 */
export function serveWorld(
  post: (reply: WorldReply) => void,
  open: (name: string, settings: ConnectionSettings) => Promise<World>,
): (request: WorldRequest) => void {
  let served: Served | null = null;
  const running = new Map<number, AbortController>();
  const handle = async (request: Exclude<WorldRequest, { call: 'abort' }>, signal: AbortSignal): Promise<unknown> => {
    if (request.call === 'open') {
      served = { world: await open(...request.args), lists: new ActionListWriter() };
      return null;
    }
    if (!served) throw new WorldError('This worker has not opened a world yet.');
    return answer(served, request.call, request.args, signal);
  };
  const failed = (id: number, thrown: Error, { aborted }: AbortSignal): WorldReply => {
    if (aborted) return { id, aborted };
    const error = isMissingCode(thrown) ? missingCode(thrown) : thrown;
    return { id, error: error.message ?? String(error), refused: error instanceof WorldError };
  };
  return (request) => {
    const { id } = request;
    if (request.call === 'abort') return running.get(id)?.abort();
    const control = new AbortController();
    running.set(id, control);
    handle(request, control.signal)
      .then(
        (value) => post({ id, value }),
        (error: Error) => post(failed(id, error, control.signal)),
      )
      .finally(() => running.delete(id));
  };
}
