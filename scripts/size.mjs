// Checks the size budgets: the files that a first visit loads, gzipped. `picture`: up to the recorded episode's first turn:
// the document, what it links, and the sample. `start`: from there to the Train button: every chunk that
// `src/ui/app/whole-page.ts` imports, also by way of others. The trainer's worker, the worlds and their WASM are loaded later;
// they are listed but not counted. The tests' fixtures must not be in the build. `node scripts/size.mjs FOLDER` measures a
// page that was built before.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parseSync } from 'oxc-parser';
import { build } from 'vite';
import { buildWasm } from './build-wasm.mjs';
import { root } from './machine.mjs';

// On 27 November 2026 both together had 282 KB in 117 files. The aim for both is 120 KB.
const budgets = { picture: 36 * 1024, start: 222 * 1024 };
const outDir = join(root, process.argv[2] ?? 'build/size');

if (!process.argv[2]) {
  await buildWasm();
  await build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true } });
}

const gzipped = (file) => gzipSync(readFileSync(join(outDir, file))).length;
const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
const textOf = (file) => readFileSync(join(outDir, file), 'utf8');

/** Files of the build, as paths with slashes. */
const files = readdirSync(outDir, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) =>
    join(entry.parentPath, entry.name)
      .slice(outDir.length + 1)
      .replaceAll('\\', '/'),
  )
  .sort();

/** Chunks that a script imports: at once, and those of `import()` with a plain address. */
function importsOf(file) {
  const text = textOf(file);
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text, { sourceType: 'module' }).module;
  const at = (address) => posix.join(posix.dirname(file), address);
  const reexported = staticExports.flatMap(({ entries }) => entries.flatMap((each) => each.moduleRequest ?? []));
  const once = [...staticImports.map(({ moduleRequest }) => moduleRequest), ...reexported];
  const later = dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1));
  return { once: once.map(({ value }) => at(value)), later: later.map(at) };
}

/** The files, and all that their scripts import at once. */
function withImports(given) {
  const found = new Set();
  const add = (file) => {
    if (found.has(file)) return;
    found.add(file);
    if (file.endsWith('.js')) importsOf(file).once.forEach(add);
  };
  given.forEach(add);
  return found;
}

/** The chunk that a script loads later, by the name of its module. */
function chunkOf(name, importers) {
  const later = [...importers].filter((file) => file.endsWith('.js')).flatMap((file) => importsOf(file).later);
  const file = later.find((each) => posix.basename(each).startsWith(`${name}-`));
  if (!file) throw new Error(`The page no longer imports ${name}.ts: correct scripts/size.mjs.`);
  return file;
}

const linked = [...textOf('index.html').matchAll(/(?:src|href)="\.\/([^"]+\.(?:js|css|svg))"/g)].map(
  ([, file]) => file,
);
const samples = ['samples.json', ...JSON.parse(textOf('samples.json')).map(({ file }) => file)];
const picture = withImports(['index.html', ...samples, ...linked]);
chunkOf('app', picture);
const start = withImports([chunkOf('whole-page', picture)]);

const stageOf = (file) => (picture.has(file) ? 'picture' : start.has(file) ? 'start' : 'later');
const total = { picture: 0, start: 0, later: 0 };
const count = { picture: 0, start: 0, later: 0 };
for (const file of files) {
  const size = gzipped(file);
  const stage = stageOf(file);
  total[stage] += size;
  count[stage]++;
  console.log(`${stage.padEnd(7)} ${kilobytes(size).padStart(9)}  ${file}`);
}
const fixtures = files.filter((file) => file.endsWith('.js') && textOf(file).includes('Intel Iris Xe'));
for (const [stage, budget] of Object.entries(budgets))
  console.log(`${stage} ${kilobytes(total[stage])} of ${kilobytes(budget)} in ${count[stage]} files, gzipped`);
if (fixtures.length) console.error(`The fixtures are in the shipped page: ${fixtures.join(', ')}`);
const over = Object.keys(budgets).filter((stage) => total[stage] > budgets[stage]);
if (over.length)
  console.error(`Over the budget: ${over.join(', ')}. Load later whatever this part does not need, or remove it.`);
if (over.length || fixtures.length) process.exit(1);
