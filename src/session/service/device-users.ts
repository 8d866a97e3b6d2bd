/**
 * Everything of a tab that computes on its device, one at a time: the session of a run, a sweep, an evaluation, a
 * conversation. Holds the locks of the runs that they change.
 */

import { Evaluations } from '../evaluation/evaluations.ts';
import { isActive, type SessionEvent } from '../protocol.ts';
import { Session } from '../run/session.ts';
import { getRun } from '../stored-run.ts';
import type { Prepare } from '../sweep/sweep-runs.ts';
import { Sweeps } from '../sweep/sweeps.ts';
import { Talks } from '../talk/talks.ts';
import { type Hold, ReadOnlyError } from './ownership.ts';
import type { ServiceParts } from './parts.ts';

export class DeviceUsers {
  /** Session of the run that has the engine. */
  session: Session | null = null;
  readonly sweeps: Sweeps;
  readonly suites: Evaluations;
  readonly talks: Talks;
  private readonly held = new Map<string, Hold>();

  /** `prepare`: the document that a run stores, with the files that it names. */
  constructor(
    private readonly parts: ServiceParts,
    private readonly emit: (event: SessionEvent) => void,
    prepare: Prepare,
  ) {
    this.sweeps = new Sweeps({
      ...parts,
      emit,
      prepare,
      own: async (runId) => {
        if (!(await this.hold(runId))) throw new ReadOnlyError();
      },
      freeDevice: () => this.freeDevice(this.sweeps),
    });
    this.suites = new Evaluations({ ...parts, emit, freeDevice: () => this.freeDevice(this.suites) });
    this.talks = new Talks({ ...parts, emit, freeDevice: () => this.freeDevice(this.talks) });
  }

  /** Session of a run. Any other session is paused at its last step and releases the GPU first. */
  async sessionOf(runId: string, purpose: 'train' | 'read' = 'train'): Promise<Session> {
    if (purpose === 'train' && !(await this.hold(runId))) throw new ReadOnlyError();
    await this.stopOthers();
    if (this.session?.runId === runId) return this.session;
    await this.endSession();
    const { experiment } = await getRun(this.parts.store, runId);
    this.session = new Session(runId, experiment, {
      store: this.parts.store,
      engines: this.parts.engines,
      otherThread: this.parts.otherThread,
      emit: this.emit,
    });
    return this.session;
  }

  /** There is one device: an evaluation, a sweep, a conversation and a run do not compute at the same time. */
  private async stopOthers(user?: Evaluations | Sweeps | Talks): Promise<void> {
    if (user !== this.suites) await this.suites.cancel();
    if (user !== this.sweeps) await this.sweeps.pause();
    if (user !== this.talks) await this.talks.close();
  }

  /** Stops all other computation on the device. */
  async freeDevice(user?: Evaluations | Sweeps | Talks): Promise<void> {
    await this.stopOthers(user);
    await this.endSession();
  }

  /** Pauses the run that has the engine, and releases the device. */
  private async endSession(): Promise<void> {
    const { session } = this;
    await session?.pause({ holds: true });
    await session?.close();
    if (this.session === session) this.session = null;
  }

  holds(runId: string): boolean {
    return this.held.has(runId);
  }

  async hold(runId: string): Promise<boolean> {
    if (this.held.has(runId)) return true;
    const hold = await this.parts.locks.acquire(runId, () => this.lost(runId));
    if (hold) this.held.set(runId, hold);
    return hold !== null;
  }

  async release(runId: string): Promise<void> {
    if (this.sweeps.isBusy(runId)) await this.sweeps.pause();
    if (this.session?.runId === runId) {
      await this.session.close();
      this.session = null;
    }
    this.held.get(runId)?.release();
    this.held.delete(runId);
  }

  /** Runs that are neither in focus nor training are released for other tabs. */
  async releaseOthers(runId: string): Promise<void> {
    const busy = this.session && isActive(this.session.status);
    for (const other of [...this.held.keys()])
      if (other !== runId && !(busy && this.session!.runId === other) && !this.sweeps.isBusy(other))
        await this.release(other);
  }

  private lost(runId: string): void {
    this.held.delete(runId);
    this.emit({ type: 'owner', runId, owner: 'another-tab' });
    if (this.sweeps.isBusy(runId)) void this.sweeps.close();
    if (this.session?.runId !== runId) return;
    const session = this.session;
    this.session = null;
    void session.close();
  }

  /** Takes a run from the tab that owns it. */
  async takeOver(runId: string): Promise<void> {
    if (!this.held.has(runId)) this.held.set(runId, await this.parts.locks.steal(runId, () => this.lost(runId)));
    this.emit({ type: 'owner', runId, owner: 'this-tab' });
  }

  /** True while another run trains, which must not be disturbed. */
  trainsAnother(runId: string): boolean {
    const { session } = this;
    return session !== null && session.runId !== runId && isActive(session.status);
  }

  /** Ends all computation and releases the runs. */
  async close(): Promise<void> {
    await this.suites.cancel();
    await this.sweeps.close();
    await this.talks.close();
    for (const runId of [...this.held.keys()]) await this.release(runId);
    await this.session?.close();
  }
}
