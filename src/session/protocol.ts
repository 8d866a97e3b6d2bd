/**
 * What the page and a session say to each other across the worker boundary: the types of the protocol are its
 * documentation. All values are structured-cloneable. The trainer's worker implements `TrainerApi` (comlink);
 * `ui/control/client.ts` is the one door to it. The page holds no training state.
 */
import type { Task, WorldOptions, WorldView } from '../envs/env.ts';
import type { ConnectionSettings } from '../envs/module.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { ModelApi } from '../models/protocol.ts';
import type { Trajectory } from '../rl/episode/trajectory.ts';
import type { Evaluation, Rate, SplitEvaluation, StepRecord } from '../rl/evaluation/evaluation.ts';
import type { ExaminedStep } from '../rl/examine.ts';
import type { StoredRun } from '../store/run.ts';
import type { TrajectoryRecord } from '../trajectories/files/record.ts';
import type { EvaluationApi } from './evaluation-protocol.ts';

export type RunStatus = 'idle' | 'preparing' | 'running' | 'pausing' | 'paused' | 'finished' | 'failed';

export type RunSummary = StoredRun<Experiment>;

export type { Evaluation, Rate, SplitEvaluation, StepRecord };

/** A trainer's worker of this name computes with one thread. */
export const oneThreadName = 'trainer, one thread';

export type DeviceName = 'webgpu' | 'wasm';

/** Why a device was chosen. `unmeasured`: the first training measures. */
export type ChoiceReason = 'asked' | 'only' | 'software' | 'measured' | 'unmeasured';

export interface DeviceChoice {
  name: DeviceName;
  reason: ChoiceReason;
  /** Milliseconds of an update of 1,024 tokens on each; null: not measured. */
  measured: { [name in DeviceName]: number } | null;
  /** Why there is no WebGPU device; empty: there is one, or it was not asked. */
  problem: string;
}

/** What the adapter is and whether it is enough. */
export interface GpuReport {
  supported: boolean;
  /** One sentence on what is missing, and which browsers have it. Empty where supported. */
  problem: string;
  adapter: { vendor: string; architecture: string; description: string; isFallback: boolean };
  features: string[];
  limits: { [name: string]: number };
  /** Self-test of each kernel on start-up. */
  selftest: { kernel: string; ok: boolean; detail: string }[];
  /** Which device it is and why, where there was a choice. */
  choice?: DeviceChoice | null;
}

/** Work that takes over a second says how far it is. fraction null: not known. */
export interface Progress {
  what: string;
  done: number;
  total: number | null;
  unit: 'kernels' | 'bytes' | 'episodes' | 'steps' | 'tokens' | 'turns';
}

export type SessionEvent =
  | { type: 'status'; runId: string; status: RunStatus; detail: string }
  | { type: 'progress'; runId: string; progress: Progress | null }
  /** A step was committed. */
  | { type: 'step'; runId: string; record: StepRecord }
  /** The live episode: one message a turn of the watched trajectory. */
  | { type: 'live'; runId: string; live: LiveTurn }
  /** How far an evaluation over a suite is. */
  | { type: 'evaluation'; runId: string; progress: Progress | null }
  | { type: 'sweep'; sweepId: string; state: SweepState }
  | { type: 'runs'; runs: RunSummary[] }
  /** Bytes of a language model that have arrived, of all. */
  | { type: 'model'; key: string; done: number; total: number }
  /** The report again, once a run's kernels are compiled and tested. */
  | { type: 'gpu'; report: GpuReport }
  | { type: 'notice'; level: 'info' | 'warning' | 'error'; message: string; action?: string }
  | { type: 'owner'; runId: string; owner: 'this-tab' | 'another-tab' }
  /** What only a page can do: keep the screen awake while a run trains, ask that storage persists at the first checkpoint. */
  | { type: 'hint'; runId: string; hint: 'wake-lock' | 'wake-unlock' | 'persist-storage' };

