// `npm run build:python [-- --built]`: the Python package in build/python, with the experiments and the element. A notebook's
// page loads the element from the kernel, so each of its files is whole: it imports nothing, and finds its workers under
// their names in `tabgymFiles`. `--built` uses build/package as it is.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { buildPackage } from './build-package.mjs';
import { root } from './machine.mjs';

const web = join(root, 'build/package/web');
const out = join(root, 'build/python');

/** In the order in which the page receives them: a file refers only to earlier ones. */
const files = ['helper', 'clock-worker', 'sandbox-worker', 'world-worker', 'library-worker', 'element'];

/** Addresses of workers, which a notebook's page makes itself. */
const workersByName = () => ({
  name: 'workers-by-name',
  enforce: 'pre',
  transform: (code) =>
    code.replace(/new URL\(([`'"])\.\/([\w-]+)\.js\1,\s*import\.meta\.url\)/g, 'globalThis.tabgymFiles["$2"]'),
});

async function buildFile(name) {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [workersByName()],
    build: {
      target: 'es2023',
      outDir: join(out, 'tabgym/web'),
      emptyOutDir: false,
      lib: { entry: join(web, `${name}.js`), formats: ['es'], fileName: () => `${name}.js` },
      rolldownOptions: { output: { codeSplitting: false, minify: true } },
    },
  });
  // The kernel sends it as it is.
  const file = join(out, 'tabgym/web', `${name}.js`);
  writeFileSync(`${file}.gz`, gzipSync(readFileSync(file)));
  rmSync(file);
}

export async function buildPython({ built = false } = {}) {
  if (!built || !existsSync(web)) await buildPackage({ page: false });
  rmSync(out, { recursive: true, force: true });
  cpSync(join(root, 'python'), out, { recursive: true });
  cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
  cpSync(join(root, 'build/package/NOTICES.txt'), join(out, 'NOTICES.txt'));
  mkdirSync(join(out, 'tabgym/experiments'), { recursive: true });
  for (const name of readdirSync(join(root, 'experiments')).filter((file) => file.endsWith('.json')))
    cpSync(join(root, 'experiments', name), join(out, 'tabgym/experiments', name));
  for (const name of files) await buildFile(name);
  console.log(`The Python package is in ${out}`);
}

if (process.argv[1] === import.meta.filename) await buildPython({ built: process.argv.includes('--built') });
