/**
 * The sweeps of a trainer's service: create, open, train, export and import. At most one sweep trains at a time, and no
 * single run trains during it.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import { parseExperiment } from '../../experiment/experiment.ts';
import { variantsOf } from '../../experiment/sweep.ts';
import { BundleError } from '../../store/bundle.ts';
import { type Report, type Work, within, withRests } from '../../store/in-parts.ts';
import type { NewRun, RunStore } from '../../store/run-store.ts';
import { exportSweep, readingSweep } from '../../store/sweep-bundle.ts';
import type { EngineFactory } from '../engine.ts';
import { isActive, type OpenedSweep, type SessionEvent, type StepRecord } from '../protocol.ts';
import type { OtherThread } from '../run/freeze-watch.ts';
import { checkingRecords } from '../run-file.ts';
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

/** The runs of a sweep's file, all of them checked; null: the file is not a sweep. */
function* readingChecked(bytes: Uint8Array, fileName: string): Work<NewRun[] | null> {
  const runs = yield* within([0, 0.8], readingSweep(bytes, fileName, crypto.randomUUID()));
  if (!runs) return null;
  const checking = (k: number) => [0.8 + (0.2 * k) / runs.length, 0.8 + (0.2 * (k + 1)) / runs.length] as const;
  for (const [k, run] of runs.entries()) yield* within(checking(k), checkingRecords(run.records ?? []));
  return runs.map((run) => ({ ...run, experiment: parseExperiment(run.experiment), sweep: placeOf(run) }));
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

  /** `report` receives the share of the records that is read; its rejection ends the reading. */
  async open(id: string, report?: Report): Promise<OpenedSweep> {
    const runs = await this.withRecords(id, report);
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

  /**
   * The first run of a sweep's file; null: the file is not a sweep. `report` receives the share that is done. If it
   * rejects, or if a run cannot be stored, none of them is.
   */
  async import(bytes: Uint8Array, fileName: string, report: Report = async () => {}): Promise<string | null> {
    const { store } = this.parts;
    // All runs are checked before the first is stored.
    const runs = await withRests(within([0, 0.4], readingChecked(bytes, fileName)), report);
    if (!runs) return null;
    const ids: string[] = [];
    try {
      for (const [k, run] of runs.entries()) {
        const reportRun = (share: number) => report(0.4 + (0.6 * (k + share)) / runs.length);
        ids.push((await store.create(run, reportRun)).id);
        await reportRun(1);
      }
    } catch (error) {
      await Promise.allSettled(ids.map((id) => store.purge(id)));
      throw error;
    }
    return ids[0];
  }

  private newSession(id: string, runs: { run: SweepRun; records: StepRecord[] }[]): SweepSession {
    const { store, engines, emit, otherThread } = this.parts;
    return new SweepSession(id, runs, { store, engines, emit, otherThread });
  }

  private async withRecords(id: string, report: Report = async () => {}) {
    const { store } = this.parts;
    const runs = await runsOfSweep(store, id);
    const opened: { run: SweepRun; records: StepRecord[] }[] = [];
    for (const [k, run] of runs.entries()) {
      const reportRun = (share: number) => report((k + share) / runs.length);
      opened.push({ run, records: await store.records<StepRecord>(run.id, undefined, reportRun) });
    }
    return opened;
  }
}
