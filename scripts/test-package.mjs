// `npm run test:package [-- PART ...] [-- --built]`: builds and packs the package, installs the packed file in empty
// projects, and uses it there: on Node, in Chromium by Vite, webpack, esbuild and without a bundler, and in the examples.
// Prints sizes beside their budgets. `--built` uses build/package as it is.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildPackage } from './build-package.mjs';
import { root } from './machine.mjs';
import { inChromium, shownByPage, twoElements } from './package-page.mjs';

const work = mkdtempSync(join(tmpdir(), 'tabgym-package-'));
const megabyte = 1024 * 1024;

/** Maximum number of bytes of each size that is printed. */
const budgets = {
  'packed file': 5 * megabyte,
  'installed, with its dependencies': 40 * megabyte,
  // The worlds' and algorithms' fields, which an experiment is checked with, are most of it and grow with each world.
  'tabgym in a page, gzipped, before anything runs': 132 * 1024,
  'the element, gzipped, before anything is loaded': 60 * 1024,
};

const failures = [];
function measured(name, bytes) {
  const over = bytes > budgets[name];
  console.log(`${over ? 'OVER  ' : 'ok    '} ${name}: ${(bytes / 1024).toFixed(0)} KB of ${budgets[name] / 1024} KB`);
  if (over) failures.push(`${name} is over its budget`);
}

