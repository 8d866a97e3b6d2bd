/**
 * Rollouts: groups of trajectories played over the `Actor` and `World` contracts, turn by turn, many rows at once. The actor
 * decodes in rounds: a trajectory that has ended its turn waits for its world while others go on, joins the next round when it
 * is answered, and leaves its slot to the next when it ends. Knows texts, tokens and endings; nothing of gradients.
 *
 * Random numbers are keyed by (seed, stream, row, position), and a row's key is its group and member: neither the slot it
 * falls in nor its neighbours change what it does. Who decodes in which round follows from what was said, never from how long a
 * world took: a world is asked after a round and has answered after the next. Free-running worlds are the exception: each of
 * their rows goes on when its own world has answered, so that who decodes when is up to them (`outstanding.ts`).
 */
import type { Feedback, Task, World } from '../../envs/env.ts';
import type { Actor, GeneratedTurn } from '../../policy/policy.ts';
import { type TurnLimit, turnsFor } from '../horizon.ts';
import { groupBy } from '../numbers.ts';
import { together } from '../together.ts';
import type { Conversation } from './conversation.ts';
import { Episode, type EpisodeRules } from './episode.ts';
import { actAlone, answers, beginAlone, type FreeAnswer, Outstanding } from './outstanding.ts';
import { sampleTurns, type TurnSampling } from './sampling.ts';
import type { Trajectory } from './trajectory.ts';

export interface RolloutRequest extends TurnSampling {
  /** One task a group. */
  tasks: readonly Task[];
  groupSize: number;
  /** Number of the first group: rows are keyed by their group's number. */
  firstGroup?: number;
  limit: TurnLimit;
  maskActions: boolean;
  rules: EpisodeRules;
}

export interface RolloutParts {
  policy: Actor;
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
  thought?: string;
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
  return new RolloutLoop(parts, request, options).play();
}

/** Runs a batched call once for each world, over the rows that live in it. */
export async function perWorld<T extends { readonly task: Task }>(
  worlds: ReadonlyMap<string, World>,
  rows: readonly T[],
  call: (world: World, members: T[]) => Promise<void>,
): Promise<void> {
  const byWorld = groupBy(rows, ({ task }) => task.world);
  await Promise.all([...byWorld].map(([name, members]) => call(worldNamed(worlds, name), members)));
}

export function worldNamed(worlds: ReadonlyMap<string, World>, name: string): World {
  const world = worlds.get(name);
  if (!world) throw new RolloutError(`There is no world "${name}"; open are ${[...worlds.keys()].join(', ')}.`);
  return world;
}

/** An episode that has not started yet: a member of a group. */
interface QueuedEpisode {
  task: Task;
  group: number;
  member: number;
}

/** Rows whose world is asked in one message: the next message is on its way while what came back is read. */
const answeredAtOnce = 32;

const sameTokens = (a: Int32Array, b: Int32Array) => a.length === b.length && a.every((id, i) => id === b[i]);

/** All trajectories of a rollout: those to come, those that decode or wait for their worlds, and those that have ended. */
class RolloutLoop {
  private readonly queue: QueuedEpisode[];
  private readonly free: number[];
  /** Whose turn it is to speak, in the order in which they decode. */
  private ready: Episode[] = [];
  /** Whose prompts wait for pages, in the order in which they came. */
  private arrived: Episode[] = [];
  /** Of `ready`, those in the middle of a turn. */
  private readonly speaking = new Set<Episode>();
  private readonly episodes: Episode[] = [];
  /** Slots that the policy holds for this rollout. */
  private readonly held = new Set<number>();
  private ended = 0;
  /** Turns of each group's oracle, once asked: same task, same world. */
  private readonly plans = new Map<number, number | null>();
  private readonly askedFor = new Set<number>();
  /** Oracles whose answer nobody plays by. No world moves before it has answered. */
  private asked: Promise<void> = Promise.resolve();
  /** Of each group, the prompts that its members begin with: one, where its world begins as it did before. */
  private readonly prompts = new Map<number, { key: number; tokens: Int32Array }[]>();
  /** Rows whose free-running worlds have been asked. */
  private readonly outstanding = new Outstanding<Episode, FreeAnswer>();

