/**
 * Rollouts: groups of trajectories played over the `Actor` and `World` contracts, turn by turn, many rows at once. The
 * actor decodes in rounds. A row that has finished its action waits for its world while other rows decode, joins the
 * next round when the world has answered, and hands its slot to the next episode when it ends. Works on texts, tokens
 * and endings; gradients are elsewhere.
 *
 * Random numbers are keyed by (seed, stream, row, position). A row's key is its group and member, so neither its slot
 * nor its neighbours change it. The rows of a round follow from texts alone, never from how long a world took: a
 * batched world is called after a round and has answered after the next. Free-running worlds are the exception
 * (`world-scheduler.ts`).
 */
import type { Task, World } from '../../envs/env.ts';
import type { Actor, GeneratedTurn } from '../../policy/policy.ts';
import { groupBy, partition } from '../common/numbers.ts';
import type { PlayLimit } from '../schedule/horizon.ts';
import { BatchedWorlds } from './batched-worlds.ts';
import type { Beginning } from './branching.ts';
import { worldNamed } from './by-world.ts';
import type { Conversation } from './conversation.ts';
import { Episode, type EpisodeRules } from './episode.ts';
import { FreeRunningWorlds } from './free-running-worlds.ts';
import { sampleTurns, type TurnSampling } from './sample-turns.ts';
import type { Trajectory } from './trajectory.ts';
import { type TurnEvent, turnEvent } from './turn-event.ts';
import { UnplayedWatch } from './unplayed.ts';
import { windowKey } from './window.ts';
import type { SchedulerParts } from './world-scheduler.ts';

export interface RolloutRequest extends TurnSampling {
  /** One task per group. */
  tasks: readonly Task[];
  groupSize: number;
  /** Number of the first group (default 0): a row's random key starts from its group's number. */
  firstGroup?: number;
  /** Place of these members in larger groups of `of` episodes: from number `first` on. Default: whole groups. */
  part?: { first: number; of: number };
  /** Turns that an episode repeats before it plays; null: it plays from the start. */
  beginningOf?(group: number, member: number): Beginning | null;
  limit: PlayLimit;
  /** Turns beyond the limit for a task; absent: none for any. */
  turnsBeyond?(task: Task): number;
  maskActions: boolean;
  rules: EpisodeRules;
}

export interface RolloutParts {
  policy: Actor;
  worlds: ReadonlyMap<string, World>;
  conversation: Conversation;
}

export interface RolloutOptions {
  signal?: AbortSignal;
  /** Awaited before the next turn, so that a listener may read the world's view. */
  onTurn?: (event: TurnEvent) => void | Promise<void>;
  /** Episodes ended so far. */
  onEpisodes?: (done: number, total: number) => void;
  /** Called at the start and after each round of decoding. */
  onRound?: (progress: RolloutProgress) => void;
}

interface RolloutProgress {
  /** Episodes ended so far, and their total. */
  done: number;
  total: number;
  /** Turns taken, and tokens sampled or read. */
  turns: number;
  tokens: number;
  /** Share of the rollout, from 0 to 1: an ended episode counts whole, another by its prompt and its turns. */
  fraction: number;
}

/**
 * Plays `groupSize` episodes of each task. Returns the trajectories by group, then member. Rejects with WorldFailsError
 * if a world fails in all of its first episodes.
 */
export async function rollout(
  parts: RolloutParts,
  request: RolloutRequest,
  options: RolloutOptions = {},
): Promise<Trajectory[]> {
  return new RolloutLoop(parts, request, options).play();
}

/** A member of a group before its episode has a slot. */
interface QueuedEpisode {
  task: Task;
  group: number;
  member: number;
}

const sameTokens = (a: Int32Array, b: Int32Array) => a.length === b.length && a.every((id, i) => id === b[i]);

/**
 * State of one rollout. An episode goes from `queue` to a slot (`takeSlots`), to its world's first observation
 * (`starting`), to a prompt admitted into the KV cache (`admit`), to rounds of `decode` and world steps, until it ends
 * and frees its slot.
 */
