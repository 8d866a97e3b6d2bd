/**
 * One OpenEnv session: a slot of the world, taken on connect, in which episodes are played one after another.
 * Independent of sockets.
 */
import * as v from 'valibot';
import {
  type Feedback,
  type Json,
  promptRulesOf,
  type Split,
  type Task,
  validActionsAfter,
  WorldError,
} from '../../envs/env.ts';
import { uniformAt } from '../../envs/random-player.ts';
import type { ReplyRule } from '../../envs/reply.ts';
import { brief } from '../messages.ts';
import type { Place, ServedWorld } from '../served-world.ts';

/** A message with missing or invalid fields. */
export class InvalidMessage extends Error {
  override name = 'InvalidMessage';
  constructor(
    message: string,
    readonly errors: readonly { loc: (string | number)[]; msg: string; type: string }[] = [],
  ) {
    super(message);
  }
}

/** A request that the current state does not allow: a step before a reset, or after the end. */
export class NotNow extends Error {
  override name = 'NotNow';
}

const whole = v.pipe(v.number(), v.safeInteger());
const ResetSchema = v.object({
  seed: v.nullish(whole),
  episode_id: v.nullish(v.pipe(v.string(), v.maxLength(255))),
  split: v.nullish(v.picklist(['train', 'test'])),
  index: v.nullish(whole),
  /**
   * Extension of this server: messages are whole replies of a language model, in which the world's own rule finds the
   * action.
   */
  replies: v.nullish(v.boolean()),
});
/** A client may send metadata; it is ignored. */
const ActionSchema = v.strictObject({ message: v.string(), metadata: v.optional(v.record(v.string(), v.unknown())) });

export function readMessage<S extends v.GenericSchema>(schema: S, data: unknown, what: string): v.InferOutput<S> {
  const read = v.safeParse(schema, data ?? {});
  if (read.success) return read.output;
  const errors = read.issues.map((issue) => ({
    loc: (issue.path ?? []).map(({ key }) => (typeof key === 'string' ? brief(key) : (key as number))),
    msg: brief(issue.message),
    type: issue.type,
  }));
  const details = errors.map(({ loc, msg }) => `${loc.join('.') || what}: ${msg}`).join('; ');
  throw new InvalidMessage(`The ${what} is invalid: ${details}`, errors);
}

export interface Observed {
  observation: { text: string; valid: boolean; valid_actions: readonly string[] | null };
  /** null on reset. */
  reward: number | null;
  done: boolean;
}

/** State of the session, as the `state` message returns it. */
interface SessionState {
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
  private readonly current: SessionState;
  private offered: readonly string[] | null = null;
  /** Set if messages are whole replies. */
  private rule: ReplyRule | null = null;
  private lastText = '';

  /** Throws `SessionLimit`. `onEnd` is called when the session has idled too long or the server closes. */
  constructor(
    readonly served: ServedWorld,
    onEnd: (idle: boolean) => void = () => {},
  ) {
    this.place = served.open(onEnd);
    this.current = {
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
    const feedback = requireFeedback(await this.place.begin(chosen.task));
    this.offered = null;
    this.rule = replies ? (promptRulesOf(this.served.module, chosen.task).reply ?? null) : null;
    Object.assign(this.current, {
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
    const { current } = this;
    if (current.episode_id === null) throw new NotNow('No episode has begun: reset first.');
    if (current.done) throw new NotNow(`The episode ${current.episode_id} is over: reset to begin another.`);
    const feedback = requireFeedback(await this.act(message));
    current.step_count++;
    current.done = feedback.done;
    return this.observed(feedback, feedback.reward);
  }

  /** A reply that the world's original client refuses is answered here; the world is not called. */
  private async act(message: string): Promise<Feedback> {
    const { action, refusal, again } = this.rule?.(message) ?? { action: message };
    if (refusal === undefined) return this.place.act(action);
    this.place.touch();
    const observation = again ? refusal + this.lastText : refusal;
    return { observation, reward: 0, done: false, valid: false, validActions: null };
  }

  state(): Json {
    this.place.touch();
    return { ...this.current };
  }

  close(): void {
    this.place.close();
  }

  private observed(feedback: Feedback, reward: number | null): Observed {
    this.offered = validActionsAfter(this.offered, feedback);
    const { observation: text, valid, done } = feedback;
    this.lastText = text;
    return { observation: { text, valid, valid_actions: this.offered }, reward, done };
  }
}

function requireFeedback(feedback: Feedback): Feedback {
  if (feedback.failure !== undefined) throw new WorldError(feedback.failure);
  return feedback;
}

/** Task at the index if given, else chosen by the seed (the same task each time), else a random one. */
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
