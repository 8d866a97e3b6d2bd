/**
 * Free-running worlds (remote, slow): one call per row. A row continues as soon as its own world has answered, so a
 * slow world delays no other row. Answers are received between rounds, in the order in which they arrived.
 */
import type { Feedback } from '../../envs/env.ts';
import { partition } from '../common/numbers.ts';
import { worldNamed } from './by-world.ts';
import type { Episode } from './episode.ts';
import {
  type AnsweredEpisodes,
  type SchedulerParts,
  setHorizon,
  stepWorld,
  type WorldScheduler,
} from './world-scheduler.ts';

/** The answer of a world to one row. */
interface RowAnswer {
  episode: Episode;
  feedback: Feedback;
  /** The answer to a reset; false: to an action. */
  starts: boolean;
  /** Length of the oracle's plan after a reset; null: no plan. */
  oracleTurns: number | null;
}

export class FreeRunningWorlds implements WorldScheduler {
  private readonly calls = new Map<Episode, { control: AbortController; settled: Promise<void> }>();
  private readonly answers: RowAnswer[] = [];
  private failure: { error: unknown } | null = null;

  constructor(private readonly parts: SchedulerParts) {}

  /** Episodes whose world has a call under way, or an answer that has not been received yet. */
  get waiting(): readonly Episode[] {
    return [...this.calls.keys(), ...this.answers.map(({ episode }) => episode)];
  }

  send(starting: readonly Episode[], stepping: readonly Episode[]): void {
    for (const episode of starting) this.call(episode, (signal) => this.start(episode, signal));
    for (const episode of stepping) this.call(episode, (signal) => this.step(episode, signal));
  }

  /** Resolves when `receive` has something to return; at once if no call is under way. */
  async next(): Promise<void> {
    if (this.answers.length > 0 || this.failure || this.calls.size === 0) return;
    await Promise.race([...this.calls.values()].map(({ settled }) => settled));
  }

  async receive(): Promise<AnsweredEpisodes> {
    if (this.failure) throw this.failure.error;
    const received = this.answers.splice(0);
    for (const answer of received) await this.apply(answer);
    const [starts, steps] = partition(received, (answer) => answer.starts);
    const stepped = steps.map(({ episode }) => episode);
    this.parts.release(stepped.filter((episode) => episode.ended));
    return { started: starts.map(({ episode }) => episode), stepped };
  }

  async abort(reason?: unknown): Promise<void> {
    const calls = [...this.calls.values()];
    for (const { control } of calls) control.abort(reason);
    await Promise.all(calls.map(({ settled }) => settled));
  }

  private worldOf({ task }: Episode) {
    return worldNamed(this.parts.worlds, task.world);
  }

  private call(episode: Episode, call: (signal: AbortSignal) => Promise<RowAnswer>): void {
    const control = new AbortController();
    const settled = call(control.signal).then(
      (answer) => {
        this.calls.delete(episode);
        this.answers.push(answer);
      },
      (error: unknown) => {
        this.calls.delete(episode);
        this.failure ??= { error };
      },
    );
    this.calls.set(episode, { control, settled });
  }

  /** Resets the world and requests its oracle's plan in the same call, so that no row waits for another's oracle. */
  private async start(episode: Episode, signal: AbortSignal): Promise<RowAnswer> {
    const world = this.worldOf(episode);
    const [feedback] = await world.reset([episode.slot], [episode.task], signal);
    const planned = world.describe().hasOracle && feedback.failure === undefined;
    const [plan] = planned ? await world.oracle([episode.slot], signal) : [null];
    return { episode, feedback, starts: true, oracleTurns: plan?.length ?? null };
  }

  private async step(episode: Episode, signal: AbortSignal): Promise<RowAnswer> {
    const [feedback] = await stepWorld(this.worldOf(episode), [episode], signal);
    return { episode, feedback, starts: false, oracleTurns: null };
  }

  private async apply({ episode, feedback, starts, oracleTurns }: RowAnswer): Promise<void> {
    const world = this.worldOf(episode);
    if (starts) {
      episode.start(feedback, world.describe(), this.parts.promptTokens);
      if (!episode.ended) setHorizon(episode, world, this.parts, oracleTurns);
    } else {
      episode.takeObservation(feedback);
      await this.parts.onAnswer(episode, world, feedback);
    }
  }
}