/** How far a sweep is. */
export interface SweepState {
  status: RunStatus;
  detail: string;
  /** The run whose turn it is. */
  turn: string | null;
  /** Steps of all runs together. */
  done: number;
  total: number;
  /** By the pace of the latest steps; null: no step was taken yet. */
  remainingMs: number | null;
  failed: { runId: string; message: string }[];
}

export interface LiveTurn {
  step: number;
  group: number;
  member: number;
  turn: number;
  action: string;
  /** What the policy thought before, where it thinks. */
  thought?: string;
  /** All a language model said, where the action was found in it. */
  reply?: string;
  observation: string;
  reward: number;
  done: boolean;
  view: WorldView | null;
}

export interface StepDetail {
  step: number;
  trajectories: Trajectory[];
}

/** How far a step moved the tensors of one part of the model. */
export interface WeightChange {
  /** As the checkpoint names it, without the layer's number: `self_attn.q_proj`. */
  name: string;
  layer: number | null;
  count: number;
  /** Euclidean norm before the step, and of the difference that it made. */
  norm: number;
  change: number;
}

/** What a step did to its tokens and to the weights. */
export interface StepInsight extends ExaminedStep {
  step: number;
  weights: WeightChange[];
}

/** Bytes each part needs on this adapter, and whether it fits. */
export interface MemoryPlanReport {
  parts: { name: string; bytes: number }[];
  total: number;
  fits: boolean;
  /** Which choice would make it fit. */
  advice: string;
}

export interface ReplayFrame {
  turn: number;
  action: string;
  observation: string;
  view: WorldView;
}

/** A trajectory of a file, played again in our world. */
export interface RecordedReplay {
  task: Task;
  frames: ReplayFrame[];
  /** Turns whose answer is another here than in the file. */
  differs: number[];
  reward: number;
  success: boolean;
}

/** A world under a person's hands, after a reset or an action. */
export interface PlayFrame {
  observation: string;
  reward: number;
  done: boolean;
  valid: boolean;
  success: boolean;
  /** What the text offers now; null: the world lists nothing. */
  actions: string[] | null;
  view: WorldView;
}

export interface PlayStart {
  name: string;
  options: WorldOptions;
  split: 'train' | 'test';
  /** Counts on from the first task and begins again after the last. */
  index: number;
}

/** A sweep with its runs, in the order of their turns. */
export interface OpenedSweep {
  id: string;
  name: string;
  document: Experiment;
  runs: { summary: RunSummary; records: StepRecord[] }[];
  state: SweepState;
}

/** What the trainer's worker does with several runs of one document. */
export interface SweepApi {
  /** The runs of a document that names seeds and variants; none begins. */
  createSweep(experiment: unknown, name?: string): Promise<RunSummary[]>;
  openSweep(sweepId: string): Promise<OpenedSweep>;
  /** Its runs take turns until all are finished, or it is paused. */
  trainSweep(sweepId: string): Promise<void>;
  /** Resolves when the step in progress is committed. */
  pauseSweep(): Promise<void>;
  /** All its runs as one file, which `importRun` takes. */
  exportSweep(sweepId: string): Promise<Blob>;
}

/** Methods of the trainer's worker. Every method rejects with an Error whose message is one sentence and an action. */
export interface TrainerApi extends ModelApi, SweepApi, EvaluationApi {
  /** First call. Finds the adapter and tests the kernels; never rejects for want of a GPU: the report says so. */
  start(listener: (event: SessionEvent) => void, options?: { device?: DeviceName | null }): Promise<GpuReport>;
  /** Computes on this device from now on; null: on whichever is the fastest. A run in progress is paused first. */
  chooseDevice(name: DeviceName | null): Promise<GpuReport>;
  /** The processor computes with a thread less, with the same bits: how many it has then; null: there is none to spare. */
  giveBackThread(): Promise<number | null>;
  /** Answers at once, whatever else is being done: a worker that does not is dead. */
  ping(): Promise<void>;
  /** Where the servers of worlds are, by the world's name. Worlds that are opened from now on use it. */
  connect(settings: { [world: string]: ConnectionSettings }): Promise<void>;
  presets(): Promise<Experiment[]>;
  plan(experiment: unknown): Promise<MemoryPlanReport>;

