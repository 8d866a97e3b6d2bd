/**
 * Episodes of a policy behind an API: messages instead of tokens, as AgentGym's own evaluation plays. The world's
 * instruction and an acknowledgement open the conversation; the world's rule finds the action in a reply. In worlds whose
 * rules have calls, the request lists the tools, and calls are answered by results. Each episode continues as soon as
 * its own reply has arrived.
 */
import { type Feedback, type PromptRules, promptRulesOf, type Task, type World } from '../../envs/env.ts';
import type { Reply } from '../../envs/reply.ts';
import { beforeObservation, type FunctionTool } from '../../envs/tools.ts';
import type { Measures } from '../common/measured.ts';
import { workAll } from '../common/work-all.ts';
import { limitIn, type PlayLimit, type TurnLimit, turnsFor } from '../schedule/horizon.ts';
import { worldNamed } from './by-world.ts';
import { acknowledgement } from './conversation.ts';
import { measuresOf } from './game-measures.ts';
import type { TurnEvent } from './turn-event.ts';
import { UnplayedWatch } from './unplayed.ts';

/** A call of a tool as OpenAI's messages have it; its arguments are the JSON text that the server sent. */
export interface ChatCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export interface ChatTurnMessage {
  role: 'user' | 'assistant' | 'tool';
  content: string;
  tool_calls?: readonly ChatCall[];
  /** Id of the call that a message of the role `tool` answers. */
  tool_call_id?: string;
}

/** The text of a reply, with its calls if tools were offered, or the policy's words for a conversation too long for it. */
export type ChatReply = string | { text: string; calls: readonly ChatCall[] } | { noRoom: string };

/** Requests a reply to a conversation. `key` differs between tries of an item; `tools`: those that may be called. */
export type Replier = (
  messages: readonly ChatTurnMessage[],
  key: number,
  signal: AbortSignal,
  tools?: readonly FunctionTool[],
) => Promise<ChatReply>;

export interface ChatRequest {
  tasks: readonly Task[];
  /** Episodes of each task. */
  groupSize: number;
  limit: PlayLimit;
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
  /** Measures of a finished game; absent: its world has none. */
  measures?: Measures;
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

/** The opening and the last turns; a turn is a reply and its answers. `opening`: number of its messages. */
export function withinContext(
  messages: readonly ChatTurnMessage[],
  contextTurns: number,
  opening = 3,
): readonly ChatTurnMessage[] {
  const replies = [...messages.keys()].slice(opening).filter((i) => messages[i].role === 'assistant');
  if (contextTurns === 0 || replies.length <= contextTurns) return messages;
  return [...messages.slice(0, opening), ...messages.slice(replies[replies.length - contextTurns])];
}

/** Messages before the first reply: the instruction, its acknowledgement and the first observation, or one with tools. */
function openingOf({ instruction, acknowledgement: said, calls }: PromptRules, observation: string): ChatTurnMessage[] {
  if (calls) return [{ role: 'user', content: `${beforeObservation(instruction)}${observation}` }];
  return [
    { role: 'user', content: instruction },
    { role: 'assistant', content: said ?? acknowledgement },
    { role: 'user', content: observation },
  ];
}

/**
 * The calls with ids that no other call of the conversation has: a result names its call by the id, and servers refuse
 * two of one. Some models count them anew in each reply. A new id has the length of the old one.
 */
function withOwnIds(calls: readonly ChatCall[], messages: readonly ChatTurnMessage[]): ChatCall[] {
  const taken = new Set(messages.flatMap(({ tool_calls: before = [] }) => before.map(({ id }) => id)));
  return calls.map((call) => {
    let id = call.id;
    for (let n = 0; taken.has(id); n++) id = `${call.id.slice(0, -String(n).length)}${n}`;
    taken.add(id);
    return { ...call, id };
  });
}

/** The answer to a reply: a result of each call, or a message of the user. */
const answersTo = (calls: readonly ChatCall[], content: string): ChatTurnMessage[] =>
  calls.length ? calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content })) : [{ role: 'user', content }];

