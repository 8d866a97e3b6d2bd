/** Evaluations of the run in focus: loads, runs, stops and saves them. */
import { msg } from '@lit/localize';
import type { KeptEvaluation, SuiteRequest } from '../../session/evaluation-protocol.ts';
import type { SessionEvent, TrainerApi } from '../../session/protocol.ts';
import { none, type State, type Store } from '../state/state.ts';
import { type Notifier, sentence } from './notifier.ts';

/** Stored evaluation with the name of its run. */
export type OtherEvaluation = KeptEvaluation & { run: string };

export class Evaluations {
  /** Id of the run that `evaluations` belong to. */
  private of: string | null = null;
  private stopped = false;

  constructor(
    private readonly store: Store,
    private readonly api: () => TrainerApi,
    private readonly notifier: Notifier,
  ) {}

  private get state(): State {
    return this.store.state;
  }

  /** Loads the stored evaluations of the run in focus. */
  async load(): Promise<void> {
    const id = this.state.run?.id ?? null;
    if (id !== this.of) this.store.set({ evaluations: none });
    this.of = id;
    if (!id) return;
    if (this.state.evaluations.state === 'none') this.store.set({ evaluations: { state: 'loading' } });
    try {
      const value = await this.api().evaluations(id);
      if (this.of === id) this.store.set({ evaluations: { state: 'ready', value } });
    } catch (error) {
      if (this.of === id) this.store.set({ evaluations: { state: 'error', message: sentence(error) } });
    }
  }

  /** Evaluations of the other runs, for comparison, for example with a baseline. */
  async others(): Promise<OtherEvaluation[]> {
    const { run, runs } = this.state;
    const all = runs.filter(({ id, deletedUntil }) => id !== run?.id && !deletedUntil);
    const found = await Promise.allSettled(all.map(({ id }) => this.api().evaluations(id)));
    return found.flatMap((each, i) =>
      each.status === 'fulfilled' ? each.value.kept.map((kept) => ({ run: all[i].name, ...kept })) : [],
    );
  }

  /**
   * Runs an evaluation; resolves when it ends, fails or is stopped. Buttons stay enabled, since one of them stops it.
   */
  async play(request: SuiteRequest, step: number | null): Promise<void> {
    const { run } = this.state;
    if (!run || this.state.evaluating) return;
    this.stopped = false;
    this.store.set({ evaluating: { what: 'episodes', done: 0, total: null, unit: 'episodes' } });
    try {
      await this.api().evaluateSuite(run.id, request, step);
      this.notifier.announce(msg('The evaluation is done.'));
    } catch (error) {
      if (this.stopped) this.notifier.notify('info', sentence(error));
      else this.notifier.notifyOf(error);
    }
    this.store.set({ evaluating: null });
    await this.load();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.api()
      .cancelEvaluation()
      .catch((error) => this.notifier.notifyOf(error));
  }

  take(events: readonly SessionEvent[]) {
    const last = events.findLast((event) => event.type === 'evaluation');
    // `play` itself handles the end of an evaluation.
    if (last?.type === 'evaluation' && last.progress && this.state.evaluating)
      this.store.set({ evaluating: last.progress });
  }
}
