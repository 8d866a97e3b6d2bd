/**
 * Sessions, training clients and samplers of Tinker's protocol over policies that clients train. Each training client
 * has weights of its own; its requests run in order, and the clients take turns at the policy.
 */
import { QueueFull, Turns } from '../openai/turns.ts';
import { Futures, type Result } from './futures.ts';
import {
  type Held,
  RefusedError,
  type StateName,
  stateKinds,
  type TrainedModel,
  type Weights,
} from './trained-model.ts';

/** Maximum number of sessions, most of which have no training client. */
const mostSessions = 256;
/** Maximum number of training clients, which hold weights and an optimiser each. */
const mostClients = 16;
/** Maximum number of samplers that keep their weights; those of the oldest are released. */
const mostHeld = 32;
/** Time without a heartbeat (the SDK sends one every 10 s) after which a session and its clients may be replaced. */
const silentMs = 60_000;

export interface TrainingClient {
  id: string;
  session: string;
  served: Served;
  weights: Weights;
  /** Data since the last optimiser step, with its derivatives. */
  held: Held[];
}

export interface Sampler {
  id: string;
  session: string;
  served: Served;
  /** Address of a saved state; null: weights without a name. */
  path: string | null;
  /** null: the weights were released. Those of a saved state are read again. */
  weights: Weights | null;
}

/** A model, and the turns of its clients. */
export interface Served {
  model: TrainedModel;
  turns: Turns;
}

const stateName = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/;
const never = new AbortController().signal;

/** The address of a saved state. */
export const addressOf = ({ owner, kind, name }: StateName) => `tinker://${owner}/${kind}/${name}`;

export function readAddress(address: string): StateName {
  const [scheme, , owner = '', kind = '', name = '', ...more] = address.split('/');
  const known = stateKinds.find((each) => each === kind);
  if (scheme !== 'tinker:' || !known || more.length || !isOwner(owner))
    throw new RefusedError(
      `path: ${address} must be tinker://CLIENT/weights/NAME or tinker://CLIENT/sampler_weights/NAME.`,
    );
  return { owner, kind: known, name: checkedName(name) };
}

const isOwner = (text: string) => text.split(':').every((part) => stateName.test(part));

export function checkedName(name: string): string {
  if (stateName.test(name)) return name;
  throw new RefusedError('path: a name has 1 to 64 letters, digits, dots, underscores and dashes.');
}

export class Training {
  private readonly served: ReadonlyMap<string, Served>;
  /** Time of each session's last sign of life. */
  private readonly sessions = new Map<string, number>();
  private readonly clients = new Map<string, TrainingClient>();
  private readonly samplers = new Map<string, Sampler>();
  readonly futures: Futures;

  constructor(
    models: readonly TrainedModel[],
    report: (error: unknown) => void,
    private readonly now: () => number = Date.now,
  ) {
    this.served = new Map(models.map((model) => [model.id, { model, turns: new Turns() }]));
    this.futures = new Futures(report);
  }

  get models(): TrainedModel[] {
    return [...this.served.values()].map(({ model }) => model);
  }

  openSession(): string {
    this.requireRoom(this.sessions, mostSessions, 'sessions');
    const id = crypto.randomUUID();
    this.sessions.set(id, this.now());
    return id;
  }

  /** Makes room for one more, if need be by ending silent sessions. Throws a RefusedError if there is none. */
  private requireRoom(held: ReadonlyMap<string, unknown>, most: number, what: string): void {
    if (held.size >= most) this.dropSilent();
    if (held.size >= most)
      throw new RefusedError(`This server keeps at most ${most} ${what}: end another program first.`);
  }

  /** Notes a sign of life. Throws a RefusedError for a session that is not open. */
  beat(session: string, status = 404): void {
    if (!this.sessions.has(session)) throw new RefusedError(`There is no session ${session}.`, status);
    this.sessions.set(session, this.now());
  }

  /** The policy with this name. */
  named(model: string): Served {
    const found = this.served.get(model);
    if (found) return found;
    throw new RefusedError(`base_model: there is no ${model}, only ${[...this.served.keys()].join(', ')}.`, 404);
  }

  /** Adds a training client unless a repeated request has added it. */
  addClient(session: string, seq: number, served: Served, weights: Weights): TrainingClient {
    const id = `${session}:train:${seq}`;
    const known = this.clients.get(id);
    if (known) return known;
    this.requireRoom(this.clients, mostClients, 'training clients');
    const client: TrainingClient = { id, session, served, weights, held: [] };
    this.clients.set(id, client);
    return client;
  }

  /** Ends the sessions whose programs have ended. */
  private dropSilent(): void {
    for (const [session, at] of this.sessions) {
      if (this.now() - at < silentMs) continue;
      this.sessions.delete(session);
      for (const [id, each] of this.clients) if (each.session === session) this.clients.delete(id);
      for (const [id, each] of this.samplers) if (each.session === session) this.samplers.delete(id);
    }
  }

  client(id: string): TrainingClient {
    const client = this.clients.get(id);
    if (!client) throw new RefusedError(`There is no training client ${id}.`, 404);
    this.beat(client.session);
    return client;
  }

  addSampler(
    session: string,
    seq: number,
    { served, path, weights }: Pick<Sampler, 'served' | 'path' | 'weights'>,
  ): Sampler {
    const id = `${session}:sample:${seq}`;
    const added: Sampler = this.samplers.get(id) ?? { id, session, served, path, weights };
    this.samplers.set(id, added);
    this.releaseOldest();
    return added;
  }

  private releaseOldest(): void {
    const held = [...this.samplers.values()].filter(({ weights, served }) => weights && weights !== served.model.base);
    for (const old of held.slice(0, Math.max(0, held.length - mostHeld))) old.weights = null;
  }

  sampler(id: string): Sampler {
    const sampler = this.samplers.get(id);
    if (!sampler) throw new RefusedError(`There is no sampler ${id}.`, 404);
    return sampler;
  }

  async weightsOf({ weights, path, served, id }: Sampler): Promise<Weights> {
    if (weights) return weights;
    if (path !== null) return (await this.restored(path, served.model.id)).weights;
    throw new RefusedError(
      `The weights of sampler ${id} were released: the last ${mostHeld} are kept. Save weights under a name to keep them.`,
    );
  }

  /** Runs a request in its client's turn. Requests of one client keep their order. */
  run(id: string, { session, served, id: client }: TrainingClient | Sampler, work: () => Promise<Result>): string {
    return this.futures.start(id, () =>
      served.turns.during([session, client], never, work).catch((error) => {
        throw error instanceof QueueFull ? new RefusedError(error.message) : error;
      }),
    );
  }

  /** A saved state, and the policy it belongs to. */
  async restored(address: string, base?: string): Promise<{ served: Served; weights: Weights }> {
    const place = readAddress(address);
    const candidates = base === undefined ? [...this.served.values()] : [this.named(base)];
    let refusal = new RefusedError(`path: there is no saved state ${address}.`, 404);
    for (const served of candidates) {
      try {
        const weights = await served.model.restore(place);
        if (weights) return { served, weights };
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        // A state of another policy, perhaps of the next candidate.
        refusal = error;
      }
    }
    throw refusal;
  }
}