class RolloutLoop {
  private readonly queue: QueuedEpisode[];
  private readonly freeSlots: number[];
  /** Episodes whose turn it is, in the order in which they decode. */
  private ready: Episode[] = [];
  /** Started episodes whose prompts wait for pages of the KV cache, in order of arrival. */
  private unadmitted: Episode[] = [];
  /** Episodes of `ready` in the middle of a turn. */
  private readonly midTurn = new Set<Episode>();
  /** Free tokens of each episode when its turn began. */
  private readonly roomBefore = new WeakMap<Episode, number>();
  private readonly episodes: Episode[] = [];
  /** Slots that the policy holds for this rollout. */
  private readonly held = new Set<number>();
  private endedCount = 0;
  /** Tokens that the policy had computed before this rollout. */
  private readonly tokensBefore: number;
  /** Episodes of a whole group. */
  private readonly groupSize: number;
  /** The different prompts of each group: one, if its world begins the same for every member. */
  private readonly prompts = new Map<number, { key: number; tokens: Int32Array }[]>();
  private readonly batched: BatchedWorlds;
  private readonly freeRunning: FreeRunningWorlds;
  private readonly watch: UnplayedWatch;

  constructor(
    private readonly parts: RolloutParts,
    private readonly request: RolloutRequest,
    private readonly options: RolloutOptions,
  ) {
    const { groupSize, tasks, firstGroup = 0, part = { first: 0, of: groupSize } } = request;
    this.groupSize = part.of;
    const { tokensGenerated, tokensPrefilled } = parts.policy.counters();
    this.tokensBefore = tokensGenerated + tokensPrefilled;
    const { slots, rows } = parts.policy.capacity;
    this.freeSlots = Array.from({ length: slots ?? rows }, (_, slot) => slot);
    const members = Array.from({ length: groupSize }, (_, member) => part.first + member);
    this.queue = tasks.flatMap((task, i) => members.map((member) => ({ task, group: firstGroup + i, member })));
    this.watch = new UnplayedWatch(
      parts.worlds,
      this.queue.map((queued) => ({ task: queued.task, key: this.rowKey(queued) })),
    );
    const scheduled: SchedulerParts = {
      worlds: parts.worlds,
      promptTokens: parts.policy.capacity.promptTokens,
      limit: request.limit,
      turnsBeyond: request.turnsBeyond,
      signal: options.signal,
      release: (ended) => this.release(ended),
      onAnswer: (episode, world, feedback) => options.onTurn?.(turnEvent(episode, world, feedback)),
    };
    this.batched = new BatchedWorlds(scheduled);
    this.freeRunning = new FreeRunningWorlds(scheduled);
  }

  async play(): Promise<Trajectory[]> {
    const { signal } = this.options;
    const abort = () => void this.freeRunning.abort(signal?.reason);
    signal?.addEventListener('abort', abort);
    try {
      await this.playRounds();
      await this.batched.finish();
    } catch (error) {
      await this.batched.abort();
      // The next rollout finds every slot free.
      this.parts.policy.release([...this.held]);
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
      await Promise.allSettled([this.batched.abort(), this.freeRunning.abort()]);
    }
    return this.episodes.sort((a, b) => this.rowKey(a) - this.rowKey(b)).map((episode) => episode.trajectory());
  }

  /** Key of a row's random numbers and its place in the result. */
  private rowKey({ group, member }: QueuedEpisode): number {
    return group * this.groupSize + member;
  }

  /** Key of a row's random numbers in its current window. */
  private drawKey(episode: Episode): number {
    return windowKey(this.rowKey(episode), episode.window.count);
  }

  private async playRounds(): Promise<void> {
    /** Episodes with an action for their world. */
    let stepping: Episode[] = [];
    // An estimate counts from here: reading the prompts may take a minute.
    this.options.onRound?.(this.progress());
    for (;;) {
      this.options.signal?.throwIfAborted();
      const starting = this.takeSlots(stepping);
      const idle = this.ready.length + stepping.length + starting.length === 0;
      if (idle && this.unadmitted.length + this.freeRunning.waiting.length === 0) break;
      this.send(starting, stepping);
      if (idle) await this.freeRunning.next();
      // The worlds answer while the policy decodes.
      stepping = await this.decode();
      await this.receive();
      this.options.onRound?.(this.progress());
    }
  }

  private progress(): RolloutProgress {
    const total = this.request.tasks.length * this.request.groupSize;
    let turns = 0;
    let share = 0;
    for (const episode of this.episodes) {
      turns += episode.turnCount;
      share += episode.played;
    }
    const { tokensGenerated, tokensPrefilled } = this.parts.policy.counters();
    const tokens = tokensGenerated + tokensPrefilled - this.tokensBefore;
    return { done: this.endedCount, total, turns, tokens, fraction: share / total };
  }