  constructor(
    private readonly parts: RolloutParts,
    private readonly request: RolloutRequest,
    private readonly options: RolloutOptions,
  ) {
    const { groupSize, tasks, firstGroup = 0 } = request;
    const { slots, rows } = parts.policy.capacity;
    this.free = Array.from({ length: slots ?? rows }, (_, slot) => slot);
    const members = Array.from({ length: groupSize }, (_, member) => member);
    this.queue = tasks.flatMap((task, i) => members.map((member) => ({ task, group: firstGroup + i, member })));
  }

  async play(): Promise<Trajectory[]> {
    const { signal } = this.options;
    const abort = () => void this.outstanding.abort(signal?.reason);
    signal?.addEventListener('abort', abort);
    try {
      await this.playAll();
      await this.asked;
    } catch (error) {
      // Whoever plays next finds every slot free.
      this.parts.policy.release([...this.held]);
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
      await Promise.allSettled([this.asked, this.outstanding.abort()]);
    }
    const order = (episode: Episode) => episode.group * this.request.groupSize + episode.member;
    return this.episodes.sort((a, b) => order(a) - order(b)).map((episode) => episode.trajectory());
  }

  private async playAll(): Promise<void> {
    /** Those asked of their worlds while others decode: newcomers, and who has acted. */
    let acting: Episode[] = [];
    for (;;) {
      this.options.signal?.throwIfAborted();
      const newcomers = this.giveSlots(acting);
      const idle = this.ready.length + acting.length + newcomers.length === 0;
      if (idle && this.arrived.length + this.outstanding.rows.length === 0) break;
      const [alone, opening] = partition(newcomers, (episode) => this.worldOf(episode).describe().freeRunning);
      const [asked, stepping] = partition(acting, (episode) => this.worldOf(episode).describe().freeRunning);
      for (const episode of alone)
        this.outstanding.start(episode, (signal) => beginAlone(this.worldOf(episode), episode, signal));
      for (const episode of asked)
        this.outstanding.start(episode, (signal) => actAlone(this.worldOf(episode), episode, signal));
      if (idle && this.outstanding.rows.length > 0) await this.outstanding.next();
      const worlds = [this.open(opening), this.act(stepping)] as const;
      const [acted] = await together([this.decode(), ...worlds]);
      const { begun, moved } = await this.takeAnswers();
      this.arrived.push(...[...opening, ...begun].filter((episode) => !episode.ended));
      const back = [...stepping, ...moved];
      const gone = [...opening, ...begun, ...back].filter((episode) => episode.ended);
      this.ready.push(...back.filter((episode) => !episode.ended), ...(await this.admit()));
      this.leave(gone);
      acting = acted;
    }
  }

  private release(episodes: readonly Episode[]): void {
    const slots = episodes.map((episode) => episode.slot);
    for (const slot of slots) this.held.delete(slot);
    this.parts.policy.release(slots);
  }

  /** Gives free slots to those who come next. */
  private giveSlots(acting: readonly Episode[]): Episode[] {
    if (this.arrived.length > 0 || this.free.length === 0 || this.queue.length === 0) return [];
    const inFlight = [...this.ready, ...acting, ...this.outstanding.rows];
    const prompts = new Set(inFlight.map((episode) => this.promptOf(episode)));
    const newcomers: Episode[] = [];
    while (this.free.length > 0 && this.queue.length > 0) {
      prompts.add(this.promptOf(this.queue[0]));
      if (prompts.size > this.parts.policy.capacity.groups) break;
      const { task, group, member } = this.queue.shift()!;
      const slot = this.free.shift()!;
      newcomers.push(new Episode(task, group, member, slot, this.parts.conversation, this.request));
    }
    this.episodes.push(...newcomers);
    return newcomers;
  }

  /** Who has the same number begins with the same words: a group's members, where their world begins as it did before. */
  private promptOf({ task, group, member }: QueuedEpisode): number {
    const { replayable } = worldNamed(this.parts.worlds, task.world).describe();
    return group * this.request.groupSize + (replayable ? 0 : member);
  }

  private worldOf(episode: Episode): World {
    return worldNamed(this.parts.worlds, episode.task.world);
  }

  private leave(gone: readonly Episode[]): void {
    for (const episode of gone) {
      this.free.push(episode.slot);
      this.worldOf(episode).leave?.([episode.slot]);
    }
    this.free.sort((a, b) => a - b);
    this.ended += gone.length;
    const total = this.request.tasks.length * this.request.groupSize;
    if (gone.length > 0) this.options.onEpisodes?.(this.ended, total);
  }

