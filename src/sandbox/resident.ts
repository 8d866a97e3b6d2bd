/**
 * Modules that stay loaded between calls, many of them in one interpreter, each in a realm of its own. A world that a
 * person typed is such a module: one realm for each episode. Calls are synchronous, so this runs inside a worker.
 *
 * A call is bounded by a count of the interpreter's own checks and not by a clock: the same code ends at the same place
 * on every machine, so that a run resumes exactly.
 */
import { DefaultIntrinsics, type QuickJSContext, type QuickJSHandle } from 'quickjs-emscripten-core';
import {
  CodeError,
  placeLabel,
  SandboxBrokenError,
  SandboxError,
  SandboxMemoryError,
  SandboxTimeoutError,
} from './errors.ts';
import { type LoadedInterpreter, loadInterpreter } from './interpreter.ts';
import { describeThrown, longestMessage, meansNoMemory, placeOf } from './thrown.ts';

/** QuickJS counts loop passes and calls, and asks its host after each ten thousand of them. */
const checksAtOnce = 10_000;

export interface ResidentLimits {
  /** Memory of the interpreter, for all its modules together, in bytes. */
  memoryBytes: number;
  /** Memory that one module may add to the interpreter's, in bytes. */
  moduleBytes: number;
  /** Loop passes and calls of one call. */
  passes: number;
  stackBytes: number;
}

export const residentLimits: ResidentLimits = {
  memoryBytes: 128 * 2 ** 20,
  moduleBytes: 32 * 2 ** 20,
  passes: 10_000_000,
  // As in sandbox.ts: a browser's worker overflows first with more.
  stackBytes: 64 * 1024,
};

export interface ResidentSource {
  /**
   * Trusted source that runs first. Its value is `(code, values) => (name, json) => json`, where `code` holds the
   * exports of the custom module: the module's face to the host.
   */
  prelude: string;
  /** Source of the custom module, and its name in messages. */
  code: string;
  file: string;
  /** Any JSON value, passed to the prelude's function. */
  values: unknown;
}

/** An interpreter with its modules. */
export class ResidentInterpreter {
  private readonly runtime;
  /** Checks left to the current call. */
  private left = 0;
  interrupted = false;

  private constructor(
    private readonly loaded: LoadedInterpreter,
    readonly limits: ResidentLimits,
  ) {
    this.runtime = loaded.quickjs.newRuntime();
    this.runtime.setMemoryLimit(limits.moduleBytes);
    this.runtime.setMaxStackSize(limits.stackBytes);
    this.runtime.setInterruptHandler(() => {
      this.interrupted ||= this.left-- <= 0;
      return this.interrupted;
    });
  }

  static async open(limits: Partial<ResidentLimits> = {}): Promise<ResidentInterpreter> {
    const all = { ...residentLimits, ...limits };
    return new ResidentInterpreter(await loadInterpreter(all.memoryBytes), all);
  }

  /** Loads a module into a realm of its own. Throws a SandboxError. */
  load(source: ResidentSource, passes = this.limits.passes): Resident {
    return new Resident(this, this.newContext(), source, passes);
  }

  /** Size of the memory, in bytes. */
  get bytes(): number {
    return this.loaded.wasmMemory.buffer.byteLength;
  }

  /** Runs trusted code's call into the interpreter under a limit of loop passes and calls. */
  bounded<T>(passes: number, act: () => T): T {
    this.left = Math.ceil(passes / checksAtOnce);
    this.interrupted = false;
    return act();
  }

  private newContext(): QuickJSContext {
    try {
      return this.runtime.newContext({ intrinsics: { ...DefaultIntrinsics, Date: false } });
    } catch (error) {
      throw new SandboxBrokenError(`The sandbox has no memory left for another realm: ${(error as Error).message}`);
    }
  }
}

/** A loaded module. After an error it must be disposed of. */
export class Resident {
  private readonly handles: QuickJSHandle[] = [];
  private readonly face: QuickJSHandle;
  /** Growth of the interpreter's memory during calls of this module. */
  private grown = 0;

