// Runs a command line tool: `node scripts/run.mjs NAME ARGUMENTS`. First builds the worlds and the tools if a source
// has changed since the last build (about a second).
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWasm } from './build-wasm.mjs';
import { root } from './machine.mjs';
import './visible-output.mjs';

const sources = [
  'src',
  'proxies',
  'tools',
  'shaders',
  'kernels-wasm',
  'bench',
  'scripts',
  'tests',
  'build/wasm',
  'vite.cli.config.ts',
  'package-lock.json',
];
const stamp = join(root, 'build/cli/.built');

function newestIn(path) {
  if (!existsSync(path)) return 0;
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestIn(join(path, name))), own.mtimeMs);
}

const isFresh = () =>
  existsSync(stamp) && sources.every((name) => newestIn(join(root, name)) < statSync(stamp).mtimeMs);

export async function buildCli() {
  await buildWasm();
  if (isFresh()) return;
  const started = Date.now();
  const { build } = await import('vite');
  await build({ configFile: join(root, 'vite.cli.config.ts'), root, logLevel: 'warn' });
  writeFileSync(stamp, '');
  console.log(`built the command line tools in ${Date.now() - started} ms`);
}

// After the pipe is closed, as in `npm run train -- ... | head`, the tool continues without printing.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });

if (process.argv[1] === import.meta.filename) {
  const [name, ...rest] = process.argv.slice(2);
  await buildCli();
  if (name === '--build') process.exit(0);
  const tool = join(root, 'build/cli', `${name}.js`);
  if (!existsSync(tool)) {
    console.error(`There is no tool "${name}": vite.cli.config.ts lists all tools.`);
    process.exit(2);
  }
  process.argv = [process.argv[0], tool, ...rest];
  await import(`../build/cli/${name}.js`);
}