  /** Starts the worlds of newcomers, and sets what they may take. */
  private async open(newcomers: readonly Episode[]): Promise<void> {
    await perWorld(this.parts.worlds, newcomers, async (world, members) => {
      const slots = members.map((episode) => episode.slot);
      const feedback = await world.reset(
        slots,
        members.map((episode) => episode.task),
        this.options.signal,
      );
      const description = world.describe();
      members.forEach((episode, i) => {
        episode.start(feedback[i], description, this.parts.policy.capacity.promptTokens);
      });
    });
    await this.setHorizons(newcomers.filter((episode) => !episode.ended));
  }

  private async setHorizons(newcomers: readonly Episode[]): Promise<void> {
    const asked = this.askOracles(newcomers);
    const turnsOf = ({ group }: Episode) => this.plans.get(group) ?? null;
    const { limit } = this.request;
    if (typeof limit === 'number') {
      // They play while the oracles think.
      for (const episode of newcomers) episode.setHorizon(limit, null);
      this.asked = this.asked
        .then(() => asked)
        .then(() => newcomers.forEach((episode) => void episode.setOracleTurns(turnsOf(episode))));
      // Who waits for it throws it.
      this.asked.catch(() => {});
      return;
    }
    await asked;
    for (const episode of newcomers) this.setHorizon(episode, turnsOf(episode));
  }

  private setHorizon(episode: Episode, turns: number | null): void {
    const { hasOracle } = this.worldOf(episode).describe();
    // An oracle that is there but did not answer leaves no horizon to play under: the world failed, not the run.
    if (turns === null && hasOracle && typeof this.request.limit !== 'number') episode.end('world-failure');
    else episode.setHorizon(turnsFor(this.request.limit, turns), turns);
  }

  /** One member of each group that was not asked about yet. */
  private async askOracles(newcomers: readonly Episode[]): Promise<void> {
    const leaders = new Map<number, Episode>();
    for (const episode of newcomers)
      if (!this.askedFor.has(episode.group)) {
        this.askedFor.add(episode.group);
        leaders.set(episode.group, episode);
      }
    await perWorld(this.parts.worlds, [...leaders.values()], async (world, members) => {
      if (!world.describe().hasOracle) return;
      const plans = await world.oracle(
        members.map((episode) => episode.slot),
        this.options.signal,
      );
      members.forEach((episode, i) => {
        this.plans.set(episode.group, plans[i]?.length ?? null);
      });
    });
  }

  /** Gives their slots to those who have arrived, as far as there are pages for their prompts. */
  private async admit(): Promise<Episode[]> {
    const byPrompt = groupBy(this.arrived, (episode) => this.promptKey(episode));
    const groups = [...byPrompt].map(([key, members]) => ({
      key,
      prompt: members[0].promptTokens,
      slots: members.map((episode) => episode.slot),
      rowKeys: members.map((episode) => episode.group * this.request.groupSize + episode.member),
    }));
    const admitted = groups.slice(0, this.parts.policy.pages?.admits(groups) ?? groups.length);
    const slots = new Set(admitted.flatMap((group) => group.slots));
    const [withPages, waiting] = partition(this.arrived, (episode) => slots.has(episode.slot));
    this.arrived = waiting;
    if (admitted.length > 0) await this.parts.policy.admit(admitted);
    for (const slot of slots) this.held.add(slot);
    return withPages;
  }

  /** Who shares a prompt: named after the first of the group that began with it. */
  private promptKey({ group, member, promptTokens }: Episode): number {
    const known = this.prompts.get(group) ?? [];
    this.prompts.set(group, known);
    const same = known.find(({ tokens }) => sameTokens(tokens, promptTokens));
    if (same) return same.key;
    const key = group * this.request.groupSize + member;
    known.push({ key, tokens: promptTokens });
    return key;
  }

  /** What free-running worlds have answered by now. */
  private async takeAnswers(): Promise<{ begun: Episode[]; moved: Episode[] }> {
    const taken = this.outstanding.take();
    for (const { row, answer } of taken) await this.takeAnswer(row, answer);
    const [begun, moved] = partition(taken, ({ answer }) => answer.begins);
    this.release(moved.map(({ row }) => row).filter((row) => row.ended));
    return { begun: begun.map(({ row }) => row), moved: moved.map(({ row }) => row) };
  }

