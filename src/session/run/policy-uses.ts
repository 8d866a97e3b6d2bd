/**
 * Uses of a run's policy besides training: an episode that is watched, tries of a task, the examination of a stored step.
 * They take turns. The next use, and training, end an episode or tries; an examination ends by itself. Training drops
 * those that wait, and none begins while the run trains.
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
  /** End of the last use; it never rejects. */
  private last: Promise<void> = Promise.resolve();
  /** Ends what plays. */
  private playing = new AbortController();
  /** Drops what waits. */
  private waiting = new AbortController();

  constructor(private readonly owner: Owner) {}

  watch(options: Omit<WatchOptions, 'step'>): Promise<void> {
    return this.inTurn(undefined, (signal) =>
      this.episode(options, signal).catch((error) => {
        if (!signal.aborted) throw error;
      }),
    );
  }

  tries(options: TriesOptions): Promise<LiveTurn[][]> {
    return this.inTurn([], (signal) => this.playTries(options, signal));
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

  /** Ends all uses. Resolves when the policy is free again. */
  async stop(): Promise<void> {
    this.waiting.abort();
    this.waiting = new AbortController();
    this.endPlay();
    await this.last;
  }

  private endPlay(): void {
    this.playing.abort(new ClosedError('Watching was stopped.'));
    this.playing = new AbortController();
  }

  /** Begins a use after those before it. Returns `none` if it was dropped meanwhile, or the run trains. */
  private inTurn<T>(none: T, use: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.endPlay();
    const [playing, waiting] = [this.playing.signal, this.waiting.signal];
    const found = this.last.then(async () => {
      const isFree = !waiting.aborted && (await this.owner.isFree());
      return isFree && !waiting.aborted ? use(playing) : none;
    });
    // The caller receives the error; the next use waits for the end only.
    this.last = found.then(
      () => {},
      () => {},
    );
    return found;
  }

  private withStored<T>(
    step: number,
    use: (engine: Engine, stored: StoredStep) => Promise<T | null>,
  ): Promise<T | null> {
    return this.inTurn(null, () => this.examined(step, use));
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
