// Compiles each world of envs-wasm/ to build/wasm/NAME.wasm, and also kernels-wasm/ and its packing.ts, if a source has
// changed since the last build: NAME.key has the hash of all that NAME.wasm was made from, so a newer date alone compiles
// nothing. Two builds may run at once: each writes its own file and moves it into place.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { writeKernelTables } from './kernel-tables.mjs';
import { root } from './machine.mjs';

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

const filesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => relative(root, join(each.parentPath, each.name)).replaceAll('\\', '/'))
    .sort();

/** SHA-256 of what a module is made from: files of these folders, options, this script and the compiler's version. */
function keyOf(folders, options) {
  const compiler = JSON.parse(readFileSync(join(root, 'node_modules/assemblyscript/package.json'), 'utf8')).version;
  const hash = createHash('sha256').update(JSON.stringify([compiler, options]));
  for (const file of [relative(root, import.meta.filename), ...folders.flatMap(filesIn)]) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Compiles `entry` to NAME.wasm unless that was made from the same sources with the same options. */
async function compileIfChanged(name, entry, folders, options = []) {
  const out = join(root, 'build/wasm', `${name}.wasm`);
  const keyFile = join(root, 'build/wasm', `${name}.key`);
  // Read before the build: a source that changes meanwhile is compiled the next time.
  const key = keyOf(folders, options);
  if (existsSync(out) && existsSync(keyFile) && readFileSync(keyFile, 'utf8') === key) return;
  rmSync(keyFile, { force: true });
  await compile(name, entry, out, options);
  writeFileSync(keyFile, key);
}

async function compile(name, entry, out, more) {
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
  renameSync(join(root, temporary), out);
  rmSync(join(root, `build/wasm-${process.pid}`), { recursive: true });
  console.log(`built ${name}.wasm in ${Date.now() - started} ms`);
}

export async function buildWasm() {
  mkdirSync(join(root, 'build/wasm'), { recursive: true });
  for (const { name } of readdirSync(join(root, 'envs-wasm'), { withFileTypes: true }))
    if (existsSync(join(root, 'envs-wasm', name, 'index.ts')))
      await compileIfChanged(name, `envs-wasm/${name}/index.ts`, [`envs-wasm/${name}`, 'envs-wasm/shared']);
  const packing = ['--enable', 'simd', '--noAssert', '--use', 'abort='];
  await compileIfChanged('packing', 'kernels-wasm/packing.ts', ['kernels-wasm'], packing);
  writeKernelTables();
  for (const [name, options] of kernels)
    await compileIfChanged(
      name,
      'kernels-wasm/index.ts',
      ['kernels-wasm', 'build/kernels'],
      [...kernelOptions, ...options],
    );
}

if (process.argv[1] === import.meta.filename) await buildWasm();
