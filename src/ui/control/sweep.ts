/** Sweep of the run in focus: opened with the run, updated by the events of its runs, exported. */
import { type Experiment, sweptRuns } from '../../experiment/experiment.ts';
import type {
  OpenedSweep,
  RunSummary,
  SessionEvent,
  ShareReport,
  StepRecord,
  TrainerApi,
} from '../../session/protocol.ts';
import { download } from '../kit/download.ts';
import type { Store } from '../state/state.ts';
import type { Notifier } from './notifier.ts';

/** Records of a run, with newer ones appended. */
function withRecords(records: readonly StepRecord[], steps: readonly StepRecord[]): StepRecord[] {
  const all = [...records];
  for (const record of steps) if (record.step > (all.at(-1)?.step ?? -1)) all.push(record);
  return all;
}

export class SweepInFocus {
  constructor(
    private readonly store: Store,
    private readonly api: () => TrainerApi,
    private readonly notifier: Notifier,
  ) {}

  /** True if the sweep of a run has to be read. An open sweep is up to date: its steps arrive as events. */
  isToRead({ sweep }: RunSummary): boolean {
    return sweep !== undefined && sweep.id !== this.store.state.sweep?.id;
  }

  /** The sweep of a run; null if it has none, or one that cannot be read. */
  async of(run: RunSummary, onProgress?: ShareReport): Promise<OpenedSweep | null> {
    if (!run.sweep) return null;
    if (!this.isToRead(run)) return this.store.state.sweep;
    return this.api()
      .openSweep(run.sweep.id, onProgress)
      .catch((error: Error) => {
        if (error.name === 'OpeningCanceledError') throw error;
        return null;
      });
  }

  /** All experiments that train together with a run: those of the sweep's existing and missing runs. */
  async experimentsBeside({ sweep }: RunSummary): Promise<Experiment[]> {
    if (!sweep) return [];
    const { runs } = await this.api().openSweep(sweep.id);
    return [
      ...runs.map(({ summary }) => summary.experiment),
      ...sweptRuns(sweep.document).map((run) => run.experiment),
    ];
  }

  take(events: readonly SessionEvent[]) {
    const { sweep } = this.store.state;
    if (!sweep) return;
    const steps = new Map<string, StepRecord[]>();
    let { state } = sweep;
    for (const event of events) {
      if (event.type === 'step') steps.set(event.runId, [...(steps.get(event.runId) ?? []), event.record]);
      else if (event.type === 'sweep' && event.sweepId === sweep.id) state = event.state;
    }
    const fresh = sweep.runs.some(({ summary }) => steps.has(summary.id));
    if (!fresh && state === sweep.state) return;
    const runs = sweep.runs.map((each) => {
      const arrived = steps.get(each.summary.id);
      if (!arrived) return each;
      const records = withRecords(each.records, arrived);
      return { summary: { ...each.summary, step: records.at(-1)?.step ?? 0 }, records };
    });
    this.store.set({ sweep: { ...sweep, state, runs } });
  }

  /** Shows all runs of the sweep in the charts, or only the run in focus. */
  showWholeSweep(wholeSweep: boolean) {
    this.store.set({ wholeSweep });
  }

  export() {
    const { sweep } = this.store.state;
    if (!sweep) return;
    return this.notifier.attempt('export', async () =>
      download(await this.api().exportSweep(sweep.id), `${sweep.name}.tabgym`),
    );
  }
}
