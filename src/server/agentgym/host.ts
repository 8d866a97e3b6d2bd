/** A form's sessions: ids that count from 0, as the original servers hand them out, and are never used again. */
import type { Feedback, Json, Task } from '../../envs/env.ts';
import { type ServedSession, ServerFault, type SessionHost } from '../../envs/serving/form.ts';
import type { Place, ServedWorld } from '../served-world.ts';

/** Expired ids that are remembered, to be told apart from those that never were. */
const mostRemembered = 100_000;

interface HostedSession extends ServedSession {
  place: Place;
}

export class AgentGymHost implements SessionHost {
  private next = 0;
  private readonly sessions = new Map<number, HostedSession>();
  private readonly expired = new Set<number>();

  constructor(readonly served: ServedWorld) {}

  create(): ServedSession {
    const place = this.served.open((idle) => {
      this.sessions.delete(session.id);
      if (idle) this.remember(session.id);
    });
    const session: HostedSession = { id: this.next++, info: {}, place };
    this.sessions.set(session.id, session);
    return session;
  }

  private remember(id: number): void {
    this.expired.add(id);
    if (this.expired.size > mostRemembered) this.expired.delete(this.expired.keys().next().value!);
  }

  find(id: bigint): ServedSession | undefined {
    const session = this.sessions.get(Number(id));
    session?.place.touch();
    return session;
  }

  wasCreated(id: bigint): boolean {
    return id >= 0n && id < BigInt(this.next);
  }

  expiredAfter(id: bigint): number | undefined {
    return this.expired.has(Number(id)) ? this.served.ledger.limits.idleSeconds : undefined;
  }

  close(session: ServedSession): void {
    this.sessions.delete(session.id);
    placeOf(session).close();
  }

  begin(session: ServedSession, task: Task): Promise<Feedback> {
    return placeOf(session).begin(task);
  }

  /** Text that is half a character cannot be sent back: the original's answer is a 500, after the step was taken. */
  async act(session: ServedSession, action: string): Promise<Feedback> {
    const feedback = await placeOf(session).act(action);
    if (feedback.observation.includes('\ufffd') && /\p{Surrogate}/u.test(action))
      throw new ServerFault('The action holds half a character, and so would the answer.');
    return feedback;
  }

  view(session: ServedSession) {
    return placeOf(session).view();
  }

  inspect(session: ServedSession, what: string): Promise<Json> {
    return placeOf(session).inspect(what);
  }

  task(id: number): Task {
    const { module, form, options } = this.served;
    return { world: module.name, id, options: { ...form.options, ...options }, strata: {} };
  }

  async tasks(): Promise<readonly Task[]> {
    this.all ??= this.listAll();
    return this.all;
  }

  private all: Promise<Task[]> | undefined;

  private async listAll(): Promise<Task[]> {
    const { served } = this;
    const [train, test] = [
      await served.tasks('train', served.form.options),
      await served.tasks('test', served.form.options),
    ];
    return [...train, ...test];
  }
}

const placeOf = (session: ServedSession) => (session as HostedSession).place;
