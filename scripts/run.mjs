// Runs a command line tool: `node scripts/run.mjs NAME ARGUMENTS`. Builds the worlds and the tools first (about a second).
import { join } from 'node:path';
import { build } from 'vite';
import { buildWasm } from './build-wasm.mjs';
import { root } from './machine.mjs';

export async function buildCli() {
  await buildWasm();
  await build({ configFile: join(root, 'vite.cli.config.ts'), root, logLevel: 'warn' });
}

if (process.argv[1] === import.meta.filename) {
  const [name, ...rest] = process.argv.slice(2);
  await buildCli();
  process.argv = [process.argv[0], join(root, 'build/cli', `${name}.js`), ...rest];
  await import(`../build/cli/${name}.js`);
}
