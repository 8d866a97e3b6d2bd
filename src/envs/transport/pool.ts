/**
 * A world in a worker, under guard. The World contract over a WorldPort: one message a batch, a time limit on every call.
 *
 * WASM cannot be interrupted. So an instance that hangs, traps or dies is terminated, a new one is started, and the worlds
 * are rebuilt by replaying their actions. The batch that failed is then tried one world at a time: the world that fails
 * alone is the guilty one, it ends with `failure`, and every other world goes on as if nothing had happened.
 */
import { playAlone } from '../alone.ts';
import {
  type Advice,
  type Feedback,
  type Json,
  type LoneEpisode,
  type LonePlay,
  type Played,
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

/** What it takes to rebuild a world. */
interface Episode {
  task: Task;
  actions: string[];
  failure: string | null;
}

/** What a world that failed answers. */
export const failed = (failure: string): Feedback => ({
  observation: '',
  reward: 0,
  done: true,
  valid: false,
  validActions: null,
  failure,
});

/** What a promise comes to, or the signal's reason where that comes first. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Turns that one message has played, where each row's are bounded, and what a row's are taken for where its oracle bounds them. */
const turnsAtOnce = 1024;
const usualTurns = 8;
/** Time limits of one call that so many turns may take. */
const timeoutsOfPlay = 6;

/** Open one with `WorldPool.open()`. */
export class WorldPool implements World {
  private readonly episodes = new Map<number, Episode>();
  private readonly lists = new ActionListReader();
  /** Calls wait for each other: a recovery must not meet a call half-way. */
  private queue: Promise<unknown> = Promise.resolve();
  private closed = false;
  /** Instances that had to be replaced. */
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
    const condemn = (k: number, failure: string) =>
      this.episodes.set(slots[k], { task: tasks[k], actions: [], failure });
    return this.exclusive(() => this.move(slots, [...slots.keys()], begin, condemn), signal);
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
    const condemn = (k: number, failure: string) => this.condemn(slots[k], failure);
    const standing = () => slots.flatMap((slot, k) => (this.episodes.get(slot)?.failure ? [] : [k]));
    return this.exclusive(() => this.move(slots, standing(), advance, condemn), signal);
  }

  /** A part at a time, so that other calls come between. What costs an instance is played again turn by turn, which finds the guilty world. */
  async playAlone(episodes: readonly LoneEpisode[], play: LonePlay): Promise<Played[]> {
    const atOnce = Math.max(8, Math.floor(turnsAtOnce / (typeof play.turns === 'number' ? play.turns : usualTurns)));
    const played: Played[] = [];
    for (let first = 0; first < episodes.length; first += atOnce) {
      const part = episodes.slice(first, first + atOnce);
      const here = await this.exclusive(() => this.playPart(part, play));
      played.push(...(here ?? (await playAlone(this, part, play))));
    }
    return played;
  }

  private async playPart(episodes: readonly LoneEpisode[], play: LonePlay): Promise<Played[] | null> {
    // Their slots are not rebuilt: nobody here knows what was said in them.
    for (const slot of episodes.keys()) this.episodes.delete(slot);
    try {
      const timeoutMs = this.options.timeoutMs * timeoutsOfPlay;
      const played = await this.instance.call('playAlone', [packEpisodes(episodes), play], timeoutMs);
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

  /** One call after another. A call that is given up rejects at once; the next one waits until its answer is there. */
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

  /** A call that moves no world: a lost instance is replaced, and the call is refused. */
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

  /** A question about worlds: those whose answer costs an instance get null. */
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
   * Moves the worlds `part` (indices into `slots`) all at once; where that costs the instance, one at a time. Those not in
   * `part` answer the failure they ended with.
   */
  private async move(
    slots: readonly number[],
    part: number[],
    moveSome: (part: number[]) => Promise<Feedback[]>,
    condemn: (k: number, failure: string) => void,
  ): Promise<Feedback[]> {
    const answers = slots.map((slot) => failed(this.episodes.get(slot)?.failure ?? ''));
    try {
      if (part.length) for (const [i, feedback] of (await moveSome(part)).entries()) answers[part[i]] = feedback;
    } catch (error) {
      // Nobody knows how far they came: they are no longer rebuilt, and are to be reset.
      if (error instanceof CallAborted) for (const k of part) this.episodes.delete(slots[k]);
      if (!(error instanceof InstanceLost)) throw error;
      await this.recover();
      for (const k of part) answers[k] = await this.moveAlone(k, moveSome, condemn);
    }
    return answers;
  }

  private async moveAlone(
    k: number,
    moveSome: (part: number[]) => Promise<Feedback[]>,
    condemn: (k: number, failure: string) => void,
  ): Promise<Feedback> {
    try {
      return (await moveSome([k]))[0];
    } catch (error) {
      if (!(error instanceof InstanceLost)) throw error;
      const failure = `The world failed: ${error.message}.`;
      condemn(k, failure);
      await this.recover();
      return failed(failure);
    }
  }

  /** Marks a world as failed: it is not rebuilt, and answers its failure until it is reset. */
  private condemn(slot: number, failure: string): void {
    const episode = this.episodes.get(slot);
    if (episode) episode.failure = failure;
  }

  /** A new instance with all worlds as they were. A world that fails even at its replay is condemned. */
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

  /** Finds the worlds that fail at their replay, one instance each, then rebuilds the others. */
  private async recoverSingly(live: [number, Episode][]): Promise<void> {
    for (const world of live) {
      await this.restart();
      try {
        await this.replay([world]);
      } catch (error) {
        if (!(error instanceof InstanceLost)) throw error;
        this.condemn(world[0], `The world failed while it was rebuilt: ${error.message}.`);
      }
    }
    await this.restart();
    await this.replay(live.filter(([, episode]) => !episode.failure));
  }

  private async replay(worlds: readonly [number, Episode][]): Promise<void> {
    if (worlds.length === 0) return;
    const slots = worlds.map(([slot]) => slot);
    // Nobody waits for these answers, but later lists count on theirs.
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
