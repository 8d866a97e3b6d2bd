/** The worker's side: loads QuickJS, reports that it is ready, and runs calls one after another. */
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSWASMModule } from 'quickjs-emscripten-core';
import { memoryBytes, type SandboxReply, type SandboxRequest } from './protocol.ts';
import { runCall } from './realm.ts';

const pageBytes = 2 ** 16;

/**
 * Memory of the interpreter. QuickJS's own limit is not enough: it measures allocations by malloc_usable_size, which
 * this build lacks, so 12 arrays of 8 MB passed a limit of 64 MB (measured, quickjs-emscripten 0.32.0).
 */
const memory = () => new WebAssembly.Memory({ initial: 256, maximum: memoryBytes / pageBytes });

/**
 * On Node the package finds its own file. In a page the file is part of the build: nothing comes from other servers.
 */
async function load(): Promise<QuickJSWASMModule> {
  const wasmMemory = memory();
  if (import.meta.env.SSR) return newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }));
  const { default: url } = await import('@jitl/quickjs-wasmfile-release-sync/wasm?url');
  const response = await fetch(url);
  if (!response.ok) throw new Error(`its interpreter could not be fetched: HTTP ${response.status}. Reload the page.`);
  // compileStreaming would fail on static hosts that serve .wasm without its media type.
  const wasmModule = await WebAssembly.compile(await response.arrayBuffer());
  return newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule, wasmMemory }));
}

const buffersOf = (reply: SandboxReply): ArrayBuffer[] =>
  'result' in reply ? Object.values(reply.result.arrays).map(({ buffer }) => buffer as ArrayBuffer) : [];

/** Handles requests; those that arrive before the interpreter is loaded wait for it. */
export function serveSandbox(
  reply: (message: SandboxReply, transfer: ArrayBuffer[]) => void,
): (request: SandboxRequest) => void {
  const loading = load();
  loading.then(
    () => reply({ ready: true }, []),
    (error: Error) => reply({ failed: error.message }, []),
  );
  return ({ id, limits, ...call }) =>
    void loading.then(
      (quickjs) => {
        const answer = { id, ...runCall(quickjs, call, limits) };
        reply(answer, buffersOf(answer));
      },
      () => {},
    );
}
