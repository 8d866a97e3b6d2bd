/** Messages between a sandbox and its worker. All values are structured-cloneable. */
import type { CodePlace } from './errors.ts';

/** Arrays by name: input and output of the code. */
export type NamedArrays = { [name: string]: Float64Array };

export interface SandboxCall {
  /**
   * Trusted source that runs before the code. Its value is `(code, arrays, values) => ({ arrays, values })`, where
   * `code` holds the exports of the custom module. Without a prelude the code must export `main`, which is called as
   * `main(arrays, values)`.
   */
  prelude?: string;
  /** Source of the custom module. */
  code: string;
  /** Name of the code in messages. */
  file: string;
  /** Input arrays; the code gets a copy. */
  arrays: NamedArrays;
  /** Any JSON value. */
  values: unknown;
}

export interface SandboxLimits {
  /** Time limit of a call, in milliseconds. */
  deadlineMs: number;
  stackBytes: number;
}

/** Memory limit of a worker's interpreter, in bytes. */
export const memoryBytes = 64 * 2 ** 20;

export interface SandboxResult {
  arrays: NamedArrays;
  values: unknown;
}

export interface SandboxRequest extends SandboxCall {
  id: number;
  limits: SandboxLimits;
}

/** `broken`: the interpreter itself can no longer be trusted. */
export type FailureKind = 'timeout' | 'memory' | 'code' | 'broken';

export interface SandboxFailure {
  kind: FailureKind;
  message: string;
  place: CodePlace | null;
}

/** Replies of a worker. The first reports that it is ready, or why it failed to load. */
export type SandboxReply =
  | { ready: true }
  | { id: number; result: SandboxResult }
  | { id: number; failure: SandboxFailure }
  | { failed: string };

/** A worker of a page or of Node. */
export interface SandboxPort {
  post(request: SandboxRequest): void;
  listen(receive: (reply: SandboxReply) => void, lost: (why: string) => void): void;
  /** Ends the worker. */
  terminate(): void;
}
