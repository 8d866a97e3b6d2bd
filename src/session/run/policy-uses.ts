/**
 * Uses of a run's policy besides training: an episode that is watched, tries of a task, the examination of a stored step.
 * There is one at a time: the next use, and training, end it. None begins while the run trains.
 */
import type { PolicyState } from '../../policy/policy.ts';
import type { Engine, StepOptions, WatchOptions } from '../engine.ts';
import type {
  ComparisonRequest,
  LiveTurn,
  StepComparison,
  StepInspection,
  TokenAlternative,
  TokenPlace,
  TriesOptions,
} from '../protocol.ts';
import { ClosedError } from './interruptions.ts';
import { comparisonOf } from './step-comparison.ts';
import { alternativesOf, inspectionOf, type StoredStep } from './step-examination.ts';

/** The run that owns the policy. */
interface Owner {
  stored(step: number): Promise<StoredStep | null>;
  /** The weights that the run began with; null: they are not kept. */
  reference(): Promise<PolicyState | null>;
  /** Drops a held step. False: the run is training. */
  isFree(): Promise<boolean>;
  /** Engine with the weights of the last step, to play with. */
  openToPlay(signal: AbortSignal): Promise<Engine>;
  /** The same, able to train. */
  openToExamine(): Promise<Engine>;
  /** Step whose weights the engine holds; null: they must be loaded before the next use. */
  weightsOf(): number | null;
  setWeights(step: number | null): void;
  options(): StepOptions;
}

export class PolicyUses {
  private current: { abort: AbortController; done: Promise<void> } | null = null;

  constructor(private readonly owner: Owner) {}

  async watch(options: Omit<WatchOptions, 'step'>): Promise<void> {
    if (!(await this.isFree())) return;
    const abort = new AbortController();
    const done = this.episode(options, abort.signal).catch((error) => {
      if (!abort.signal.aborted) throw error;
    });
    this.current = { abort, done };
    await done;
  }

  async tries(options: TriesOptions): Promise<LiveTurn[][]> {
    if (!(await this.isFree())) return [];
    const abort = new AbortController();
    const played = this.playTries(options, abort.signal);
    // The caller receives the error; whoever stops the tries waits for their end only.
    const done = played.then(
      () => {},
      () => {},
    );
    this.current = { abort, done };
    return played;
  }

  inspectStep(step: number): Promise<StepInspection | null> {
    return this.withStored(step, (engine, stored) => inspectionOf(engine, step, stored));
  }

  alternatives(step: number, place: TokenPlace): Promise<TokenAlternative[] | null> {
    return this.withStored(step, (engine, stored) => alternativesOf(engine, step, stored, place));
  }

  compareStep(step: number, request: ComparisonRequest): Promise<StepComparison | null> {
    return this.withStored(step, async (engine, stored) =>
      comparisonOf(engine, step, stored, await this.owner.reference(), request),
    );
  }

  /** Ends the current use. Resolves when the policy is free again. */
  async stop(): Promise<void> {
    const { current } = this;
    this.current = null;
    current?.abort.abort(new ClosedError('Watching was stopped.'));
    await current?.done.catch(() => {});
  }

  private async isFree(): Promise<boolean> {
    await this.stop();
    return this.owner.isFree();
  }

  private async withStored<T>(
    step: number,
    use: (engine: Engine, stored: StoredStep) => Promise<T | null>,
  ): Promise<T | null> {
    if (!(await this.isFree())) return null;
    const found = this.examined(step, use);
    this.current = { abort: new AbortController(), done: found.then(() => {}) };
    return found;
  }

  private async examined<T>(
    step: number,
    use: (engine: Engine, stored: StoredStep) => Promise<T | null>,
  ): Promise<T | null> {
    const { owner } = this;
    const stored = await owner.stored(step);
    if (!stored) return null;
    const engine = await owner.openToExamine();
    const at = owner.weightsOf();
    // The engine does not hold the weights of the last step until they are loaded again.
    owner.setWeights(null);
    return use(engine, stored).finally(() => {
      if (step === at) owner.setWeights(at);
    });
  }

  private async episode(options: Omit<WatchOptions, 'step'>, signal: AbortSignal): Promise<void> {
    const engine = await this.owner.openToPlay(signal);
    await engine.watch({ ...options, step: this.playedStep() }, { ...this.owner.options(), signal });
  }

  private async playTries({ weights, split, tasks }: TriesOptions, signal: AbortSignal): Promise<LiveTurn[][]> {
    const engine = await this.owner.openToPlay(signal);
    const step = this.playedStep();
    if (weights === 'first') {
      // The last weights are loaded again before the next use.
      this.owner.setWeights(null);
      await engine.initialize();
    }
    const all: LiveTurn[][] = [];
    for (const taskIndex of tasks) {
      const turns: LiveTurn[] = [];
      const onTurn = (turn: LiveTurn) => void turns.push(turn);
      await engine.watch({ split, taskIndex, turnMs: 0, step }, { ...this.owner.options(), onTurn, signal });
      all.push(turns);
    }
    return all;
  }

  /** Step that keys the random numbers of an episode. */
  private playedStep(): number {
    return Math.max(1, this.owner.weightsOf() ?? 1);
  }
}