  constructor(
    private readonly interpreter: ResidentInterpreter,
    private readonly context: QuickJSContext,
    private readonly source: ResidentSource,
    passes: number,
  ) {
    try {
      this.face = this.guarded('', passes, () => this.open());
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  private open(): QuickJSHandle {
    const { context, source } = this;
    const enter = this.unwrapped(context.evalCode(source.prelude, 'prelude.js', { type: 'global', strict: true }));
    const exports = this.module();
    const values = this.kept(context.newString(JSON.stringify(source.values)));
    return this.unwrapped(context.callFunction(enter, context.undefined, exports, values));
  }

  private module(): QuickJSHandle {
    const { context, source } = this;
    const loaded = this.unwrapped(context.evalCode(source.code, source.file, { type: 'module' }));
    const state = context.getPromiseState(loaded);
    if (state.type === 'rejected') throw new Raised(this.kept(state.error));
    if (state.type === 'pending')
      throw new CodeError(`${source.file}: a top-level await never resolves in the sandbox. Remove it.`);
    return state.notAPromise ? loaded : this.kept(state.value);
  }

  /**
   * Calls the module by its face. `json` and the result are JSON texts. Throws a SandboxError; `passes` lowers the
   * limit of this call.
   */
  call(name: string, json: string, passes = this.interpreter.limits.passes): string {
    const { context } = this;
    return this.guarded(`${name}(): `, passes, () => {
      const args = [context.newString(name), context.newString(json)];
      const result = context.callFunction(this.face, context.undefined, ...args);
      for (const each of args) each.dispose();
      if (result.error) throw new Raised(this.kept(result.error));
      const text = context.getString(result.value);
      result.value.dispose();
      return text;
    });
  }

  private guarded<T>(what: string, passes: number, act: () => T): T {
    const before = this.interpreter.bytes;
    try {
      const done = this.interpreter.bounded(passes, act);
      this.grown += this.interpreter.bytes - before;
      if (this.grown > this.interpreter.limits.moduleBytes) throw this.memoryError(what, null);
      return done;
    } catch (error) {
      if (error instanceof Raised) throw this.errorOf(what, passes, error.handle);
      if (error instanceof SandboxError) throw error;
      throw new SandboxBrokenError(
        `The sandbox broke while it ran this code: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  private errorOf(what: string, passes: number, handle: QuickJSHandle): SandboxError {
    const { file } = this.source;
    const { interpreter } = this;
    const { interrupted } = interpreter;
    // Reading a thrown value may run its getters, under a limit of their own.
    const thrown = interpreter.bounded(passes, () => this.context.dump(handle) as unknown);
    const place = placeOf(thrown, file);
    if (interrupted || interpreter.interrupted) {
      const near = place ? `${file}, near line ${place.line}` : file;
      const message = `${near}: ${what}the code did not end within ${passes.toLocaleString('en')} loop passes and calls. Look for a loop that never stops.`;
      return new SandboxTimeoutError(message, place);
    }
    if (meansNoMemory(thrown)) return this.memoryError(what, placeLabel(file, place));
    return new CodeError(
      `${placeLabel(file, place)}: ${what}${describeThrown(thrown)}`.slice(0, longestMessage),
      place,
    );
  }

  private memoryError(what: string, where: string | null): SandboxMemoryError {
    const megabytes = this.interpreter.limits.moduleBytes / 2 ** 20;
    return new SandboxMemoryError(
      `${where ?? this.source.file}: ${what}the code requested more than the ${megabytes} MB of memory that it may use.`,
    );
  }

  private kept(handle: QuickJSHandle): QuickJSHandle {
    this.handles.push(handle);
    return handle;
  }

  private unwrapped(result: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (result.error) throw new Raised(this.kept(result.error));
    return this.kept(result.value);
  }

  /** Frees the realm. */
  dispose(): void {
    try {
      for (const handle of this.handles.splice(0).reverse()) if (handle.alive) handle.dispose();
      if (this.context.alive) this.context.dispose();
    } catch (error) {
      throw new SandboxBrokenError(`The sandbox broke while it freed a realm: ${(error as Error).message}`);
    }
  }
}

/** A value that the code threw. */
class Raised extends Error {
  constructor(readonly handle: QuickJSHandle) {
    super('raised');
  }
}
