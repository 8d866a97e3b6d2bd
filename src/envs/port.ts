/**
 * A world behind a message channel: the messages, the side that serves them, and what the pool asks of a worker. A channel
 * is anything that posts and receives structured clones: a page's worker, a Node thread, a pair of functions in a test.
 */
import { type Feedback, type World, WorldError } from './env.ts';

/** The calls of World that return a promise. */
export type WorldCall = 'tasks' | 'reset' | 'step' | 'oracle' | 'oracleIsListed' | 'view';

export type WorldRequest =
  | { id: number; call: 'open'; args: [name: string] }
  | { id: number; call: WorldCall; args: unknown[] };

export type WorldReply =
  | { id: number; value: unknown }
  /** `refused`: the call was wrong and the world is unharmed. Otherwise the instance trapped and cannot be trusted. */
  | { id: number; error: string; refused: boolean };

/** What the pool needs of a worker. */
export interface WorldPort {
  post(request: WorldRequest): void;
  /** Called once, before the first post. `lost` reports a worker that died by itself. */
  listen(receive: (reply: WorldReply) => void, lost: (reason: string) => void): void;
  terminate(): void;
}

/** Feedback of a batch as columns: cheaper to clone than objects. The counterpart of `unpackFeedback`. */
interface PackedFeedback {
  observations: string[];
  rewards: Float64Array;
  flags: Uint8Array;
  validActions: (string[] | null | undefined)[] | null;
  failures: (string | undefined)[] | null;
}

const DONE = 1;
const VALID = 2;

function packFeedback(batch: readonly Feedback[]): PackedFeedback {
  return {
    observations: batch.map((f) => f.observation),
    rewards: Float64Array.from(batch, (f) => f.reward),
    flags: Uint8Array.from(batch, (f) => (f.done ? DONE : 0) | (f.valid ? VALID : 0)),
    validActions: batch.every((f) => f.validActions === null) ? null : batch.map((f) => f.validActions),
    failures: batch.some((f) => f.failure !== undefined) ? batch.map((f) => f.failure) : null,
  };
}

export function unpackFeedback(value: unknown): Feedback[] {
  const { observations, rewards, flags, validActions, failures } = value as PackedFeedback;
  return observations.map((observation, b) => {
    const feedback: Feedback = {
      observation,
      reward: rewards[b],
      done: (flags[b] & DONE) !== 0,
      valid: (flags[b] & VALID) !== 0,
      validActions: validActions ? validActions[b] : null,
    };
    if (failures?.[b] !== undefined) feedback.failure = failures[b];
    return feedback;
  });
}

async function answer(world: World, call: WorldCall, args: unknown[]): Promise<unknown> {
  const method = world[call] as ((...args: unknown[]) => Promise<unknown>) | undefined;
  if (!method) return null;
  const value = await method.apply(world, args);
  return call === 'reset' || call === 'step' ? packFeedback(value as Feedback[]) : value;
}

/** Serves a world over a channel: `open` creates it, then each request is one call. Returns the receiver of requests. */
export function serveWorld(
  post: (reply: WorldReply) => void,
  open: (name: string) => Promise<World>,
): (request: WorldRequest) => void {
  let world: World | null = null;
  const handle = async (request: WorldRequest): Promise<unknown> => {
    if (request.call === 'open') {
      world = await open(request.args[0]);
      return world.describe();
    }
    if (!world) throw new WorldError('This worker has not opened a world yet.');
    return answer(world, request.call, request.args);
  };
  return (request) => {
    handle(request).then(
      (value) => post({ id: request.id, value }),
      (error: Error) =>
        post({ id: request.id, error: error.message ?? String(error), refused: error instanceof WorldError }),
    );
  };
}
