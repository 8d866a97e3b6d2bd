/** Loads QuickJS, the JavaScript interpreter in WebAssembly, with a bound on its memory. */
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSWASMModule } from 'quickjs-emscripten-core';

const pageBytes = 2 ** 16;

/** An interpreter and its memory, which grows and never shrinks. */
export interface LoadedInterpreter {
  quickjs: QuickJSWASMModule;
  wasmMemory: WebAssembly.Memory;
}

/**
 * QuickJS's own memory limit is not enough: it measures allocations by malloc_usable_size, which this build lacks, so
 * 12 arrays of 8 MB passed a limit of 64 MB (measured, quickjs-emscripten 0.32.0). The memory itself is the bound.
 *
 * On Node the package finds its own file. In a page the file is part of the build: nothing comes from other servers.
 */
export async function loadInterpreter(memoryBytes: number): Promise<LoadedInterpreter> {
  const wasmMemory = new WebAssembly.Memory({ initial: 256, maximum: memoryBytes / pageBytes });
  if (import.meta.env.SSR)
    return { quickjs: await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory })), wasmMemory };
  const { default: url } = await import('@jitl/quickjs-wasmfile-release-sync/wasm?url');
  const response = await fetch(url);
  if (!response.ok) throw new Error(`its interpreter could not be fetched: HTTP ${response.status}. Reload the page.`);
  // compileStreaming would fail on static hosts that serve .wasm without its media type.
  const wasmModule = await WebAssembly.compile(await response.arrayBuffer());
  return {
    quickjs: await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule, wasmMemory })),
    wasmMemory,
  };
}
