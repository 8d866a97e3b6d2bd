/**
 * Types of the messages between the page and a session across the worker boundary. All values are structured-cloneable.
 * The trainer's worker implements `TrainerApi` (comlink), and the page calls it only through `ui/control/client.ts`.
 * The page holds no training state.
 */
import type { Task, WorldOptions, WorldView } from '../envs/env.ts';
import type { ConnectionSettings } from '../envs/module.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { ModelApi, PickedFile } from '../models/protocol.ts';
import type { MeasuredForm } from '../policy/engine/kernel-choices.ts';
import type { ComparedChoice, ComparedObjective } from '../rl/compare-objectives.ts';
import type { Trajectory } from '../rl/episode/trajectory.ts';
import type { Evaluation, Rate, SplitEvaluation, StepRecord } from '../rl/evaluation/evaluation.ts';
import type { ExaminedStep } from '../rl/examine.ts';
import type { WatchedTask } from '../rl/schedule/tasks.ts';
import type { RecordedStep } from '../rl/unipo.ts';
import type { BundleOptions } from '../store/bundle.ts';
import type { StoredRun } from '../store/run.ts';
import type { TrajectoryRecord } from '../trajectories/files/record.ts';
import type { EvaluationApi } from './evaluation-protocol.ts';
import type { TalkApi, TalkProgress } from './talk-protocol.ts';

export type RunStatus = 'idle' | 'preparing' | 'running' | 'pausing' | 'paused' | 'finished' | 'failed';

const active: readonly RunStatus[] = ['preparing', 'running', 'pausing'];
export const isActive = (status: RunStatus) => active.includes(status);

export type RunSummary = StoredRun<Experiment>;

export type { Evaluation, Rate, SplitEvaluation, StepRecord };

export type DeviceName = 'webgpu' | 'wasm';

/** Reason for the choice of a device. `unmeasured`: the first training measures both. */
export type ChoiceReason = 'asked' | 'only' | 'software' | 'measured' | 'unmeasured';

export interface DeviceChoice {
  name: DeviceName;
  reason: ChoiceReason;
  /** Milliseconds for an update of 1,024 tokens on each device; null: not measured. */
  measured: { [name in DeviceName]: number } | null;
  /** Reason why there is no WebGPU device; empty: there is one, or none was requested. */
  problem: string;
}

/** The adapter, and whether it meets the requirements. */
export interface GpuReport {
  supported: boolean;
  /** One sentence on the missing feature and the browsers that have it. Empty if supported. */
  problem: string;
  adapter: { vendor: string; architecture: string; description: string; isFallback: boolean };
  features: string[];
  limits: { [name: string]: number };
  /** Self-test of each kernel on start-up. */
  selftest: { kernel: string; ok: boolean; detail: string }[];
  /** The chosen device and the reason, if there was a choice. */
  choice?: DeviceChoice | null;
}

/** Progress of work that takes over a second. `fraction` null: not known. */
export interface Progress {
  what: string;
  done: number;
  total: number | null;
  /** `slices`: micro-batches. */
  unit: 'kernels' | 'bytes' | 'episodes' | 'steps' | 'slices' | 'tokens' | 'turns';
  /** Turns taken, and tokens sampled or read, in episodes. */
  turns?: number;
  tokens?: number;
  /** Share from 0 to 1, if it is finer than done / total. */
  fraction?: number;
  elapsedMs?: number;
  /** Estimated time to the end of the task, or of the whole step after the first one; null: not known yet. */
  remainingMs?: number | null;
}

