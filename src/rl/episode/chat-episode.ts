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

export interface ChatTurnMessage {
  role: 'user' | 'assistant';
  content: string;
}

/**
 * Requests a reply to a conversation; null: the conversation is too long for the policy. `key` differs between tries of
 * an item.
 */
export type Replier = (
  messages: readonly ChatTurnMessage[],
  key: number,
  signal: AbortSignal,
) => Promise<string | null>;

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
}

export interface ChatEpisode {
  task: Task;
  success: boolean;
  /** Reward of the last turn. */
  score: number;
  turns: number;
  /** True if the conversation had no room left. */
  overflowed: boolean;
}

export interface ChatOptions {
  signal: AbortSignal;
  onTurn?: (event: TurnEvent) => void | Promise<void>;
  onEpisodes?: (done: number, total: number) => void;
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
  constructor(
    private readonly worlds: ReadonlyMap<string, World>,
    private readonly say: Replier,
    private readonly request: ChatRequest,
    private readonly options: ChatOptions,
  ) {}

  /** Returns episodes by task, then member. The first failure that does not belong to an episode ends all of them. */
  async play(): Promise<ChatEpisode[]> {
    const { tasks, groupSize, atOnce } = this.request;
    const total = tasks.length * groupSize;
    const episodes = new Array<ChatEpisode>(total);
    let [next, done] = [0, 0];
    const control = new AbortController();
    const signal = AbortSignal.any([this.options.signal, control.signal]);
    const worker = async (slot: number) => {
      for (let k = next++; k < total; k = next++) {
        const place = { group: Math.floor(k / groupSize), member: k % groupSize, slot };
        episodes[k] = await this.episode(tasks[place.group], place, signal);
        this.options.onEpisodes?.(++done, total);
      }
    };
    const workers = Array.from({ length: Math.min(atOnce, total) }, (_, slot) => worker(slot));
    try {
      await Promise.all(workers);
    } catch (error) {
      control.abort(error);
      await Promise.allSettled(workers);
      throw error;
    }
    return episodes;
  }

  private async episode(task: Task, place: Place, signal: AbortSignal): Promise<ChatEpisode> {
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
    let over = first.failure !== undefined;
    while (!over && episode.turns < most) {
      signal.throwIfAborted();
      const key = place.group * this.request.groupSize + place.member;
      const reply = await this.say(withinContext(messages, this.request.contextTurns), key, signal);
      if (reply === null) return { ...episode, overflowed: true };
      const answer = await this.act(world, promptRules, place, reply, signal);
      messages.push({ role: 'assistant', content: reply }, { role: 'user', content: answer.feedback.observation });
      episode.turns++;
      episode.score = answer.feedback.reward;
      episode.success = episode.score >= promptRules.successReward;
      over = this.isOver(answer.feedback);
      await this.tell(world, task, place, episode.turns, answer, reply);
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

  private async tell(
    world: World,
    task: Task,
    { group, member, slot }: Place,
    turns: number,
    { action, feedback }: { action: string; feedback: Feedback },
    reply: string,
  ): Promise<void> {
    const { observation, reward, done } = feedback;
    await this.options.onTurn?.({
      task,
      group,
      member,
      turn: turns - 1,
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
