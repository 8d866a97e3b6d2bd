/**
 * Batched worlds (in this process or in a worker): one message to a world for all its rows, sent before the policy
 * decodes and answered while it does. Every answer of a round is received in that round, so which row decodes when
 * depends on the texts alone, never on how long a world took.
 */
import type { Feedback, World } from '../../envs/env.ts';
import { awaitAll } from '../common/await-all.ts';
import { mostTurns } from '../schedule/horizon.ts';
import { perWorld, worldNamed } from './by-world.ts';
import type { Episode } from './episode.ts';
import {
  type AnsweredEpisodes,
  type SchedulerParts,
  setHorizon,
  stepWorld,
  type WorldScheduler,
} from './world-scheduler.ts';

/** Rows in one message: the next message is on its way while the answers to the last one are read. */
const rowsPerMessage = 32;

const nothing: AnsweredEpisodes = { started: [], stepped: [] };

export class BatchedWorlds implements WorldScheduler {
  private round: Promise<AnsweredEpisodes> = Promise.resolve(nothing);
  /** Length of each group's oracle plan: the members of a group share the task and its plan. */
  private readonly oracleTurns = new Map<number, number | null>();
  private readonly plannedGroups = new Set<number>();
  /**
   * Oracle calls under a fixed horizon, which does not depend on their plans. No world steps before its oracle has
   * answered.
   */
  private plans: Promise<void> = Promise.resolve();

  constructor(private readonly parts: SchedulerParts) {}

  send(starting: readonly Episode[], stepping: readonly Episode[]): void {
    this.round = awaitAll([this.start(starting), this.step(stepping)]).then(() => ({
      started: starting,
      stepped: stepping,
    }));
    // `receive` throws the error; until then a rejection must not count as unhandled.
    this.round.catch(() => {});
  }

  receive(): Promise<AnsweredEpisodes> {
    return this.round;
  }

  /** The rollout's own signal ends the calls of a batch; waits until they have ended. */
  async abort(): Promise<void> {
    await Promise.allSettled([this.round, this.plans]);
  }

  /** Waits for oracles that are still planning. Throws the error of one that failed. */
  async finish(): Promise<void> {
    await this.plans;
  }

  private async start(episodes: readonly Episode[]): Promise<void> {
    await perWorld(this.parts.worlds, episodes, async (world, members) => {
      const slots = members.map((episode) => episode.slot);
      const tasks = members.map((episode) => episode.task);
      const feedback = await world.reset(slots, tasks, this.parts.signal);
      const description = world.describe();
      members.forEach((episode, i) => {
        episode.start(feedback[i], description, this.parts.promptTokens);
      });
    });
    await this.setHorizons(episodes.filter((episode) => !episode.ended));
  }

  private async setHorizons(episodes: readonly Episode[]): Promise<void> {
    const planned = this.requestPlans(episodes);
    const turnsOf = ({ group }: Episode) => this.oracleTurns.get(group) ?? null;
    const { limit, worlds } = this.parts;
    if (mostTurns(limit) !== null) {
      // A fixed horizon needs no plan: the episodes continue while the oracles plan.
      for (const episode of episodes) setHorizon(episode, worldNamed(worlds, episode.task.world), this.parts, null);
      this.plans = this.plans
        .then(() => planned)
        .then(() => episodes.forEach((episode) => void episode.setOracleTurns(turnsOf(episode))));
      // The error surfaces where `plans` is awaited.
      this.plans.catch(() => {});
      return;
    }
    await planned;
    for (const episode of episodes)
      setHorizon(episode, worldNamed(worlds, episode.task.world), this.parts, turnsOf(episode));
  }

  /** Requests one plan for each group that has none yet, from the oracle of one of its members. */
  private async requestPlans(episodes: readonly Episode[]): Promise<void> {
    const leaders = new Map<number, Episode>();
    for (const episode of episodes)
      if (!this.plannedGroups.has(episode.group)) {
        this.plannedGroups.add(episode.group);
        leaders.set(episode.group, episode);
      }
    await perWorld(this.parts.worlds, [...leaders.values()], async (world, members) => {
      if (!world.describe().hasOracle) return;
      const slots = members.map((episode) => episode.slot);
      const plans = await world.oracle(slots, this.parts.signal);
      members.forEach((episode, i) => {
        this.oracleTurns.set(episode.group, plans[i]?.length ?? null);
      });
    });
  }

  private async step(episodes: readonly Episode[]): Promise<void> {
    await perWorld(this.parts.worlds, episodes, async (world, members) => {
      await this.plans;
      const parts = inParts(members, rowsPerMessage);
      const sent = parts.map((part) => stepWorld(world, part, this.parts.signal));
      const settled = Promise.allSettled(sent);
      try {
        for (const [p, part] of parts.entries()) await this.apply(world, part, await sent[p]);
      } finally {
        await settled;
      }
    });
    this.parts.release(episodes.filter((episode) => episode.ended));
  }

  private async apply(world: World, episodes: readonly Episode[], feedback: readonly Feedback[]): Promise<void> {
    // Yields, so that the next part's message is sent before the lists of this one are read.
    await Promise.resolve();
    for (const [i, episode] of episodes.entries()) {
      episode.takeObservation(feedback[i]);
      await this.parts.onAnswer(episode, world, feedback[i]);
    }
  }
}

const inParts = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, part) => list.slice(part * size, (part + 1) * size));