export type SessionEvent =
  | { type: 'status'; runId: string; status: RunStatus; detail: string }
  | { type: 'progress'; runId: string; progress: Progress | null }
  /** A step was committed. */
  | { type: 'step'; runId: string; record: StepRecord }
  /** One turn of the trajectory that is shown live. */
  | { type: 'live'; runId: string; live: LiveTurn }
  /** Progress of an evaluation over a suite. */
  | { type: 'evaluation'; runId: string; progress: Progress | null }
  /** The reply of a conversation so far. */
  | { type: 'talk'; talk: TalkProgress }
  | { type: 'sweep'; sweepId: string; state: SweepState }
  | { type: 'runs'; runs: RunSummary[] }
  /** Downloaded bytes of a language model, and the total. */
  | { type: 'model'; key: string; done: number; total: number }
  /** An updated report, once a run's kernels are compiled and tested. */
  | { type: 'gpu'; report: GpuReport }
  | { type: 'notice'; level: 'info' | 'warning' | 'error'; message: string; action?: 'storage' }
  | { type: 'owner'; runId: string; owner: 'this-tab' | 'another-tab' }
  /**
   * Requests for actions that only a page can take: keep the screen awake while a run trains, request persistent
   * storage at the first checkpoint.
   */
  | { type: 'hint'; runId: string; hint: 'wake-lock' | 'wake-unlock' | 'persist-storage' };

/** Progress of a sweep. */
export interface SweepState {
  status: RunStatus;
  detail: string;
  /** The run that is training now. */
  turn: string | null;
  /** Committed steps of all runs. */
  done: number;
  total: number;
  /** Estimated from the latest steps; null: no step is committed yet. */
  remainingMs: number | null;
  failed: { runId: string; message: string }[];
}

export interface LiveTurn {
  step: number;
  group: number;
  member: number;
  turn: number;
  /** Maximum number of turns of this episode; undefined: not recorded. */
  horizon?: number;
  action: string;
  /** The policy's thought before the action, if it produces thoughts. */
  thought?: string;
  /** The complete reply of a language model that the action was found in. */
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

/** Change in the tensors of one part of the model over a step. */
export interface WeightChange {
  /** Name in the checkpoint without the layer's number: `self_attn.q_proj`. */
  name: string;
  layer: number | null;
  count: number;
  /** Euclidean norms of the weights before the step and of their change. */
  norm: number;
  change: number;
}

/** Changes in token probabilities and weights over a step. */
export interface StepInspection extends ExaminedStep {
  step: number;
  weights: WeightChange[];
}

/** Algorithms to compute on one batch, and the weights under which: those before the step, or after it. */
export interface ComparisonRequest {
  choices: readonly ComparedChoice[];
  weights: 'before' | 'after';
}

/** Several algorithms on the episodes of one step. */
export interface StepComparison {
  step: number;
  weights: ComparisonRequest['weights'];
  objectives: ComparedObjective[];
}

/** Position of a token within a step. */
export interface TokenPlace {
  group: number;
  member: number;
  position: number;
}

/** Token that could have been chosen, with its probabilities before and after the step. */
export interface TokenAlternative {
  token: number;
  before: number;
  after: number;
}

/** Bytes of each part on this adapter, and whether they fit. */
export interface MemoryPlanReport {
  parts: { name: string; bytes: number }[];
  total: number;
  fits: boolean;
  /** The change of a setting that would make it fit. */
  advice: string;
}

export interface ReplayFrame {
  turn: number;
  action: string;
  observation: string;
  view: WorldView;
}

/** Tasks to play without training, and the weights to play them with. */
export interface TriesOptions {
  weights: 'first' | 'last';
  split: 'train' | 'test';
  tasks: readonly number[];
}

/** A trajectory from a file, replayed in our world. */
export interface RecordedReplay {
  task: Task;
  frames: ReplayFrame[];
  /** Turns whose observation here differs from the file's. */
  differs: number[];
  reward: number;
  success: boolean;
}

/** State of a world played by hand, after a reset or an action. */
export interface PlayFrame {
  task: Task;
  observation: string;
  reward: number;
  done: boolean;
  valid: boolean;
  success: boolean;
  /** Actions that the observation offers; null: the world lists none. */
  actions: string[] | null;
  view: WorldView;
}

export interface PlayStart {
  name: string;
  options: WorldOptions;
  split: 'train' | 'test';
  /** Task number; numbers past the last task start over from the first. */
  index: number;
}

/** A sweep with its runs, in training order. */
export interface OpenedSweep {
  id: string;
  name: string;
  document: Experiment;
  runs: { summary: RunSummary; records: StepRecord[] }[];
  state: SweepState;
}

/** Methods of the trainer's worker for several runs of one document. */
interface SweepApi {
  /** Creates the runs of a document with seeds and variants, without starting any. */
  createSweep(experiment: unknown, name?: string): Promise<RunSummary[]>;
  /** `onProgress` false: rejects with OpeningCanceledError. */
  openSweep(sweepId: string, onProgress?: ShareReport): Promise<OpenedSweep>;
  /** Trains the runs in turn until all are finished or the sweep is paused. */
  trainSweep(sweepId: string): Promise<void>;
  /** Resolves when the step in progress is committed. */
  pauseSweep(): Promise<void>;
  /** All runs as one file, which `importRun` accepts. */
  exportSweep(sweepId: string): Promise<Blob>;
}

/** Receives the share of an import or an opening that is done, from 0 to 1; false cancels it. */
export type ShareReport = (share: number) => boolean | Promise<boolean>;

/** Methods of the trainer's worker. Every method rejects with an Error whose message is one sentence and an action. */
export interface TrainerApi extends ModelApi, SweepApi, EvaluationApi, TalkApi {
  /**
   * Must be called first. Finds the adapter and tests the kernels. Without a GPU it resolves, and the report gives the
   * reason.
   */
  start(listener: (event: SessionEvent) => void, options?: { device?: DeviceName | null }): Promise<GpuReport>;
  /** Uses this device from now on; null: the fastest. Pauses a run in progress. */
  chooseDevice(name: DeviceName | null): Promise<GpuReport>;
  /**
   * Reduces the processor's threads by one; results stay the same bit for bit. Returns the number left, or null if none
   * can be spared.
   */
  giveBackThread(): Promise<number | null>;
  /** Resolves at once, even during training. A worker that does not respond is dead. */
  ping(): Promise<void>;
  /** Addresses of the worlds' servers, by the world's name. Applies to worlds that are opened afterwards. */
  connect(settings: { [world: string]: ConnectionSettings }): Promise<void>;
  presets(): Promise<Experiment[]>;
  plan(experiment: unknown): Promise<MemoryPlanReport>;

