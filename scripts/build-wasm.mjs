// Compiles each world of envs-wasm/ to build/wasm/NAME.wasm, when its sources are newer than the last build.
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './machine.mjs';

const newest = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, name)).mtimeMs)
    .reduce((a, b) => Math.max(a, b), 0);

export async function buildWasm() {
  const { default: asc } = await import('assemblyscript/asc');
  const worlds = readdirSync(join(root, 'envs-wasm'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, 'envs-wasm', entry.name, 'index.ts')))
    .map((entry) => entry.name);
  mkdirSync(join(root, 'build/wasm'), { recursive: true });
  const stamp = newest(join(root, 'envs-wasm'));
  for (const world of worlds) {
    const out = join(root, 'build/wasm', `${world}.wasm`);
    if (existsSync(out) && statSync(out).mtimeMs > stamp) continue;
    const started = performance.now();
    const { error, stderr } = await asc.main([
      `envs-wasm/${world}/index.ts`, '--outFile', `build/wasm/${world}.wasm`,
      '--optimizeLevel', '3', '--shrinkLevel', '0', '--runtime', 'stub', '--exportRuntime', '--baseDir', root,
    ]);
    if (error) {
      console.error(stderr.toString());
      throw new Error(`envs-wasm/${world} does not compile: ${error.message}`);
    }
    console.log(`built ${world}.wasm in ${Math.round(performance.now() - started)} ms`);
  }
}

if (process.argv[1] === import.meta.filename) await buildWasm();
