// Checks the size budget: all files that the page loads before the first interaction must be under 120 KB, gzipped. The
// trainer's worker, the worlds and their WASM are loaded later; they are listed but not counted. The tests' fixtures
// must not be in the build. `node scripts/size.mjs FOLDER` measures a page that was built before.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { buildWasm } from './build-wasm.mjs';
import { root } from './machine.mjs';

const budget = 120 * 1024;
const outDir = join(root, process.argv[2] ?? 'build/size');

if (!process.argv[2]) {
  await buildWasm();
  await build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true } });
}

const files = readdirSync(outDir, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const gzipped = (file) => gzipSync(readFileSync(file)).length;
const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
const isShell = (file) =>
  /(index|app)[^/]*\.(html|js|css)$|worker-client[^/]*\.js$|icon\.svg$|samples\.json$/.test(file);

let shell = 0;
for (const file of files.sort()) {
  const size = gzipped(file);
  if (isShell(file)) shell += size;
  console.log(`${isShell(file) ? 'shell' : 'later'}  ${kilobytes(size).padStart(9)}  ${file.slice(outDir.length + 1)}`);
}
const fixtures = files.filter((file) => file.endsWith('.js') && readFileSync(file, 'utf8').includes('Intel Iris Xe'));
console.log(`shell ${kilobytes(shell)} of ${kilobytes(budget)}, gzipped`);
if (fixtures.length) console.error(`The fixtures are in the shipped page: ${fixtures.join(', ')}`);
if (shell > budget)
  console.error('The shell is over its budget. Load later whatever the start does not need, or remove it.');
if (shell > budget || fixtures.length) process.exit(1);
