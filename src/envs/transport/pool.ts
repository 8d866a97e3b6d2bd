/**
 * A world in a guarded worker: the World contract over a WorldPort, with one message for each batch and a time limit
 * for every call.
 *
 * WASM cannot be interrupted. So an instance that hangs, traps or dies is terminated, a new one is started, and the
 * worlds are rebuilt by replaying their actions. The failed batch is then tried one world at a time: a world that fails
 * alone is the cause, ends with `failure`, and every other world continues unaffected.
 */
import { playBaselines } from '../baseline-play.ts';
import {
  type Advice,
  type BaselineEpisode,
  type BaselineResult,
  type BaselineRules,
  type Feedback,
  type Json,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
  type WorldView,
} from '../env.ts';
import { ActionListReader } from './action-lists.ts';
import { CallAborted, Instance, InstanceLost, type PoolOptions } from './instance.ts';
import { packEpisodes, packStep, unpackFeedback, unpackPlayed, type WorldCall } from './port.ts';

/** Data for rebuilding a world. */
interface Episode {
  task: Task;
  actions: string[];
  failure: string | null;
}

/** Worlds that fail alone, one after the other, before any has answered: the others are given the same failure untried. */
const mostUnanswered = 16;

/** Answer of a world that failed. */
export const failed = (failure: string): Feedback => ({
  observation: '',
  reward: 0,
  done: true,
  valid: false,
  validActions: null,
  failure,
});

/** What waits for each signal. One listener serves all: Node warns of a leak from the eleventh listener of a signal on. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

function waitingFor(signal: AbortSignal): Set<() => void> {
  let all = waiting.get(signal);
  if (!all) {
    const created = new Set<() => void>();
    signal.addEventListener('abort', () => created.forEach((abort) => abort()), { once: true });
    waiting.set(signal, created);
    all = created;
  }
  return all;
}

/** Result of a promise, or the signal's reason if that comes first. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    const all = waitingFor(signal).add(abort);
    promise.then(resolve, reject).finally(() => all.delete(abort));
  });
}

/**
 * Maximum number of turns in one message, for a batch of episodes with a fixed turn limit; `usualTurns` is the number
 * assumed for an episode whose limit depends on its oracle.
 */
const turnsAtOnce = 1024;
const usualTurns = 8;
/** Time limit of a message with so many turns, as a multiple of a single call's limit. */
const timeoutsOfPlay = 6;

/** Open one with `WorldPool.open()`. */
export class WorldPool implements World {
  private readonly episodes = new Map<number, Episode>();
  private readonly lists = new ActionListReader();
  /** Calls run one after another: a recovery must not interleave with a call. */
  private queue: Promise<unknown> = Promise.resolve();
  private closed = false;
  /** Worlds that failed alone before the first answer of any; null once there was an answer. */
  private unanswered: number | null = 0;
  /** Number of replaced instances. */
  restarts = 0;

  private constructor(
    private readonly options: Required<PoolOptions>,
    private instance: Instance,
  ) {}

  static async open(options: PoolOptions): Promise<WorldPool> {
    const filled = { timeoutMs: 10_000, openTimeoutMs: 60_000, settings: {}, ...options };
    return new WorldPool(filled, await Instance.start(filled));
  }

  describe(): WorldDescription {
    return this.options.description;
  }

  tasks(options: WorldOptions, split: Split, signal?: AbortSignal): Promise<Task[]> {
    return this.exclusive(() => this.callOnce('tasks', [options, split], signal) as Promise<Task[]>, signal);
  }

  subgoals(tasks: readonly Task[], signal?: AbortSignal): Promise<Task[][]> {
    return this.exclusive(() => this.callOnce('subgoals', [tasks], signal) as Promise<Task[][]>, signal);
  }

  view(slot: number, signal?: AbortSignal): Promise<WorldView> {
    return this.exclusive(() => this.callOnce('view', [slot], signal) as Promise<WorldView>, signal);
  }

  inspect(slot: number, what: string, signal?: AbortSignal): Promise<Json> {
    return this.exclusive(() => this.callOnce('inspect', [slot, what], signal) as Promise<Json>, signal);
  }

  oracle(slots: readonly number[], signal?: AbortSignal): Promise<(string[] | null)[]> {
    return this.exclusive(() => this.ask<string[]>('oracle', slots, signal), signal);
  }

  advise(slots: readonly number[], signal?: AbortSignal): Promise<(Advice | null)[]> {
    return this.exclusive(() => this.ask<Advice>('advise', slots, signal), signal);
  }

