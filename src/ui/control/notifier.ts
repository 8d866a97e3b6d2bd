/**
 * Messages to the person: notices, and announcements for screen readers. A call that fails becomes a notice of one
 * sentence; nothing here throws at a panel.
 */
import { currentLocale } from '../kit/locale.ts';
import type { Notice, Store } from '../state/state.ts';
import { RestartedError } from './supervisor.ts';

const mostNotices = 200;

export const sentence = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A text of the trainer, which arrives in English, in the page's language. */
export async function inPageLanguage(text: string): Promise<string> {
  if (currentLocale() === 'en') return text;
  const { translated } = await import('./trainer-texts.ts');
  return translated(text);
}

export class Notifier {
  private noticeCount = 0;
  /** Calls of buttons that have not ended; one may make another. */
  private readonly calls: string[] = [];
  /** Resolves when every text of the trainer is shown. */
  private shown = Promise.resolve();

  constructor(private readonly store: Store) {}

  announce(announcement: string) {
    this.store.set({ announcement });
  }

  notify(level: Notice['level'], message: string, action?: Notice['action'], undo?: () => void, undoLabel?: string) {
    const notice: Notice = {
      id: ++this.noticeCount,
      at: Date.now(),
      level,
      message,
      action,
      read: false,
      undo,
      undoLabel,
    };
    this.store.set({ notices: [...this.store.state.notices, notice].slice(-mostNotices) });
  }

  /** A restart has its own notice elsewhere. */
  notifyOf(error: unknown) {
    if (!(error instanceof RestartedError)) this.notifyInLanguage('error', sentence(error));
  }

  /** Shows a text of the trainer, after those that it sent before. */
  notifyInLanguage(level: Notice['level'], message: string, action?: Notice['action']) {
    this.shown = this.shown.then(async () => this.notify(level, await inPageLanguage(message), action));
  }

  dismiss(...ids: number[]) {
    this.store.set({
      notices: this.store.state.notices.map((each) => (ids.includes(each.id) ? { ...each, read: true } : each)),
    });
  }

  /** Runs the call of a button and shows a notice if it fails. Returns true if it succeeded. */
  async attempt(what: string, call: () => Promise<void>): Promise<boolean> {
    this.calls.push(what);
    this.store.set({ busy: what });
    try {
      await call();
      return true;
    } catch (error) {
      this.notifyOf(error);
      return false;
    } finally {
      this.calls.splice(this.calls.lastIndexOf(what), 1);
      this.store.set({ busy: this.calls.at(-1) ?? null });
    }
  }
}
