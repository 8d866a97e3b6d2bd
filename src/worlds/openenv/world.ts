/**
 * OpenEnv servers as a world. Each running episode has its own session; `schema.ts` maps actions to text,
 * `observation.ts` prints observations. Failures are thrown unchanged, and the transport (`envs/transport/remote.ts`)
 * ends the one episode concerned.
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
import {
  type ActionForm,
  ActionTextError,
  actionForm,
  actionFrom,
  formText,
  mayCallTools,
  type ServerTool,
} from './schema.ts';
import { type Observed, type OpenEnvSession, RefusedActionError, SessionPool } from './session.ts';
import type { OpenEnvView } from './view-data.ts';

/** Addresses of a server's HTTP routes and of its socket, from the address that a person typed. */
export function addressesOf({ address = '' }: ConnectionSettings): { http: string; socket: string } {
  const base = serverAddress(address, ['http', 'https', 'ws', 'wss']).replace(/\/ws$/, '');
  return { http: base.replace(/^ws/, 'http'), socket: `${base.replace(/^http/, 'ws')}/ws` };
}

/** Form for servers that do not publish their schema: one text field with the most common name. */
const messageForm = actionForm({ properties: { message: { type: 'string' } }, required: ['message'] });

interface Episode {
  session: OpenEnvSession;
  options: OpenEnvOptions;
  form: ActionForm;
  reward: number;
  text: string;
  done: boolean;
}

type Options = ConstructorParameters<typeof SessionPool>[1] & HttpOptions;

export class OpenEnvWorld implements World {
  private readonly episodes = new Map<number, Episode>();
  private schemaForm: Promise<ActionForm | null> | null = null;
  /** Tools of the server, once it was asked; null: it has none. */
  private tools: readonly ServerTool[] | null | undefined;

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
    const published = await this.formFor(options);
    const { session, observed } = await this.sessions.begin(resetData(task, options), signal);
    const form = await this.withTools(published, session, signal);
    const episode: Episode = { session, options, form, reward: 0, text: '', done: false };
    this.episodes.set(slot, episode);
    const feedback = this.record(episode, observed);
    const fields = formText(form);
    return { ...feedback, observation: [feedback.observation, fields].filter((each) => each !== '').join('\n\n') };
  }

  /** The form with the tools of an MCP environment, which its schema does not list. */
  private async withTools(form: ActionForm, session: OpenEnvSession, signal?: AbortSignal): Promise<ActionForm> {
    if (!mayCallTools(form)) return form;
    try {
      if (this.tools === undefined) this.tools = await session.tools(signal);
    } catch (error) {
      this.sessions.drop(session);
      throw error;
    }
    return this.tools ? { ...form, tools: this.tools } : form;
  }

  step(slots: readonly number[], actions: readonly string[], signal?: AbortSignal): Promise<Feedback[]> {
    return Promise.all(slots.map((slot, k) => this.act(this.episodeOf(slot), actions[k], signal)));
  }

  private async act(episode: Episode, action: string, signal?: AbortSignal): Promise<Feedback> {
    try {
      return this.record(episode, await episode.session.step(actionFrom(action, episode.form), signal));
    } catch (error) {
      if (error instanceof ActionTextError || error instanceof RefusedActionError)
        return { observation: error.message, reward: episode.reward, done: false, valid: false, validActions: null };
      this.sessions.drop(episode.session);
      throw error;
    }
  }

  private record(episode: Episode, { observation, reward, done }: Observed): Feedback {
    const { options } = episode;
    episode.reward = options.reward === 'sum' ? episode.reward + reward : reward;
    episode.text = observationText(observation, options.observationField);
    episode.done = done;
    if (done) this.sessions.giveBack(episode.session);
    const feedback = { observation: episode.text, reward: episode.reward, done, valid: true };
    return { ...feedback, validActions: listedActions(observation) };
  }

  /** Releases the sessions of episodes that are over or were abandoned. */
  leave(slots: readonly number[]): void {
    for (const slot of slots) {
      const episode = this.episodes.get(slot);
      this.episodes.delete(slot);
      if (episode && !episode.done) this.sessions.giveBack(episode.session);
    }
  }

  async oracle(slots: readonly number[]): Promise<null[]> {
    return slots.map(() => null);
  }

  async view(slot: number): Promise<OpenEnvView> {
    const { text, form, done } = this.episodeOf(slot);
    return { kind: 'openenv', text, fields: form.single ? [] : form.fields, done };
  }

  async close(): Promise<void> {
    this.episodes.clear();
    this.sessions.close();
  }

  /**
   * Action form of the server: from the options, else requested from the server. The request is made once, and repeated
   * only after an error.
   */
  private async formFor({ actionSchema }: OpenEnvOptions): Promise<ActionForm> {
    if (actionSchema.trim()) return actionForm(JSON.parse(actionSchema));
    this.schemaForm ??= this.requestForm();
    const form = await this.schemaForm.catch((error) => {
      this.schemaForm = null;
      throw error;
    });
    return form ?? messageForm;
  }

  private async requestForm(): Promise<ActionForm | null> {
    try {
      const schema = (await this.server.get('/schema')) as { action?: Json } | null;
      return schema?.action ? actionForm(schema.action) : null;
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

/** Parameters of a reset. A server silently drops unknown keys. */
function resetData({ id, strata }: Task, { taskBy }: OpenEnvOptions): { [key: string]: Json } {
  return taskBy === 'seed' ? { seed: id } : { index: id, split: strata.split };
}
