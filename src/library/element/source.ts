/** What an element shows: an experiment, a run's file or an open run; and the trainer that the elements of a page share. */
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { StepRecord } from '../../rl/evaluation/evaluation.ts';
import type { RunStatus } from '../../session/protocol.ts';
import type { ExperimentDocument } from '../experiment.ts';
import type { RunFile } from '../files.ts';
import { nearestStep } from '../nearest-step.ts';
import type { Run } from '../run.ts';
import type { Trainer } from '../trainer.ts';
import { host } from './host.ts';

export type Source =
  | { kind: 'experiment'; document: ExperimentDocument }
  | { kind: 'run'; bytes: Uint8Array<ArrayBuffer>; file: RunFile }
  | { kind: 'open'; run: Run };

/** Recorded steps of a run, in a file or in a trainer. */
export interface Recorded {
  records: StepRecord[];
  /** Steps whose trajectories are kept. */
  kept: number[];
}

export async function recordedOf(run: Run | null, source: Source): Promise<Recorded> {
  if (run) return { records: await run.records(), kept: await run.trajectorySteps() };
  return 'file' in source
    ? { records: source.file.records, kept: source.file.trajectorySteps }
    : { records: [], kept: [] };
}

/** Records with a step that was committed; one that was computed again takes back those after it. */
export const withStep = (records: readonly StepRecord[], record: StepRecord): StepRecord[] => [
  ...records.filter(({ step }) => step < record.step),
  record,
];

export const trajectoriesOf = async (run: Run | null, source: Source, step: number): Promise<Trajectory[]> => {
  if (run) return (await run.trajectories(step)) ?? [];
  return 'file' in source ? source.file.tokens(step) : [];
};

/** The kept step nearest to a wanted one, or the last; null: none is kept. */
export const shownStep = (kept: readonly number[], wanted: number | null): number | null =>
  kept.length ? nearestStep(kept, wanted ?? kept.at(-1)!) : null;

/** The file of `src` cannot be shown. */
class SourceError extends Error {
  override name = 'SourceError';
}

/** First bytes of a zip, which a run's file is. */
const isZip = (bytes: Uint8Array) => bytes[0] === 0x50 && bytes[1] === 0x4b;

export async function loadSource(address: string, signal: AbortSignal): Promise<Source> {
  const response = await fetch(address, { signal });
  if (!response.ok) throw new SourceError(`${address} cannot be fetched: HTTP ${response.status}.`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (isZip(bytes)) return { kind: 'run', bytes, file: (await import('../files.ts')).readRun(bytes, address) };
  const document = readDocument(bytes);
  if (!document) throw new SourceError(`${address} is neither an experiment (JSON) nor a run (.tabgym).`);
  if (document.sweep)
    throw new SourceError(`${address} is a sweep of several runs; this element shows one. Take "sweep" out of it.`);
  return { kind: 'experiment', document };
}

/** Null: no JSON object. */
function readDocument(bytes: Uint8Array): ExperimentDocument | null {
  try {
    const document: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return document && typeof document === 'object' ? (document as ExperimentDocument) : null;
  } catch {
    return null;
  }
}

export function documentOf(source: Source): ExperimentDocument {
  if ('document' in source) return source.document;
  return 'file' in source ? source.file.experiment : source.run.experiment;
}

/** Status of a source while nothing works on it. */
export function restStatus(source: Source, { records }: Recorded): RunStatus | 'recorded' {
  if ('file' in source) return 'recorded';
  const step = records.at(-1)?.step ?? 0;
  if (step >= (documentOf(source).steps ?? Number.POSITIVE_INFINITY)) return 'finished';
  return step > 0 ? 'paused' : 'idle';
}

/** The longest success of some episodes, or the longest of all. */
export const bestOf = (all: readonly Trajectory[]): Trajectory | undefined =>
  all.toSorted((a, b) => Number(b.success) - Number(a.success) || b.turns.length - a.turns.length)[0];

let shared: Promise<Trainer> | null = null;

/** The one trainer of the page. A failure is not kept, so that a later try may succeed. */
export function sharedTrainer(): Promise<Trainer> {
  shared ??= host.trainer?.() ?? import('../index.ts').then(({ openTrainer }) => openTrainer());
  const opening = shared;
  opening.catch(() => {
    if (shared === opening) shared = null;
  });
  return opening;
}
