/**
 * Rollouts: groups of trajectories played in lockstep over the `Policy` and `World` contracts, turn by turn, many rows at
 * once, in waves where there are more rows than the policy holds. Knows texts, tokens and endings; nothing of gradients.
 *
 * Random numbers are keyed by (seed, stream, row, position), and a row's key is its group and member: neither the wave it
 * falls in nor its neighbours change what it does.
 */
import type { Feedback, Task, World } from '../envs/env.ts';
import type { GeneratedTurn, GenerateRow, Policy } from '../policy/policy.ts';
import type { Conversation } from './conversation.ts';
import { Episode, type EpisodeRules } from './episode.ts';
import { type TurnLimit, turnsFor } from './horizon.ts';
import type { Trajectory } from './trajectory.ts';

export interface RolloutRequest {
  /** One task a group. */
  tasks: readonly Task[];
  groupSize: number;
  /** Number of the first group: rows are keyed by their group's number. */
  firstGroup?: number;
  limit: TurnLimit;
  temperature: number;
  maskActions: boolean;
  maxTokensPerTurn: number;
  rules: EpisodeRules;
  seed: number;
  stream: number;
}

export interface RolloutParts {
  policy: Policy;
  worlds: ReadonlyMap<string, World>;
  conversation: Conversation;
}

/** One turn of one row, as it happened. */
export interface TurnEvent {
  task: Task;
  group: number;
  member: number;
  turn: number;
  action: string;
  reply?: string;
  observation: string;
  reward: number;
  done: boolean;
  world: World;
  slot: number;
}

export interface RolloutOptions {
  signal?: AbortSignal;
  /** Awaited before the next turn: whoever watches may look at the world. */
  onTurn?: (event: TurnEvent) => void | Promise<void>;
  /** Episodes ended so far. */
  onEpisodes?: (done: number, total: number) => void;
}

export class RolloutError extends Error {
  override name = 'RolloutError';
}

/** Plays `groupSize` episodes of each task. Trajectories come by group, then member. */
export async function rollout(
  parts: RolloutParts,
  request: RolloutRequest,
  options: RolloutOptions = {},
): Promise<Trajectory[]> {
  const { rows, groups } = parts.policy.capacity;
  if (request.groupSize > rows) {
    throw new RolloutError(`A group of ${request.groupSize} does not fit in ${rows} rows: choose smaller groups.`);
  }
  const perWave = Math.max(1, Math.min(groups, Math.floor(rows / request.groupSize)));
  const trajectories: Trajectory[] = [];
  const total = request.tasks.length * request.groupSize;
  for (let first = 0; first < request.tasks.length; first += perWave) {
    const wave = new Wave(parts, request, first, request.tasks.slice(first, first + perWave));
    const report = (ended: number) => options.onEpisodes?.(first * request.groupSize + ended, total);
    trajectories.push(...(await wave.play(options, report)));
  }
  return trajectories;
}

/** Runs a batched call once for each world, over the rows that live in it. */
export async function perWorld<T extends { readonly task: Task }>(
  worlds: ReadonlyMap<string, World>,
  rows: readonly T[],
  call: (world: World, members: T[]) => Promise<void>,
): Promise<void> {
  const byWorld = new Map<string, T[]>();
  for (const row of rows) {
    const name = row.task.world;
    const members = byWorld.get(name);
    if (members) members.push(row);
    else byWorld.set(name, [row]);
  }
  await Promise.all([...byWorld].map(([name, members]) => call(worldNamed(worlds, name), members)));
}

export function worldNamed(worlds: ReadonlyMap<string, World>, name: string): World {
  const world = worlds.get(name);
  if (!world) throw new RolloutError(`There is no world "${name}"; open are ${[...worlds.keys()].join(', ')}.`);
  return world;
}

/** As many groups as the policy holds at once. */
class Wave {
  private readonly episodes: Episode[] = [];

  constructor(
    private readonly parts: RolloutParts,
    private readonly request: RolloutRequest,
    first: number,
    tasks: readonly Task[],
  ) {
    const { groupSize, firstGroup = 0 } = request;
    tasks.forEach((task, index) => {
      for (let member = 0; member < groupSize; member++) {
        const slot = index * groupSize + member;
        const group = firstGroup + first + index;
        this.episodes.push(new Episode(task, group, member, slot, parts.conversation, request));
      }
    });
  }

  async play(options: RolloutOptions, report: (ended: number) => void): Promise<Trajectory[]> {
    await this.reset();
    await this.setHorizons();
    await this.begin();
    while (this.active.length > 0) {
      options.signal?.throwIfAborted();
      await this.turn(options);
      report(this.episodes.length - this.active.length);
    }
    return this.episodes.map((episode) => episode.trajectory());
  }

  private get active(): Episode[] {
    return this.episodes.filter((episode) => !episode.ended);
  }

