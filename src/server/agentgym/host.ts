/**
 * Sessions of a world behind AgentGym's protocol. Ids count from 0, as on the original servers, and are never reused.
 */
import type { Feedback, Json, Task } from '../../envs/env.ts';
import { type ServedSession, ServerFault, type SessionHost } from '../../envs/serving/form.ts';
import type { Place, ServedWorld } from '../served-world.ts';

/**
 * Maximum number of expired ids kept in memory. A request for one gets a different error from a request for an unknown
 * id.
 */
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

  openIds(): number[] {
    return [...this.sessions.keys()];
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

  /**
   * An unpaired surrogate cannot be sent back as JSON. As on the original server, the answer is a 500, after the step
   * was taken.
   */
  async act(session: ServedSession, action: string): Promise<Feedback> {
    const feedback = await placeOf(session).act(action);
    if (feedback.observation.includes('\ufffd') && /\p{Surrogate}/u.test(action))
      throw new ServerFault('The action contains an unpaired surrogate, which the answer cannot hold.');
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
