/** What may happen to code in the sandbox. All of them leave the caller as it was; the next call starts in a fresh realm. */

/** A place in the code, from 1; null: the interpreter does not say. */
export interface CodePlace {
  line: number;
  column: number;
}

/** Words for where, to stand at the head of a message. */
export const placeWords = (file: string, place: CodePlace | null): string =>
  place ? `${file}, line ${place.line}, column ${place.column}` : file;

/** The root of what code in the sandbox may fail by. */
export class SandboxError extends Error {
  override name = 'SandboxError';
  constructor(
    message: string,
    readonly place: CodePlace | null = null,
  ) {
    super(message);
  }
}

/** The code did not end in its time. */
export class SandboxTimeoutError extends SandboxError {
  override name = 'SandboxTimeoutError';
}

/** The code asked for more memory than a call may have. */
export class SandboxMemoryError extends SandboxError {
  override name = 'SandboxMemoryError';
}

/** The code cannot be read, or threw. */
export class CodeError extends SandboxError {
  override name = 'CodeError';
}

/** The sandbox itself failed: it could not be loaded, or the code broke the interpreter. */
export class SandboxBrokenError extends SandboxError {
  override name = 'SandboxBrokenError';
}