  private async reset(): Promise<void> {
    await perWorld(this.parts.worlds, this.episodes, async (world, members) => {
      const slots = members.map((episode) => episode.slot);
      const feedback = await world.reset(
        slots,
        members.map((episode) => episode.task),
      );
      const description = world.describe();
      members.forEach((episode, i) => {
        episode.start(feedback[i], description, this.parts.policy.capacity.promptTokens);
      });
    });
  }

  private async setHorizons(): Promise<void> {
    const plans = await this.oracleTurns();
    for (const episode of this.active) {
      const turns = plans.get(episode.group) ?? null;
      const { hasOracle } = worldNamed(this.parts.worlds, episode.task.world).describe();
      // An oracle that is there but did not answer leaves no horizon to play under: the world failed, not the run.
      if (turns === null && hasOracle && typeof this.request.limit !== 'number') episode.end('world-failure');
      else episode.setHorizon(turnsFor(this.request.limit, turns), turns);
    }
  }

  /** By group. The oracle is asked once a group: same task, same world. */
  private async oracleTurns(): Promise<Map<number, number>> {
    const leaders = new Map<number, Episode>();
    for (const episode of this.active) if (!leaders.has(episode.group)) leaders.set(episode.group, episode);
    const turns = new Map<number, number>();
    await perWorld(this.parts.worlds, [...leaders.values()], async (world, members) => {
      if (!world.describe().hasOracle) return;
      const plans = await world.oracle(members.map((episode) => episode.slot));
      members.forEach((episode, i) => {
        if (plans[i]) turns.set(episode.group, plans[i].length);
      });
    });
    return turns;
  }

  private async begin(): Promise<void> {
    const groups = new Map<number, Episode[]>();
    for (const episode of this.active) {
      const members = groups.get(episode.group);
      if (members) members.push(episode);
      else groups.set(episode.group, [episode]);
    }
    if (groups.size === 0) return;
    await this.parts.policy.begin(
      [...groups.values()].map((members) => ({
        prompt: members[0].promptTokens,
        slots: members.map((episode) => episode.slot),
        rowKeys: members.map((episode) => episode.group * this.request.groupSize + episode.member),
      })),
    );
  }

  private async turn(options: RolloutOptions): Promise<void> {
    const actors = await this.decide(options.signal);
    await perWorld(this.parts.worlds, actors, async (world, members) => {
      const feedback = await answers(world, members);
      for (let i = 0; i < members.length; i++) {
        members[i].answer(feedback[i]);
        await options.onTurn?.(turnEvent(members[i], world, feedback[i]));
      }
    });
  }

  /** Samples an action for each active row; gives back those that have one. */
  private async decide(signal?: AbortSignal): Promise<Episode[]> {
    const active = this.active;
    for (const episode of active) episode.checkRoom(this.parts.policy.room(episode.slot));
    const speaking = active.filter((episode) => !episode.ended && !episode.isForced);
    if (speaking.length > 0) {
      const rows = speaking.map((episode) => episode.generateRow());
      const turns = await this.parts.policy.generate(rows, this.sampling(rows), signal);
      speaking.forEach((episode, i) => {
        this.say(episode, turns[i]);
      });
    }
    for (const episode of active) if (!episode.ended && episode.isForced) episode.sayForced();
    return active.filter((episode) => !episode.ended);
  }

  private say(episode: Episode, turn: GeneratedTurn): void {
    if (turn.ending === 'context') episode.end('context');
    else episode.say(turn);
  }

  private sampling(rows: readonly GenerateRow[]) {
    const { temperature, maxTokensPerTurn, seed, stream } = this.request;
    // A trie bounds its own turn: cutting one short would leave no action.
    const depth = Math.max(0, ...rows.map((row) => row.constraint?.depth ?? 0));
    return {
      temperature,
      seed,
      stream,
      maxTokens: rows.every((row) => row.constraint) ? depth : Math.max(depth, maxTokensPerTurn),
      stopTokens: this.parts.conversation.stopTokens,
    };
  }
}

/** The world's answers; one whose reply was refused is answered by the refusal, and the world does not move. */
async function answers(world: World, members: readonly Episode[]): Promise<Feedback[]> {
  const acting = members.filter((episode) => episode.refusal === null);
  const slots = acting.map((episode) => episode.slot);
  const actions = acting.map((episode) => episode.action);
  const feedback = acting.length ? await world.step(slots, actions) : [];
  let next = 0;
  return members.map(({ refusal }) =>
    refusal === null
      ? feedback[next++]
      : { observation: refusal, reward: 0, done: false, valid: false, validActions: null },
  );
}

function turnEvent(episode: Episode, world: World, feedback: Feedback): TurnEvent {
  const { task, group, member, slot, action, reply } = episode;
  return {
    task,
    group,
    member,
    turn: episode.turnCount - 1,
    action,
    reply: reply ?? undefined,
    observation: feedback.observation,
    reward: feedback.reward,
    done: episode.ended,
    world,
    slot,
  };
}
