// Compiles each world of envs-wasm/ to build/wasm/NAME.wasm, when a source of it is newer than the last build. Two builds at
// once do no harm: each writes a file of its own and moves it into place.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './machine.mjs';

const folder = join(root, 'envs-wasm');

const newestIn = (place) =>
  readdirSync(place, { recursive: true })
    .map((name) => statSync(join(place, name)).mtimeMs)
    .reduce((a, b) => Math.max(a, b), 0);

function isFresh(world, out) {
  if (!existsSync(out)) return false;
  const sources = [
    newestIn(join(folder, world)),
    newestIn(join(folder, 'shared')),
    statSync(import.meta.filename).mtimeMs,
  ];
  return statSync(out).mtimeMs > Math.max(...sources);
}

async function compile(world, out) {
  const started = Date.now();
  // Loading the compiler takes a second: only where there is something to compile.
  const { default: asc } = await import('assemblyscript/asc');
  const temporary = `build/wasm-${process.pid}/${world}.wasm`;
  // The stub runtime allocates and never frees; envs-wasm/*/worlds.ts says how each world lives with that.
  const options = ['--optimizeLevel', '3', '--shrinkLevel', '0', '--runtime', 'stub', '--baseDir', root];
  const { error, stderr } = await asc.main([`envs-wasm/${world}/index.ts`, '--outFile', temporary, ...options]);
  if (error) {
    console.error(stderr.toString());
    throw new Error(`envs-wasm/${world} does not compile: ${error.message}`);
  }
  // As old as its sources were read: a source changed meanwhile is newer.
  utimesSync(join(root, temporary), started / 1000, started / 1000);
  renameSync(join(root, temporary), out);
  rmSync(join(root, `build/wasm-${process.pid}`), { recursive: true });
  console.log(`built ${world}.wasm in ${Date.now() - started} ms`);
}

export async function buildWasm() {
  mkdirSync(join(root, 'build/wasm'), { recursive: true });
  for (const { name } of readdirSync(folder, { withFileTypes: true })) {
    if (!existsSync(join(folder, name, 'index.ts'))) continue;
    const out = join(root, 'build/wasm', `${name}.wasm`);
    if (!isFresh(name, out)) await compile(name, out);
  }
}

if (process.argv[1] === import.meta.filename) await buildWasm();
