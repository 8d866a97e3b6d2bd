/**
 * The page in a browser, with fixtures where the worker would be (built in mode `mock`), or as it ships: served, opened in Chromium.
 * What a page prints as an error is gathered; a test that leaves any fails.
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

/** The fixtures need no trainer: its worker, and with it all of the engine, is left out of this build. */
const withoutWorker: Plugin = {
  name: 'without-worker',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('worker-client.ts')
      ? 'export const workerClient = () => { throw new Error("no worker here") };'
      : undefined,
};

/** Where builds go, and which of them are there already: one of each in a run of the page's tests, a new one elsewhere. */
async function builtOnce(name: string, make: (outDir: string) => Promise<unknown>): Promise<string> {
  const shared = process.env[folderVariable];
  const outDir = join(shared ?? join(root, 'build'), name);
  const mark = `${outDir}.whole`;
  // Test files run beside one another: the first builds, the others wait for it.
  if (shared && !begins(`${outDir}.begun`)) {
    while (!existsSync(mark)) await setTimeout(200);
    return outDir;
  }
  await buildWasm();
  await make(outDir);
  if (shared) writeFileSync(mark, '');
  return outDir;
}

/** True for the first who asks. */
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

export const serveMock = async () =>
  serve(
    await builtOnce('page-mock', (outDir) =>
      build({
        root,
        mode: 'mock',
        logLevel: 'error',
        plugins: [withoutWorker],
        build: { outDir, emptyOutDir: true },
      }),
    ),
  );

/** The page as it ships; gives its folder. */
export const buildReal = (): Promise<string> =>
  builtOnce('page-real', (outDir) => {
    // Vitest says `test`, which would bring the libraries' development builds.
    process.env.NODE_ENV = 'production';
    return build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true } });
  });

/** The same, behind what `plugins` add to its server. */
export const serveReal = async (plugins: Plugin[] = []) => serve(await buildReal(), plugins);

export function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath || !existsSync(executablePath))
    throw new Error('No Chromium was found. `npm test` says what to install.');
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

/** `options`: for what is not every visitor's, for example no service worker, whose requests Playwright does not route. */
export async function open(
  browser: Browser,
  url: string,
  view: View = wide,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const { width, height, colorScheme } = view;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
    acceptDownloads: true,
    ...options,
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(url);
  // The page's code comes after its load event: src/ui/main.ts waits until it is isolated.
  await page.waitForFunction(() => customElements.get('tabgym-app') !== undefined);
  return { page, errors, close: () => context.close() };
}

export async function screenshot(page: Page, name: string) {
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}
