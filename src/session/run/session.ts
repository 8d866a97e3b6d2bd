/**
 * A run's life: prepare, train, pause, resume, recover, finish. Every step is committed before the next begins, so that
 * after any interruption the next session continues from the last committed step with the same numbers. Uses a store
 * and an engine; independent of GPU buffers and of the page. Long because every way out of a step (pause, hold, drop,
 * loss, failure) shares its state.
 */

import { DeviceUnavailableError } from '../../device/device.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { NoRoomError } from '../../rl/episode/unplayed.ts';
import type { StepRecord } from '../../rl/evaluation/evaluation.ts';
import { OwnershipError, QuotaError } from '../../store/run.ts';
import type { RunStore, StoredCheckpoint } from '../../store/run-store.ts';
import { decodeState, encodeState, REFERENCE } from '../checkpoint.ts';
import {
  type Choices,
  type Engine,
  type EngineFactory,
  type OpenOptions,
  PlaysOnlyError,
  type StepOptions,
  type Training,
  type WatchOptions,
} from '../engine.ts';
import { finiteState, requireFinite } from '../finite-weights.ts';
import { ProgressMeter } from '../progress-meter.ts';
import type {
  ComparisonRequest,
  LiveTurn,
  Progress,
  RunStatus,
  SessionEvent,
  StepComparison,
  StepInspection,
  TokenAlternative,
  TokenPlace,
  TriesOptions,
} from '../protocol.ts';
import { Commits, type CommittedStep } from './commits.ts';
import { type Clock, type FrozenError, type OtherThread, systemClock, watchForFreeze } from './freeze-watch.ts';
import { ClosedError, meansLostDevice, PausedError } from './interruptions.ts';
import { PolicyUses } from './policy-uses.ts';
import { runAssets } from './recording-files.ts';
import { evaluates } from './schedule.ts';
import { referenceOf } from './step-comparison.ts';
import { storedStep } from './step-examination.ts';
import { StepGate } from './step-gate.ts';
import { encodeTrajectories } from './trajectory-codec.ts';

/** Number of consecutive device losses without a committed step before the session gives up. */
export const MOST_RECOVERIES = 3;

/** Time that a pause gives the step in progress before it holds the step where it stands. */
const HOLD_AFTER_MS = 600;

/** Time for a lost device to report its loss. */
export const SETTLE_MS = 50;

export interface SessionParts {
  store: RunStore;
  engines: EngineFactory;
  emit(event: SessionEvent): void;
  clock?: Clock;
  /** Second clock of the freeze watch; absent: a suspended computer is not detected. */
  otherThread?: OtherThread;
  /** Waits before a new device is requested. */
  sleep?(ms: number): Promise<void>;
}

const realSleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export class Session {
  status: RunStatus = 'idle';
  private engine: Engine | null = null;
  /** Step whose weights the engine holds; null: they must be restored. */
  private at: number | null = null;
  private stopAfter = Number.POSITIVE_INFINITY;
  private pauseAsked = false;
  /** True while an engine is opened, weights are loaded or success at step 0 is measured. */
  private preparing = false;
  /** True while success at step 0 is measured. */
  private measuring = false;
  private running: Promise<void> | null = null;
  private abort = new AbortController();
  private recoveries = 0;
  /** Reason of the latest loss; a retry that fails with the same one has no notice of its own. */
  private lossNoted = '';
  private readonly gate = new StepGate(() => this.abort.signal);
  private readonly clock: Clock;
  private readonly sleep: (ms: number) => Promise<void>;
  private readonly commits: Commits;
  private readonly meter: ProgressMeter;
  private readonly uses: PolicyUses;

  constructor(
    readonly runId: string,
    readonly experiment: Experiment,
    private readonly parts: SessionParts,
  ) {
    this.clock = parts.clock ?? systemClock;
    this.sleep = parts.sleep ?? realSleep;
    const { store, emit } = parts;
    const report = (progress: Progress | null) => emit({ type: 'progress', runId, progress });
    this.meter = new ProgressMeter(report, () => this.gate.now());
    this.commits = new Commits({ runId, experiment, store, emit, now: () => this.clock.now() });
    this.uses = new PolicyUses({
      stored: (step) => storedStep(store, runId, step),
      reference: () => referenceOf(store, runId),
      isFree: async () => {
        await this.dropHeld();
        return !this.running;
      },
      openToPlay: (signal) => this.openToPlay(signal),
      openToExamine: () => this.openToExamine(),
      weightsOf: () => this.at,
      setWeights: (step) => {
        this.at = step;
      },
      options: () => this.stepOptions(),
    });
  }

  /**
   * Trains to the end, for `steps` steps, or until paused. A step that a pause holds continues exactly where it stopped.
   * Resolves when it stops; rejects if it fails.
   */
  train(options: { steps?: number } = {}): Promise<void> {
    if (this.gate.isClosed) this.goOn(options.steps);
    if (this.running) return this.running;
    this.stopAfter = options.steps ?? Number.POSITIVE_INFINITY;
    this.pauseAsked = false;
    this.abort = new AbortController();
    this.running = this.stopWatching()
      .then(() => this.life())
      .finally(() => {
        this.running = null;
      });
    return this.running;
  }

  /**
   * Resolves when the step in progress is committed. With `holds`, a step (or the evaluation before the first step)
   * that does not end at once is suspended instead, until `train` continues it or another use of the policy drops it.
   * If the run is still being prepared, the preparation is cancelled: the run stays unchanged, and downloaded parts of
   * a model are kept.
   */
  async pause({ holds = false } = {}): Promise<void> {
    if (!this.running || this.gate.isClosed) return;
    this.stopAfter = 0;
    this.pauseAsked = true;
    this.setStatus('pausing');
    const mayHold = holds && this.measuring && this.engine?.setGate !== undefined;
    if (this.preparing && !mayHold) this.abort.abort(new PausedError('The run was paused before it was ready.'));
    const stopped = this.running.catch(() => {});
    await (holds ? Promise.race([stopped, this.sleep(HOLD_AFTER_MS)]) : stopped);
    if (holds && this.canHold()) this.holdStep();
    else await stopped;
  }

  private canHold(): boolean {
    return this.running !== null && this.engine?.setGate !== undefined && !this.abort.signal.aborted;
  }

  private holdStep(): void {
    this.gate.hold();
    this.setStatus('paused');
    this.emit({ type: 'hint', runId: this.runId, hint: 'wake-unlock' });
  }

  private goOn(steps = Number.POSITIVE_INFINITY): void {
    this.stopAfter = steps;
    this.pauseAsked = false;
    this.setStatus('running');
    this.emit({ type: 'hint', runId: this.runId, hint: 'wake-lock' });
    this.gate.release();
  }

  /** Drops a held step, because the policy is needed for something else. The step is repeated by the next training. */
  private async dropHeld(): Promise<void> {
    if (!this.gate.isClosed) return;
    this.abort.abort(new ClosedError('The step was dropped. It is repeated when the training continues.'));
    await this.running?.catch(() => {});
  }

  /** Drops the step in progress and releases the device. */
  async close(): Promise<void> {
    this.stopAfter = 0;
    this.abort.abort(new ClosedError('The run was closed.'));
    await this.stopWatching();
    await this.running?.catch(() => {});
    await this.closeEngine();
  }

  /** Plays one episode with the last committed weights. Does nothing during training. */
  watch(options: Omit<WatchOptions, 'step'>): Promise<void> {
    return this.uses.watch(options);
  }

  /** Turns of one episode of each task; empty during training. */
  tries(options: TriesOptions): Promise<LiveTurn[][]> {
    return this.uses.tries(options);
  }

  /** Changes over a step; null during training, or if the weights before or after the step are not kept. */
  inspectStep(step: number): Promise<StepInspection | null> {
    return this.uses.inspectStep(step);
  }

  /** Several algorithms on a step's episodes; null as for `inspectStep`. */
  compareStep(step: number, request: ComparisonRequest): Promise<StepComparison | null> {
    return this.uses.compareStep(step, request);
  }

  /** Alternatives of one token of a step; null as for `inspectStep`, or if the token had none. */
  alternatives(step: number, place: TokenPlace): Promise<TokenAlternative[] | null> {
    return this.uses.alternatives(step, place);
  }

  /** Resolves when the policy is free again. */
  stopWatching(): Promise<void> {
    return this.uses.stop();
  }

  /** The engine with the last weights, ready to train. The run's status is unchanged. */
  private async openToExamine(): Promise<Engine> {
    this.abort = new AbortController();
    const before = await this.restingStatus();
    try {
      await this.prepare();
    } finally {
      this.setStatus(before);
    }
    return this.engine!;
  }

  /** Opens an engine with the last weights, without training, and leaves the run's status unchanged. */
  private async openToPlay(signal: AbortSignal): Promise<Engine> {
    signal.throwIfAborted();
    const own = new AbortController();
    this.abort = own;
    signal.addEventListener('abort', () => own.abort(signal.reason), { once: true });
    const before = await this.restingStatus();
    try {
      await this.prepare(false);
    } catch (error) {
      // The next attempt opens a new engine, and the run keeps its status.
      await this.closeEngine();
      this.setStatus(before);
      throw error;
    }
    this.setStatus(before);
    return this.engine!;
  }

  gpuReport(): ReturnType<Engine['report']> | null {
    return this.engine?.report() ?? null;
  }

  private async life(): Promise<void> {
    this.recoveries = 0;
    this.emit({ type: 'hint', runId: this.runId, hint: 'wake-lock' });
    const { otherThread } = this.parts;
    const stopWatching = otherThread && watchForFreeze(this.clock, otherThread, (error) => this.frozen(error));
    const ticking = this.clock.setInterval(() => this.tick(), 1000);
    try {
      await this.commits.claim();
      while (!(await this.attempt()));
      this.setStatus((await this.isFinished()) ? 'finished' : 'paused');
    } catch (error) {
      await this.failed(error);
    } finally {
      stopWatching?.();
      this.clock.clearInterval(ticking);
      this.meter.endStep();
      this.gate.release();
      this.engine?.setGate?.(null);
      this.emit({ type: 'hint', runId: this.runId, hint: 'wake-unlock' });
    }
  }

  private tick(): void {
    if (!this.gate.isClosed) this.meter.tick();
  }

  /** A device that keeps its memory continues with the step. */
  private frozen(error: FrozenError): void {
    if (!this.engine?.survivesSleep) this.abort.abort(error);
    else this.emit({ type: 'notice', level: 'info', message: `${error.message} Nothing was lost.` });
  }

  /** Trains until done or until the device is lost. Returns true if done. */
  private async attempt(): Promise<boolean> {
    if (this.pauseAsked) return true;
    try {
      await this.prepareToTrain();
      await this.loop();
      return true;
    } catch (error) {
      this.at = null;
      // A pending operation may fail before the device reports its loss.
      await this.sleep(SETTLE_MS);
      const cause = this.causeOf(error);
      if (!meansLostDevice(cause) && !this.stillMissing(cause)) throw cause;
      await this.recover(cause as Error);
      return false;
    }
  }

  /** An aborted wait or a wrong result may have a lost device or a frozen page as its cause. */
  private causeOf(error: unknown): unknown {
    if (this.abort.signal.aborted) return this.abort.signal.reason;
    return this.engine?.failure() ?? error;
  }

  /** Right after a loss there may be no adapter for a moment. */
  private stillMissing(error: unknown): boolean {
    return this.recoveries > 0 && error instanceof DeviceUnavailableError;
  }

  private async recover(error: Error): Promise<void> {
    this.recoveries++;
    if (this.recoveries > MOST_RECOVERIES)
      throw new Error(
        `The device was lost ${this.recoveries} times without a step between (${error.message}). ` +
          'All committed steps are kept. Close other tabs that use the GPU, or choose another device, a smaller policy or a smaller batch; then train again.',
      );
    const what = error.message.endsWith('.') ? error.message : `${error.message}.`;
    if (this.recoveries === 1 || what !== this.lossNoted)
      this.emit({ type: 'notice', level: 'warning', message: `${what} Continuing from the last committed step.` });
    this.lossNoted = what;
    await this.closeEngine();
    this.abort = new AbortController();
    await this.sleep(500 * 4 ** (this.recoveries - 1));
  }

  private async prepareToTrain(): Promise<void> {
    this.preparing = true;
    try {
      await this.prepare();
    } finally {
      this.preparing = false;
    }
  }

  /** Ensures an engine with the weights of the last committed step, which another tab may have committed. */
  private async prepare(mayBegin = true): Promise<void> {
    // An engine that only plays may have been opened before there was a GPU.
    if (this.engine?.failure() || (mayBegin && this.engine && !this.engine.training)) await this.closeEngine();
    // Checked before the checkpoint is read, because a sweep calls this at every step.
    if (this.engine && this.at !== null && this.at === (await this.parts.store.get(this.runId)).step) return;
    const checkpoint = await this.parts.store.checkpoint(this.runId);
    this.setStatus('preparing');
    this.engine ??= await this.openEngine(checkpoint?.meta ?? null, mayBegin ? 'train' : 'watch');
    this.engine.setGate?.(mayBegin ? this.gate.pass : null);
    // An engine that finished opening before it noticed the pause is kept for the next time.
    this.abort.signal.throwIfAborted();
    if (checkpoint) await this.restore(checkpoint);
    else if (mayBegin) await this.begin();
    else await this.engine.initialize();
  }

  private get training(): Training {
    const training = this.engine?.training;
    if (!training) throw new PlaysOnlyError(`The policy of "${this.experiment.name}"`);
    return training;
  }

  private async openEngine(choices: Choices | null, purpose: OpenOptions['purpose']): Promise<Engine> {
    return this.parts.engines.open(this.experiment, {
      assets: await runAssets(this.parts.store, this.runId, this.experiment),
      choices,
      purpose,
      onProgress: this.stepOptions().onProgress!,
      onReport: (report) => this.emit({ type: 'gpu', report }),
      signal: this.abort.signal,
    });
  }

  private async restore(checkpoint: StoredCheckpoint): Promise<void> {
    const engine = this.engine!;
    const { meta } = checkpoint;
    const state = await finiteState(this.parts.store, this.runId, checkpoint);
    if (meta.adapter && meta.adapter !== engine.choices.adapter && engine.training)
      this.emit({
        type: 'notice',
        level: 'info',
        message: `This run was computed on ${meta.adapter} and continues on ${engine.choices.adapter}: the last digits may differ.`,
      });
    const reference = await this.parts.store.asset(this.runId, REFERENCE);
    if (reference) await engine.load(decodeState(reference, 0), { reference: true });
    await engine.load(state);
    const { step } = await this.parts.store.get(this.runId);
    // Steps that are computed again since the checkpoint are not counted; 0 if the run is to stop.
    if (this.stopAfter > 0) this.stopAfter += step - meta.step;
    this.at = meta.step;
  }

  /** Step 0: the first weights, their success, and the first commit. */
  private async begin(): Promise<void> {
    const engine = this.engine!;
    await engine.initialize();
    const reference = encodeState(await this.training.save({ reference: true }));
    const record: StepRecord = { step: 0, stage: 0, metrics: {} };
    if (evaluates(this.experiment, 0)) record.evaluation = await this.baseline(engine);
    const assets = { ...engine.assets, [REFERENCE]: reference };
    await this.commit({ record, trajectories: null, assets, stepMs: 1 });
    this.at = 0;
  }

  /** Success before the first update. A pause holds it where it stands, as it holds a step. */
  private async baseline(engine: Engine): Promise<StepRecord['evaluation']> {
    this.measuring = true;
    try {
      return await engine.evaluate(0, this.stepOptions());
    } finally {
      this.measuring = false;
    }
  }

  private async loop(): Promise<void> {
    if (this.status !== 'pausing') this.setStatus('running');
    while (this.at! < this.experiment.steps && this.stopAfter > 0) {
      await this.oneStep(this.at! + 1);
      this.recoveries = 0;
    }
  }

  private async oneStep(step: number): Promise<void> {
    const started = this.gate.now();
    const { record, trajectories } = await this.training.step(step, this.stepOptions());
    if (evaluates(this.experiment, step)) record.evaluation = await this.evaluated(step);
    this.checkStillOurs();
    const stepMs = this.gate.now() - started;
    await this.commit({ record, trajectories: encodeTrajectories(trajectories), stepMs });
    this.meter.endStep();
    this.at = step;
    this.stopAfter--;
  }

  /**
   * Success after an update. If the weights are not finite, that is reported instead. If no episode fits into the run's
   * tokens, the evaluation is left out with a warning, because the update itself is sound: a policy may have learned
   * longer replies by imitation.
   */
  private evaluated(step: number): Promise<StepRecord['evaluation']> {
    return this.engine!.evaluate(step, this.stepOptions()).catch(async (error) => {
      if (error instanceof NoRoomError) {
        const message = `Step ${step} is kept without its evaluation. ${error.message}`;
        this.emit({ type: 'notice', level: 'warning', message });
        return undefined;
      }
      if (!this.abort.signal.aborted && !this.engine!.failure()) requireFinite(step, await this.training.save());
      throw error;
    });
  }

  /** Numbers of a lost device must not be committed. */
  private checkStillOurs(): void {
    if (this.abort.signal.aborted) throw this.abort.signal.reason;
    const failure = this.engine!.failure();
    if (failure) throw failure;
  }

  private commit(step: Omit<CommittedStep, 'isLast'>): Promise<void> {
    const isLast = step.record.step === this.experiment.steps || this.stopAfter <= 1;
    return this.commits.write({ ...step, isLast }, this.engine!, this.training, () => this.checkStillOurs());
  }

  private async isFinished(): Promise<boolean> {
    return (await this.parts.store.get(this.runId)).step >= this.experiment.steps;
  }

  /** Status of the run while nothing happens: by its stored step if this session has not trained it. */
  private async restingStatus(): Promise<RunStatus> {
    if (this.status !== 'idle' && this.status !== 'preparing') return this.status;
    const { step } = await this.parts.store.get(this.runId);
    if (step >= this.experiment.steps) return 'finished';
    return step > 0 ? 'paused' : 'idle';
  }

  private async failed(error: unknown): Promise<void> {
    if (error instanceof ClosedError) return this.setStatus('paused');
    const message = (error as Error).message;
    if (error instanceof QuotaError) {
      this.setStatus('paused', message);
      this.emit({ type: 'notice', level: 'error', message, action: 'storage' });
      return;
    }
    await this.closeEngine();
    if (error instanceof OwnershipError) {
      this.setStatus('paused', message);
      this.emit({ type: 'owner', runId: this.runId, owner: 'another-tab' });
      return;
    }
    this.setStatus('failed', message);
    throw error;
  }

  private async closeEngine(): Promise<void> {
    const engine = this.engine;
    this.engine = null;
    this.at = null;
    await engine?.close().catch(() => {});
  }

  private stepOptions(): StepOptions {
    return {
      signal: this.abort.signal,
      now: () => this.gate.now(),
      onTurn: (live) => this.emit({ type: 'live', runId: this.runId, live }),
      onProgress: (progress) => this.meter.report(progress),
      onNotice: (message, complete) => this.emit({ type: 'notice', level: complete ? 'info' : 'warning', message }),
    };
  }

  private setStatus(status: RunStatus, detail = ''): void {
    this.status = status;
    this.emit({ type: 'status', runId: this.runId, status, detail });
  }

  private emit(event: SessionEvent): void {
    this.parts.emit(event);
  }
}