function checked(name, text, wanted) {
  const ok = wanted.every((part) => text.includes(part));
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name}`);
  if (ok) return;
  failures.push(name);
  console.log(text);
}

const npm = (cwd, ...words) => execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
/** Output of a program and its exit code. */
function outputOf(cwd, ...words) {
  const { stdout, stderr, status } = spawnSync(process.execPath, words, { cwd, encoding: 'utf8' });
  return `${stdout}${stderr}\nexit ${status}`;
}

let packed;
function pack() {
  const [{ filename, size }] = JSON.parse(
    npm(join(root, 'build/package'), 'pack', '--json', '--pack-destination', work),
  );
  packed = join(work, filename);
  measured('packed file', size);
}

/** An empty project with the packed file and these packages. */
function project(name, ...packages) {
  const folder = join(work, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}\n');
  npm(folder, 'install', '--no-audit', '--no-fund', '--prefer-offline', packed, ...packages);
  return folder;
}

const kilobytesOf = (folder) => Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]);

/** Arguments that shorten an example. */
const small = { 'sweep.mjs': ['2'], 'own-world.mjs': ['4'] };

/** The example that plays a model behind an API, and a model that takes stock at every turn. */
const apiExample = 'eval-api.mjs';
const standIn = `import { createServer } from 'node:http';
const choices = [{ message: { role: 'assistant', content: 'inventory' } }];
const server = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices }));
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
process.argv.splice(2, 9, 'http://127.0.0.1:' + server.address().port + '/v1', 'stand-in', '3');
await import('./${apiExample}');
process.exit();
`;

function node() {
  const folder = project('node');
  measured('installed, with its dependencies', kilobytesOf(join(folder, 'node_modules')) * 1024);
  for (const name of readdirSync(join(root, 'examples')).filter((file) => file.endsWith('.mjs'))) {
    cpSync(join(root, 'examples', name), join(folder, name));
    if (name !== apiExample) checked(`example ${name}`, outputOf(folder, name, ...(small[name] ?? [])), ['done']);
  }
  writeFileSync(join(folder, 'model.mjs'), standIn);
  // Wilson's interval of no success in three: 0 to z² / (3 + z²).
  checked(`example ${apiExample}`, outputOf(folder, 'model.mjs'), ['0 of 3, 95% interval 0.00 to 0.56', 'done']);
  entryExamples(folder);
  const bin = join(folder, 'node_modules/tabgym/bin/tabgym.mjs');
  checked('tabgym --help', outputOf(folder, bin, '--help'), ['Commands:', 'train', 'page']);
  checked('tabgym train --help', outputOf(folder, bin, 'train', '--help'), ['--allow-code']);
  checked('tabgym plan micro', outputOf(folder, bin, 'plan', 'micro'), ['total', 'exit 0']);
  checked('tabgym proxy without its package', outputOf(folder, bin, 'proxy'), ['npm install playwright-core']);
  checked('tabgym page without its package', outputOf(folder, bin, 'page'), ['npm install tabgym-page']);
  const gpu = outputOf(folder, bin, 'train', 'micro', '--steps', '1', '--device', 'webgpu', '--out', 'run');
  checked('the GPU without its package', gpu, ['npm install webgpu']);
}

/** The example in the docstring of each entry. */
function entryExamples(folder) {
  npm(folder, 'install', '--no-audit', '--no-fund', '--prefer-offline', 'fastify');
  for (const name of ['index', 'worlds', 'policy', 'files', 'server']) {
    const text = readFileSync(join(folder, `node_modules/tabgym/types/${name}.d.ts`), 'utf8');
    const code = /```js\n([\s\S]*?)\n \* ```/.exec(text)[1].replace(/^ \* ?/gm, '');
    writeFileSync(join(folder, `entry-${name}.mjs`), `${code}\nconsole.log('done');\n`);
    checked(`the example of ${name}`, outputOf(folder, `entry-${name}.mjs`), ['done']);
  }
}

/** Copies the example of a page into a project. */
function pageIn(folder) {
  cpSync(join(root, 'examples/page'), folder, { recursive: true });
}

const trained = ['step 3 of 3', 'done'];
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

async function vite() {
  const folder = project('vite', 'vite@8');
  pageIn(folder);
  outputOf(folder, 'node_modules/vite/bin/vite.js', 'build');
  checked('Vite', await shownByPage(join(folder, 'dist'), '/?steps=3', { policy }), trained);
}

/** A framework's wrapper of the element. */
async function wrapper(name, ...packages) {
  const folder = project(name, 'vite@8', ...packages);
  cpSync(join(root, 'examples', name), folder, { recursive: true });
  const built = outputOf(folder, 'node_modules/vite/bin/vite.js', 'build');
  checked(name, built + (await shownByPage(join(folder, 'dist'), '/', {})), ['step 3 of 3', 'done']);
}
const react = () => wrapper('react', 'react@19', 'react-dom@19');
const svelte = () => wrapper('svelte', 'svelte@5', '@sveltejs/vite-plugin-svelte@7');

/** The deck: turns to its last slide by keyboard, trains there, and turns back and forth. */
async function slides() {
  const folder = project('slides');
  cpSync(join(root, 'examples/slides'), folder, { recursive: true });
  cpSync(join(folder, 'node_modules/tabgym/web'), join(folder, 'tabgym'), { recursive: true });
  const micro = JSON.parse(readFileSync(join(root, 'experiments/micro.json'), 'utf8'));
  writeFileSync(join(folder, 'experiment.json'), JSON.stringify({ ...micro, steps: 3 }));
  const shown = await inChromium(folder, '/', { policy: `${policy}; style-src 'self'` }, async (page, problems) => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    for (const _ of ['second', 'third']) await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: 'Train', exact: true }).click();
    await page.keyboard.press('Escape');
    await page.evaluate(() => document.activeElement?.blur());
    for (const key of ['ArrowLeft', 'ArrowRight']) await page.keyboard.press(key);
    await page.getByText('Finished', { exact: false }).waitFor({ timeout: 240_000 });
    return [`slide ${new URL(page.url()).hash}`, await page.getByText('Finished').textContent(), ...problems].join(
      '\n',
    );
  });
  checked('slides', shown, ['slide #3', 'Finished · Step 3']);
}

async function html() {
  const folder = project('html');
  pageIn(folder);
  cpSync(join(folder, 'node_modules/tabgym/web'), join(folder, 'tabgym'), { recursive: true });
  const main = readFileSync(join(folder, 'main.js'), 'utf8').replace("'tabgym'", "'./tabgym/index.js'");
  writeFileSync(join(folder, 'main.js'), main);
  const first = ['index.js', ...importsOf(join(folder, 'tabgym'), 'index.js')];
  const bytes = first.reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, 'tabgym', file))).length, 0);
  measured('tabgym in a page, gzipped, before anything runs', bytes);
  checked('no bundler, strict policy', await shownByPage(folder, '/?steps=3', { policy }), trained);
}

const hostile = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Foreign</title><link rel="stylesheet" href="hostile.css">
<p id="before">A paragraph.</p>
<tab-gym id="one" src="experiment.json" view="curves" controls></tab-gym>
<tab-gym id="two" src="experiment.json" view="play" lang="zh" theme="dark"></tab-gym>
<script type="module" src="./tabgym/element.js"></script></html>`;

/** Two elements in a page with hostile styles and a strict policy: one trains, in the other a task is played. */
async function element() {
  const folder = project('element');
  const web = join(folder, 'node_modules/tabgym/web');
  cpSync(web, join(folder, 'tabgym'), { recursive: true });
  const first = ['element.js', ...importsOf(web, 'element.js')];
  const bytes = first.reduce((sum, file) => sum + gzipSync(readFileSync(join(web, file))).length, 0);
  measured('the element, gzipped, before anything is loaded', bytes);
  writeFileSync(join(folder, 'index.html'), hostile);
  writeFileSync(
    join(folder, 'hostile.css'),
    '* { color: red !important; font-size: 40px !important; all: unset !important }\n',
  );
  const micro = JSON.parse(readFileSync(join(root, 'experiments/micro.json'), 'utf8'));
  writeFileSync(join(folder, 'experiment.json'), JSON.stringify({ ...micro, steps: 3 }));
  const strict = `${policy}; style-src 'self'`;
  const { shown, problems } = await inChromium(folder, '/', { policy: strict }, twoElements);
  checked('two elements in a foreign page', [...shown, ...problems].join('\n'), [
    'finished',
    '> inventory',
    'color kept',
  ]);
  checked('a hundred removals and insertions', shown.join('\n'), ['one trainer']);
}