  private async takeAnswer(episode: Episode, { feedback, begins, oracleTurns }: FreeAnswer): Promise<void> {
    const world = this.worldOf(episode);
    if (begins) {
      episode.start(feedback, world.describe(), this.parts.policy.capacity.promptTokens);
      if (!episode.ended) this.setHorizon(episode, oracleTurns);
    } else {
      episode.answer(feedback);
      await this.options.onTurn?.(turnEvent(episode, world, feedback));
    }
  }

  /** Of those whose turn it is, as many as decode at once and have pages; who waits for pages lets others go first. */
  private choose(willing: readonly Episode[]): [Episode[], Episode[]] {
    const { rows } = this.parts.policy.capacity;
    let count = 0;
    return partition(willing, (episode) => {
      const goes = count < rows && (this.parts.policy.pages?.grow(episode.generateRow()) ?? true);
      if (goes) count++;
      return goes;
    });
  }

  /** The worlds' answers to those who have acted. */
  private async act(acting: readonly Episode[]): Promise<void> {
    await perWorld(this.parts.worlds, acting, async (world, members) => {
      await this.asked;
      const parts = inParts(members, answeredAtOnce);
      const asked = parts.map((part) => answers(world, part, this.options.signal));
      const settled = Promise.allSettled(asked);
      try {
        for (const [p, part] of parts.entries()) await this.hear(world, part, await asked[p]);
      } finally {
        await settled;
      }
    });
    this.release(acting.filter((episode) => episode.ended));
  }

  private async hear(world: World, members: readonly Episode[], feedback: readonly Feedback[]): Promise<void> {
    // The next part's message leaves before this one's lists are read.
    await Promise.resolve();
    for (const [i, episode] of members.entries()) {
      episode.answer(feedback[i]);
      await this.options.onTurn?.(turnEvent(episode, world, feedback[i]));
    }
  }

  /** One round of those whose turn it is, as many as decode at once; gives back those who have an action. */
  private async decode(): Promise<Episode[]> {
    const { policy } = this.parts;
    const opening = this.ready.filter((episode) => !this.speaking.has(episode));
    for (const episode of opening) episode.checkRoom(policy.room(episode.slot));
    const forced = opening.filter((episode) => !episode.ended && episode.isForced);
    for (const episode of forced) episode.sayForced();
    const willing = this.ready.filter((episode) => !episode.ended && !forced.includes(episode));
    // Before anything is awaited: pages that a world's answer frees meanwhile are given out in the next round.
    const [chosen, others] = this.choose(willing);
    // The worlds' messages leave before the policy computes: on the processor it does not pause until its round is done.
    await Promise.resolve();
    const turns = await this.sample(chosen);
    for (const episode of chosen) this.speaking.add(episode);
    const acted: Episode[] = [];
    chosen.forEach((episode, i) => {
      if (!turns[i]) return;
      this.speaking.delete(episode);
      if (this.say(episode, turns[i])) acted.push(episode);
    });
    const left = this.ready.filter((episode) => episode.ended);
    this.release(left);
    this.ready = [...chosen.filter((episode) => !acted.includes(episode) && !episode.ended), ...others];
    this.leave(left);
    return [...acted, ...forced].filter((episode) => !episode.ended);
  }

  private sample(chosen: readonly Episode[]): Promise<(GeneratedTurn | null)[]> {
    const { policy, conversation } = this.parts;
    return sampleTurns(policy, conversation, chosen, this.request, this.options.signal);
  }

  /** True where it has said its action. */
  private say(episode: Episode, turn: GeneratedTurn): boolean {
    if (turn.ending === 'context') episode.end('context');
    else if (episode.thinking) {
      episode.takeThought(turn);
      return false;
    } else episode.say(turn);
    return true;
  }
}

const inParts = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, part) => list.slice(part * size, (part + 1) * size));

/** Those for which `holds` is true, and the others. */
function partition<T>(list: readonly T[], holds: (item: T) => boolean): [T[], T[]] {
  const [yes, no]: [T[], T[]] = [[], []];
  for (const item of list) (holds(item) ? yes : no).push(item);
  return [yes, no];
}

function turnEvent(episode: Episode, world: World, feedback: Feedback): TurnEvent {
  const { task, group, member, slot, action, reply, lastThought } = episode;
  return {
    task,
    group,
    member,
    turn: episode.turnCount - 1,
    action,
    thought: lastThought,
    reply: reply ?? undefined,
    observation: feedback.observation,
    reward: feedback.reward,
    done: episode.ended,
    world,
    slot,
  };
}