  /** A file of trajectories that runs to come may name: those that do keep a copy. At most 64 MB. */
  keepRecording(file: Blob, name: string): Promise<void>;
  listRuns(): Promise<RunSummary[]>;
  createRun(experiment: unknown, name?: string): Promise<RunSummary>;
  /** Opens for reading (and for training, if this tab can own it). */
  openRun(runId: string): Promise<{ summary: RunSummary; records: StepRecord[]; owner: 'this-tab' | 'another-tab' }>;
  takeOver(runId: string): Promise<void>;
  train(runId: string, options?: { steps?: number }): Promise<void>;
  /** Resolves when the step in progress is committed. */
  pause(runId: string): Promise<void>;
  /** A new run from `step` of this one with some fields changed; `step` must have a checkpoint. */
  fork(runId: string, step: number, experiment: unknown): Promise<RunSummary>;
  duplicate(runId: string): Promise<RunSummary>;
  rename(runId: string, name: string): Promise<void>;
  /** Into the bin; `restoreRun` undoes it until `deletedUntil`. */
  deleteRun(runId: string): Promise<void>;
  restoreRun(runId: string): Promise<void>;
  /** For good, without undo. Without an id: everything in the bin. */
  purgeRun(runId?: string): Promise<void>;

  /** Steps that have a checkpoint: the run can be forked there. */
  checkpointSteps(runId: string): Promise<number[]>;
  /** Trajectories of a step, or null where they were not kept. */
  stepDetail(runId: string, step: number): Promise<StepDetail | null>;
  /** What a step did to its tokens and to the weights; null: the run trains, or the weights around this step are not kept. */
  insight(runId: string, step: number): Promise<StepInsight | null>;
  /** Text of each token id, as the reader shows it. */
  tokenTexts(runId: string): Promise<string[]>;
  /** The world's view before and after each turn of a trajectory, by replaying its actions. */
  replay(runId: string, step: number, group: number, member: number): Promise<ReplayFrame[]>;
  /** The same of a trajectory of a file, where its task is one of ours. `world`: where the file does not name it. */
  replayRecord(record: TrajectoryRecord, world?: string | null): Promise<RecordedReplay>;
  /** Plays one episode without training, turn by turn, as `live` events. */
  watch(runId: string, options: { split: 'train' | 'test'; taskIndex: number; turnMs: number }): Promise<void>;
  stopWatching(): Promise<void>;
  /** Begins a task for a person; needs no run and no GPU. A new start ends the one before. */
  playReset(start: PlayStart): Promise<PlayFrame>;
  playStep(action: string): Promise<PlayFrame>;

  exportRun(runId: string): Promise<Blob>;
  importRun(file: Blob, name: string): Promise<RunSummary>;
  /** The policy as a zip of config.json, model.safetensors and tokenizer.json. */
  exportPolicy(runId: string): Promise<Blob>;
  /** The run as a zip that another trainer goes on from: one of `handoff/names.ts`. */
  handoff(runId: string, to: string): Promise<Blob>;
  /** A policy to watch and to train on from. */
  importPolicy(file: Blob, name: string): Promise<RunSummary>;

  storage(): Promise<{
    usage: number;
    quota: number;
    persisted: boolean;
    runs: { id: string; name: string; bytes: number }[];
  }>;
  persist(): Promise<boolean>;
  gpuReport(): Promise<{
    memory: { name: string; bytes: number }[];
    kernels: { name: string; dispatches: number; ms: number | null; wgsl: string }[];
  }>;
}
