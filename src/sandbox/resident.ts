/**
 * Modules that stay loaded between calls, several of them in one interpreter, each in a realm of its own. A world that a
 * person typed is such a module. The realm's prelude makes as many copies of a module as it needs, one for each episode:
 * the module is compiled once, as a function whose every call gives fresh variables. Calls are synchronous, so this runs
 * inside a worker.
 *
 * A call is bounded by a count of the interpreter's own checks: the same code ends at the same place on every machine, so
 * that a run resumes exactly. A clock ends only what that count does not bound: long operations of built-in functions.
 */
import { DefaultIntrinsics, type QuickJSContext, type QuickJSHandle } from 'quickjs-emscripten-core';
import {
  CodeError,
  type CodePlace,
  placeLabel,
  SandboxBrokenError,
  SandboxError,
  SandboxMemoryError,
  SandboxTimeoutError,
} from './errors.ts';
import { type LoadedInterpreter, loadInterpreter } from './interpreter.ts';
import { describeThrown, longestMessage, meansNoMemory, placeOf } from './thrown.ts';

/** Minimum time of a call, in milliseconds, so that a busy machine does not end a short one. */
const leastMs = 2000;

/** QuickJS counts loop passes and calls, and asks its host after each ten thousand of them. */
const checksAtOnce = 10_000;

export interface ResidentLimits {
  /** Memory of the interpreter, for all its modules together, in bytes. */
  memoryBytes: number;
  /** Memory that one call may add to the interpreter's, in bytes. */
  callBytes: number;
  /** Loop passes and calls of one call. */
  passes: number;
  /** Time of one call, in milliseconds. A call with fewer passes has less time in the same proportion. */
  callMs: number;
  stackBytes: number;
}

const residentLimits: ResidentLimits = {
  memoryBytes: 128 * 2 ** 20,
  callBytes: 32 * 2 ** 20,
  passes: 10_000_000,
  callMs: 20_000,
  // As in sandbox.ts: with more, the stack of a browser's worker overflows first.
  stackBytes: 64 * 1024,
};

export interface ResidentSource {
  /**
   * Trusted source that runs first. Its value is `(make, values) => (name, json) => json`: `make()` returns the exports
   * of a fresh copy of the custom module, and the result is the function through which the host calls that copy.
   */
  prelude: string;
  /** Source of the custom module, and its name in messages. */
  code: string;
  file: string;
  /** Any JSON value, passed to the prelude's function. */
  values: unknown;
}

/** Start of the function that a module is compiled as; it precedes the module's first line. */
const head = '(function () { ';

const declaration =
  /(^[ \t]*|[;}][ \t]*)export[ \t]+((?:async[ \t]+)?(?:function\b[ \t]*\*?|const|let|var|class)[ \t]+([\p{L}_$][\p{L}\p{N}_$]*))/gmu;

/**
 * The module as a function that returns its exports. `names`: what it exports, as the interpreter found. Throws
 * CodeError if one of them is not exported where it is declared.
 */
function asFunction(code: string, file: string, names: readonly string[]): string {
  const found = new Set<string>();
  const body = code.replace(declaration, (whole, before: string, rest: string, name: string) => {
    if (!names.includes(name) || found.has(name)) return whole;
    found.add(name);
    return `${before}       ${rest}`;
  });
  const missing = names.find((name) => !found.has(name));
  if (missing !== undefined)
    throw new CodeError(
      `${file}: the export "${missing}" is not read. Write export in front of its declaration, as in: export function step(action) {`,
    );
  return `${head}${body}\n; return { ${names.join(', ')} }; })`;
}

/** An interpreter with its modules. */
export class ResidentInterpreter {
  private readonly runtime;
  /** Checks left to the current call. */
  private left = 0;
  private end = 0;
  interrupted = false;
  /** The call was interrupted by the clock. */
  overdue = false;
  /** Loop passes and calls of all calls so far, in ten thousands. */
  used = 0;

  private constructor(
    private readonly loaded: LoadedInterpreter,
    readonly limits: ResidentLimits,
  ) {
    this.runtime = loaded.quickjs.newRuntime();
    this.runtime.setMemoryLimit(limits.callBytes);
    this.runtime.setMaxStackSize(limits.stackBytes);
    this.runtime.setInterruptHandler(() => {
      this.used += checksAtOnce;
      this.overdue ||= performance.now() > this.end;
      this.interrupted ||= this.overdue || this.left-- <= 0;
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

  /** Time of a call with so many passes, in milliseconds. */
  msOf(passes: number): number {
    const { callMs, passes: all } = this.limits;
    return Math.min(callMs, Math.max(leastMs, (callMs * passes) / all));
  }

  /** Runs trusted code's call into the interpreter under a limit of loop passes and calls. */
  bounded<T>(passes: number, act: () => T): T {
    this.left = Math.ceil(passes / checksAtOnce);
    this.end = performance.now() + this.msOf(passes);
    this.interrupted = false;
    this.overdue = false;
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

/** A loaded module. A copy of it that failed must not be used again; the others are intact. */
export class Resident {
  private readonly handles: QuickJSHandle[] = [];
  private readonly face: QuickJSHandle;
  private compiled = false;

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
    const names = this.exported();
    this.compiled = true;
    const text = asFunction(source.code, source.file, names);
    const make = this.unwrapped(context.evalCode(text, source.file, { type: 'global', strict: true }));
    const values = this.kept(context.newString(JSON.stringify(source.values)));
    return this.unwrapped(context.callFunction(enter, context.undefined, make, values));
  }

  /** Names that the module exports. */
  private exported(): string[] {
    const { context } = this;
    const names = this.unwrapped(context.evalCode('Reflect.ownKeys', 'names.js', { type: 'global' }));
    const list = this.unwrapped(context.callFunction(names, context.undefined, this.module()));
    return (context.dump(list) as unknown[]).filter((name): name is string => typeof name === 'string');
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
   * Calls a function of the module. `json` and the result are JSON texts. Throws a SandboxError; `passes` lowers the
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
      if (this.interpreter.bytes - before > this.interpreter.limits.callBytes) throw this.memoryError(what, null);
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
    const { interrupted, overdue } = interpreter;
    // Reading a thrown value may run its getters, under a limit of their own.
    const thrown = interpreter.bounded(passes, () => this.context.dump(handle) as unknown);
    const place = this.placeOf(thrown);
    if (interrupted || interpreter.interrupted) {
      const near = place ? `${file}, near line ${place.line}` : file;
      const limit = overdue
        ? `${interpreter.msOf(passes) / 1000} s`
        : `${passes.toLocaleString('en')} loop passes and calls`;
      const message = `${near}: ${what}the code did not end within ${limit}. Look for a loop that never stops.`;
      return new SandboxTimeoutError(message, place);
    }
    if (meansNoMemory(thrown)) return this.memoryError(what, place);
    return new CodeError(
      `${placeLabel(file, place)}: ${what}${describeThrown(thrown)}`.slice(0, longestMessage),
      place,
    );
  }

  private placeOf(thrown: unknown): CodePlace | null {
    const place = placeOf(thrown, this.source.file);
    if (place?.line !== 1) return place;
    // The first line is preceded by the head of the function; a syntax error is found before that.
    return { line: 1, column: Math.max(1, place.column - (this.compiled ? head.length : 0)) };
  }

  private memoryError(what: string, place: CodePlace | null): SandboxMemoryError {
    const megabytes = this.interpreter.limits.callBytes / 2 ** 20;
    return new SandboxMemoryError(
      `${placeLabel(this.source.file, place)}: ${what}the code requested more than the ${megabytes} MB of memory that it may use.`,
      place,
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
