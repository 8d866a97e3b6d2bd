/** A trainer: runs, and the device that they share. At most one of them computes at a time. */
import type { GpuReport, MemoryPlanReport, RunSummary, SessionEvent } from '../session/protocol.ts';
import type { NewRun } from '../store/run-store.ts';
import { type ExperimentDocument, requireAllowed } from './experiment.ts';
import { type OpenedService, PlatformError, type TrainerOptions } from './options.ts';
import { openService } from './platform.ts';
import { Run, type RunParts } from './run.ts';
import type { Sweep } from './sweep.ts';

/** What a list of runs shows of one. */
export interface StoredRunInfo {
  id: string;
  name: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  updatedAt: number;
  /** Number of committed steps. */
  step: number;
  /** Success rate of the last evaluation on training tasks; null: none. */
  success: number | null;
  /** Size of the stored run. */
  bytes: number;
  /** Its experiment, with the defaults of this version. */
  experiment: ExperimentDocument;
}

/** The device of a trainer. */
export interface TrainerDevice {
  /** False: nothing can be trained or played here. */
  supported: boolean;
  /** The reason, and what helps; empty if it is supported. */
  problem: string;
  /** Name of the adapter. */
  description: string;
  /** True for a GPU that the processor stands in for. */
  isSoftware: boolean;
}

const infoOf = ({ id, name, createdAt, updatedAt, step, success, bytes, experiment }: RunSummary): StoredRunInfo => ({
  ...{ id, name, createdAt, updatedAt, step, success, bytes },
  experiment: experiment as unknown as ExperimentDocument,
});

/** A device's report, as callers have it. */
export const deviceOf = ({ supported, problem, adapter }: GpuReport): TrainerDevice => ({
  ...{ supported, problem, description: adapter.description, isSoftware: adapter.isFallback },
});

/** Something that receives a trainer's events. */
type Receiver = Pick<Run, 'receive'>;

export class Trainer {
  private report: GpuReport | null = null;
  private readonly receivers = new Set<Receiver>();
  private readonly parts: RunParts;

  private constructor(
    private readonly opened: OpenedService,
    private readonly options: TrainerOptions,
  ) {
    this.parts = {
      ...{ service: opened.service, lost: opened.lost },
      opened: (summary) => this.add(summary),
      check: (experiment) => requireAllowed(experiment, options),
      closed: (run) => this.release(run),
    };
  }

  /** @internal Use `openTrainer`. */
  static async open(options: TrainerOptions): Promise<{ trainer: Trainer; device: GpuReport }> {
    return Trainer.over(await openService(options), options);
  }

  /** @internal A trainer over a service that runs already. */
  static async over(opened: OpenedService, options: TrainerOptions): Promise<{ trainer: Trainer; device: GpuReport }> {
    const trainer = new Trainer(opened, options);
    const device = options.device === 'auto' ? null : options.device;
    const listener = (event: SessionEvent) => trainer.receive(event);
    try {
      const report = await opened.service.start(listener, { device });
      trainer.report = report;
      return { trainer, device: report };
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  /** The device that it computes on, and whether it can. */
  get device(): TrainerDevice {
    return deviceOf(this.report!);
  }

  /** A new run of an experiment, at step 0. Throws an ExperimentError that names a wrong field and its bounds. */
  async createRun(experiment: ExperimentDocument): Promise<Run> {
    requireAllowed(experiment, this.options);
    return this.add(await this.opened.service.createRun(experiment));
  }

  /** Keeps a file of trajectories under the name that experiments give it; runs created afterwards store a copy. */
  keepFile(name: string, file: Uint8Array<ArrayBuffer> | Blob): Promise<void> {
    return this.opened.service.keepRecording(file instanceof Blob ? file : new Blob([file]), name);
  }

  /** @internal Stores a run that was made outside of the trainer, as from a policy's folder. Node only. */
  async placeRun(run: NewRun): Promise<Run> {
    if (!this.opened.place) throw new PlatformError('Only Node stores runs that were made outside of a trainer.');
    return this.add(await this.opened.place(run));
  }

  /**
   * The sweep of a document with `sweep`: several runs, of its variants and seeds. The stored one of exactly this
   * document, or a new one.
   */
  async openSweep(document: ExperimentDocument): Promise<Sweep> {
    // Loaded here: most callers train single runs.
    const { sweepOf } = await import('./sweep.ts');
    return sweepOf(document, {
      service: this.opened.service,
      check: this.parts.check,
      opened: (sweep) => this.receivers.add(sweep),
      closed: (sweep) => this.receivers.delete(sweep),
    });
  }

  /** A run from a `.tabgym` file, or from the zip of a policy. `name` is shown in errors. */
  async importRun(file: Uint8Array<ArrayBuffer> | Blob, name = 'run.tabgym'): Promise<Run> {
    const blob = file instanceof Blob ? file : new Blob([file]);
    const summary = name.endsWith('.zip')
      ? await this.opened.service.importPolicy(blob, name)
      : await this.opened.service.importRun(blob, name);
    return this.add(summary);
  }

  /** A stored run by its id. */
  async openRun(id: string): Promise<Run> {
    return this.add((await this.opened.service.openRun(id)).summary);
  }

  /**
   * A run that begins at a step of a stored one, which must have a checkpoint, with this experiment. The stored run is not
   * opened: it may have damaged records, which the fork leaves out.
   */
  async forkRun(id: string, step: number, experiment: ExperimentDocument): Promise<Run> {
    this.parts.check(experiment);
    return this.add(await this.opened.service.fork(id, step, experiment));
  }

  /** The stored runs, the latest first. */
  async listRuns(): Promise<StoredRunInfo[]> {
    return (await this.opened.service.listRuns()).filter(({ deletedUntil }) => deletedUntil === null).map(infoOf);
  }

  /** Bytes that each part of a run needs on this device, and whether they fit. */
  plan(experiment: ExperimentDocument): Promise<MemoryPlanReport> {
    return this.opened.service.plan(experiment);
  }

  /** Ends all work and releases the device. */
  async close(): Promise<void> {
    this.receivers.clear();
    await this.opened.close();
  }

  private add(summary: RunSummary): Run {
    const run = new Run(summary, this.parts);
    this.receivers.add(run);
    return run;
  }

  private async release(run: Run): Promise<void> {
    if (this.receivers.delete(run)) await this.opened.service.pause(run.id);
  }

  private receive(event: SessionEvent): void {
    for (const each of this.receivers) each.receive(event);
  }
}
