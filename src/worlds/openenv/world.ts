/**
 * OpenEnv servers as a world: a session for each episode under way, an action schema mapped to text (`schema.ts`), observations read as
 * text (`observation.ts`). A failure is thrown as it is: the transport (`envs/transport/remote.ts`) makes it the end of one episode.
 */

import {
  type Feedback,
  type Json,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
} from '../../envs/env.ts';
import { itemsIn } from '../../envs/item-list.ts';
import type { ConnectionSettings } from '../../envs/module.ts';
import { type HttpOptions, JsonServer, ServerError, serverAddress } from '../../envs/transport/http.ts';
import { openenvDescription } from './description.ts';
import { listedActions, observationText } from './observation.ts';
import { type OpenEnvOptions, parseOpenEnvOptions } from './options.ts';
import { type ActionForm, ActionTextError, actionForm, actionFrom, formWords } from './schema.ts';
import { type Observed, type OpenEnvSession, RefusedActionError, SessionPool } from './session.ts';
import type { OpenEnvView } from './view-data.ts';

/** Where a server's routes are, and its socket, under the address a person typed. */
export function addressesOf({ address = '' }: ConnectionSettings): { http: string; socket: string } {
  const base = serverAddress(address, ['http', 'https', 'ws', 'wss']).replace(/\/ws$/, '');
  return { http: base.replace(/^ws/, 'http'), socket: `${base.replace(/^http/, 'ws')}/ws` };
}

/** Of a server that does not say: one text, named as the field's most common one. */
const messageForm = actionForm({ properties: { message: { type: 'string' } }, required: ['message'] });

interface Episode {
  session: OpenEnvSession;
  options: OpenEnvOptions;
  form: ActionForm;
  reward: number;
  said: string;
  done: boolean;
}

type Options = ConstructorParameters<typeof SessionPool>[1] & HttpOptions;

export class OpenEnvWorld implements World {
  private readonly episodes = new Map<number, Episode>();
  private asked: Promise<ActionForm | null> | null = null;

  constructor(
    private readonly sessions: SessionPool,
    private readonly server: JsonServer,
  ) {}

  static async open(settings: ConnectionSettings, options: Options = {}): Promise<OpenEnvWorld> {
    const { http, socket } = addressesOf(settings);
    return new OpenEnvWorld(
      new SessionPool(socket, options),
      new JsonServer(http, { attempts: 1, attemptMs: 10_000, ...options }),
    );
  }

  describe(): WorldDescription {
    return openenvDescription;
  }

  async tasks(given: WorldOptions, split: Split): Promise<Task[]> {
    const options = parseOpenEnvOptions(given);
    const items = itemsIn(split === 'train' ? options.trainItems : options.testItems)!;
    const strata: Task['strata'] = options.taskBy === 'index' ? { split } : {};
    return items.map((id) => ({ world: openenvDescription.name, id, options: options as WorldOptions, strata }));
  }

  reset(slots: readonly number[], tasks: readonly Task[], signal?: AbortSignal): Promise<Feedback[]> {
    this.leave(slots);
    return Promise.all(slots.map((slot, k) => this.begin(slot, tasks[k], signal)));
  }

  private async begin(slot: number, task: Task, signal?: AbortSignal): Promise<Feedback> {
    const options = parseOpenEnvOptions(task.options);
    const form = await this.formFor(options);
    const { session, observed } = await this.sessions.begin(beginning(task, options), signal);
    const episode: Episode = { session, options, form, reward: 0, said: '', done: false };
    this.episodes.set(slot, episode);
    const feedback = this.told(episode, observed);
    const words = formWords(form);
    return words ? { ...feedback, observation: `${feedback.observation}\n\n${words}` } : feedback;
  }

  step(slots: readonly number[], actions: readonly string[], signal?: AbortSignal): Promise<Feedback[]> {
    return Promise.all(slots.map((slot, k) => this.act(this.episodeOf(slot), actions[k], signal)));
  }

  private async act(episode: Episode, action: string, signal?: AbortSignal): Promise<Feedback> {
    try {
      return this.told(episode, await episode.session.step(actionFrom(action, episode.form), signal));
    } catch (error) {
      if (error instanceof ActionTextError || error instanceof RefusedActionError)
        return { observation: error.message, reward: episode.reward, done: false, valid: false, validActions: null };
      this.sessions.drop(episode.session);
      throw error;
    }
  }

  private told(episode: Episode, { observation, reward, done }: Observed): Feedback {
    const { options } = episode;
    episode.reward = options.reward === 'sum' ? episode.reward + reward : reward;
    episode.said = observationText(observation, options.observationField);
    episode.done = done;
    if (done) this.sessions.give(episode.session);
    const feedback = { observation: episode.said, reward: episode.reward, done, valid: true };
    return { ...feedback, validActions: listedActions(observation) };
  }

  /** These episodes are over, or given up: their places are free for others. */
  leave(slots: readonly number[]): void {
    for (const slot of slots) {
      const episode = this.episodes.get(slot);
      this.episodes.delete(slot);
      if (episode && !episode.done) this.sessions.give(episode.session);
    }
  }

  async oracle(slots: readonly number[]): Promise<null[]> {
    return slots.map(() => null);
  }

  async view(slot: number): Promise<OpenEnvView> {
    const { said, form, done } = this.episodeOf(slot);
    return { kind: 'openenv', text: said, fields: form.single ? [] : form.fields, done };
  }

  async close(): Promise<void> {
    this.episodes.clear();
    this.sessions.close();
  }

  /** Its schema as the options say, else as the server does: asked once, and again where it did not answer. */
  private async formFor({ actionSchema }: OpenEnvOptions): Promise<ActionForm> {
    if (actionSchema.trim()) return actionForm(JSON.parse(actionSchema));
    this.asked ??= this.askForSchema();
    const form = await this.asked.catch((error) => {
      this.asked = null;
      throw error;
    });
    return form ?? messageForm;
  }

  private async askForSchema(): Promise<ActionForm | null> {
    try {
      const { action } = (await this.server.get('/schema')) as { action?: Json };
      return action ? actionForm(action) : null;
    } catch (error) {
      if (error instanceof ServerError) return null;
      throw error;
    }
  }

  private episodeOf(slot: number): Episode {
    const episode = this.episodes.get(slot);
    if (!episode) throw new WorldError(`World ${slot} has not begun: reset it with a task first.`);
    return episode;
  }
}

/** What an episode begins with. A server that does not know a key drops it silently. */
function beginning({ id, strata }: Task, { taskBy }: OpenEnvOptions): { [key: string]: Json } {
  return taskBy === 'seed' ? { seed: id } : { index: id, split: strata.split };
}
