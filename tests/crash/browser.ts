// A Chromium with a known process group, so that it can be killed as a crash or a power cut would.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumArgs, findChromium } from '../../scripts/machine.mjs';

export interface Life {
  page: Page;
  /** Opens one more tab on the same address. */
  tab(onEvent: (event: string) => void): Promise<Page>;
  /** Identifier of the process of this type, such as `GPU`; null if there is none. */
  processId(type: string): Promise<number | null>;
  /** Kills the whole process group at once. */
  kill(): Promise<void>;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function debuggingAddress(profile: string, process: ChildProcess): Promise<string> {
  const file = join(profile, 'DevToolsActivePort');
  for (let waited = 0; waited < 60_000; waited += 50) {
    if (process.exitCode !== null) throw new Error(`Chromium ended with code ${process.exitCode} before it was ready.`);
    const [port, path] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    if (port && path) return `ws://127.0.0.1:${port}${path}`;
    await sleep(50);
  }
  throw new Error('Chromium did not open its debugging port within a minute.');
}

/** Opens a tab of the test's page. */
export async function openTab(context: BrowserContext, url: string, onEvent: (event: string) => void): Promise<Page> {
  const page = await context.newPage();
  page.on('console', (message) => message.type() === 'error' && onEvent(`console ${message.text()}`));
  page.on('pageerror', (error) => onEvent(`error ${error.message}`));
  await page.exposeFunction('report', onEvent);
  await page.goto(url);
  await page.waitForFunction(() => 'crash' in window);
  return page;
}

/** Starts a browser on `profile` and opens `url`; `onEvent` receives the page's events. `more`: further switches. */
export async function open(
  profile: string,
  url: string,
  onEvent: (event: string) => void,
  more: readonly string[] = [],
): Promise<Life> {
  rmSync(join(profile, 'DevToolsActivePort'), { force: true });
  // A killed browser leaves its lock behind, naming a process that is gone.
  for (const name of ['SingletonLock', 'SingletonCookie', 'SingletonSocket'])
    rmSync(join(profile, name), { force: true });
  const args = [
    ...chromiumArgs,
    ...more,
    '--headless=new',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
    'about:blank',
  ];
  const child = spawn(findChromium()!, args, { detached: true, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It is already gone.
    }
    await ended;
  };
  try {
    const browser = await chromium.connectOverCDP(await debuggingAddress(profile, child));
    const context = browser.contexts()[0];
    const tab = (onEvent: (event: string) => void) => openTab(context, url, onEvent);
    const cdp = await browser.newBrowserCDPSession();
    const processId: Life['processId'] = async (type) => {
      const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
      return processInfo.find((each) => each.type === type)?.id ?? null;
    };
    return { page: await tab(onEvent), tab, processId, kill };
  } catch (error) {
    await kill();
    throw error;
  }
}
