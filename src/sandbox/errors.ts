/** Errors of code in the sandbox. None of them affects the caller, and the next call starts in a fresh realm. */

/** A place in the code; line and column count from 1. */
export interface CodePlace {
  line: number;
  column: number;
}

/** File and place for the start of a message. `place` is null if the interpreter reports none. */
export const placeLabel = (file: string, place: CodePlace | null): string =>
  place ? `${file}, line ${place.line}, column ${place.column}` : file;

/** Base class of all errors of the sandbox. */
export class SandboxError extends Error {
  override name = 'SandboxError';
  constructor(
    message: string,
    readonly place: CodePlace | null = null,
  ) {
    super(message);
  }
}

/** The code exceeded its time limit. */
export class SandboxTimeoutError extends SandboxError {
  override name = 'SandboxTimeoutError';
}

/** The code requested more memory than a call may have. */
export class SandboxMemoryError extends SandboxError {
  override name = 'SandboxMemoryError';
}

/** The code has a syntax error, or threw. */
export class CodeError extends SandboxError {
  override name = 'CodeError';
}

/** The sandbox itself failed: it could not be loaded, or the code broke the interpreter. */
export class SandboxBrokenError extends SandboxError {
  override name = 'SandboxBrokenError';
}