  reset(slots: readonly number[], tasks: readonly Task[], signal?: AbortSignal): Promise<Feedback[]> {
    const begin = async (part: number[]) => {
      const chosen = part.map((k) => tasks[k]);
      const value = await this.send('reset', [part.map((k) => slots[k]), chosen], signal);
      for (const k of part) this.episodes.set(slots[k], { task: tasks[k], actions: [], failure: null });
      return unpackFeedback(value, this.lists);
    };
    const markFailed = (k: number, failure: string) =>
      this.episodes.set(slots[k], { task: tasks[k], actions: [], failure });
    return this.exclusive(() => this.move(slots, [...slots.keys()], begin, markFailed), signal);
  }

  step(slots: readonly number[], actions: readonly string[], signal?: AbortSignal): Promise<Feedback[]> {
    const advance = async (part: number[]) => {
      const value = await this.sendStep(
        part.map((k) => slots[k]),
        part.map((k) => actions[k]),
        signal,
      );
      for (const k of part) this.episodes.get(slots[k])?.actions.push(actions[k]);
      return unpackFeedback(value, this.lists);
    };
    const markFailed = (k: number, failure: string) => this.markFailed(slots[k], failure);
    const unfailed = () => slots.flatMap((slot, k) => (this.episodes.get(slot)?.failure ? [] : [k]));
    return this.exclusive(() => this.move(slots, unfailed(), advance, markFailed), signal);
  }

  /**
   * Plays part by part, so that other calls can run in between. If the instance is lost during a part, that part is
   * played again turn by turn, which finds the failing world.
   */
  async playBaselines(episodes: readonly BaselineEpisode[], play: BaselineRules): Promise<BaselineResult[]> {
    const atOnce = Math.max(8, Math.floor(turnsAtOnce / (typeof play.turns === 'number' ? play.turns : usualTurns)));
    const played: BaselineResult[] = [];
    for (let first = 0; first < episodes.length; first += atOnce) {
      const part = episodes.slice(first, first + atOnce);
      const here = await this.exclusive(() => this.playPart(part, play));
      played.push(...(here ?? (await playBaselines(this, part, play))));
    }
    return played;
  }

  private async playPart(episodes: readonly BaselineEpisode[], play: BaselineRules): Promise<BaselineResult[] | null> {
    // These slots cannot be rebuilt: their actions are chosen in the worker and unknown here.
    for (const slot of episodes.keys()) this.episodes.delete(slot);
    try {
      const timeoutMs = this.options.timeoutMs * timeoutsOfPlay;
      const played = await this.instance.call('playBaselines', [packEpisodes(episodes), play], timeoutMs);
      return unpackPlayed(played as Float64Array);
    } catch (error) {
      if (!(error instanceof InstanceLost)) throw error;
      await this.recover();
      return null;
    }
  }

  close(): Promise<void> {
    return this.exclusive(async () => {
      this.closed = true;
      this.instance.terminate();
    });
  }

