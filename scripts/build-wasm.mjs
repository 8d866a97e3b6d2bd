// Compiles each world of envs-wasm/ to build/wasm/NAME.wasm, and also kernels-wasm/ and its packing.ts, if a source is
// newer than the last build. Two builds may run at once: each writes its own file and moves it into place.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { writeKernelTables } from './kernel-tables.mjs';
import { root } from './machine.mjs';

const folder = join(root, 'envs-wasm');

const newestIn = (place) =>
  readdirSync(place, { recursive: true })
    .map((name) => statSync(join(place, name)).mtimeMs)
    .reduce((a, b) => Math.max(a, b), 0);

/**
 * Kernels of the WebAssembly device, over a memory of the host that threads share: one build without and one with fused
 * multiply-add (relaxed SIMD).
 */
const kernels = [
  ['kernels', []],
  ['kernels-relaxed', ['--enable', 'relaxed-simd']],
];
const kernelOptions = ['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'].concat([
  '--enable',
  'threads',
  '--enable',
  'simd',
  '--use',
  'abort=',
  '--noAssert',
]);

/** True if a build is newer than everything in these folders. */
function isFresh(folders, out) {
  if (!existsSync(out)) return false;
  const sources = [...folders.map(newestIn), statSync(import.meta.filename).mtimeMs];
  return statSync(out).mtimeMs > Math.max(...sources);
}

async function compile(name, entry, out, more = []) {
  const started = Date.now();
  // Loading the compiler takes a second, so load it only if there is something to compile.
  const { default: asc } = await import('assemblyscript/asc');
  const temporary = `build/wasm-${process.pid}/${name}.wasm`;
  // The stub runtime allocates and never frees; envs-wasm/*/worlds.ts explains how each world handles that.
  const options = ['--optimizeLevel', '3', '--shrinkLevel', '0', '--runtime', 'stub', '--baseDir', root, ...more];
  const { error, stderr } = await asc.main([entry, '--outFile', temporary, ...options]);
  if (error) {
    console.error(stderr.toString());
    throw new Error(`${entry} does not compile: ${error.message}`);
  }
  // Dated to the start of the build, so that a source changed meanwhile is newer.
  utimesSync(join(root, temporary), started / 1000, started / 1000);
  renameSync(join(root, temporary), out);
  rmSync(join(root, `build/wasm-${process.pid}`), { recursive: true });
  console.log(`built ${name}.wasm in ${Date.now() - started} ms`);
}

export async function buildWasm() {
  mkdirSync(join(root, 'build/wasm'), { recursive: true });
  for (const { name } of readdirSync(folder, { withFileTypes: true })) {
    if (!existsSync(join(folder, name, 'index.ts'))) continue;
    const out = join(root, 'build/wasm', `${name}.wasm`);
    if (!isFresh([join(folder, name), join(folder, 'shared')], out))
      await compile(name, `envs-wasm/${name}/index.ts`, out);
  }
  const packing = join(root, 'build/wasm/packing.wasm');
  if (!isFresh([join(root, 'kernels-wasm')], packing))
    await compile('packing', 'kernels-wasm/packing.ts', packing, ['--enable', 'simd', '--noAssert', '--use', 'abort=']);
  writeKernelTables();
  for (const [name, options] of kernels) {
    const out = join(root, 'build/wasm', `${name}.wasm`);
    if (!isFresh([join(root, 'kernels-wasm'), join(root, 'build/kernels')], out))
      await compile(name, 'kernels-wasm/index.ts', out, [...kernelOptions, ...options]);
  }
}

if (process.argv[1] === import.meta.filename) await buildWasm();
