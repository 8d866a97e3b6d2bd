/**
 * Episodes of a policy behind an API: messages instead of tokens, as AgentGym's own evaluation plays. The world's
 * instruction and an acknowledgement open the conversation; the world's rule finds the action in a reply. Each episode
 * continues as soon as its own reply has arrived.
 */
import { type Feedback, type PromptRules, promptRulesOf, type Task, type World } from '../../envs/env.ts';
import { type TurnLimit, turnsFor } from '../schedule/horizon.ts';
import { worldNamed } from './by-world.ts';
import { acknowledgement } from './conversation.ts';
import type { TurnEvent } from './rollout.ts';
import { UnplayedWatch } from './unplayed.ts';

export interface ChatTurnMessage {
  role: 'user' | 'assistant';
  content: string;
}

/** The text of a reply, or the policy's words for a conversation that is too long for it. */
export type ChatReply = string | { noRoom: string };

/** Requests a reply to a conversation. `key` differs between tries of an item. */
export type Replier = (messages: readonly ChatTurnMessage[], key: number, signal: AbortSignal) => Promise<ChatReply>;

export interface ChatRequest {
  tasks: readonly Task[];
  /** Episodes of each task. */
  groupSize: number;
  limit: TurnLimit;
  /** True if a refused action ends an episode. */
  endOnInvalid: boolean;
  /** Episodes at once. */
  atOnce: number;
  /** Number of last turns that are sent again after the opening; 0: all. */
  contextTurns: number;
  /** True if the episode at this place of the result was played before. Its place then stays empty. */
  isPlayed?(place: number): boolean;
}

export interface ChatEpisode {
  task: Task;
  success: boolean;
  /** Reward of the last turn. */
  score: number;
  turns: number;
  /** True if the conversation had no room left. */
  overflowed: boolean;
  /** Reason, if the world failed. */
  failure?: string;
}

export interface ChatOptions {
  signal: AbortSignal;
  onTurn?: (event: TurnEvent) => void | Promise<void>;
  onEpisodes?: (done: number, total: number) => void;
  /** Receives each episode as it ends, with its place in the result. */
  onEpisode?: (episode: ChatEpisode, place: number) => void;
}

interface Place {
  group: number;
  member: number;
  slot: number;
}

/** Instruction, acknowledgement, first observation. */
const openingMessages = 3;

/** The opening and the last turns; a turn is a reply and its answer. */
export function withinContext(messages: readonly ChatTurnMessage[], contextTurns: number): readonly ChatTurnMessage[] {
  const turns = messages.slice(openingMessages);
  if (contextTurns === 0 || turns.length <= 2 * contextTurns) return messages;
  return [...messages.slice(0, openingMessages), ...turns.slice(-2 * contextTurns)];
}

export class ChatPlay {
  /** The policy's words for the last conversation that was too long. */
  private noRoom = '';

  constructor(
    private readonly worlds: ReadonlyMap<string, World>,
    private readonly say: Replier,
    private readonly request: ChatRequest,
    private readonly options: ChatOptions,
  ) {}

  /**
   * Returns episodes by task, then member. Rejects with the first failure that does not belong to an episode, and if
   * none of the first episodes of a world can be played.
   */
  async play(): Promise<ChatEpisode[]> {
    const { tasks, groupSize, atOnce, isPlayed = () => false } = this.request;
    const total = tasks.length * groupSize;
    const episodes = new Array<ChatEpisode>(total);
    const places = Array.from({ length: total }, (_, k) => k).filter((k) => !isPlayed(k));
    const watch = new UnplayedWatch(
      this.worlds,
      places.map((key) => ({ task: tasks[Math.floor(key / groupSize)], key })),
    );
    // Tries that ran out of tokens count as in an uninterrupted evaluation, and do not stop one that played others
    // before.
    if (places.length < total) for (const task of tasks) watch.keptPlayed(task);
    let [next, done] = [0, total - places.length];
    const control = new AbortController();
    const signal = AbortSignal.any([this.options.signal, control.signal]);
    const worker = async (slot: number) => {
      for (let k = places[next++]; k !== undefined; k = places[next++]) {
        const place = { group: Math.floor(k / groupSize), member: k % groupSize, slot };
        const episode = await this.episode(tasks[place.group], place, signal, watch);
        episodes[k] = episode;
        this.options.onEpisode?.(episode, k);
        this.options.onEpisodes?.(++done, total);
      }
    };
    const workers = Array.from({ length: Math.min(atOnce, places.length) }, (_, slot) => worker(slot));
    try {
      await Promise.all(workers);
    } catch (error) {
      control.abort(error);
      await Promise.allSettled(workers);
      throw error;
    }
    return episodes;
  }

