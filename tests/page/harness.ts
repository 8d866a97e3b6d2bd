/**
 * The page served and opened in Chromium, either with fixtures in place of the worker (built in mode `mock`) or as it
 * ships. Errors that the page prints are collected, and a test with any fails.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { build, type Plugin, preview } from 'vite';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { chromiumArgs, findChromium, root } from '../../scripts/machine.mjs';
import { folderVariable } from './one-build.ts';

export const shots = join(root, 'test-results');

/** The fixtures need no trainer: this build leaves out its worker, and with it the whole engine. */
const withoutWorker: Plugin = {
  name: 'without-worker',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('worker-client.ts')
      ? 'export const workerClient = () => { throw new Error("no worker here") };'
      : undefined,
};

/** Builds the page into a folder: once in a run of the page's tests, anew elsewhere. Returns the folder. */
async function builtOnce(name: string, make: (outDir: string) => Promise<unknown>): Promise<string> {
  const shared = process.env[folderVariable];
  const outDir = join(shared ?? join(root, 'build'), name);
  const mark = `${outDir}.whole`;
  // Test files run side by side: the first builds, the others wait for it.
  if (shared && !begins(`${outDir}.begun`)) {
    while (!existsSync(mark)) await setTimeout(200);
    return outDir;
  }
  await buildWasm();
  await make(outDir);
  if (shared) writeFileSync(mark, '');
  return outDir;
}

/** True for the first caller. */
function begins(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function serve(outDir: string, plugins: Plugin[] = []): Promise<{ url: string; close(): Promise<void> }> {
  const at = { port: 0, host: '127.0.0.1' };
  const server = await preview({ root, logLevel: 'error', plugins, build: { outDir }, preview: at });
  return { url: server.resolvedUrls!.local[0], close: () => server.close() };
}

/** Builds the page with fixtures in place of the trainer; returns its folder. */
export const buildMock = (): Promise<string> =>
  builtOnce('page-mock', (outDir) =>
    build({
      root,
      mode: 'mock',
      logLevel: 'error',
      plugins: [withoutWorker],
      build: { outDir, emptyOutDir: true },
    }),
  );

export const serveMock = async () => serve(await buildMock());

/** Builds the page as it ships; returns its folder. */
export const buildReal = (): Promise<string> =>
  builtOnce('page-real', (outDir) => {
    // Vitest sets `test`, which would select the libraries' development builds.
    process.env.NODE_ENV = 'production';
    return build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true } });
  });

/** Serves the page as it ships, with `plugins` added to its server. */
export const serveReal = async (plugins: Plugin[] = []) => serve(await buildReal(), plugins);

export function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath || !existsSync(executablePath))
    throw new Error('No Chromium was found. `npm test` prints what to install.');
  return chromium.launch({ executablePath, args: chromiumArgs });
}

export interface Opened {
  page: Page;
  errors: string[];
  close(): Promise<void>;
}

export interface View {
  width: number;
  height: number;
  colorScheme: 'light' | 'dark';
}

export const wide = { width: 1440, height: 900, colorScheme: 'light' } as const;
export const narrow = { width: 390, height: 844, colorScheme: 'light' } as const;

/** The two sizes of most tests: every run checks the wide one, the slow tests also the narrow one. */
export const sizes = [
  { size: 'wide', view: wide, tags: [] },
  { size: 'narrow', view: narrow, tags: ['slow'] },
];

/** Chooses the lab, as a person's choice of an earlier visit: most tests are about its panels. */
export const rememberLab = () => {
  try {
    localStorage.setItem('tabgym.arrangement', 'lab');
  } catch {
    // A sandboxed frame has no storage.
  }
};

/**
 * Opens the lab, or with `simple` the page of a first visit. `options`: settings that differ from an ordinary visitor's, for example no service worker, whose requests Playwright
 * does not route.
 */
export async function open(
  browser: Browser,
  url: string,
  view: View = wide,
  { simple = false, ...options }: BrowserContextOptions & { simple?: boolean } = {},
): Promise<Opened> {
  const { width, height, colorScheme } = view;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
    acceptDownloads: true,
    ...options,
  });
  if (!simple) await context.addInitScript(rememberLab);
  const late = Number(process.env.TABGYM_LATE ?? 0);
  if (late) await context.addInitScript((ms) => Object.assign(globalThis, { tabgymLate: ms }), late);
  const page = await context.newPage();
  const slower = Number(process.env.TABGYM_SLOWER ?? 0);
  if (slower) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: slower });
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(url);
  // The page's code loads after the load event: src/ui/main.ts waits for isolation, and the controller with its keys comes
  // after the first picture. Then the app draws the notices.
  await page.waitForFunction(
    () =>
      customElements.get('tab-gym') !== undefined ||
      Boolean(document.querySelector('tabgym-app')?.shadowRoot?.querySelector('tabgym-notices')),
  );
  return { page, errors, close: () => context.close() };
}

export async function screenshot(page: Page, name: string) {
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}