/** Files that a module imports before it runs, with those of its imports. */
function importsOf(folder, file, found = new Set()) {
  const text = readFileSync(join(folder, file), 'utf8');
  for (const [, name] of text.matchAll(/(?:^|[;}\n])(?:import|export)[^;()'"`]*?["'`]\.\/([\w.-]+\.js)["'`]/g))
    if (!found.has(name)) importsOf(folder, name, found.add(name));
  return [...found];
}

async function esbuild() {
  const folder = project('esbuild', 'esbuild@0.28');
  pageIn(folder);
  const out = join(folder, 'dist');
  execFileSync(
    join(folder, 'node_modules/.bin/esbuild'),
    [
      ...['main.js', '--bundle', '--format=esm', '--splitting', `--outdir=${out}`, '--log-level=error'],
      ...['library-worker', 'world-worker', 'sandbox-worker', 'clock-worker', 'helper'].map(
        (name) => `node_modules/tabgym/web/${name}.js`,
      ),
      '--entry-names=[name]',
      '--chunk-names=[name]-[hash]',
    ],
    { cwd: folder },
  );
  cpSync(join(folder, 'index.html'), join(out, 'index.html'));
  checked('esbuild', await shownByPage(out, '/?steps=3', { policy }), trained);
}

async function webpack() {
  const folder = project('webpack', 'webpack@5');
  pageIn(folder);
  const config =
    "const [webpack] = [(await import('webpack')).default];\n" +
    "webpack({ mode: 'production', context: import.meta.dirname, entry: { main: './main.js' },\n" +
    // Workers are entries of their own, so the name of a file must differ for each.
    "  output: { path: import.meta.dirname + '/dist', filename: '[name].js', module: true, workerChunkLoading: 'import' },\n" +
    '  experiments: { outputModule: true } },\n' +
    '  (error, stats) => console.log(error ?? stats.toString({ all: false, errors: true, warnings: false })));\n';
  writeFileSync(join(folder, 'build.mjs'), config);
  const built = outputOf(folder, 'build.mjs');
  cpSync(join(folder, 'index.html'), join(folder, 'dist/index.html'));
  checked('webpack 5', built + (await shownByPage(join(folder, 'dist'), '/?steps=3', { policy })), trained);
}

function types() {
  const folder = project('types', 'typescript@5.9', 'publint@0.3', '@arethetypeswrong/cli@0.18');
  writeFileSync(
    join(folder, 'main.ts'),
    `
import { createRun, preset, type Run } from 'tabgym';
import { readRun } from 'tabgym/files';
import { loadPolicy } from 'tabgym/policy';
import { serve } from 'tabgym/server';
import { TabGymElement } from 'tabgym/element';
import { createWorld } from 'tabgym/worlds';
const run: Run = await createRun(preset('micro'), { device: 'wasm' });
run.on('step', ({ step, metrics }) => { const sum: number = step + metrics.success; void sum; });
// @ts-expect-error there is no such event
run.on('steps', () => {});
const policy = await loadPolicy(await run.export());
const [text]: string[] = await policy.act([{ role: 'user', content: readRun(await run.export()).name }]);
void [text, serve, createWorld, TabGymElement];
`,
  );
  const options = { noEmit: true, strict: true, module: 'nodenext', target: 'es2022', skipLibCheck: false };
  const config = { compilerOptions: { ...options, lib: ['es2023', 'dom'], types: [] }, files: ['main.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const typed = outputOf(folder, 'node_modules/typescript/bin/tsc', '-p', '.');
  checked('tsc --strict, with every library checked', typed, ['exit 0']);
  const publint = outputOf(folder, 'node_modules/publint/src/cli.js', packed, '--strict');
  checked('publint', publint, ['All good!']);
  const attw = outputOf(folder, 'node_modules/@arethetypeswrong/cli/dist/index.js', packed, '--profile', 'esm-only');
  checked('attw', attw, ['bundler: 🟢', 'exit 0']);
}

function api() {
  checked('the API and its report', outputOf(root, 'scripts/api-report.mjs', '--check'), ['equals']);
  checked('its documentation, without a warning', outputOf(root, 'scripts/api-docs.mjs'), [
    'The pages are in',
    'exit 0',
  ]);
}

const parts = { api, types, node, html, element, slides, vite, esbuild, webpack, react, svelte };
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const unknown = words.filter((word) => !(word in parts));
if (unknown.length)
  throw new Error(`There is no part ${unknown.join(', ')}: choose from ${Object.keys(parts).join(', ')}.`);
if (!process.argv.includes('--built')) await buildPackage({ page: false });
pack();
for (const name of words.length ? words : Object.keys(parts)) {
  try {
    await parts[name]();
  } catch (error) {
    failures.push(name);
    console.error(`FAILED ${name}: ${error.stderr || error.stack}`);
  }
}
rmSync(work, { recursive: true });
console.log(failures.length ? `failed: ${failures.join('; ')}` : 'The packed file works in every project.');
process.exit(failures.length ? 1 : 0);
