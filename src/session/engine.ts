/**
 * Interface between a session and the machine: an engine is a policy with its worlds, ready to train one experiment.
 * `service/assembly.ts` builds the real one; tests build one of plain numbers. A session depends on nothing below this
 * interface.
 */
import type { World } from '../envs/env.ts';
import type { Suite } from '../envs/suite.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { MeasuredForm } from '../policy/engine/kernel-choices.ts';
import type { PolicyState } from '../policy/policy.ts';
import type { ComparedChoice, ComparedObjective } from '../rl/compare-objectives.ts';
import type { ImitationResult } from '../rl/episode/demonstrations.ts';
import type { RolloutRequest } from '../rl/episode/rollout.ts';
import type { Trajectory } from '../rl/episode/trajectory.ts';
import type { Evaluation, StepRecord } from '../rl/evaluation/evaluation.ts';
import type { ItemResult } from '../rl/evaluation/suite-results.ts';
import type { KeptSuiteOptions, SuiteSampling } from '../rl/evaluator.ts';
import type { ExaminedStep } from '../rl/examine.ts';
import type { WatchedTask } from '../rl/schedule/tasks.ts';
import type { CheckpointMeta } from '../store/run.ts';
import type { CompletionPolicy } from './completion.ts';
import type { GpuReport, LiveTurn, MemoryPlanReport, Progress } from './protocol.ts';

export interface StepOptions {
  signal: AbortSignal;
  onTurn?: (live: LiveTurn) => void;
  onProgress?: (progress: Progress | null) => void;
  /** Milliseconds of a clock that stands still while the work is held. Default: performance.now. */
  now?: () => number;
  /**
   * Receives notices about a step that the user should see. `complete` true: for information; false: a warning that the
   * step lacks something.
   */
  onNotice?: (message: string, complete: boolean) => void;
}

/**
 * Choices that make a run exactly repeatable. A checkpoint stores them, and a resumed run opens its engine with them.
 */
export type Choices = Pick<CheckpointMeta, 'kernelChoices' | 'batchPlan' | 'adapter'>;

export interface WatchOptions extends WatchedTask {
  turnMs: number;
  /** The step whose horizon applies. */
  step: number;
}

/** Thrown when a policy that only plays is to be trained or to load weights. */
export class PlaysOnlyError extends Error {
  override name = 'PlaysOnlyError';
  constructor(who: string) {
    super(
      `${who} plays and does not train: watch it play. To train an adapter, choose the kind lora and the repository of a language model's safetensors.`,
    );
  }
}

/** The part of an engine that changes weights. */
export interface Training {
  /** Runs one training step: rollout and update. Its numbers depend only on the weights and on `step`. */
  step(step: number, options: StepOptions): Promise<{ record: StepRecord; trajectories: Trajectory[] }>;
  /**
   * Runs one step of imitation: the worlds' oracles play, and one update makes their actions more likely. Absent: not
   * supported.
   */
  imitate?(step: number, options: { episodes: number; learningRate?: number }): Promise<ImitationResult>;
  save(options?: { reference?: boolean }): Promise<PolicyState>;
  /**
   * Measures how a step changed the probabilities of its tokens. The weights from before the step must be loaded;
   * `loadAfter` loads those from after it. Absent: not supported.
   */
  examine?(step: number, trajectories: readonly Trajectory[], loadAfter: () => Promise<void>): Promise<ExaminedStep>;
  /**
   * Log-probabilities of the tokens that could have been chosen at a position, with the loaded weights, in the order of
   * `alternativesAt`. Absent: not supported.
   */
  alternatives?(step: number, trajectory: Trajectory, position: number): Promise<Float64Array>;
  /**
   * Several algorithms on a step's stored trajectories, under the loaded weights. `weights`: those, and those that the
   * run began with; null: there are none. Absent: not supported.
   */
  compare?(
    step: number,
    trajectories: readonly Trajectory[],
    choices: readonly ComparedChoice[],
    weights: { now: PolicyState; reference: PolicyState | null },
  ): Promise<ComparedObjective[]>;
  /** Plays episodes that the trainer of another machine needs. Absent: not supported. */
  play?(request: RolloutRequest, signal: AbortSignal): Promise<Trajectory[]>;
  /** Runs the updates of a step on its stored trajectories, without playing. Absent: not supported. */
  repeat?(step: number, trajectories: readonly Trajectory[]): Promise<void>;
}

export interface Engine {
  /** null: the engine plays and does not train. */
  readonly training: Training | null;
  readonly choices: Choices;
  /** Files of the run that do not depend on the step: tokenizer.json, config.json. */
  readonly assets: { [name: string]: Uint8Array };
  evaluate(step: number, options: StepOptions): Promise<Evaluation>;
  /** Plays every item of a suite in the worlds that are open. Absent: not supported. */
  suite?(suite: Suite, sampling: SuiteSampling, options: StepOptions & KeptSuiteOptions): Promise<ItemResult[]>;
  /** Plays one episode without training. */
  watch(options: WatchOptions, step: StepOptions): Promise<void>;
  /** The policy and its conversation format, for completions without a world. Absent: not supported. */
  completionPolicy?(): Promise<CompletionPolicy>;
  load(state: PolicyState, options?: { reference?: boolean }): Promise<void>;
  /** Initializes random weights and freezes a reference copy of them. */
  initialize(): Promise<void>;
  /** The error that ended the device; null while it works. */
  failure(): Error | null;
  /** True if the device keeps its memory while the computer sleeps. */
  readonly survivesSleep?: boolean;
  /**
   * Sets a function that the device awaits whenever it yields to the event loop during work; null: none. Work pauses
   * until it resolves and ends if it rejects. Absent: work cannot be paused.
   */
  setGate?(gate: (() => Promise<void>) | null): void;
  report(): Promise<{
    memory: { name: string; bytes: number }[];
    kernels: { name: string; dispatches: number; ms: number | null; wgsl: string }[];
    /** Absent or empty where no forms were measured. */
    forms?: MeasuredForm[];
  }>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Files of a run that has begun, whose tokenizer and configuration are used; null for a new run. */
  assets: { [name: string]: Uint8Array } | null;
  /** Watching needs no GPU. */
  purpose?: 'train' | 'watch';
  /** Choices of the checkpoint that the run resumes from. */
  choices: Choices | null;
  onProgress(progress: Progress | null): void;
  /** Called once the kernels are compiled and have passed their self-test. */
  onReport?(report: GpuReport): void;
  signal: AbortSignal;
}

export interface EngineFactory {
  /** Finds the adapter and tests the kernels. Without a GPU it resolves, and the report gives the reason. */
  report(): Promise<GpuReport>;
  /** `assets`: files of the run, among them the policies that teach it. */
  plan(experiment: Experiment, assets?: OpenOptions['assets']): Promise<MemoryPlanReport>;
  open(experiment: Experiment, options: OpenOptions): Promise<Engine>;
  /** Releases the device, so that the next one is chosen again. No engine may be open. */
  closeDevice?(): Promise<void>;
  giveBackThread?(): Promise<number | null>;
  /** Opens a world for viewing, separate from those that train. */
  openWorld(name: string): Promise<World>;
}