  /** Runs calls one after another. A cancelled call rejects immediately; the next one still waits for its answer. */
  private exclusive<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const result = this.queue.then(() => {
      signal?.throwIfAborted();
      if (this.closed) throw new WorldError(`World "${this.options.description.name}" was closed.`);
      return work();
    });
    this.queue = result.catch(() => {});
    return signal ? orAborted(result, signal) : result;
  }

  private send(call: WorldCall, args: unknown[], signal?: AbortSignal): Promise<unknown> {
    return this.instance.call(call, args, this.options.timeoutMs, signal);
  }

  private sendStep(slots: readonly number[], actions: readonly string[], signal?: AbortSignal): Promise<unknown> {
    return this.send('step', [packStep(slots, actions)], signal);
  }

  /** A call that changes no world. If it loses the instance, the instance is replaced and the call rejects. */
  private async callOnce(call: WorldCall, args: unknown[], signal?: AbortSignal): Promise<unknown> {
    try {
      return await this.send(call, args, signal);
    } catch (error) {
      if (!(error instanceof InstanceLost)) throw error;
      await this.recover();
      throw new WorldError(
        `World "${this.options.description.name}" failed at ${call}: ${error.message}. It was restarted.`,
      );
    }
  }

  /** Reads from worlds. The result is null for a world whose call loses the instance. */
  private async ask<T>(call: WorldCall, slots: readonly number[], signal?: AbortSignal): Promise<(T | null)[]> {
    const live = slots.filter((slot) => !this.episodes.get(slot)?.failure);
    const answers = new Map<number, T | null>();
    const keep = (part: readonly number[], values: unknown) => {
      for (const [k, slot] of part.entries()) answers.set(slot, (values as (T | null)[] | null)?.[k] ?? null);
    };
    try {
      if (live.length) keep(live, await this.send(call, [live], signal));
    } catch (error) {
      if (!(error instanceof InstanceLost)) throw error;
      await this.recover();
      for (const slot of live) keep([slot], await this.callOnce(call, [[slot]]).catch(() => null));
    }
    return slots.map((slot) => answers.get(slot) ?? null);
  }

  /**
   * Steps the worlds `part` (indices into `slots`) together, or one at a time if that loses the instance. Worlds that
   * have failed before answer with their earlier failure.
   */
  private async move(
    slots: readonly number[],
    part: number[],
    moveSome: (part: number[]) => Promise<Feedback[]>,
    markFailed: (k: number, failure: string) => void,
  ): Promise<Feedback[]> {
    const answers = slots.map((slot) => failed(this.episodes.get(slot)?.failure ?? ''));
    try {
      if (!part.length) return answers;
      for (const [i, feedback] of (await moveSome(part)).entries()) answers[part[i]] = feedback;
      this.unanswered = null;
    } catch (error) {
      // Their progress is unknown: they cannot be rebuilt, and must be reset.
      if (error instanceof CallAborted) for (const k of part) this.episodes.delete(slots[k]);
      if (!(error instanceof InstanceLost)) throw error;
      await this.recover();
      let last = '';
      for (const k of part) {
        // Each try costs a new worker: a world that cannot be played at all would take minutes for a batch.
        const isHopeless = this.unanswered !== null && this.unanswered >= mostUnanswered && last !== '';
        if (isHopeless) markFailed(k, last);
        answers[k] = isHopeless ? failed(last) : await this.moveAlone(k, moveSome, markFailed);
        last = answers[k].failure ?? '';
      }
    }
    return answers;
  }

  private async moveAlone(
    k: number,
    moveSome: (part: number[]) => Promise<Feedback[]>,
    markFailed: (k: number, failure: string) => void,
  ): Promise<Feedback> {
    try {
      const [feedback] = await moveSome([k]);
      this.unanswered = null;
      return feedback;
    } catch (error) {
      if (!(error instanceof InstanceLost)) throw error;
      const failure = `The world failed: ${error.message}.`;
      markFailed(k, failure);
      if (this.unanswered !== null) this.unanswered++;
      await this.recover();
      return failed(failure);
    }
  }

  /** Marks a world as failed: it is not rebuilt, and answers with its failure until it is reset. */
  private markFailed(slot: number, failure: string): void {
    const episode = this.episodes.get(slot);
    if (episode) episode.failure = failure;
  }

  /** Starts a new instance and rebuilds all worlds in it. A world that fails during its replay is marked as failed. */
  private async recover(): Promise<void> {
    await this.restart();
    const live = [...this.episodes].filter(([, episode]) => !episode.failure);
    try {
      await this.replay(live);
    } catch (error) {
      if (!(error instanceof InstanceLost)) throw error;
      await this.recoverSingly(live);
    }
  }

  private async restart(): Promise<void> {
    this.instance.terminate();
    this.restarts++;
    this.instance = await Instance.start(this.options);
  }

  /** Finds the worlds that fail during their replay, one instance each, then rebuilds the others. */
  private async recoverSingly(live: [number, Episode][]): Promise<void> {
    for (const world of live) {
      await this.restart();
      try {
        await this.replay([world]);
      } catch (error) {
        if (!(error instanceof InstanceLost)) throw error;
        this.markFailed(world[0], `The world failed while it was rebuilt: ${error.message}.`);
      }
    }
    await this.restart();
    await this.replay(live.filter(([, episode]) => !episode.failure));
  }

  private async replay(worlds: readonly [number, Episode][]): Promise<void> {
    if (worlds.length === 0) return;
    const slots = worlds.map(([slot]) => slot);
    // These answers are not used, but the numbering of later lists depends on theirs.
    unpackFeedback(await this.send('reset', [slots, worlds.map(([, episode]) => episode.task)]), this.lists);
    for (let turn = 0; ; turn++) {
      const moving = worlds.filter(([, episode]) => turn < episode.actions.length);
      if (moving.length === 0) return;
      const moved = await this.sendStep(
        moving.map(([slot]) => slot),
        moving.map(([, episode]) => episode.actions[turn]),
      );
      unpackFeedback(moved, this.lists);
    }
  }
}
