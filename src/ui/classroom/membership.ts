/** The class that this page joined: sends the state of the run in focus until it leaves. One for a page. */
import { msg, str } from '@lit/localize';
import { codeOf } from '../../classroom/together/messages.ts';
import { reportOf } from '../../classroom/together/report.ts';
import { type ClassPage, classKey } from '../control/lazy-parts.ts';
import type { State } from '../state/state.ts';
import { ClassClient, ClassRefused } from './class-client.ts';

/** Shortest time between two messages, and longest time without one. */
const everyMs = 2500;
const heartbeatMs = 20_000;

interface Kept {
  code: string;
  secret: string;
  name: string;
  title: string;
}

const statusOf = (status: State['status']) => {
  if (status === 'running' || status === 'pausing' || status === 'preparing') return 'running';
  return status;
};

class Membership {
  private readonly client: ClassClient;
  private readonly timer: ReturnType<typeof setInterval>;
  private readonly stopListening: () => void;
  private changed = true;
  private sending = false;
  private sentAt = 0;

  constructor(
    private readonly page: ClassPage,
    private readonly kept: Kept,
  ) {
    this.client = new ClassClient(kept.code);
    sessionStorage.setItem(classKey, JSON.stringify(kept));
    this.show(true);
    this.stopListening = page.store.listen((keys) => {
      if (keys.has('records') || keys.has('run') || keys.has('status')) this.changed = true;
    });
    this.timer = setInterval(() => void this.tick(), everyMs);
    void this.tick();
  }

  private show(reached: boolean) {
    const { title, code, name } = this.kept;
    const { joined } = this.page.store.state;
    if (joined?.reached !== reached) this.page.store.set({ joined: { title, code, name, reached } });
  }

  private async tick() {
    const due = this.changed || Date.now() - this.sentAt > heartbeatMs;
    if (!due || this.sending) return;
    this.sending = true;
    this.changed = false;
    try {
      const { run, records, status } = this.page.store.state;
      const report = run
        ? reportOf({ name: run.experiment.name, steps: run.experiment.steps, status: statusOf(status) }, records)
        : null;
      await this.client.report(this.kept.secret, report);
      this.sentAt = Date.now();
      this.show(true);
    } catch (error) {
      this.changed = true;
      if (error instanceof ClassRefused && (error.status === 410 || error.status === 403)) {
        this.close();
        this.page.notifier.notify('warning', error.message);
      } else this.show(false);
    } finally {
      this.sending = false;
    }
  }

  close() {
    clearInterval(this.timer);
    this.stopListening();
    sessionStorage.removeItem(classKey);
    this.page.store.set({ joined: null });
    membership = null;
  }

  async leave() {
    this.close();
    await this.client.leave(this.kept.secret).catch(() => {});
  }
}

let membership: Membership | null = null;

/** Joins a class under a name. Rejects with a sentence. */
export async function join(page: ClassPage, typed: string, name: string): Promise<void> {
  const code = codeOf(typed);
  const client = new ClassClient(code);
  const { title } = await client.info();
  const joined = await client.join(name);
  membership?.close();
  membership = new Membership(page, { code, title, ...joined });
  page.notifier.announce(msg(str`You joined ${title} as ${joined.name}.`));
}

/** Joins again after a reload of the page. */
export async function rejoin(page: ClassPage): Promise<void> {
  try {
    membership ??= new Membership(page, JSON.parse(sessionStorage.getItem(classKey) ?? ''));
  } catch {
    sessionStorage.removeItem(classKey);
  }
}

export const leave = () => membership?.leave();
