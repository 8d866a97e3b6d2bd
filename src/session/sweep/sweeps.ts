/**
 * The sweeps of a trainer's service: create, open, train, export and import. At most one sweep trains at a time, and no
 * single run trains during it.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import { parseExperiment } from '../../experiment/experiment.ts';
import { variantsOf } from '../../experiment/sweep.ts';
import { BundleError } from '../../store/bundle.ts';
import type { NewRun, RunStore } from '../../store/run-store.ts';
import { exportSweep, readSweep } from '../../store/sweep-bundle.ts';
import type { EngineFactory } from '../engine.ts';
import { isActive, type OpenedSweep, type SessionEvent, type StepRecord } from '../protocol.ts';
import type { OtherThread } from '../run/freeze-watch.ts';
import { checkRecords } from '../run-file.ts';
import { SweepSession } from './sweep.ts';
import { completeSweep, createSweep, type Prepare, runsOfSweep, type SweepRun } from './sweep-runs.ts';

export interface SweepsParts {
  store: RunStore;
  engines: EngineFactory;
  emit(event: SessionEvent): void;
  otherThread?: OtherThread;
  /** Makes this tab the owner of a run; rejects if another tab owns it. */
  own(runId: string): Promise<void>;
  /** The document that a run stores, with the files that it names. */
  prepare: Prepare;
  /** Stops other computation on the device. */
  freeDevice(): Promise<void>;
}

/** Place of an imported run in its sweep. Throws BundleError if the sweep's document has no such variant. */
function placeOf({ sweep }: NewRun): NonNullable<NewRun['sweep']> {
  const document = parseExperiment(sweep!.document);
  if (!document.sweep || sweep!.variant >= variantsOf(document).length)
    throw new BundleError(
      `sweep.json in this file names variant ${sweep!.variant}, which its document does not have. Export the sweep again.`,
    );
  return { ...sweep!, document };
}

export class Sweeps {
  private session: SweepSession | null = null;

  constructor(private readonly parts: SweepsParts) {}

  /** True if a sweep is training the run now; without an id, any run. */
  isBusy(runId?: string): boolean {
    const { session } = this;
    if (!session || !isActive(session.status)) return false;
    return runId === undefined || session.has(runId);
  }

  /** Creates the runs of a new sweep without starting them. */
  async create(document: Experiment, name?: string): Promise<SweepRun[]> {
    const { store, prepare } = this.parts;
    return runsOfSweep(store, await createSweep(store, document, name, prepare));
  }

  async open(id: string): Promise<OpenedSweep> {
    const runs = await this.withRecords(id);
    const [{ run }] = runs;
    const { name, document } = run.sweep;
    const session = this.session?.id === id ? this.session : this.newSession(id, runs);
    return {
      id,
      name,
      document,
      runs: runs.map(({ run: summary, records }) => ({ summary, records })),
      state: session.state,
    };
  }

  /** Resolves when it stops; rejects if every run failed. */
  async train(id: string): Promise<void> {
    if (this.session?.id === id && this.isBusy()) return this.session.train();
    await this.pause();
    await this.parts.freeDevice();
    const [{ sweep }] = await runsOfSweep(this.parts.store, id);
    // Some runs may be missing if the page closed while they were created.
    await completeSweep(this.parts.store, sweep.document, { id, name: sweep.name }, this.parts.prepare);
    const runs = await this.withRecords(id);
    for (const { run } of runs) await this.parts.own(run.id);
    this.session = this.newSession(id, runs);
    await this.session.train();
  }

  async pause(): Promise<void> {
    await this.session?.pause();
  }

  /** Drops the step in progress. */
  async close(): Promise<void> {
    const { session } = this;
    this.session = null;
    await session?.close();
  }

  async export(id: string): Promise<Uint8Array<ArrayBuffer>> {
    const runs = await runsOfSweep(this.parts.store, id);
    return exportSweep(
      this.parts.store,
      runs.map((run) => run.id),
    );
  }

  /** The first run of a sweep's file; null: the file is not a sweep. */
  async import(bytes: Uint8Array, fileName: string): Promise<string | null> {
    const runs = readSweep(bytes, fileName, crypto.randomUUID());
    if (!runs) return null;
    // All runs are checked before the first is stored.
    for (const run of runs) checkRecords(run.records ?? []);
    const checked = runs.map((run) => ({ ...run, experiment: parseExperiment(run.experiment), sweep: placeOf(run) }));
    const ids: string[] = [];
    for (const run of checked) ids.push((await this.parts.store.create(run)).id);
    return ids[0];
  }

  private newSession(id: string, runs: { run: SweepRun; records: StepRecord[] }[]): SweepSession {
    const { store, engines, emit, otherThread } = this.parts;
    return new SweepSession(id, runs, { store, engines, emit, otherThread });
  }

  private async withRecords(id: string): Promise<{ run: SweepRun; records: StepRecord[] }[]> {
    const { store } = this.parts;
    const runs = await runsOfSweep(store, id);
    return Promise.all(runs.map(async (run) => ({ run, records: await store.records<StepRecord>(run.id) })));
  }
}
