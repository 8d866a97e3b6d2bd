/**
 * Files of trajectories that a run learns from. Each is mapped once, at the first step that needs it, and reported. A
 * step takes its share in shuffled epochs, as a function of the seed and the step alone.
 */

import { permutation } from '../../rl/common/random.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import {
  missingRecording,
  type OpenRecorded,
  type RecordedOptions,
  type RecordedPlay,
  RecordingError,
} from '../../rl/recorded.ts';
import { type ByteSource, TrajectoryFile } from '../files/file.ts';
import { TrajectoryFileError } from '../files/record.ts';
import { type Mapped, type MappingOptions, type MappingParts, mapFile } from './replay.ts';

const STREAM_RECORDED = 0x7265636f;
/** Maximum number of problems that are listed in a message; further ones are counted. */
const mostListedProblems = 5;

/** Opens a run's files for the trainer. */
export const openRecordings =
  (files: ReadonlyMap<string, ByteSource>): OpenRecorded =>
  ({ worlds, conversation, tasks, ...bounds }) =>
    new Recordings(files, { worlds, conversation, tasks }, bounds);

export class Recordings implements RecordedPlay {
  private readonly mapped = new Map<string, Mapped>();

  constructor(
    private readonly files: ReadonlyMap<string, ByteSource>,
    private readonly parts: MappingParts,
    private readonly options: Omit<MappingOptions, 'signal' | 'onProgress'> & { seed: number },
  ) {}

  /** Share of step `step`, from 1: `count` trajectories, or all if there are fewer, each a group of its own. */
  async take(name: string, step: number, count: number, listening: RecordedOptions = {}): Promise<Trajectory[]> {
    const { trajectories } = this.mapped.get(name) ?? (await this.map(name, listening));
    const size = Math.min(count, trajectories.length);
    return Array.from({ length: size }, (_, group) => {
      const at = (step - 1) * size + group;
      const epoch = Math.floor(at / trajectories.length);
      const order = permutation(trajectories.length, this.options.seed, STREAM_RECORDED, 0, epoch);
      return { ...trajectories[order[at % trajectories.length]], group };
    });
  }

  private async map(name: string, { signal, onProgress, onMapped }: RecordedOptions): Promise<Mapped> {
    const source = this.files.get(name);
    if (!source) throw missingRecording(name);
    const file = await opened(source, signal);
    const mapped = await mapFile(file, this.parts, { ...this.options, signal, onProgress });
    if (mapped.trajectories.length === 0) throw new RecordingError(`Nothing of ${words(name, mapped)}`);
    this.mapped.set(name, mapped);
    onMapped?.(`${mapped.trajectories.length} of ${words(name, mapped)}`, mapped.problems.length === 0);
    return mapped;
  }
}

async function opened(source: ByteSource, signal?: AbortSignal): Promise<TrajectoryFile> {
  try {
    return await TrajectoryFile.open(source, { signal });
  } catch (error) {
    if (error instanceof TrajectoryFileError) throw new RecordingError(error.message);
    throw error;
  }
}

function words(name: string, { records, problems }: Mapped): string {
  const learnt = `the ${records} trajectories of ${name} can be learnt from.`;
  if (problems.length === 0) return learnt;
  const counts = new Map<string, number>();
  for (const { line, message } of problems) {
    const problem = `Line ${line}: ${message}`;
    counts.set(problem, (counts.get(problem) ?? 0) + 1);
  }
  const listed = [...counts].slice(0, mostListedProblems);
  const texts = listed.map(([problem, count]) => (count > 1 ? `${problem} (${count} records)` : problem));
  const rest = problems.length - listed.reduce((sum, [, count]) => sum + count, 0);
  return `${learnt} ${texts.join(' ')}${rest > 0 ? ` And ${rest} more.` : ''}`;
}

/** Bytes in memory, as a file. */
export const inMemory = (name: string, bytes: Uint8Array): ByteSource => ({
  name,
  size: bytes.length,
  async *stream() {
    yield bytes;
  },
  slice: async (from, to) => bytes.subarray(from, to),
});
