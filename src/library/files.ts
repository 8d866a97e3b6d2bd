/**
 * `tabgym/files`: files of trajectories in the formats of the field, read and written, and runs' files.
 *
 * @example Turn a run's last step into OpenAI's messages:
 * ```js
 * import { readFileSync, writeFileSync } from 'node:fs';
 * import { readRun, writeTrajectories } from 'tabgym/files';
 *
 * const run = readRun(readFileSync('run.tabgym'));
 * const last = run.trajectorySteps.at(-1);
 * writeFileSync('messages.jsonl', writeTrajectories(run.trajectories(last), 'openai-messages'));
 * ```
 */
import type { Trajectory } from '../rl/episode/trajectory.ts';
import type { StepRecord } from '../rl/evaluation/evaluation.ts';
import { decodeTrajectories } from '../session/run/trajectory-codec.ts';
import { readRunFile } from '../session/run-file.ts';
import { writePolicy as zipPolicy } from '../store/bundle.ts';
import { TrajectoryFile, writeRecords } from '../trajectories/files/file.ts';
import { recordOf } from '../trajectories/files/lossless.ts';
import type { TrajectoryRecord } from '../trajectories/files/record.ts';
import { type Message, type RecordProblem, TrajectoryFileError } from '../trajectories/files/record.ts';
import { trajectoryFormat, trajectoryFormats } from '../trajectories/files/registry.ts';
import type { ExperimentDocument } from './experiment.ts';
import type { PolicyFiles } from './policy-files.ts';

export type { Message, PolicyFiles, RecordProblem, Trajectory, TrajectoryRecord };
export { TrajectoryFileError };

/** A format of trajectory files. */
export interface FormatInfo {
  /** Name for `writeTrajectories`. */
  name: string;
  label: string;
  /** One sentence: the program that writes it and where it is described. */
  summary: string;
}

/** Every format, in the order in which a record is recognized. */
export const formats: readonly FormatInfo[] = trajectoryFormats.map(({ name, label, summary }) => ({
  ...{ name, label, summary },
}));

/** The records of a file. */
export interface ReadTrajectories {
  /** Name of the format of most records. */
  format: string;
  records: TrajectoryRecord[];
  /** Records that were passed over, by line. */
  problems: readonly RecordProblem[];
}

/**
 * Reads a file of trajectories in any of the formats, also compressed (gzip) or as Parquet.
 *
 * @param name appears in errors.
 * @throws TrajectoryFileError if no record can be read.
 */
export async function readTrajectories(
  file: Uint8Array | Blob,
  name = 'trajectories.jsonl',
): Promise<ReadTrajectories> {
  const bytes = file instanceof Blob ? new Uint8Array(await file.arrayBuffer()) : file;
  const opened = await TrajectoryFile.open({
    name,
    size: bytes.length,
    stream: async function* () {
      yield bytes;
    },
    slice: async (from, to) => bytes.subarray(from, to),
  });
  const records: TrajectoryRecord[] = [];
  for (let index = 0; index < opened.records.length; index++) records.push(await opened.read(index));
  const { format, problems } = opened;
  await opened.release();
  return { format: format?.name ?? '', records, problems };
}

/** Text of a file with these records. `format`: a name of `formats`. */
export function writeTrajectories(records: Iterable<TrajectoryRecord>, format: string): string {
  return [...writeRecords(records, trajectoryFormat(format))].join('');
}

/** Parts of a record that a format cannot hold, as sentences; empty: none. */
export const losses = (record: TrajectoryRecord, format: string): string[] => trajectoryFormat(format).loses(record);

/** The contents of a run's file. */
export interface RunFile {
  name: string;
  /** The document as it was stored; `checkExperiment` of `tabgym` reads documents of earlier versions. */
  experiment: ExperimentDocument;
  /** Records of the committed steps. */
  records: StepRecord[];
  /** Steps whose trajectories the file has. */
  trajectorySteps: number[];
  /** Trajectories of a step as records; empty: the file has none of this step. */
  trajectories(step: number): TrajectoryRecord[];
  /** The same, token by token. */
  tokens(step: number): Trajectory[];
}

/**
 * Reads a `.tabgym` file without opening the run.
 *
 * @throws BundleError if the file is damaged or is no run.
 */
export function readRun(file: Uint8Array, fileName = 'run.tabgym'): RunFile {
  const run = readRunFile(file, fileName);
  const kept = new Map(run.trajectories);
  const tokens = (step: number) => {
    const bytes = kept.get(step);
    return bytes ? decodeTrajectories(bytes) : [];
  };
  return {
    name: run.name,
    experiment: run.experiment as ExperimentDocument,
    records: run.records,
    trajectorySteps: [...kept.keys()],
    trajectories: (step) => tokens(step).map((trajectory) => recordOf(trajectory, { run: run.name, step })),
    tokens,
  };
}

/**
 * Reads the policy of a run's file after its last step, or of a policy's zip, as the files of its Hugging Face layout:
 * `config.json`, `model.safetensors` and `tokenizer.json`, or an adapter in PEFT's form with its tokenizer.
 *
 * @param name appears in errors.
 * @throws BundleError if the file contains no policy.
 */
export const readPolicy = async (file: Uint8Array, name = 'policy'): Promise<PolicyFiles> =>
  (await import('./policy-files.ts')).policyFilesOf(file, name);

/** The zip of a policy's files, which `importRun` and `loadPolicy` open. */
export const writePolicy = (files: { readonly [name: string]: Uint8Array }): Uint8Array<ArrayBuffer> =>
  zipPolicy(files);

/** Writes a run as one HTML page that opens anywhere: settings, curves, evaluations, episodes and numbers. */
export const writeReport = async (run: RunFile): Promise<string> => (await import('./report.ts')).reportOf(run);
