// The page. The same Vite loads `.wgsl` (as `?raw` text) and TypeScript everywhere: here, in the tests
// (vitest.config.ts) and in the command line tools (vite.cli.config.ts).
import { defineConfig, type Rolldown } from 'vite';
import { contentPolicy } from './scripts/content-policy.mjs';
import { cssTemplates } from './scripts/css-templates.mjs';
import { frameGuard } from './scripts/frame-guard.mjs';
import { frameScript } from './scripts/frame-script.mjs';
import { installable } from './scripts/installable.mjs';
import { loadStages } from './scripts/load-stages.mjs';
import { localeWords } from './scripts/locale-plugin.mjs';

/**
 * Drops Vite's warning about imports of Node's modules: they are behind `import.meta.env.SSR`, which is false in a
 * page.
 */
const onLog: Rolldown.InputOptions['onLog'] = (level, log, report) => {
  if (!/Module "node:\w+(\/\w+)?" has been externalized/.test(log.message)) report(level, log);
};

/**
 * Headers that isolate the page, so that it may use threads. On a static host that does not send them, the service
 * worker adds them.
 */
const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export default defineConfig({
  base: './',
  plugins: [frameGuard(), frameScript(), localeWords(), cssTemplates(), contentPolicy(), loadStages(), installable()],
  build: { target: 'esnext', outDir: 'build/page', emptyOutDir: true, rolldownOptions: { onLog } },
  worker: { format: 'es', plugins: () => [frameScript({ empty: true })], rolldownOptions: { onLog } },
  server: { host: '127.0.0.1', headers },
  preview: { host: '127.0.0.1', headers },
});