  /** Keeps a file of trajectories for later runs; each run that names it stores a copy. At most 64 MB. */
  keepRecording(file: Blob, name: string): Promise<void>;
  listRuns(): Promise<RunSummary[]>;
  createRun(experiment: unknown, name?: string): Promise<RunSummary>;
  /**
   * Opens a run for reading, and for training if this tab can own it. `onProgress` false: rejects with
   * OpeningCanceledError, and the run is not opened.
   */
  openRun(
    runId: string,
    onProgress?: ShareReport,
  ): Promise<{ summary: RunSummary; records: StepRecord[]; owner: 'this-tab' | 'another-tab' }>;
  takeOver(runId: string): Promise<void>;
  train(runId: string, options?: { steps?: number }): Promise<void>;
  /**
   * Resolves when the run rests. A step that does not end at once is held; with `afterStep` it is committed first.
   */
  pause(runId: string, options?: { afterStep?: boolean }): Promise<void>;
  /** Creates a run from `step` of this one with some fields changed; `step` must have a checkpoint. */
  fork(runId: string, step: number, experiment: unknown): Promise<RunSummary>;
  duplicate(runId: string): Promise<RunSummary>;
  rename(runId: string, name: string): Promise<void>;
  /** Replaces a person's tags and notes. */
  annotate(runId: string, words: { tags: readonly string[]; notes: string }): Promise<void>;
  /** Records of the committed steps of a run, without opening it. */
  records(runId: string): Promise<StepRecord[]>;
  /** Moves a run to the bin; `restoreRun` can undo that until `deletedUntil`. */
  deleteRun(runId: string): Promise<void>;
  restoreRun(runId: string): Promise<void>;
  /** Deletes a run permanently; without an id, everything in the bin. */
  purgeRun(runId?: string): Promise<void>;

