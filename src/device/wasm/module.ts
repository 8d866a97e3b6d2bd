/**
 * Loads build/wasm/kernels.wasm (in a page from a URL that Vite provides, in Node from a file of the repository) in the
 * form that this engine can run: with or without fused multiply-adds, over shared or unshared memory.
 */
import { DeviceUnavailableError } from '../device.ts';

const urls = import.meta.glob<string>('/build/wasm/kernels*.wasm', { query: '?url', import: 'default' });

/** Exports of the module (kernels-wasm/index.ts). */
export interface KernelExports {
  setScratch(at: number, bytes: number): void;
  setControl(at: number): void;
  setNumber(of: number): void;
  scratchNeeded(): number;
  reservedBytes(): number;
  runAlone(list: number, count: number, chunk: number, until: number): number;
  runTogether(list: number, count: number, chunk: number, until: number, mayWait: number): number;
  firstCallLeft(): number;
  firstChunkLeft(): number;
  serve(): void;
}

async function fromDisk(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const { existsSync } = await import('node:fs');
  const { readFile } = await import('node:fs/promises');
  const { dirname, join } = await import('node:path');
  const { fileURLToPath } = await import('node:url');
  for (const start of [dirname(fileURLToPath(import.meta.url)), process.cwd()])
    for (let folder = start; dirname(folder) !== folder; folder = dirname(folder)) {
      const path = join(folder, 'build/wasm', `${name}.wasm`);
      if (existsSync(path)) return new Uint8Array(await readFile(path));
    }
  throw new DeviceUnavailableError(`build/wasm/${name}.wasm is missing. Build it: node scripts/build-wasm.mjs`);
}

async function fromPage(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const url = urls[`/build/wasm/${name}.wasm`];
  if (!url) throw new DeviceUnavailableError(`${name}.wasm was missing when the page was built. Run: npm run build`);
  const response = await fetch(await url());
  if (!response.ok)
    throw new DeviceUnavailableError(`${name}.wasm could not be fetched: HTTP ${response.status}. Reload the page.`);
  return new Uint8Array(await response.arrayBuffer());
}

const read = (name: string) => (import.meta.env.SSR ? fromDisk(name) : fromPage(name));

/**
 * The same module over an unshared memory, which differs in one flag of its import. Without cross-origin isolation a
 * page cannot create a shared memory at all.
 */
export function unshared(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const out = bytes.slice();
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = out[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < out.length) {
    const section = out[at++];
    const size = number();
    if (section !== 2) {
      at += size;
      continue;
    }
    // An import: module name, field name, and its kind: 0 for a function with its type, 2 for the memory.
    for (let imports = number(); imports > 0; imports--) {
      for (let i = 0; i < 2; i++) {
        const length = number();
        at += length;
      }
      const kind = out[at++];
      if (kind === 2) {
        out[at] &= 1;
        return out;
      }
      if (kind !== 0) break;
      number();
    }
    break;
  }
  throw new DeviceUnavailableError('kernels.wasm imports no memory. Build it again: node scripts/build-wasm.mjs');
}

/** `relaxed`: fused multiply-adds if the engine supports them; their bits differ from the plain build's. */
export async function loadKernels({ relaxed, shared }: { relaxed: boolean; shared: boolean }) {
  const fused = relaxed ? await read('kernels-relaxed') : null;
  const isFused = fused !== null && WebAssembly.validate(fused);
  const bytes = isFused ? fused : await read('kernels');
  if (!WebAssembly.validate(bytes))
    throw new DeviceUnavailableError(
      'This browser has no WebAssembly SIMD. Chrome or Edge 91+, Firefox 89+ and Safari 16.4+ have it.',
    );
  return { module: await WebAssembly.compile(shared ? bytes : unshared(bytes)), relaxed: isFused };
}
