// Test projects: `node` (units, worlds, kernels on Dawn; `node-mocks` has the files that mock a module),
// `chromium` and `firefox` (the same kernels in these browsers) and `page` (the built page, driven from outside). Tests
// with the tag `slow` are left out of `npm test`; `npm run test:slow` runs them.
// Which adapter and which browser are used is decided once, in scripts/machine.mjs.

import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { frameScript } from './scripts/frame-script.mjs';
import { chromiumArgs, findBrowserDriver, findChromium } from './scripts/machine.mjs';
import { firefox } from './tests/firefox-provider.ts';

const chromium = findChromium();

/** Dawn's adapter is the browser's own, as on a newcomer's machine, whatever else is installed; `npm test -- mesa` asks for another. */
const adapter = process.env.TABGYM_ADAPTER ?? findBrowserDriver();
const env = adapter ? { TABGYM_ADAPTER: adapter } : {};

/** Every form of the packed and the attention kernels at many sizes: minutes of shader compilation. `npm test -- kernels` runs them. */
const manyForms = ['tests/policy/attention.test.ts', 'tests/policy/quantized-kernels.test.ts'];
const formsToo = process.env.TABGYM_KERNELS === 'all';

const kernels = ['tests/device/**/*.test.ts', 'tests/policy/**/*.test.ts'];
/**
 * Files that `chromium` runs in `npm test`: what differs between a browser and Node (threads, storage, its own Dawn), and one file of
 * each kind that computes. `npm run test:slow` runs all the others, among them every kernel by itself: the same software adapter
 * compiles these for Node, and the engine's tests compile those that a model uses.
 */
const dailyInChromium = [
  'tests/browser/**/*.test.ts',
  'tests/device/**/*.test.ts',
  ...['engine', 'objective', 'onnx-policy', 'quantized-model', 'sampling', 'update'].map(
    (name) => `tests/policy/${name}.test.ts`,
  ),
];

/** Files that replace a module: they need modules of their own, which the other files of `node` and `page` share. */
const mocking = ['tests/cli/whole-files.test.ts', 'tests/server/chat.test.ts'];
const mockingPage = ['kept-steps', 'kept-worlds', 'late-answers'].map((name) => `tests/page/${name}.test.ts`);

/** Settings of the tests on Node. */
const onNode = {
  environment: 'node' as const,
  env,
  // Every form: lavapipe compiles a tiled kernel of attention for up to half a minute, and a case has six of them.
  testTimeout: formsToo ? 1_800_000 : 120_000,
  hookTimeout: 120_000,
  // Two files at once: most wait for a browser, a disk or one thread.
  maxWorkers: 2,
};

/** Golden cases read their data from the disk, and lies about models are timed by Node's clock of the processor. */
const notInBrowsers = [
  'tests/**/golden*.test.ts',
  'tests/policy/hostile-models.test.ts',
  ...(formsToo ? [] : manyForms),
];

export default defineConfig({
  test: {
    tags: [{ name: 'slow', description: 'Takes many seconds, or repeats at more sizes what a quicker test checks.' }],
    projects: [
      {
        test: {
          ...onNode,
          name: 'node',
          include: ['tests/**/*.test.ts'],
          exclude: [
            'tests/page/**',
            'tests/browser/**',
            'tests/lessons/**',
            ...mocking,
            ...(formsToo ? [] : manyForms),
          ],
          // The files of a worker share its modules: loading them anew for each of 290 files took a fifth of the time.
          isolate: false,
        },
      },
      { test: { ...onNode, name: 'node-mocks', include: [...mocking, ...mockingPage] } },
      {
        test: {
          name: 'page',
          environment: 'node',
          include: ['tests/page/**/*.test.ts'],
          globalSetup: 'tests/page/one-build.ts',
          // `npm test -- firefox` runs these; a newcomer need not have Firefox.
          exclude: [...mockingPage, ...(process.env.TABGYM_FIREFOX_TESTS ? [] : ['tests/page/firefox*.test.ts'])],
          isolate: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // As long as Playwright waits for an element; Vitest's one second is too short where a page loads on a busy machine.
          expect: { poll: { timeout: 30_000 } },
          // Two files at once, and in each two of its concurrent tests: a browser is idle half of the time.
          maxWorkers: 2,
          maxConcurrency: 2,
        },
      },
      {
        plugins: [frameScript()],
        test: {
          name: 'firefox',
          include: kernels,
          exclude: notInBrowsers,
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: firefox(),
            instances: [{ browser: 'firefox' }],
          },
        },
      },
      {
        test: {
          name: 'lessons',
          environment: 'node',
          include: ['tests/lessons/**/*.test.ts'],
          fileParallelism: false,
        },
      },
      {
        // Without it the scan for dependencies fails, and each is bundled when a test first loads it, which reloads the test.
        plugins: [frameScript()],
        test: {
          name: 'chromium',
          include: process.env.TABGYM_DAILY ? dailyInChromium : [...kernels, 'tests/browser/**/*.test.ts'],
          exclude: notInBrowsers,
          testTimeout: 240_000,
          hookTimeout: 240_000,
          fileParallelism: false,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: { executablePath: chromium ?? undefined, args: chromiumArgs },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
});
