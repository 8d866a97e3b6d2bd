/**
 * Runs one call inside the worker: creates a QuickJS runtime and realm, runs the prelude and the custom module, makes
 * the call, and disposes of everything. QuickJS (Bellard and Gordon, https://bellard.org/quickjs) comes from
 * quickjs-emscripten (https://github.com/justjake/quickjs-emscripten).
 */
import {
  DefaultIntrinsics,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { placeLabel } from './errors.ts';
import glue from './glue.js?raw';
import {
  memoryBytes,
  type NamedArrays,
  type SandboxCall,
  type SandboxFailure,
  type SandboxLimits,
  type SandboxResult,
} from './protocol.ts';
import { describeThrown, longestMessage, meansNoMemory, placeOf } from './thrown.ts';

class Failure extends Error {
  constructor(readonly failure: SandboxFailure) {
    super(failure.message);
  }
}

const isLength = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

class Call {
  private readonly context: QuickJSContext;
  private readonly handles: QuickJSHandle[] = [];
  private timedOut = false;

  constructor(
    private readonly runtime: ReturnType<QuickJSWASMModule['newRuntime']>,
    private readonly call: SandboxCall,
    private readonly limits: SandboxLimits,
  ) {
    const end = performance.now() + limits.deadlineMs;
    // QuickJS then refuses a single larger request. The memory itself limits the sum (serve.ts).
    runtime.setMemoryLimit(memoryBytes);
    runtime.setMaxStackSize(limits.stackBytes);
    runtime.setInterruptHandler(() => {
      this.timedOut = performance.now() > end;
      return this.timedOut;
    });
    this.context = runtime.newContext({ intrinsics: { ...DefaultIntrinsics, Date: false } });
  }

  private kept(handle: QuickJSHandle): QuickJSHandle {
    this.handles.push(handle);
    return handle;
  }

  /** All arrays travel in one buffer, both ways. */
  run(): SandboxResult {
    const { context, call } = this;
    const enter = this.evaluated(glue, 'glue.js');
    const prelude = call.prelude === undefined ? context.undefined : this.evaluated(call.prelude, 'prelude.js');
    const exports = this.module();
    const lists = Object.entries(call.arrays);
    const input = JSON.stringify({ layout: lists.map(([name, array]) => [name, array.length]), values: call.values });
    const buffer = this.kept(context.newArrayBuffer(joined(lists.map(([, array]) => array))));
    const text = this.kept(context.newString(input));
    const result = this.unwrapped(context.callFunction(enter, context.undefined, exports, prelude, buffer, text));
    const [reply, bytes] = [0, 1].map((index) => this.kept(context.getProp(result, index)));
    return this.read(context.getString(reply), bytes);
  }

  private read(reply: string, buffer: QuickJSHandle): SandboxResult {
    const bytes = this.context.getArrayBuffer(buffer);
    const all = new Float64Array(bytes.value.slice().buffer);
    bytes.dispose();
    const { layout, values } = this.replyOf(reply, all.length);
    let at = 0;
    // A name such as __proto__ is a name like any other.
    const arrays: NamedArrays = Object.create(null);
    for (const [name, length] of layout) {
      arrays[name] = all.slice(at, at + length);
      at += length;
    }
    return { arrays: { ...arrays }, values };
  }

  /** Reads the text of a reply. The host validates all of it, because custom code runs in the realm that wrote it. */
  private replyOf(text: string, count: number): { layout: [string, number][]; values: unknown } {
    const { layout, values = null } = Object(parsed(text)) as { layout?: unknown; values?: unknown };
    const isLaidOut =
      Array.isArray(layout) &&
      layout.every((each) => Array.isArray(each) && typeof each[0] === 'string' && isLength(each[1])) &&
      layout.reduce((sum, [, length]) => sum + length, 0) === count;
    if (isLaidOut) return { layout, values };
    const message = `${this.call.file}: the code returned arrays that cannot be read. Return plain lists and typed arrays.`;
    throw new Failure({ kind: 'code', message, place: null });
  }

  /** Evaluates the custom module. */
  private module(): QuickJSHandle {
    const { context, call } = this;
    const loaded = this.unwrapped(context.evalCode(call.code, call.file, { type: 'module' }));
    const state = context.getPromiseState(loaded);
    if (state.type === 'rejected') throw this.failureOf(this.kept(state.error));
    if (state.type === 'pending') {
      const message = `${call.file}: a top-level await never resolves in the sandbox. Remove it.`;
      throw new Failure({ kind: 'code', message, place: null });
    }
    return state.notAPromise ? loaded : this.kept(state.value);
  }

  private evaluated(text: string, file: string): QuickJSHandle {
    return this.unwrapped(this.context.evalCode(text, file, { type: 'global', strict: true }));
  }

  private unwrapped(result: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (result.error) throw this.failureOf(this.kept(result.error));
    return this.kept(result.value);
  }

  private failureOf(handle: QuickJSHandle): Failure {
    const { file } = this.call;
    // Reading a thrown value may run its getters; the same time limit covers them.
    const thrown = this.context.dump(handle) as unknown;
    const place = placeOf(thrown, file);
    if (this.timedOut) {
      const seconds = this.limits.deadlineMs / 1000;
      // The stack names the last line that ran. An empty loop has no line of its own.
      const near = place ? `${file}, near line ${place.line}` : file;
      const message = `${near}: the code did not end within ${seconds} s. Look for a loop that never stops.`;
      return new Failure({ kind: 'timeout', message, place });
    }
    const where = placeLabel(file, place);
    if (meansNoMemory(thrown)) {
      const megabytes = memoryBytes / 2 ** 20;
      const message = `${where}: the code requested more than the ${megabytes} MB of memory that it may use.`;
      return new Failure({ kind: 'memory', message, place });
    }
    return new Failure({
      kind: 'code',
      message: `${where}: ${describeThrown(thrown)}`.slice(0, longestMessage),
      place,
    });
  }

  dispose(): void {
    for (const handle of this.handles.reverse()) if (handle.alive) handle.dispose();
    this.context.dispose();
    this.runtime.dispose();
  }
}

function joined(arrays: readonly Float64Array[]): ArrayBuffer {
  const all = new Float64Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all.buffer;
}

/** Runs one call. An error thrown by the interpreter itself, not by the code, means that the interpreter is broken. */
export function runCall(
  quickjs: QuickJSWASMModule,
  call: SandboxCall,
  limits: SandboxLimits,
): { result: SandboxResult } | { failure: SandboxFailure } {
  let running: Call | null = null;
  try {
    running = new Call(quickjs.newRuntime(), call, limits);
    const result = running.run();
    running.dispose();
    return { result };
  } catch (error) {
    if (!(error instanceof Failure)) return { failure: broken(error) };
    try {
      running?.dispose();
    } catch (second) {
      // Reports the error of the code, and also that this interpreter must not run anything more.
      return {
        failure: {
          ...error.failure,
          kind: error.failure.kind === 'code' ? 'broken' : error.failure.kind,
          message: `${error.failure.message} (${second})`,
        },
      };
    }
    return { failure: error.failure };
  }
}

const broken = (error: unknown): SandboxFailure => ({
  kind: 'broken',
  message: `The sandbox broke while it ran this code: ${error instanceof Error ? error.message : error}`,
  place: null,
});
