/** A run: an experiment that trains step by step, can be paused, watched, evaluated, read and exported. */

import type { Trajectory } from '../rl/episode/trajectory.ts';
import type { StepRecord } from '../rl/evaluation/evaluation.ts';
import type { SuiteReport } from '../rl/evaluation/suite-report.ts';
import { OWN_SUITE } from '../session/evaluation/suite-evaluation.ts';
import {
  isActive,
  type LiveTurn,
  type Progress,
  type ReplayFrame,
  type RunStatus,
  type RunSummary,
  type SessionEvent,
} from '../session/protocol.ts';
import type { ExperimentDocument } from './experiment.ts';
import { Listeners } from './listeners.ts';
import type { OpenedService } from './options.ts';

/** Events of a run by name, with the value that each listener receives. */
export interface RunEvents {
  /** A step was committed: its metrics, and its evaluation if the experiment asks for one at this step. */
  step: StepRecord;
  /** The run's state changed. `detail`: the reason of a failure, otherwise empty. */
  status: { status: RunStatus; detail: string };
  /** One turn of the episode that is played live, in training or by `watch`. */
  turn: LiveTurn;
  /** Progress of work that takes over a second; null when it ends. */
  progress: Progress | null;
  /** A sentence for a person. */
  notice: { level: 'info' | 'warning' | 'error'; message: string };
}

/** Settings of an evaluation. */
export interface EvaluateOptions {
  /**
   * Name of a suite: fixed tasks under a fixed horizon, as `suiteNames` of `tabgym` lists them; `own`: held-out tasks of
   * the run's own experiment, which must have one world and a horizon in turns. Default: `own`.
   */
  suite?: string;
  /** Attempts at each task. Default: 1. */
  samples?: number;
  /** Always the most likely token. Default: false. */
  greedy?: boolean;
  /** Sampling temperature. Default: the run's. */
  temperature?: number;
  /** Seed of the sampling. Default: 1. */
  seed?: number;
  /** Also reports success within each of these numbers of turns. */
  turns?: readonly number[];
  /** Step with a checkpoint whose policy plays. Default: the last. */
  step?: number;
}

/** Settings of one episode that is played without training. */
export interface WatchOptions {
  /** Default: `test`, the held-out tasks. */
  split?: 'train' | 'test';
  /** Number of the task in its split, from 0. Default: 0. */
  task?: number;
  /** Minimum time between two turns, in milliseconds. Default: 0. */
  turnMs?: number;
}

/** Access of a run to its trainer. */
export interface RunParts extends Pick<OpenedService, 'service' | 'lost'> {
  opened(summary: RunSummary): Run;
  /** Throws if the trainer may not run this experiment. */
  check(experiment: unknown): void;
  /** Called when the run is closed. */
  closed(run: Run): Promise<void>;
}

export class Run {
  /** Id among the trainer's runs. */
  readonly id: string;
  readonly name: string;
  /** The checked experiment, with its defaults. */
  readonly experiment: ExperimentDocument;
  /** Number of committed steps. */
  step: number;
  status: RunStatus = 'idle';
  private readonly listeners = new Listeners<RunEvents>();

  /** @internal Use `createRun`, `openRun` or a trainer's methods. */
  constructor(
    summary: RunSummary,
    private readonly parts: RunParts,
  ) {
    this.id = summary.id;
    this.name = summary.name;
    this.step = summary.step;
    this.experiment = summary.experiment as unknown as ExperimentDocument;
  }

  /** Calls a function at each event of a type. Returns a function that ends this. */
  on<Type extends keyof RunEvents>(type: Type, listener: (value: RunEvents[Type]) => void): () => void {
    return this.listeners.add(type, listener);
  }

  /**
   * Trains to the last step of the experiment, or for `steps` steps. Every step is committed before the next begins.
   * Resolves when the steps are done or the run is paused; rejects if it fails.
   */
  async train(options: { steps?: number } = {}): Promise<void> {
    this.parts.check(this.experiment);
    const stopped = this.when((status) => status === 'paused');
    try {
      await Promise.race([this.parts.service.train(this.id, options), stopped.reached]);
    } finally {
      stopped.end();
    }
    // In a page the last events come by another channel than the end of the call.
    const rested = this.when((status) => !isActive(status));
    try {
      if (isActive(this.status)) await Promise.race([rested.reached, this.parts.lost]);
    } finally {
      rested.end();
    }
  }

  /** Resolves `reached` at the next status of a kind; `end` stops listening. */
  private when(isWanted: (status: RunStatus) => boolean): { reached: Promise<void>; end: () => void } {
    let end = () => {};
    const reached = new Promise<void>((resolve) => {
      end = this.on('status', ({ status }) => {
        if (isWanted(status)) resolve();
      });
    });
    return { reached, end };
  }

