/**
 * Turns the events of a session into state: steps, statuses, live turns, progress, hints. Calls no method of the
 * trainer.
 */
import { msg, str } from '@lit/localize';
import {
  isActive,
  type RunStatus,
  type RunSummary,
  type SessionEvent,
  type SweepState,
} from '../../session/protocol.ts';
import { fixed } from '../kit/format.ts';
import { rememberPace } from '../state/estimate.ts';
import type { State, Store } from '../state/state.ts';
import { rememberTraining } from '../state/training.ts';
import type { Evaluations } from './evaluations.ts';
import type { ModelPicker } from './model-picker.ts';
import type { Navigation } from './navigation.ts';
import { inPageLanguage, type Notifier } from './notifier.ts';
import type { Recorded } from './recorded.ts';
import type { SweepInFocus } from './sweep.ts';
import type { Talk } from './talk.ts';

const mostLive = 64;
/** Time between two announced evaluations: a fast run has several in a second, and a screen reader reads each whole. */
const announceEveryMs = 20_000;

export { isActive };

interface Parts {
  models: ModelPicker;
  recorded: Recorded;
  navigation: Navigation;
  sweep: SweepInFocus;
  evaluations: Evaluations;
  talk: Talk;
  /** True while a run trains a given number of steps. Such a run does not continue after a reload. */
  stepping(): boolean;
}

export class Events {
  private announcedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: Store,
    private readonly notifier: Notifier,
    private readonly parts: Parts,
  ) {}

  private get state(): State {
    return this.store.state;
  }

  take(events: readonly SessionEvent[]) {
    const steps = events.flatMap((event) =>
      event.type === 'step' && event.runId === this.state.run?.id ? [event.record] : [],
    );
    for (const event of events) this.takeOne(event);
    if (steps.length) this.takeSteps(steps);
    this.parts.sweep.take(events);
    this.parts.evaluations.take(events);
  }

  private takeOne(event: SessionEvent) {
    if (event.type === 'runs') return this.takeRuns(event.runs);
    if (event.type === 'gpu') return this.store.set({ gpu: event.report });
    if (event.type === 'notice') return this.notifier.notifyInLanguage(event.level, event.message, event.action);
    if (event.type === 'model') return this.parts.models.progress(event.key, event.done, event.total);
    if (event.type === 'evaluation') return;
    if (event.type === 'talk') return this.parts.talk.progress(event.talk);
    if (event.type === 'hint') return this.takeHint(event.hint);
    if (event.type === 'sweep') return this.takeSweep(event.sweepId, event.state);
    if (event.runId !== this.state.run?.id) return;
    if (event.type === 'status') this.takeStatus(event.status, event.detail);
    else if (event.type === 'progress') this.store.set({ progress: event.progress });
    else if (event.type === 'owner') this.takeOwner(event.owner);
    else if (event.type === 'live') this.takeLive(event.live);
  }

  /** Applies the status of a sweep to the run in focus, if the run belongs to that sweep. */
  private takeSweep(sweepId: string, { status, detail }: SweepState) {
    const { run } = this.state;
    if (run?.sweep?.id === sweepId && status !== 'idle') this.takeStatus(status, detail);
  }

  private takeOwner(owner: State['owner']) {
    this.store.set({ owner });
    if (owner === 'another-tab' && isActive(this.state.status)) this.takeStatus('paused', '');
  }

  takeRuns(runs: RunSummary[]) {
    const run = runs.find((each) => each.id === this.state.run?.id) ?? this.state.run;
    this.store.set({ runs, run });
  }

  takeStatus(status: RunStatus, detail: string) {
    const before = this.state.status;
    this.store.set({ status, statusDetail: detail, ...(isActive(status) ? {} : { progress: null }) });
    this.rememberTraining(status);
    void inPageLanguage(detail).then((text) => {
      if (this.state.statusDetail === detail) this.store.set({ statusDetail: text });
      if (before !== status) this.announceStatus(status, text);
    });
  }

  private rememberTraining(status: RunStatus) {
    const { run, watching } = this.state;
    if (watching) return;
    const trains = isActive(status) && !this.parts.stepping();
    if (run && (trains || status !== 'idle')) rememberTraining(run.id, trains);
  }

  private announceStatus(status: RunStatus, detail: string) {
    const step = this.state.records.at(-1)?.step ?? 0;
    const words: { [status in RunStatus]?: string } = {
      running: msg('Training started.'),
      paused: msg(str`Paused at step ${step}.`),
      finished: msg(str`The run is finished, at step ${step}.`),
      failed: msg(str`The run stopped: ${detail}`),
    };
    if (words[status]) this.notifier.announce(words[status]);
  }

  private takeSteps(steps: State['records']) {
    const last = this.state.records.at(-1)?.step ?? -1;
    const fresh = steps.filter((record) => record.step > last);
    const known = new Map(steps.map((record) => [record.step, record]));
    const records = [...this.state.records.map((record) => known.get(record.step) ?? record), ...fresh];
    const run = this.state.run ? { ...this.state.run, step: records.at(-1)?.step ?? 0 } : null;
    this.store.set({ records, run });
    const evaluated = fresh.findLast((record) => record.evaluation);
    if (evaluated?.evaluation && performance.now() - this.announcedAt > announceEveryMs) {
      this.announcedAt = performance.now();
      const { train, test } = evaluated.evaluation;
      this.notifier.announce(
        msg(
          str`Step ${evaluated.step}: success ${fixed(train.policy.rate)} on training goals, ${fixed(test.policy.rate)} on held-out goals.`,
        ),
      );
    }
    const { gpu } = this.state;
    // The mean over ten steps suffices, and storage is slow.
    if (gpu && run && run.step % 10 === 0) rememberPace(gpu, run.experiment, records);
    this.parts.navigation.stepArrived(fresh.map(({ step }) => step));
  }

  private takeLive(live: State['live'][number]) {
    if (this.state.recorded) this.parts.recorded.stop();
    const last = this.state.live.at(-1);
    const goesOn =
      last &&
      last.step === live.step &&
      last.group === live.group &&
      last.member === live.member &&
      live.turn > last.turn;
    this.store.set({ live: goesOn ? [...this.state.live, live].slice(-mostLive) : [live] });
    if (live.done && this.state.watching && !isActive(this.state.status)) this.store.set({ watching: false });
  }

  /**
   * Requests persistent storage, once, at the first checkpoint. The wake lock follows the status instead
   * (wake-lock.ts).
   */
  private takeHint(hint: 'wake-lock' | 'wake-unlock' | 'persist-storage') {
    if (hint !== 'persist-storage') return;
    void navigator.storage?.persist?.().catch(() => false);
  }
}
