// The package: library and commands for Node, and the library for pages with its workers. `scripts/build-package.mjs`
// builds one part after the other; the mode names the part.
import { defineConfig, type Rolldown, type UserConfig } from 'vite';
import { frameScript } from './scripts/frame-script.mjs';
import {
  flatWorkers,
  inlineFiles,
  withoutOptional,
  withoutServerForms,
  withoutSqliteWorker,
} from './scripts/package-plugins.mjs';
import { commandEntries, nodeExternals } from './vite.cli.config.ts';

const out = 'build/package';

/** Node's modules are behind `import.meta.env.SSR`, which is false in a page. */
const onLog: Rolldown.InputOptions['onLog'] = (level, log, report) => {
  if (!/Module "node:[\w/]+" has been externalized/.test(log.message) && log.code !== 'PLUGIN_TIMINGS')
    report(level, log);
};

const library = ['index', 'worlds', 'policy', 'files'];
const entriesOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, `src/library/${name}.ts`]));

/** Commands of `npx tabgym`, beside `page`. */
const commands = ['train', 'eval', 'serve', 'proxy', 'plan', 'export', 'world-worker', 'sandbox-worker'];

const chunks = { chunkFileNames: 'chunk-[name]-[hash].js' };

/** Workers of pages. */
const pageWorkers = {
  'library-worker': 'src/workers/library-worker.ts',
  'world-worker': 'src/workers/world-worker.ts',
  'sandbox-worker': 'src/workers/sandbox-worker.ts',
  'clock-worker': 'src/workers/clock-worker.ts',
  helper: 'src/device/wasm/helper.ts',
};

const node: UserConfig = {
  publicDir: false,
  plugins: [frameScript({ empty: true })],
  build: {
    ssr: true,
    target: 'node20',
    outDir: `${out}/build/cli`,
    emptyOutDir: true,
    minify: false,
    rolldownOptions: {
      input: {
        ...entriesOf([...library, 'server']),
        ...Object.fromEntries(commands.map((name) => [name, commandEntries[name as keyof typeof commandEntries]])),
      },
      output: { entryFileNames: '[name].js', ...chunks },
    },
  },
  ssr: { noExternal: true, external: [...nodeExternals] },
};

/**
 * Entries of pages, and their workers beside them: what they share is in chunks. In library mode Vite puts every file
 * that a script refers to into the script.
 */
const web: UserConfig = {
  publicDir: false,
  plugins: [
    flatWorkers(),
    inlineFiles(),
    withoutOptional(['onnxruntime-web', 'node-sqlite3-wasm']),
    withoutServerForms(),
    withoutSqliteWorker(),
    frameScript(),
  ],
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    target: 'es2023',
    outDir: `${out}/web`,
    emptyOutDir: true,
    copyPublicDir: false,
    lib: { entry: { ...entriesOf([...library, 'element']), ...pageWorkers }, formats: ['es'] },
    rolldownOptions: { output: { entryFileNames: '[name].js', ...chunks, minify: true }, onLog },
  },
};

export default defineConfig(({ mode }) => {
  if (mode === 'node') return node;
  if (mode === 'web') return web;
  throw new Error(`There is no part "${mode}" of the package: node or web.`);
});
