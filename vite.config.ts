// The page. The same Vite loads `.wgsl` (as `?raw` text) and TypeScript everywhere: here, in the tests
// (vitest.config.ts) and in the command line tools (vite.cli.config.ts).
import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  build: { target: 'esnext', outDir: 'build/page', emptyOutDir: true },
  worker: { format: 'es' },
  server: { host: '127.0.0.1' },
  preview: { host: '127.0.0.1' },
});
