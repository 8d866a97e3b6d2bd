/** A served world: its batches, its slots and its options. The sessions of every protocol run in it. */
import {
  type Feedback,
  type Json,
  type Split,
  type Task,
  type World,
  WorldError,
  type WorldOptions,
  type WorldView,
} from '../envs/env.ts';
import type { WorldModule } from '../envs/module.ts';
import type { AgentGymForm } from '../envs/serving/form.ts';
import { BatchedWorld } from './batched-world.ts';
import { type SessionLedger, Slots, type Tracked } from './sessions.ts';

/** The slot that a session occupies in a world. */
export class Place {
  private closed = false;

  constructor(
    private readonly served: ServedWorld,
    private readonly tracked: Tracked,
    private readonly slot: number,
  ) {}

  begin(task: Task): Promise<Feedback> {
    return this.during(() => this.served.batched.reset(this.slot, task));
  }

  act(action: string): Promise<Feedback> {
    return this.during(() => this.served.batched.step(this.slot, action));
  }

  view(): Promise<WorldView> {
    return this.during(() => this.served.world.view(this.slot));
  }

  inspect(what: string): Promise<Json> {
    return this.during(async () => (await this.served.world.inspect?.(this.slot, what)) ?? null);
  }

  /** Marks the session as active. */
  touch(): void {
    this.served.ledger.touch(this.tracked);
  }

  /** Closes the session. Its slot is freed once its last call has finished. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.served.ledger.forget(this.tracked);
    if (this.tracked.busy === 0) this.served.slots.giveBack(this.slot);
  }

  /** Runs a call in the slot. A closed session has none: another session may already have its slot. */
  private async during<T>(call: () => Promise<T>): Promise<T> {
    if (this.closed) throw new WorldError('The session was closed while a request was in progress: create a new one.');
    return this.served.ledger.during(this.tracked, call).finally(() => {
      if (this.closed && this.tracked.busy === 0) this.served.slots.giveBack(this.slot);
    });
  }
}

export class ServedWorld {
  readonly slots = new Slots();
  readonly batched: BatchedWorld;
  private readonly listed = new Map<string, Promise<Task[]>>();

  constructor(
    readonly module: WorldModule,
    readonly form: AgentGymForm,
    readonly world: World,
    readonly ledger: SessionLedger,
    /** Options given on the command line. They override those of a protocol. */
    readonly options: WorldOptions = {},
  ) {
    this.batched = new BatchedWorld(world);
  }

  /**
   * Opens a session. `onEnd` is called when it ends by itself: with true after idling too long, with false when the
   * server closes. Throws `SessionLimit`.
   */
  open(onEnd: (idle: boolean) => void): Place {
    const tracked = this.ledger.begin((idle) => {
      place.close();
      onEnd(idle);
    });
    const place = new Place(this, tracked, this.slots.take());
    return place;
  }

  tasks(split: Split, base: WorldOptions = {}): Promise<Task[]> {
    const key = JSON.stringify([split, base]);
    const known = this.listed.get(key) ?? this.world.tasks({ ...base, ...this.options }, split);
    this.listed.set(key, known);
    known.catch(() => this.listed.delete(key));
    return known;
  }
}
