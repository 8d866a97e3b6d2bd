/** Interface of the sandbox for the parts of `rl/` that run a person's code. */
import type { SandboxCall, SandboxResult } from '../../sandbox/protocol.ts';

/** Runs code; `sandbox/sandbox.ts` does so in a page and on Node. */
export interface CodeRunner {
  call(call: SandboxCall): Promise<SandboxResult>;
}

/** An experiment carries code, and there is no sandbox to run it. */
export class NoSandboxError extends Error {
  override name = 'NoSandboxError';
  constructor(what = 'custom objective code') {
    super(`This experiment has ${what}, and this program cannot run code.`);
  }
}
