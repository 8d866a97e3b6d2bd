/** The largest file that is stored with a run, checked by its size alone. */

/** A record of the store has at most 64 MB. */
const mostBytes = 64e6;

/** Thrown for a file of trajectories that is missing or cannot be stored with a run. */
export class RecordingFileError extends Error {
  override name = 'RecordingFileError';
}

export function checkedSize<T extends { length: number } | { size: number }>(name: string, file: T): T {
  const bytes = 'size' in file ? file.size : file.length;
  if (bytes > mostBytes)
    throw new RecordingFileError(
      `${name} has ${(bytes / 1e6).toFixed(1)} MB; a run keeps at most ${mostBytes / 1e6} MB of a file beside it. Divide a file of trajectories, or choose a smaller teacher.`,
    );
  return file;
}