/** A reply as text: its words, and its calls in Hermes' form. */
const textOf = ({ text, calls }: Said): string =>
  [
    text,
    ...calls.map(
      ({ function: { name, arguments: given } }) =>
        `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${given}}\n</tool_call>`,
    ),
  ]
    .filter((part) => part !== '')
    .join('\n');

/** The action of a reply: its only call, or what the world's rule finds in its text. */
function actionIn({ text, calls }: Said, { reply: find }: PromptRules): Reply {
  if (calls.length > 1) return { action: textOf({ text, calls }), refusal: 'A turn has exactly one call.' };
  const [call] = calls;
  // Arguments stay the text that the server sent: the world reads them, and refuses what is no object.
  if (call) return { action: JSON.stringify(call.function) };
  return find?.(text) ?? { action: text.trim() };
}

interface Said {
  text: string;
  calls: readonly ChatCall[];
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
    let done = total - places.length;
    const control = new AbortController();
    const signal = AbortSignal.any([this.options.signal, control.signal]);
    await workAll(places, atOnce, async (k, slot) => {
      const place = { group: Math.floor(k / groupSize), member: k % groupSize, slot };
      try {
        const episode = await this.episode(tasks[place.group], place, signal, watch);
        episodes[k] = episode;
        this.options.onEpisode?.(episode, k);
        this.options.onEpisodes?.(++done, total);
      } catch (error) {
        control.abort(error);
        throw error;
      }
    });
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
    const limit = limitIn(this.request.limit, task.world);
    const most = turnsFor(limit, await this.oracleTurns(world, place.slot, limit));
    const messages = openingOf(promptRules, first.observation);
    const opening = messages.length;
    const taken: string[] = [];
    const episode: ChatEpisode = { task, success: false, score: 0, turns: 0, overflowed: false };
    if (first.failure !== undefined) return { ...episode, failure: first.failure };
    let over = false;
    while (!over && episode.turns < most) {
      signal.throwIfAborted();
      const asked = withinContext(messages, this.request.contextTurns, opening);
      const reply = await this.say(asked, this.keyOf(place), signal, promptRules.calls?.tools);
      if (typeof reply !== 'string' && 'noRoom' in reply) {
        this.noRoom = reply.noRoom;
        return { ...episode, overflowed: true };
      }
      const said = typeof reply === 'string' ? { text: reply, calls: [] } : reply;
      const answer = await this.act(world, promptRules, place, said, signal);
      const { text: content } = said;
      const calls = withOwnIds(said.calls, messages);
      messages.push(
        { role: 'assistant', content, ...(calls.length && { tool_calls: calls }) },
        ...answersTo(calls, answer.feedback.observation),
      );
      episode.turns++;
      episode.score = answer.feedback.reward;
      episode.success = episode.score >= promptRules.successReward;
      if (answer.feedback.failure !== undefined) episode.failure = answer.feedback.failure;
      if (answer.feedback.valid) taken.push(answer.action);
      if (answer.feedback.done) episode.measures = await measuresOf(world, { task, actions: taken });
      over = this.isOver(answer.feedback);
      await this.reportTurn(world, task, place, { turn: episode.turns - 1, horizon: most }, answer, textOf(said));
    }
    return episode;
  }

  /** A reply that the world's client refuses is answered without the world. */
  private async act(world: World, promptRules: PromptRules, { slot }: Place, said: Said, signal: AbortSignal) {
    const { action, refusal } = actionIn(said, promptRules);
    if (refusal === undefined) return { action, feedback: (await world.step([slot], [action], signal))[0] };
    return { action, feedback: { observation: refusal, reward: 0, done: false, valid: false } };
  }

  private isOver({ done, failure, valid }: Feedback): boolean {
    return done || failure !== undefined || (!valid && this.request.endOnInvalid);
  }

  private async oracleTurns(world: World, slot: number, limit: TurnLimit): Promise<number | null> {
    if (typeof limit === 'number' || !world.describe().hasOracle) return null;
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
