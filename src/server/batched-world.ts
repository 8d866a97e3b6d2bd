/**
 * Combines the calls of many clients into batches, the size a world works best with. While one batch runs, new calls
 * queue up and form the next. Calls on one slot keep their order. Handles slots and feedback; independent of clients
 * and protocols.
 */
import { type Feedback, type Task, type World, WorldError } from '../envs/env.ts';

type Move = { kind: 'reset'; task: Task } | { kind: 'step'; action: string };
type Waiting = Move & {
  slot: number;
  resolve(feedback: Feedback): void;
  reject(error: unknown): void;
};

/** Maximum number of calls in a batch, so that the message to the worker stays small. */
const largestBatch = 256;

export class BatchedWorld {
  private waiting: Waiting[] = [];
  private running = false;

  constructor(readonly world: World) {}

  reset(slot: number, task: Task): Promise<Feedback> {
    return this.enqueue(slot, { kind: 'reset', task });
  }

  step(slot: number, action: string): Promise<Feedback> {
    return this.enqueue(slot, { kind: 'step', action });
  }

  private enqueue(slot: number, move: Move): Promise<Feedback> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...move, slot, resolve, reject });
      if (!this.running) {
        this.running = true;
        // Deferred, so that calls made in the same turn of the event loop join this batch.
        setImmediate(() => void this.run());
      }
    });
  }

  private async run(): Promise<void> {
    while (this.waiting.length) await this.carryOut(this.nextBatch());
    this.running = false;
  }

  /**
   * Takes from the queue the calls of the first call's kind, at most one per slot, and none that would overtake an
   * earlier call on its slot.
   */
  private nextBatch(): Waiting[] {
    const [{ kind }] = this.waiting;
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const slots = new Set<number>();
    for (const call of this.waiting) {
      const joins = call.kind === kind && !slots.has(call.slot) && batch.length < largestBatch;
      slots.add(call.slot);
      (joins ? batch : left).push(call);
    }
    this.waiting = left;
    return batch;
  }

  private async carryOut(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.call(batch);
      for (const [k, call] of batch.entries()) call.resolve(answers[k]);
    } catch (error) {
      // A world refuses a batch as a whole, before any step is taken. So run the calls one by one: only the invalid one
      // fails.
      if (batch.length > 1 && error instanceof WorldError) for (const call of batch) await this.carryOut([call]);
      else for (const call of batch) call.reject(error);
    }
  }

  private call(batch: readonly Waiting[]): Promise<Feedback[]> {
    const slots = batch.map(({ slot }) => slot);
    return batch[0].kind === 'reset'
      ? this.world.reset(
          slots,
          batch.map((call) => (call as Move & { kind: 'reset' }).task),
        )
      : this.world.step(
          slots,
          batch.map((call) => (call as Move & { kind: 'step' }).action),
        );
  }
}
