/** A sweep: the runs of one document's variants and seeds, which take turns on the trainer's device. */
import { parseExperiment, sweptRuns } from '../experiment/experiment.ts';
import { same } from '../experiment/paths.ts';
import type { StepRecord } from '../rl/evaluation/evaluation.ts';
import type { OpenedSweep, RunSummary, SessionEvent, SweepState } from '../session/protocol.ts';
import type { ExperimentDocument } from './experiment.ts';
import { Listeners } from './listeners.ts';
import type { RunEvents, RunParts } from './run.ts';

export type { SweepState };

/** Events of a sweep by name, with the value that each listener receives. */
export interface SweepEvents extends Pick<RunEvents, 'progress' | 'notice'> {
  /** A step of one of its runs was committed. */
  step: { runId: string; record: StepRecord };
  /** Steps done and left, the run whose turn it is, and the estimated time to the end. */
  state: SweepState;
}

/** A run of a sweep. */
export interface SweptRun {
  id: string;
  name: string;
  /** Its place in the order of the document, from 0. */
  index: number;
  /** Number of its variant, from 0, and the variant's name. */
  variant: number;
  variantName: string;
  seed: number;
  experiment: ExperimentDocument;
  /** Number of committed steps. */
  step: number;
  /** Their records. */
  records: StepRecord[];
}

interface SweepParts extends Pick<RunParts, 'service'> {
  closed(sweep: Sweep): void;
}

/** The stored sweep of exactly this document, or a new one. */
export async function sweepOf(
  document: ExperimentDocument,
  { check, opened, ...parts }: SweepParts & Pick<RunParts, 'check'> & { opened(sweep: Sweep): void },
): Promise<Sweep> {
  const checked = parseExperiment(document);
  for (const { experiment } of sweptRuns(checked)) check(experiment);
  const runs = await parts.service.listRuns();
  const found = runs.find(({ sweep, deletedUntil }) => !deletedUntil && sweep && same(sweep.document, checked));
  const stored = found ?? (await parts.service.createSweep(checked))[0];
  const sweep = new Sweep(stored.sweep!, parts);
  opened(sweep);
  return sweep;
}

const sweptOf = ({ summary, records }: OpenedSweep['runs'][number]): SweptRun => {
  const { id, name, step, experiment, sweep } = summary;
  const { index, variant, variantName, seed } = sweep!;
  const document = experiment as unknown as ExperimentDocument;
  return { id, name, index, variant, variantName, seed, experiment: document, step, records };
};

export class Sweep {
  readonly id: string;
  readonly name: string;
  /** The checked document, with its defaults. */
  readonly document: ExperimentDocument;
  private readonly listeners = new Listeners<SweepEvents>();
  private readonly runIds = new Set<string>();

  /** @internal Use a trainer's `openSweep`. */
  constructor(
    { id, name, document }: NonNullable<RunSummary['sweep']>,
    private readonly parts: SweepParts,
  ) {
    this.id = id;
    this.name = name;
    this.document = document as unknown as ExperimentDocument;
  }

  /** Calls a function at each event of a type. Returns a function that ends this. */
  on<Type extends keyof SweepEvents>(type: Type, listener: (value: SweepEvents[Type]) => void): () => void {
    return this.listeners.add(type, listener);
  }

  /** Its runs, in the order of the document, with their records. */
  async runs(): Promise<SweptRun[]> {
    return (await this.opened()).runs.map(sweptOf);
  }

  /** Steps done and left, and the time that the rest takes as estimated from the latest steps. */
  async state(): Promise<SweepState> {
    return (await this.opened()).state;
  }

  /** Trains the runs in turn until all are finished or the sweep is paused. Rejects if every run failed. */
  async train(): Promise<void> {
    await this.opened();
    await this.parts.service.trainSweep(this.id);
  }

  /** Pauses. A step in progress that takes longer than a moment is dropped and repeated by the next `train`. */
  pause(): Promise<void> {
    return this.parts.service.pauseSweep();
  }

  /** All runs as one `.tabgym` file. */
  async export(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await (await this.parts.service.exportSweep(this.id)).arrayBuffer());
  }

  /** Pauses, and ends the events. The stored runs remain. */
  async close(): Promise<void> {
    await this.pause();
    this.parts.closed(this);
  }

  /** @internal Receives an event of the trainer. */
  receive(event: SessionEvent): void {
    if (event.type === 'notice') this.listeners.send('notice', { level: event.level, message: event.message });
    else if (event.type === 'sweep' && event.sweepId === this.id) this.changed(event.state);
    else if (event.type === 'step' && this.runIds.has(event.runId)) {
      const { runId, record } = event;
      this.listeners.send('step', { runId, record });
    } else if (event.type === 'progress' && this.runIds.has(event.runId))
      this.listeners.send('progress', event.progress);
  }

  private changed(state: SweepState): void {
    // `train` creates runs that an interruption left out.
    if (state.turn) this.runIds.add(state.turn);
    this.listeners.send('state', state);
  }

  private async opened(): Promise<OpenedSweep> {
    const opened = await this.parts.service.openSweep(this.id);
    for (const { summary } of opened.runs) this.runIds.add(summary.id);
    return opened;
  }
}
