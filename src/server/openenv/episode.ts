/** One OpenEnv session: a world of its own, made on connect, in which one episode after another is played. Knows no socket. */
import * as v from 'valibot';
import {
  type Feedback,
  type Json,
  type Split,
  spokenOf,
  type Task,
  validActionsAfter,
  WorldError,
} from '../../envs/env.ts';
import { uniformAt } from '../../envs/random-player.ts';
import type { ReplyRule } from '../../envs/reply.ts';
import type { Place, ServedWorld } from '../served-world.ts';

/** A message whose fields cannot be read. */
export class InvalidMessage extends Error {
  override name = 'InvalidMessage';
  constructor(
    message: string,
    readonly errors: readonly { loc: (string | number)[]; msg: string; type: string }[] = [],
  ) {
    super(message);
  }
}

/** What cannot be done now: a step before a reset, or after the end. */
export class NotNow extends Error {
  override name = 'NotNow';
}

const whole = v.pipe(v.number(), v.safeInteger());
const ResetSchema = v.object({
  seed: v.nullish(whole),
  episode_id: v.nullish(v.pipe(v.string(), v.maxLength(255))),
  split: v.nullish(v.picklist(['train', 'test'])),
  index: v.nullish(whole),
  /** Of this server: messages are whole replies of a language model, in which the world's own rule finds the action. */
  replies: v.nullish(v.boolean()),
});
/** What a client says with it is not read. */
const ActionSchema = v.strictObject({ message: v.string(), metadata: v.optional(v.record(v.string(), v.unknown())) });

export function readMessage<S extends v.GenericSchema>(schema: S, data: unknown, what: string): v.InferOutput<S> {
  const read = v.safeParse(schema, data ?? {});
  if (read.success) return read.output;
  const errors = read.issues.map((issue) => ({
    loc: (issue.path ?? []).map(({ key }) => key as string | number),
    msg: issue.message,
    type: issue.type,
  }));
  const told = errors.map(({ loc, msg }) => `${loc.join('.') || what}: ${msg}`).join('; ');
  throw new InvalidMessage(`The ${what} cannot be read: ${told}`, errors);
}

export interface Observed {
  observation: { text: string; valid: boolean; valid_actions: readonly string[] | null };
  /** null on reset. */
  reward: number | null;
  done: boolean;
}

/** Where it stands, as `state` tells it. */
interface Standing {
  episode_id: string | null;
  step_count: number;
  world: string;
  split: Split | null;
  index: number | null;
  item: number | null;
  done: boolean;
}

export class EnvSession {
  private readonly place: Place;
  private readonly standing: Standing;
  private offered: readonly string[] | null = null;
  /** Set where messages are whole replies. */
  private rule: ReplyRule | null = null;
  private lastWords = '';

  /** Throws `SessionLimit`. `onEnd`: it was idle for too long, or the server is closed. */
  constructor(
    readonly served: ServedWorld,
    onEnd: (idle: boolean) => void = () => {},
  ) {
    this.place = served.open(onEnd);
    this.standing = {
      episode_id: null,
      step_count: 0,
      world: served.module.name,
      split: null,
      index: null,
      item: null,
      done: false,
    };
  }

  async reset(data: unknown): Promise<Observed> {
    const { seed, episode_id, split, index, replies } = readMessage(ResetSchema, data, 'reset');
    const chosen = await chooseTask(this.served, split ?? 'train', index ?? null, seed ?? null);
    const feedback = standingFeedback(await this.place.begin(chosen.task));
    this.offered = null;
    this.rule = replies ? (spokenOf(this.served.module, chosen.task).reply ?? null) : null;
    Object.assign(this.standing, {
      episode_id: episode_id ?? crypto.randomUUID(),
      step_count: 0,
      split: split ?? 'train',
      index: chosen.index,
      item: chosen.task.id,
      done: false,
    });
    return this.observed(feedback, null);
  }

  async step(data: unknown): Promise<Observed> {
    const { message } = readMessage(ActionSchema, data, 'action');
    const { standing } = this;
    if (standing.episode_id === null) throw new NotNow('No episode has begun: reset first.');
    if (standing.done) throw new NotNow(`The episode ${standing.episode_id} is over: reset to begin another.`);
    const feedback = standingFeedback(await this.act(message));
    standing.step_count++;
    standing.done = feedback.done;
    return this.observed(feedback, feedback.reward);
  }

  /** A reply that the world's original client refuses is answered without the world. */
  private async act(message: string): Promise<Feedback> {
    const { action, refusal, again } = this.rule?.(message) ?? { action: message };
    if (refusal === undefined) return this.place.act(action);
    this.place.touch();
    const observation = again ? refusal + this.lastWords : refusal;
    return { observation, reward: 0, done: false, valid: false, validActions: null };
  }

  state(): Json {
    this.place.touch();
    return { ...this.standing };
  }

  close(): void {
    this.place.close();
  }

  private observed(feedback: Feedback, reward: number | null): Observed {
    this.offered = validActionsAfter(this.offered, feedback);
    const { observation: text, valid, done } = feedback;
    this.lastWords = text;
    return { observation: { text, valid, valid_actions: this.offered }, reward, done };
  }
}

function standingFeedback(feedback: Feedback): Feedback {
  if (feedback.failure !== undefined) throw new WorldError(feedback.failure);
  return feedback;
}

/** By its place; else by the seed, always the same; else any. */
async function chooseTask(
  served: ServedWorld,
  split: Split,
  index: number | null,
  seed: number | null,
): Promise<{ task: Task; index: number }> {
  const tasks = await served.tasks(split);
  if (index !== null && (index < 0 || index >= tasks.length))
    throw new InvalidMessage(`The split "${split}" has the tasks 0 to ${tasks.length - 1} (index is ${index}).`);
  const uniform = seed === null ? Math.random() : uniformAt(seed >>> 0, 0, 0);
  const chosen = index ?? Math.floor(uniform * tasks.length);
  return { task: tasks[chosen], index: chosen };
}