  private send(starting: readonly Episode[], stepping: readonly Episode[]): void {
    const runsFree = (episode: Episode) => this.worldOf(episode).describe().freeRunning;
    const [freeStarting, batchedStarting] = partition(starting, runsFree);
    const [freeStepping, batchedStepping] = partition(stepping, runsFree);
    this.freeRunning.send(freeStarting, freeStepping);
    this.batched.send(batchedStarting, batchedStepping);
  }

  /** Queues answered episodes for the next round and frees the slots of ended ones. */
  private async receive(): Promise<void> {
    const batched = await this.batched.receive();
    const free = await this.freeRunning.receive();
    const started = [...batched.started, ...free.started];
    const stepped = [...batched.stepped, ...free.stepped];
    this.unadmitted.push(...started.filter((episode) => !episode.ended));
    const continued = this.moveWindows(stepped.filter((episode) => !episode.ended));
    this.ready.push(...continued, ...(await this.admit()));
    this.freeSlotsOf([...started, ...stepped].filter((episode) => episode.ended));
  }

  /**
   * Makes room for the windows that began with these answers or summaries. The K/V rows of an unchanged prompt stay; a window with
   * another head waits to be admitted, or ends its episode if the head does not fit. Returns the episodes that may decode.
   */
  private moveWindows(episodes: readonly Episode[]): Episode[] {
    return episodes.filter((episode) => {
      const window = episode.window.takeNew();
      if (window?.head) {
        this.release([episode]);
        if (window.head.length > this.parts.policy.capacity.promptTokens) episode.end('context');
        else this.unadmitted.push(episode);
        return false;
      }
      if (window) this.parts.policy.restart(episode.slot, this.drawKey(episode));
      return true;
    });
  }

  private release(episodes: readonly Episode[]): void {
    const slots = episodes.map((episode) => episode.slot);
    for (const slot of slots) this.held.delete(slot);
    this.parts.policy.release(slots);
  }

  /**
   * Gives free slots to the next episodes of the queue, as many as the policy's capacity for different prompts allows.
   */
  private takeSlots(stepping: readonly Episode[]): Episode[] {
    if (this.unadmitted.length > 0 || this.freeSlots.length === 0 || this.queue.length === 0) return [];
    const inFlight = [...this.ready, ...stepping, ...this.freeRunning.waiting];
    const prompts = new Set(inFlight.map((episode) => this.expectedPrompt(episode)));
    const starting: Episode[] = [];
    while (this.freeSlots.length > 0 && this.queue.length > 0) {
      prompts.add(this.expectedPrompt(this.queue[0]));
      if (prompts.size > this.parts.policy.capacity.groups) break;
      const { task, group, member } = this.queue.shift()!;
      const slot = this.freeSlots.shift()!;
      const episode = new Episode(task, group, member, slot, this.parts.conversation, this.request);
      episode.beginning = this.request.beginningOf?.(group, member) ?? null;
      starting.push(episode);
    }
    this.episodes.push(...starting);
    return starting;
  }

  /**
   * Equal for rows that are expected to begin with the same prompt: a group's members, if their world is replayable.
   */
  private expectedPrompt({ task, group, member }: QueuedEpisode): number {
    const { replayable } = worldNamed(this.parts.worlds, task.world).describe();
    const shares = replayable && (this.request.context?.form ?? 'task') === 'task';
    return group * this.groupSize + (shares ? 0 : member);
  }

  private worldOf(episode: Episode): World {
    return worldNamed(this.parts.worlds, episode.task.world);
  }

  private freeSlotsOf(ended: readonly Episode[]): void {
    for (const episode of ended) {
      this.freeSlots.push(episode.slot);
      this.worldOf(episode).leave?.([episode.slot]);
    }
    for (const episode of ended) {
      const { task, failure } = episode;
      const planned = { task, key: this.rowKey(episode) };
      if (failure === undefined) this.watch.played(planned);
      else this.watch.failed(planned, failure);
    }
    this.freeSlots.sort((a, b) => a - b);
    this.endedCount += ended.length;
    const total = this.request.tasks.length * this.request.groupSize;
    if (ended.length > 0) this.options.onEpisodes?.(this.endedCount, total);
  }

  /** Admits waiting prompts into the KV cache, as far as it has pages for them; returns their episodes. */
  private async admit(): Promise<Episode[]> {
    const byPrompt = groupBy(this.unadmitted, (episode) => this.promptKey(episode));
    const groups = [...byPrompt].map(([key, members]) => ({
      key,
      prompt: members[0].head,
      slots: members.map((episode) => episode.slot),
      rowKeys: members.map((episode) => this.drawKey(episode)),
    }));
    const admitted = groups.slice(0, this.parts.policy.pages?.admits(groups) ?? groups.length);
    const slots = new Set(admitted.flatMap((group) => group.slots));
    const [withPages, waiting] = partition(this.unadmitted, (episode) => slots.has(episode.slot));
    this.unadmitted = waiting;
    if (admitted.length > 0) await this.parts.policy.admit(admitted);
    for (const slot of slots) this.held.add(slot);
    for (const episode of withPages) episode.admitted = true;
    return withPages;
  }