  /**
   * Pauses. A step in progress that does not end at once is held, and `train` continues it with the same numbers; with
   * `afterStep` it is finished and committed first, as before the end of a program.
   */
  pause(options: { afterStep?: boolean } = {}): Promise<void> {
    return this.parts.service.pause(this.id, options);
  }

  /** Records of the committed steps, the first (step 0) with the success before training. */
  records(): Promise<StepRecord[]> {
    return this.parts.service.records(this.id);
  }

  /** Steps that have a checkpoint, in ascending order. */
  checkpointSteps(): Promise<number[]> {
    return this.parts.service.checkpointSteps(this.id);
  }

  /** Trajectories of a step, token by token, or null if they are no longer kept. */
  async trajectories(step: number): Promise<Trajectory[] | null> {
    return (await this.parts.service.stepDetail(this.id, step))?.trajectories ?? null;
  }

  /** Steps whose trajectories are kept, in ascending order. */
  trajectorySteps(): Promise<number[]> {
    return this.parts.service.trajectorySteps(this.id);
  }

  /** States of the world along a kept trajectory, as data to draw; empty: its world cannot be replayed. */
  async replay(step: number, { group, member }: { group: number; member: number }): Promise<ReplayFrame[]> {
    this.parts.check(this.experiment);
    return this.parts.service.replay(this.id, step, group, member);
  }

  /** Plays one episode with the last committed weights, and returns its turns. Each turn is also an event. */
  async watch({ split = 'test', task = 0, turnMs = 0 }: WatchOptions = {}): Promise<LiveTurn[]> {
    this.parts.check(this.experiment);
    const turns: LiveTurn[] = [];
    const end = this.on('turn', (turn) => turns.push(turn));
    try {
      await this.parts.service.watch(this.id, { split, taskIndex: task, turnMs });
    } finally {
      end();
    }
    return turns;
  }

  /** Plays a suite of tasks and reports success with 95% intervals. Pauses any training. */
  async evaluate(options: EvaluateOptions = {}): Promise<SuiteReport> {
    const { suite = OWN_SUITE, greedy = false, temperature = null, seed = 1, turns = [], step = null } = options;
    this.parts.check(this.experiment);
    const request = { suite, samples: greedy ? 1 : (options.samples ?? 1), greedy, temperature, seed, turns };
    const { report } = await this.parts.service.evaluateSuite(this.id, request, step);
    return report;
  }

  /**
   * A run that begins at a step of this one, which must have a checkpoint, with some fields changed; a field that is
   * undefined is left out.
   */
  async fork(step: number, changes: Partial<ExperimentDocument>): Promise<Run> {
    const all = Object.entries({ ...this.experiment, ...changes });
    const experiment: ExperimentDocument = Object.fromEntries(all.filter(([, value]) => value !== undefined));
    this.parts.check(experiment);
    return this.parts.opened(await this.parts.service.fork(this.id, step, experiment));
  }

  /** The whole run as a `.tabgym` file: experiment, records, trajectories and checkpoints. */
  async export(): Promise<Uint8Array<ArrayBuffer>> {
    return bytesOf(await this.parts.service.exportRun(this.id));
  }

  /** The policy as a zip of `config.json`, `model.safetensors` and `tokenizer.json`, or of an adapter in PEFT's form. */
  async exportPolicy(): Promise<Uint8Array<ArrayBuffer>> {
    return bytesOf(await this.parts.service.exportPolicy(this.id));
  }

  /** Ends the run's work here; a step in progress is dropped. The stored run remains. */
  close(): Promise<void> {
    return this.parts.closed(this);
  }

  /** @internal Receives an event of the trainer. */
  receive(event: SessionEvent): void {
    if (event.type === 'notice') this.listeners.send('notice', { level: event.level, message: event.message });
    if (!('runId' in event) || event.runId !== this.id) return;
    if (event.type === 'step') this.stepped(event.record);
    else if (event.type === 'status') this.changed(event.status, event.detail);
    else if (event.type === 'live') this.listeners.send('turn', event.live);
    else if (event.type === 'progress' || event.type === 'evaluation') this.listeners.send('progress', event.progress);
  }

  private stepped(record: StepRecord): void {
    this.step = record.step;
    this.listeners.send('step', record);
  }

  private changed(status: RunStatus, detail: string): void {
    this.status = status;
    this.listeners.send('status', { status, detail });
  }
}

const bytesOf = async (file: Blob) => new Uint8Array(await file.arrayBuffer());
