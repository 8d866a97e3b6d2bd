/**
 * Finds and compiles build/wasm/NAME.wasm, wherever this code runs: in a page or its workers by a URL that Vite
 * resolves, in Node (tests, command line) as a file of the repository. Each name is compiled once. Independent of any
 * world.
 */
import { WorldError } from '../env.ts';

const urls = import.meta.glob<string>('/build/wasm/*.wasm', { query: '?url', import: 'default' });
const compiled = new Map<string, Promise<WebAssembly.Module>>();

/**
 * The repository's root, or that of an exported world: the nearest folder above this file (or above the working
 * directory) with a package.json, and envs-wasm or the built workers.
 */
export async function repositoryRoot(): Promise<string> {
  const { existsSync } = await import('node:fs');
  const { dirname, join } = await import('node:path');
  const { fileURLToPath } = await import('node:url');
  for (const start of [dirname(fileURLToPath(import.meta.url)), process.cwd()]) {
    for (let folder = start; ; folder = dirname(folder)) {
      const is = ['envs-wasm', 'build/cli/world-worker.js'].some((name) => existsSync(join(folder, name)));
      if (is && existsSync(join(folder, 'package.json'))) return folder;
      if (dirname(folder) === folder) break;
    }
  }
  throw new WorldError('The repository was not found above this program: run it from inside its folder.');
}

async function readFromDisk(name: string): Promise<WebAssembly.Module> {
  const { readFile } = await import('node:fs/promises');
  const path = `${await repositoryRoot()}/build/wasm/${name}.wasm`;
  const bytes = await readFile(path).catch(() => null);
  if (!bytes) throw new WorldError(`${path} is missing. Build the worlds: node scripts/build-wasm.mjs`);
  return WebAssembly.compile(new Uint8Array(bytes));
}

async function fetchFromPage(name: string): Promise<WebAssembly.Module> {
  const url = urls[`/build/wasm/${name}.wasm`];
  if (!url) throw new WorldError(`${name}.wasm was not there when the page was built. Run: npm run build`);
  const response = await fetch(await url());
  if (!response.ok)
    throw new WorldError(`${name}.wasm could not be fetched: HTTP ${response.status}. Reload the page.`);
  // Not compileStreaming: some static hosts serve .wasm without its media type.
  return WebAssembly.compile(await response.arrayBuffer());
}

/** The compiled module of a world. */
export function loadWasm(name: string): Promise<WebAssembly.Module> {
  let module = compiled.get(name);
  if (!module) {
    module = import.meta.env.SSR ? readFromDisk(name) : fetchFromPage(name);
    module.catch(() => compiled.delete(name));
    compiled.set(name, module);
  }
  return module;
}