  /** Key of a shared prompt: the row key of the first member of the group that began with it. */
  private promptKey(episode: Episode): number {
    if (episode.window.count > 0) return this.drawKey(episode);
    const { group, promptTokens } = episode;
    const known = this.prompts.get(group) ?? [];
    this.prompts.set(group, known);
    const same = known.find(({ tokens }) => sameTokens(tokens, promptTokens));
    if (same) return same.key;
    const key = this.rowKey(episode);
    known.push({ key, tokens: promptTokens });
    return key;
  }

  /**
   * Splits off the episodes that decode in this round: as many as fit at once and have pages. An episode that does not
   * fit is skipped, and later ones may still be chosen.
   */
  private choose(candidates: readonly Episode[]): [Episode[], Episode[]] {
    const { rows } = this.parts.policy.capacity;
    let count = 0;
    return partition(candidates, (episode) => {
      const fits = count < rows && (this.parts.policy.pages?.grow(episode.generateRow()) ?? true);
      if (fits) count++;
      return fits;
    });
  }

  /** One round of decoding. Returns the episodes that have an action for their world. */
  private async decode(): Promise<Episode[]> {
    const { policy } = this.parts;
    const opening = this.ready.filter((episode) => !this.midTurn.has(episode));
    for (const episode of opening) {
      const room = policy.room(episode.slot);
      episode.checkRoom(room);
      this.roomBefore.set(episode, room - episode.generateRow().append.length);
    }
    const forced = opening.filter((episode) => !episode.ended && (episode.repeats || episode.isForced));
    for (const episode of forced)
      if (episode.repeats) episode.repeatTurn();
      else episode.takeForcedAction();
    const candidates = this.ready.filter((episode) => !episode.ended && !forced.includes(episode));
    // Chosen before anything is awaited: pages that a world's answer frees meanwhile are for the next round.
    const [chosen, others] = this.choose(candidates);
    // Yields, so that the worlds' messages are sent before the policy computes: on the CPU it computes a round without
    // yielding.
    await Promise.resolve();
    const turns = await this.sample(chosen);
    for (const episode of chosen) this.midTurn.add(episode);
    chosen.filter((_, i) => !turns[i]).forEach((episode) => this.measureTurn(episode));
    const acted: Episode[] = [];
    chosen.forEach((episode, i) => {
      if (!turns[i]) return;
      this.midTurn.delete(episode);
      if (this.takeTurn(episode, turns[i])) acted.push(episode);
    });
    const ended = this.ready.filter((episode) => episode.ended);
    this.release(ended);
    const moved = chosen.filter((episode) => episode.window.hasNew);
    const decoding = chosen.filter((episode) => !acted.includes(episode) && !moved.includes(episode));
    this.ready = [...decoding.filter((episode) => !episode.ended), ...others];
    this.moveWindows(moved);
    this.freeSlotsOf([...ended, ...moved.filter((episode) => episode.ended)]);
    return [...acted, ...forced].filter((episode) => !episode.ended);
  }

  /** Updates the share of a turn that goes on in the next round, by the room that its tokens have taken. */
  private measureTurn(episode: Episode): void {
    const { maxTokensPerTurn, thoughts = 0 } = this.request;
    const room = this.parts.policy.room(episode.slot);
    const before = this.roomBefore.get(episode) ?? room;
    episode.sampled = Math.min(1, Math.max(0, (before - room) / (maxTokensPerTurn + thoughts)));
  }

  private sample(chosen: readonly Episode[]): Promise<(GeneratedTurn | null)[]> {
    const { policy, conversation } = this.parts;
    return sampleTurns(policy, conversation, chosen, this.request, this.options.signal);
  }

  /** True if the turn is over: an action, or no room for one. False after a thought or a summary. */
  private takeTurn(episode: Episode, turn: GeneratedTurn): boolean {
    if (turn.ending === 'context') episode.end('context');
    else if (episode.stage === 'action') episode.takeAction(turn);
    else {
      if (episode.stage === 'thought') episode.takeThought(turn);
      else episode.takeSummary(turn);
      return false;
    }
    return true;
  }
}
