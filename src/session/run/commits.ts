/**
 * Commits of a run: the steps with a checkpoint, the best checkpoint, and the events for the page. Only the
 * session that claimed the run last can commit.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import type { StepRecord } from '../../rl/evaluation/evaluation.ts';
import { checkpointInterval, SMALL_CHECKPOINT } from '../../store/retention.ts';
import type { RunStore, StepCommit } from '../../store/run-store.ts';
import { checkpointOf } from '../checkpoint.ts';
import type { Engine, Training } from '../engine.ts';
import { requireFinite } from '../finite-weights.ts';
import type { SessionEvent } from '../protocol.ts';

export interface CommitParts {
  runId: string;
  experiment: Experiment;
  store: RunStore;
  emit(event: SessionEvent): void;
  /** Clock in milliseconds. */
  now(): number;
}

export interface CommittedStep extends Pick<StepCommit, 'assets'> {
  record: StepRecord;
  trajectories: Uint8Array | null;
  /** Duration of the step. */
  stepMs: number;
  /** True if training stops after this step. */
  isLast: boolean;
}

export class Commits {
  private token = '';
  /** Steps between two checkpoints. */
  private interval = 1;
  private persistAsked = false;

  constructor(private readonly parts: CommitParts) {}

  async claim(): Promise<void> {
    this.token = crypto.randomUUID();
    await this.parts.store.claim(this.parts.runId, this.token);
  }

  /** `check` throws if the numbers must not be committed. */
  async write(step: CommittedStep, engine: Engine, training: Training, check: () => void): Promise<void> {
    const { runId, store, now, emit } = this.parts;
    const { record, trajectories, assets, stepMs, isLast } = step;
    const best = await this.bestOf(record);
    const due = record.step % this.interval === 0 || isLast || best !== undefined;
    const state = due ? await training.save() : null;
    if (state) requireFinite(record.step, state);
    const checkpoint = state && checkpointOf(record.step, state, engine.choices);
    check();
    const started = now();
    const success = record.evaluation?.train.policy.rate;
    await store.commit(runId, this.token, { record, checkpoint, trajectories, success, best, assets });
    if (checkpoint && checkpoint.bytes.length > SMALL_CHECKPOINT)
      this.interval = checkpointInterval(checkpoint.bytes.length, now() - started, stepMs);
    emit({ type: 'step', runId, record });
    this.askToPersist();
  }

  /** This step and its success, if its evaluation has the highest success on held-out tasks so far. */
  private async bestOf({ step, evaluation }: StepRecord): Promise<StepCommit['best']> {
    if (!evaluation) return undefined;
    const success = evaluation.test.policy.rate;
    const { best } = await this.parts.store.get(this.parts.runId);
    return best && best.success >= success ? undefined : { step, success };
  }

  private askToPersist(): void {
    if (this.persistAsked) return;
    this.persistAsked = true;
    this.parts.emit({ type: 'hint', runId: this.parts.runId, hint: 'persist-storage' });
  }
}
