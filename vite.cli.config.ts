// The command line tools: every file of src/cli named in `entries` becomes build/cli/NAME.js, run by scripts/run.mjs.
// world-worker is the file a Node worker thread starts from.
import { defineConfig } from 'vite';

const entries = {
  train: 'src/cli/train.ts',
  replay: 'src/cli/replay.ts',
  golden: 'src/cli/golden.ts',
  bench: 'bench/main.ts',
  learn: 'src/cli/learn.ts',
  crash: 'tests/crash/main.ts',
  'world-worker': 'src/workers/world-worker.ts',
};

export default defineConfig({
  publicDir: false,
  build: {
    ssr: true,
    target: 'node20',
    outDir: 'build/cli',
    emptyOutDir: true,
    minify: false,
    rollupOptions: { input: entries, output: { entryFileNames: '[name].js' } },
  },
  ssr: { noExternal: true, external: ['webgpu', 'playwright-core', 'vite'] },
});
