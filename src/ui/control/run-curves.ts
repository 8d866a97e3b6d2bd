/** Records of stored runs that are not in focus, read when a list or a comparison needs them, and kept until they grow. */
import type { RunSummary, StepRecord, TrainerApi } from '../../session/protocol.ts';
import type { Store } from '../state/state.ts';

export class RunCurves {
  private readonly kept = new Map<string, { step: number; records: readonly StepRecord[] }>();

  constructor(
    private readonly store: Store,
    private readonly api: () => TrainerApi,
  ) {}

  /** Records of a run, or null if they have not been read at its present step. */
  of({ id, step }: RunSummary): readonly StepRecord[] | null {
    const { run, records } = this.store.state;
    if (run?.id === id) return records;
    const known = this.kept.get(id);
    return known?.step === step ? known.records : null;
  }

  /** Reads the records of these runs, one after another. A run that cannot be read is left out. */
  async read(runs: readonly RunSummary[]): Promise<void> {
    for (const run of runs) {
      if (this.of(run)) continue;
      const records = await this.api()
        .records(run.id)
        .catch(() => []);
      this.kept.set(run.id, { step: run.step, records });
    }
  }
}
