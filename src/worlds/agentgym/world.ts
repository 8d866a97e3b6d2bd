/**
 * Client of AgentGym's servers. Each slot has an environment on the server, created on first use, reset for each
 * episode, and closed with the world if the server supports it. Differences between kinds are in `kinds/`. Failures are
 * thrown unchanged, and the transport (`envs/transport/remote.ts`) ends the one episode concerned.
 */
import {
  type Feedback,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
  type WorldView,
} from '../../envs/env.ts';
import { itemsIn } from '../../envs/item-list.ts';
import type { ConnectionSettings, WorldModule } from '../../envs/module.ts';
import { AnswerError, type HttpOptions, JsonServer, serverAddress } from '../../envs/transport/http.ts';
import type { AgentGymKind, Answer, EnvironmentRequests } from './kind.ts';
import type { AgentGymOptions } from './options.ts';

const CLOSING_MS = 5000;

/** An environment on the server. */
export interface Environment {
  id: number;
  prepared: unknown;
  /** Latest observation. */
  observation: string;
  /** Options of the current episode. */
  options: WorldOptions;
  /** True after a call failed on the way: the server may still be executing it, so the environment is not reused. */
  lost: boolean;
}

/** Address of a kind's routes, from the address that a person typed. */
export function routesOf({ prefix }: AgentGymKind, { address = '' }: ConnectionSettings): string {
  const base = serverAddress(address);
  return prefix && !base.endsWith(prefix) ? `${base}${prefix}` : base;
}

/** Client of one server: the protocol of a kind, without slots and tasks. */
export class AgentGymClient {
  private readonly server: JsonServer;

  constructor(
    private readonly kind: AgentGymKind,
    settings: ConnectionSettings,
    options: HttpOptions = {},
  ) {
    const attemptMs = kind.timeoutMs ?? 60_000;
    this.server = new JsonServer(routesOf(kind, settings), { attemptMs, ...options });
  }

  async create(signal?: AbortSignal): Promise<Environment> {
    const { create, prepare } = this.kind;
    // A retry may leave an unused environment behind; without it an episode would be lost.
    const id = create.id(await this.server.post('/create', create.body, { signal, repeatable: true }));
    const environment = { id, prepared: null, observation: '', options: {}, lost: false };
    if (prepare) return { ...environment, prepared: await prepare(this.requests(environment, signal)) };
    return environment;
  }

  async reset(environment: Environment, item: number, options: WorldOptions, signal?: AbortSignal): Promise<Feedback> {
    const opening = await this.guarded(environment, () =>
      this.kind.reset(this.requests(environment, signal), item, options, environment.prepared),
    );
    environment.observation = opening.observation;
    environment.options = options;
    const read = this.kind.readObservation?.(opening.observation, options);
    return { reward: 0, done: false, valid: true, validActions: undefined, ...opening, ...read };
  }

  async step(environment: Environment, action: string, signal?: AbortSignal): Promise<Feedback> {
    const { idField, formatAction, answer, refused, hasValidActions } = this.kind;
    const body = { action: formatAction?.(action) ?? action, [idField]: environment.id };
    const result: Answer = await this.guarded(environment, async () =>
      answer(await this.server.post('/step', body, { signal })),
    );
    environment.observation = result.observation;
    const valid = !refused?.test(result.observation);
    // `null` means that the valid actions are unchanged.
    const read = this.kind.readObservation?.(result.observation, environment.options);
    return { validActions: hasValidActions ? null : undefined, ...withoutUndefined(result), ...read, valid };
  }

  /** Closes an environment. Returns true if the server confirms it, false if it does not or cannot. */
  async close({ id }: Environment, signal?: AbortSignal): Promise<boolean> {
    const { closes, idField } = this.kind;
    if (!closes) return false;
    return (await this.server.post('/close', { [idField]: id }, { signal })) !== false;
  }

  /** Requests with the environment's id. GET requests and resets may be retried. */
  private requests({ id }: Environment, signal?: AbortSignal): EnvironmentRequests {
    const { idField } = this.kind;
    return {
      get: (path) => this.server.get(`${path}?${idField}=${id}`, { signal }),
      post: (path, body) => this.server.post(path, { ...body, [idField]: id }, { signal, repeatable: true }),
    };
  }

  /**
   * Marks the environment as lost if the call got no answer. After an answer, even an error, the state of the
   * environment is known.
   */
  private async guarded<T>(environment: Environment, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      environment.lost ||= !(error instanceof AnswerError);
      throw error;
    }
  }
}

function withoutUndefined(answer: Answer): Answer {
  const { validActions, ...rest } = answer;
  return validActions ? answer : rest;
}

/** A world of AgentGym; create it with `AgentGymWorld.open()`. */
export class AgentGymWorld implements World {
  private readonly environments = new Map<number, Environment>();

  constructor(
    private readonly module: WorldModule,
    private readonly kind: AgentGymKind,
    private readonly client: AgentGymClient,
  ) {}

  static async open(
    module: WorldModule,
    kind: AgentGymKind,
    settings: ConnectionSettings,
    options: HttpOptions = {},
  ): Promise<AgentGymWorld> {
    return new AgentGymWorld(module, kind, new AgentGymClient(kind, settings, options));
  }

  describe(): WorldDescription {
    return this.module;
  }

  async tasks(given: WorldOptions, split: Split): Promise<Task[]> {
    const options = this.module.options(given) as WorldOptions;
    const { trainItems, testItems } = options as unknown as AgentGymOptions;
    const named = split === 'train' ? trainItems : testItems;
    const items = named.trim() ? itemsIn(named)! : this.kind.items(split);
    const { name } = this.module;
    return items.map((id) => ({ world: name, id, options, strata: this.kind.strata?.(id) ?? {} }));
  }

  reset(slots: readonly number[], tasks: readonly Task[], signal?: AbortSignal): Promise<Feedback[]> {
    return Promise.all(slots.map((slot, k) => this.begin(slot, tasks[k], signal)));
  }

  private async begin(slot: number, { id, options }: Task, signal?: AbortSignal): Promise<Feedback> {
    const filled = this.module.options(options) as WorldOptions;
    const known = this.environments.get(slot);
    if (known && !known.lost) {
      try {
        return await this.client.reset(known, id, filled, signal);
      } catch (error) {
        // A restarted server has lost the environment; a new one is created below.
        if (!(error instanceof AnswerError)) throw error;
      }
    }
    if (known) void this.client.close(known, AbortSignal.timeout(CLOSING_MS)).catch(() => {});
    this.environments.delete(slot);
    const fresh = await this.client.create(signal);
    this.environments.set(slot, fresh);
    return this.client.reset(fresh, id, filled, signal);
  }

  step(slots: readonly number[], actions: readonly string[], signal?: AbortSignal): Promise<Feedback[]> {
    return Promise.all(slots.map((slot, k) => this.client.step(this.environmentOf(slot), actions[k], signal)));
  }

  async oracle(slots: readonly number[]): Promise<null[]> {
    return slots.map(() => null);
  }

  async view(slot: number): Promise<WorldView> {
    return { kind: 'text', text: this.environmentOf(slot).observation };
  }

  async close(): Promise<void> {
    const all = [...this.environments.values()];
    this.environments.clear();
    await Promise.allSettled(all.map((each) => this.client.close(each, AbortSignal.timeout(CLOSING_MS))));
  }

  private environmentOf(slot: number): Environment {
    const environment = this.environments.get(slot);
    if (!environment) throw new WorldError(`World ${slot} has not begun: reset it with a task first.`);
    return environment;
  }
}
