/** Shared by the world tests: a world's tasks by id, a worker file built for a Node thread, and the golden folder. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { frameScript } from '../../scripts/frame-script.mjs';
import type { Task, WorldOptions } from '../../src/envs/env.ts';

export const goldenFolder = resolve(process.env.TABGYM_GOLDEN ?? '../shared/golden');
export const hasGolden = (name: string) => existsSync(resolve(goldenFolder, name));

export const taskOf = (id: number, options: WorldOptions = {}): Task => ({
  world: 'textcraft',
  id,
  options,
  strata: {},
});

export const allIds = Array.from({ length: 544 }, (_, id) => id);

/** Builds a worker's entry (and its imports) as Vite builds the command line tools. Returns the path of the file. */
export async function buildNodeWorker(entry: string): Promise<string> {
  const { build } = await import('vite');
  const name = entry.replace(/^.*\//, '').replace(/\.ts$/, '');
  // A folder per test process: files that build the same worker run at the same time.
  const outDir = `build/tests/${name}-${process.env.VITEST_POOL_ID ?? 0}`;
  await build({
    configFile: false,
    plugins: [frameScript({ empty: true })],
    logLevel: 'warn',
    publicDir: false,
    build: {
      ssr: true,
      target: 'node20',
      outDir,
      emptyOutDir: true,
      minify: false,
      rollupOptions: { input: { [name]: entry }, output: { entryFileNames: '[name].js' } },
    },
    // This package finds its .wasm beside its own file.
    ssr: { noExternal: true, external: ['@jitl/quickjs-wasmfile-release-sync'] },
  });
  return resolve(outDir, `${name}.js`);
}
