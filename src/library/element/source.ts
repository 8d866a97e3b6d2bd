/** What an element shows: an experiment or a run of its `src`, and the trainer that the elements of a page share. */
import type { ExperimentDocument } from '../experiment.ts';
import type { RunFile } from '../files.ts';
import type { Trainer } from '../trainer.ts';

export type Source =
  | { kind: 'experiment'; document: ExperimentDocument }
  | { kind: 'run'; bytes: Uint8Array<ArrayBuffer>; file: RunFile };

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
  try {
    return { kind: 'experiment', document: JSON.parse(new TextDecoder().decode(bytes)) };
  } catch {
    throw new SourceError(`${address} is neither an experiment (JSON) nor a run (.tabgym).`);
  }
}

export const documentOf = (source: Source): ExperimentDocument =>
  source.kind === 'run' ? source.file.experiment : source.document; // not a kind: the kind of file

let shared: Promise<Trainer> | null = null;

/** The one trainer of the page. A failure is not kept, so that a later try may succeed. */
export function sharedTrainer(): Promise<Trainer> {
  shared ??= import('../index.ts').then(({ openTrainer }) => openTrainer());
  const opening = shared;
  opening.catch(() => {
    if (shared === opening) shared = null;
  });
  return opening;
}
