/**
 * Interface to the source of a model's files: a hub or another server with its layout (weights-http.ts), or a folder on
 * disk (weights-folder.ts). Depends on names, bytes and addresses only, never on tensors.
 */

/** Sub-folders of the Hub's layout with files of a model. */
// not a kind: the Hub's folder for models in ONNX
export const subFolders: readonly string[] = ['onnx', 'additional_chat_templates'];

/** File that can be read from any byte to its end, repeatedly. */
export interface SourceFile {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 as stated by the source, in lower-case hex; null if it states none. */
  readonly sha256: string | null;
  /** Changes when the content changes, as far as the source reports it. */
  readonly identity: string;
  /**
   * Streams the bytes from `start` to `end` (default: the end of the file), in order, in chunks of any size. Rejects
   * with a SourceError, or with the signal's reason.
   */
  stream(start: number, signal: AbortSignal, end?: number): AsyncIterable<Uint8Array>;
}

export interface ModelSource {
  /** Key of the model, by which its kept pieces are found again. */
  readonly key: string;
  /** Name shown to a person. */
  readonly label: string;
  /** Reads a small text file. Null if it does not exist. */
  text(name: string, signal: AbortSignal): Promise<string | null>;
  /** Opens a file. Null if it does not exist. */
  file(name: string, signal: AbortSignal): Promise<SourceFile | null>;
  /** All names, or null if the source cannot list them. */
  names(): readonly string[] | null;
}

export type SourceProblem = 'denied' | 'missing' | 'unreachable' | 'changed' | 'truncated' | 'damaged' | 'unreadable';

/** Thrown if a model cannot be fetched. The message has one sentence on the problem and one on the remedy. */
export class SourceError extends Error {
  override name = 'SourceError';
  constructor(
    readonly problem: SourceProblem,
    message: string,
  ) {
    super(message);
  }
}

/** Reads bytes `start` to `end` of a file, for headers and for files that are needed completely. */
export async function readRange(
  file: SourceFile,
  start: number,
  end: number,
  signal: AbortSignal,
  onProgress?: (done: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const out = new Uint8Array(end - start);
  let at = 0;
  for await (const chunk of file.stream(start, signal, end)) {
    out.set(chunk.subarray(0, out.length - at), at);
    at += Math.min(chunk.length, out.length - at);
    onProgress?.(at);
    if (at === out.length) return out;
  }
  if (at === out.length) return out;
  throw new SourceError('truncated', `${file.name} ends at byte ${start + at}; ${end} were expected. Load it again.`);
}
