/** A world that is served: its batches, its slots, the options it is served under. Every protocol's sessions are in it. */
import type { Feedback, Json, Split, Task, World, WorldOptions, WorldView } from '../envs/env.ts';
import type { WorldModule } from '../envs/module.ts';
import type { AgentGymForm } from '../envs/serving/form.ts';
import { BatchedWorld } from './batched-world.ts';
import { type SessionLedger, Slots, type Tracked } from './sessions.ts';

/** A session's place in the world. */
export class Place {
  private closed = false;

  constructor(
    private readonly served: ServedWorld,
    private readonly tracked: Tracked,
    private readonly slot: number,
  ) {}

  begin(task: Task): Promise<Feedback> {
    return this.during(() => this.served.gathered.reset(this.slot, task));
  }

  act(action: string): Promise<Feedback> {
    return this.during(() => this.served.gathered.step(this.slot, action));
  }

  view(): Promise<WorldView> {
    return this.during(() => this.served.world.view(this.slot));
  }

  inspect(what: string): Promise<Json> {
    return this.during(async () => (await this.served.world.inspect?.(this.slot, what)) ?? null);
  }

  /** It was asked about, and is not idle. */
  touch(): void {
    this.served.ledger.touch(this.tracked);
  }

  /** Its slot goes to others once its last call is over. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.served.ledger.forget(this.tracked);
    if (this.tracked.busy === 0) this.served.slots.giveBack(this.slot);
  }

  private during<T>(call: () => Promise<T>): Promise<T> {
    return this.served.ledger.during(this.tracked, call).finally(() => {
      if (this.closed && this.tracked.busy === 0) this.served.slots.giveBack(this.slot);
    });
  }
}

export class ServedWorld {
  readonly slots = new Slots();
  readonly gathered: BatchedWorld;
  private readonly listed = new Map<string, Promise<Task[]>>();

  constructor(
    readonly module: WorldModule,
    readonly form: AgentGymForm,
    readonly world: World,
    readonly ledger: SessionLedger,
    /** What the server was started with; a protocol's own go below them. */
    readonly options: WorldOptions = {},
  ) {
    this.gathered = new BatchedWorld(world);
  }

  /** A new session; `onIdle` is told when it is closed for being idle, or with the server. Throws `SessionLimit`. */
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
