/**
 * What a session needs of the machine, as types: an engine is a policy with its worlds, ready to train one experiment.
 * `service/assembly.ts` builds the real one; tests build one of plain numbers. A session knows nothing below this seam.
 */
import type { World } from '../envs/env.ts';
import type { WorldSuite } from '../envs/suite.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { PolicyState } from '../policy/policy.ts';
import type { ImitationResult } from '../rl/episode/demonstrations.ts';
import type { Trajectory } from '../rl/episode/trajectory.ts';
import type { Evaluation, StepRecord } from '../rl/evaluation/evaluation.ts';
import type { ItemResult } from '../rl/evaluation/suite-results.ts';
import type { SuiteKeeping, SuiteSampling } from '../rl/evaluator.ts';
import type { ExaminedStep } from '../rl/examine.ts';
import type { CheckpointMeta } from '../store/run.ts';
import type { Speaker } from './completion.ts';
import type { GpuReport, LiveTurn, MemoryPlanReport, Progress } from './protocol.ts';

export interface StepOptions {
  signal: AbortSignal;
  onTurn?: (live: LiveTurn) => void;
  onProgress?: (progress: Progress | null) => void;
  /** What a person should know of a step; `complete`: nothing is amiss. */
  onNotice?: (words: string, complete: boolean) => void;
}

/** The choices that make a run exactly repeatable; a checkpoint stores them and a resume asks for them. */
export type Choices = Pick<CheckpointMeta, 'kernelChoices' | 'batchPlan' | 'adapter'>;

export interface WatchOptions {
  split: 'train' | 'test';
  taskIndex: number;
  turnMs: number;
  /** The step whose horizon holds. */
  step: number;
}

/** What only plays was to be trained, or to take weights. */
export class PlaysOnlyError extends Error {
  override name = 'PlaysOnlyError';
  constructor(who: string) {
    super(
      `${who} plays and does not train: watch it try. To train an adapter, choose the kind lora and the repository of a language model's safetensors.`,
    );
  }
}

/** What changes weights. */
export interface Training {
  /** One training step: rollout and update. Its numbers depend on the weights and on `step` alone. */
  step(step: number, options: StepOptions): Promise<{ record: StepRecord; trajectories: Trajectory[] }>;
  /** One step of imitation: the worlds' oracles play, one update makes their play likelier. Absent: it cannot. */
  imitate?(step: number, options: { episodes: number; learningRate?: number }): Promise<ImitationResult>;
  save(options?: { reference?: boolean }): Promise<PolicyState>;
  /** What a step did to its tokens; the weights from before it are loaded, `loadAfter` loads those from after it. Absent: it cannot. */
  examine?(step: number, trajectories: readonly Trajectory[], loadAfter: () => Promise<void>): Promise<ExaminedStep>;
}

export interface Engine {
  /** null: it plays and does not train. */
  readonly training: Training | null;
  readonly choices: Choices;
  /** Files that belong to the run whatever its step: tokenizer.json, config.json. */
  readonly assets: { [name: string]: Uint8Array };
  evaluate(step: number, options: StepOptions): Promise<Evaluation>;
  /** Every item of a suite of the worlds that are open. Absent: it cannot. */
  suite?(suite: WorldSuite, sampling: SuiteSampling, options: StepOptions & SuiteKeeping): Promise<ItemResult[]>;
  /** Plays one episode without training. */
  watch(options: WatchOptions, step: StepOptions): Promise<void>;
  /** What speaks, for whoever asks it without a world. Absent: it cannot. */
  speaker?(): Promise<Speaker>;
  load(state: PolicyState, options?: { reference?: boolean }): Promise<void>;
  /** Random weights, and a reference frozen at them. */
  initialize(): Promise<void>;
  /** Set once the device is gone or has reported an error. */
  failure(): Error | null;
  report(): Promise<{
    memory: { name: string; bytes: number }[];
    kernels: { name: string; dispatches: number; ms: number | null; wgsl: string }[];
  }>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Files of the run, where it has begun: its own tokenizer and configuration are used. */
  assets: { [name: string]: Uint8Array } | null;
  /** To be watched, a policy needs no GPU. */
  purpose?: 'train' | 'watch';
  /** Choices of the checkpoint that is resumed. */
  choices: Choices | null;
  onProgress(progress: Progress | null): void;
  /** Once the kernels are compiled and have tested themselves. */
  onReport?(report: GpuReport): void;
  signal: AbortSignal;
}

export interface EngineFactory {
  /** Finds the adapter and tests the kernels; never rejects for want of a GPU. */
  report(): Promise<GpuReport>;
  plan(experiment: Experiment): Promise<MemoryPlanReport>;
  open(experiment: Experiment, options: OpenOptions): Promise<Engine>;
  /** Gives the device back, so that the next one is chosen anew. No engine is open. */
  closeDevice?(): Promise<void>;
  giveBackThread?(): Promise<number | null>;
  /** A world to look at, apart from those that train. */
  openWorld(name: string): Promise<World>;
}
