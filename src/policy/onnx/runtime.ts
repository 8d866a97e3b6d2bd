/**
 * onnxruntime-web, loaded on first use, with its WASM backend (several threads if the page is cross-origin isolated) or
 * its WebGPU backend. Its files are served by this site; nothing is fetched from elsewhere. Node supports the WASM
 * backend only.
 */
import type * as Ort from 'onnxruntime-web';

export type OnnxRuntime = typeof Ort;
export type OnnxBackend = 'wasm' | 'webgpu';

/** Thrown if the runtime cannot be loaded, refuses a model, or does not support an operation. */
export class OnnxError extends Error {
  override name = 'OnnxError';
}

const mostThreads = 4;
const loaded = new Map<OnnxBackend, Promise<OnnxRuntime>>();

/** Shared memory requires cross-origin isolation; without it there is one thread. */
const threads = () =>
  globalThis.crossOriginIsolated ? Math.min(mostThreads, globalThis.navigator?.hardwareConcurrency ?? 1) : 1;

/** `SSR` is true outside a page. This also holds in vitest's browser project. */
async function load(backend: OnnxBackend): Promise<OnnxRuntime> {
  if (import.meta.env.SSR) return loadOnNode(backend);
  const [ort, wasm, mjs] =
    backend === 'wasm'
      ? await Promise.all([
          import('onnxruntime-web/wasm'),
          import('onnxruntime-web/ort-wasm-simd-threaded.wasm?url'),
          import('onnxruntime-web/ort-wasm-simd-threaded.mjs?url'),
        ])
      : await Promise.all([
          import('onnxruntime-web/webgpu'),
          import('onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url'),
          import('onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url'),
        ]);
  const absolute = ({ default: url }: { default: string }) => new URL(url, globalThis.location.href).href;
  ort.env.wasm.wasmPaths = { wasm: absolute(wasm), mjs: absolute(mjs) };
  ort.env.wasm.numThreads = threads();
  ort.env.logLevel = 'error';
  return ort;
}

async function loadOnNode(backend: OnnxBackend): Promise<OnnxRuntime> {
  if (backend !== 'wasm') throw new OnnxError("onnxruntime-web's WebGPU backend needs a browser: choose wasm on Node.");
  const ort = await import('onnxruntime-web').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new OnnxError(
      'ONNX models need the optional package onnxruntime-web. Install it: npm install onnxruntime-web.',
    );
  });
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
  return ort;
}

/** Loads the runtime of a backend once per page or worker. */
export function onnxRuntime(backend: OnnxBackend): Promise<OnnxRuntime> {
  const known = loaded.get(backend);
  if (known) return known;
  const loading = load(backend).catch((error: Error) => {
    loaded.delete(backend);
    if (error instanceof OnnxError) throw error;
    throw new OnnxError(`The ONNX runtime could not be loaded (${error.message}). Reload the page and try again.`);
  });
  loaded.set(backend, loading);
  return loading;
}
