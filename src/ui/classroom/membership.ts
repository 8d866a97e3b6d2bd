/** The class that this page joined: sends the state of the run in focus until it leaves. One for a page. */
import { msg, str } from '@lit/localize';
import { ClassRefused } from '../../classroom/together/http-client.ts';
import { codeOf } from '../../classroom/together/messages.ts';
import { reportOf } from '../../classroom/together/report.ts';
import { type ClassPage, type Contributor, classKey } from '../control/lazy-parts.ts';
import { remember } from '../kit/remember.ts';
import type { JoinedClass, State } from '../state/state.ts';
import { ClassClient, refusalText } from './class-client.ts';

/** Shortest time between two messages, and longest time without one. */
const everyMs = 2500;
const heartbeatMs = 20_000;

interface Kept {
  code: string;
  secret: string;
  name: string;
  title: string;
  training: string | null;
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
  private contributor: Contributor | null = null;

  constructor(
    private readonly page: ClassPage,
    private readonly kept: Kept,
  ) {
    this.client = new ClassClient(kept.code);
    remember(classKey, JSON.stringify(kept), sessionStorage);
    this.show(true);
    this.stopListening = page.store.listen((keys) => {
      if (keys.has('records') || keys.has('run') || keys.has('status')) this.changed = true;
    });
    this.timer = setInterval(() => void this.tick(), everyMs);
    void this.tick();
  }

  private show(reached: boolean) {
    const { secret: _, ...shown } = this.kept;
    const { joined } = this.page.store.state;
    if (joined?.reached !== reached) this.page.store.set({ joined: { playing: null, ...joined, ...shown, reached } });
  }

  private showPlaying(playing: JoinedClass['playing']) {
    const { joined } = this.page.store.state;
    if (joined) this.page.store.set({ joined: { ...joined, playing } });
  }

  /** Plays episodes for the class's training until it is finished, or `stopPlaying`. */
  async play() {
    if (this.contributor) return;
    this.showPlaying({ groups: 0, version: -1, reached: true });
    const { code, secret } = this.kept;
    try {
      this.contributor = await this.page.parts.openContributor();
      const where = { base: document.baseURI, code, secret };
      const refusal = await this.contributor.play(where, ({ parts: groups, version, reached }) =>
        this.showPlaying({ groups, version, reached }),
      );
      if (refusal) this.page.notifier.notify('error', refusalText(refusal));
      else this.page.notifier.notify('info', msg('The training of the class is finished. Thank you for the episodes.'));
    } catch (error) {
      this.page.notifier.notify('error', refusalText(error));
    }
    this.stopPlaying();
  }

  stopPlaying() {
    this.contributor?.close();
    this.contributor = null;
    this.showPlaying(null);
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
    this.stopPlaying();
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
  const { title, training } = await client.info();
  const joined = await client.join(name);
  membership?.close();
  membership = new Membership(page, { code, title, training, secret: joined.secret, name: joined.name });
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

export const play = () => membership?.play();
export const stopPlaying = () => membership?.stopPlaying();
export const leave = () => membership?.leave();
