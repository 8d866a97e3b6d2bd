/** Kernels of the WebAssembly module. Nothing is compiled; one operation serves all forms of a kernel. */
import {
  type CompileProgress,
  type Constants,
  DeviceError,
  type Kernel,
  type KernelCache,
  type KernelHandle,
} from '../device.ts';
import { constantWords, type Operation, operations } from './operations.ts';

export class WasmKernel implements Kernel {
  readonly code = '';
  readonly words: Uint32Array;

  constructor(
    readonly name: string,
    readonly constants: Constants,
    readonly extra: string,
    readonly operation: Operation,
  ) {
    this.words = constantWords(operation, constants);
  }

  get bindingCount(): number {
    return this.operation.bindings.length;
  }

  /** All bindings lie in one memory, so each may be read and written. */
  writes(): boolean {
    return true;
  }
}

export class WasmKernels implements KernelCache {
  private readonly kernels = new Map<string, WasmKernel>();
  private readonly unknown = new Set<string>();

  request(name: string, constants: Constants = {}, extra = ''): KernelHandle {
    const key = `${name} ${JSON.stringify(constants)} ${extra}`;
    const operation = extra ? undefined : operations.get(name);
    if (!operation) this.unknown.add(name);
    else if (!this.kernels.has(key)) this.kernels.set(key, new WasmKernel(name, constants, extra, operation));
    return { name, isReady: true, get: () => this.take(key, name) };
  }

  private take(key: string, name: string): WasmKernel {
    const kernel = this.kernels.get(key);
    if (!kernel) throw new DeviceError(`The WebAssembly device has no kernel ${name}.`);
    return kernel;
  }

  async settle(onProgress?: CompileProgress): Promise<void> {
    for (const name of this.unknown) {
      // Reports each unknown kernel once.
      this.unknown.delete(name);
      throw new DeviceError(`The WebAssembly device has no kernel ${name}: add it to kernels-wasm/kernels.mjs.`);
    }
    onProgress?.(this.kernels.size, this.kernels.size, 'kernels');
  }

  all(): WasmKernel[] {
    return [...this.kernels.values()];
  }
}
