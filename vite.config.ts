// The page. The same Vite loads `.wgsl` (as `?raw` text) and TypeScript everywhere: here, in the tests
// (vitest.config.ts) and in the command line tools (vite.cli.config.ts).
import { defineConfig, type Rolldown } from 'vite';

/** What runs in Node too imports Node's modules behind `import.meta.env.SSR`, which a page never reaches: nothing to warn of. */
const onLog: Rolldown.InputOptions['onLog'] = (level, log, report) => {
  if (!/Module "node:\w+(\/\w+)?" has been externalized/.test(log.message)) report(level, log);
};

export default defineConfig({
  base: './',
  build: { target: 'esnext', outDir: 'build/page', emptyOutDir: true, rolldownOptions: { onLog } },
  worker: { format: 'es', rolldownOptions: { onLog } },
  server: { host: '127.0.0.1' },
  preview: { host: '127.0.0.1' },
});