  /** Steps that have a checkpoint and can be forked from. */
  checkpointSteps(runId: string): Promise<number[]>;
  /** Steps whose trajectories are kept. */
  trajectorySteps(runId: string): Promise<number[]>;
  /** Trajectories of a step, or null if they were not kept. They stay kept until another step is asked for. */
  stepDetail(runId: string, step: number): Promise<StepDetail | null>;
  /**
   * Changes in token probabilities and weights over a step; null: the run is training, or the weights around this step
   * are not kept.
   */
  inspectStep(runId: string, step: number): Promise<StepInspection | null>;
  /**
   * Tokens that could have been chosen at a position, with their probabilities before and after the step; null: the run
   * is training, the weights around the step are not kept, or the token was not chosen among listed ones.
   */
  alternatives(runId: string, step: number, place: TokenPlace): Promise<TokenAlternative[] | null>;
  /** Several algorithms on the episodes of a step; null as for `inspectStep`. */
  compareStep(runId: string, step: number, request: ComparisonRequest): Promise<StepComparison | null>;
  /** The same on a step of a file, from its recorded log-probabilities. */
  compareRecorded(recorded: RecordedStep, request: ComparisonRequest): Promise<StepComparison>;
  /** Display text of each token id. */
  tokenTexts(runId: string): Promise<string[]>;
  /** The world's view before and after each turn of a trajectory, obtained by replaying its actions. */
  replay(runId: string, step: number, group: number, member: number): Promise<ReplayFrame[]>;
  /**
   * Like `replay`, for a trajectory from a file whose task is one of ours. `world`: used if the file does not name its
   * world.
   */
  replayRecord(record: TrajectoryRecord, world?: string | null): Promise<RecordedReplay>;
  /** Plays one episode without training, turn by turn, as `live` events. */
  watch(runId: string, options: WatchedTask & { turnMs: number }): Promise<void>;
  stopWatching(): Promise<void>;
  /**
   * Turns of one episode of each task, played without training. Empty during training. With `weights` first, the
   * policy plays as it was before its first step.
   */
  tries(runId: string, options: TriesOptions): Promise<LiveTurn[][]>;
  /** Starts a task for play by hand; needs no run and no GPU. Ends any task started before. */
  playReset(start: PlayStart): Promise<PlayFrame>;
  playStep(action: string): Promise<PlayFrame>;

  exportRun(runId: string, options?: Pick<BundleOptions, 'assets' | 'anonymous'>): Promise<Blob>;
  /**
   * `model`: another name for the run's language model, such as that of a file in this browser; null: its own. `whole`:
   * damaged parts are left out; otherwise the file is refused, as PartlyDamagedRunError if its other parts can be opened.
   * `onProgress` false: rejects with ImportCanceledError, and nothing is stored.
   */
  importRun(
    file: Blob,
    name: string,
    model?: string | null,
    whole?: boolean,
    onProgress?: ShareReport,
  ): Promise<RunSummary>;
  /** The policy as a zip of config.json, model.safetensors and tokenizer.json. */
  exportPolicy(runId: string): Promise<Blob>;
  /** The run as a zip that another trainer can continue from. `to`: one of `handoff/names.ts`. */
  handoff(runId: string, to: string): Promise<Blob>;
  /** Creates a run from a policy, to watch or to train further: from its zip, or from its files as they are. */
  importPolicy(policy: Blob | readonly PickedFile[], name: string): Promise<RunSummary>;

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
    /** Forms of kernels that were measured on this adapter, with the times of all; absent or empty where none were. */
    forms?: MeasuredForm[];
  }>;
}
