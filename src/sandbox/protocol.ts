/** What a sandbox and its worker say to each other. All values are structured-cloneable. */
import type { CodePlace } from './errors.ts';

/** Arrays by name: what code is given and gives back. */
export type NamedArrays = { [name: string]: Float64Array };

export interface SandboxCall {
  /**
   * Trusted text, run before the code. Its value is `(code, arrays, values) => ({ arrays, values })`, where `code` holds the exports of
   * the person's module. Absent: the code must export `main`, which is called as `main(arrays, values)`.
   */
  prelude?: string;
  /** A module. */
  code: string;
  /** What the code is called in messages. */
  file: string;
  /** Copied in. */
  arrays: NamedArrays;
  /** Anything that JSON can say. */
  values: unknown;
}

export interface SandboxLimits {
  /** Milliseconds a call may take. */
  deadlineMs: number;
  stackBytes: number;
}

/** Of a worker's interpreter, all in all. */
export const memoryBytes = 64 * 2 ** 20;

export interface SandboxResult {
  arrays: NamedArrays;
  values: unknown;
}

export interface SandboxRequest extends SandboxCall {
  id: number;
  limits: SandboxLimits;
}

/** `broken`: the interpreter itself is not to be trusted any more. */
export type FailureKind = 'timeout' | 'memory' | 'code' | 'broken';

export interface SandboxFailure {
  kind: FailureKind;
  message: string;
  place: CodePlace | null;
}

/** The first message of a worker says that it is ready, or why it cannot be. */
export type SandboxReply =
  | { ready: true }
  | { id: number; result: SandboxResult }
  | { id: number; failure: SandboxFailure }
  | { failed: string };

/** A worker, as either platform gives it. */
export interface SandboxPort {
  post(request: SandboxRequest): void;
  listen(receive: (reply: SandboxReply) => void, lost: (why: string) => void): void;
  /** Between `post` and its reply, the process must not end. */
  terminate(): void;
}
