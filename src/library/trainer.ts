/** A trainer: runs, and the device that they share. At most one of them computes at a time. */
import type { GpuReport, MemoryPlanReport, RunSummary, SessionEvent } from '../session/protocol.ts';
import { type ExperimentDocument, requireAllowed } from './experiment.ts';
import type { OpenedService, TrainerOptions } from './options.ts';
import { openService } from './platform.ts';
import { Run, type RunParts } from './run.ts';

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
}

const infoOf = ({ id, name, createdAt, updatedAt, step, success, bytes }: RunSummary): StoredRunInfo => ({
  ...{ id, name, createdAt, updatedAt, step, success, bytes },
});

export class Trainer {
  private readonly runs = new Set<Run>();
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
      return { trainer, device: await opened.service.start(listener, { device }) };
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  /** A new run of an experiment, at step 0. Throws an ExperimentError that names a wrong field and its bounds. */
  async createRun(experiment: ExperimentDocument): Promise<Run> {
    requireAllowed(experiment, this.options);
    return this.add(await this.opened.service.createRun(experiment));
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
    this.runs.clear();
    await this.opened.close();
  }

  private add(summary: RunSummary): Run {
    const run = new Run(summary, this.parts);
    this.runs.add(run);
    return run;
  }

  private async release(run: Run): Promise<void> {
    if (this.runs.delete(run)) await this.opened.service.pause(run.id);
  }

  private receive(event: SessionEvent): void {
    for (const run of this.runs) run.receive(event);
  }
}