  private keyOf({ group, member }: Place): number {
    return group * this.request.groupSize + member;
  }

  private async episode(task: Task, place: Place, signal: AbortSignal, watch: UnplayedWatch): Promise<ChatEpisode> {
    const episode = await this.played(task, place, signal);
    const planned = { task, key: this.keyOf(place) };
    if (episode.failure !== undefined) watch.failed(planned, episode.failure);
    else if (episode.overflowed && episode.turns === 0) watch.hadNoRoom(planned, this.noRoom);
    else watch.played(planned);
    return episode;
  }

  private async played(task: Task, place: Place, signal: AbortSignal): Promise<ChatEpisode> {
    const world = worldNamed(this.worlds, task.world);
    const promptRules = promptRulesOf(world.describe(), task);
    const [first] = await world.reset([place.slot], [task], signal);
    const most = turnsFor(this.request.limit, await this.oracleTurns(world, place.slot));
    const messages: ChatTurnMessage[] = [
      { role: 'user', content: promptRules.instruction },
      { role: 'assistant', content: promptRules.acknowledgement ?? acknowledgement },
      { role: 'user', content: first.observation },
    ];
    const episode: ChatEpisode = { task, success: false, score: 0, turns: 0, overflowed: false };
    if (first.failure !== undefined) return { ...episode, failure: first.failure };
    let over = false;
    while (!over && episode.turns < most) {
      signal.throwIfAborted();
      const reply = await this.say(withinContext(messages, this.request.contextTurns), this.keyOf(place), signal);
      if (typeof reply !== 'string') {
        this.noRoom = reply.noRoom;
        return { ...episode, overflowed: true };
      }
      const answer = await this.act(world, promptRules, place, reply, signal);
      messages.push({ role: 'assistant', content: reply }, { role: 'user', content: answer.feedback.observation });
      episode.turns++;
      episode.score = answer.feedback.reward;
      episode.success = episode.score >= promptRules.successReward;
      if (answer.feedback.failure !== undefined) episode.failure = answer.feedback.failure;
      over = this.isOver(answer.feedback);
      await this.reportTurn(world, task, place, { turn: episode.turns - 1, horizon: most }, answer, reply);
    }
    return episode;
  }

  /** A reply that the world's client refuses is answered without the world. */
  private async act(world: World, promptRules: PromptRules, { slot }: Place, reply: string, signal: AbortSignal) {
    const { action, refusal } = promptRules.reply?.(reply) ?? { action: reply.trim() };
    if (refusal === undefined) return { action, feedback: (await world.step([slot], [action], signal))[0] };
    return { action, feedback: { observation: refusal, reward: 0, done: false, valid: false } };
  }

  private isOver({ done, failure, valid }: Feedback): boolean {
    return done || failure !== undefined || (!valid && this.request.endOnInvalid);
  }

  private async oracleTurns(world: World, slot: number): Promise<number | null> {
    if (typeof this.request.limit === 'number' || !world.describe().hasOracle) return null;
    return (await world.oracle([slot]))[0]?.length ?? null;
  }

  private async reportTurn(
    world: World,
    task: Task,
    { group, member, slot }: Place,
    { turn, horizon }: Pick<TurnEvent, 'turn' | 'horizon'>,
    { action, feedback }: { action: string; feedback: Feedback },
    reply: string,
  ): Promise<void> {
    const { observation, reward, done } = feedback;
    await this.options.onTurn?.({
      task,
      group,
      member,
      turn,
      horizon,
      action,
      reply,
      observation,
      reward,
      done,
      world,
      slot,
    });
  }
}
