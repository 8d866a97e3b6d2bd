/**
 * Measures the time from navigation to the first picture of the recorded episode, on this processor and on one slowed
 * four times (https://chromedevtools.github.io/devtools-protocol/tot/Emulation/#method-setCPUThrottlingRate), from a
 * server on this machine, so without network time. The page itself times each load, at the frame after the one in which
 * the episode was drawn.
 */
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { chromiumArgs, findChromium, requireBrowser } from '../scripts/machine.mjs';
import { servePage } from './served-page.ts';

export interface FirstPictureRow {
  /** later: the browser already has the page's files. */
  visit: 'first' | 'later';
  processor: string;
  medianMs: number;
  shortestMs: number;
  longestMs: number;
  loads: number;
  aimMs: number;
}

const loads = 5;
const aimMs = 2000;

/** Runs in the page before its own scripts, and records the time when the recorded episode's world was drawn. */
function watch() {
  const drawn = (root: ParentNode): boolean =>
    [...root.querySelectorAll('*')].some(
      (each) =>
        each.shadowRoot !== null &&
        ((each.localName === 'tabgym-world-view' && each.getBoundingClientRect().height > 0) || drawn(each.shadowRoot)),
    );
  const look = () => {
    if (drawn(document)) requestAnimationFrame(() => Object.assign(window, { firstPicture: performance.now() }));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

async function load(context: BrowserContext, url: string, slower: number): Promise<number> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower });
  await page.addInitScript(watch);
  await page.goto(url);
  const ms = await page.waitForFunction(() => (window as { firstPicture?: number }).firstPicture, null, {
    timeout: 60_000,
  });
  const value = (await ms.jsonValue())!;
  await page.close();
  return value;
}

async function visits(browser: Browser, url: string, visit: FirstPictureRow['visit'], slower: number) {
  const times: number[] = [];
  const shared = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  if (visit === 'later') await load(shared, url, 1);
  for (let k = 0; k < loads; k++) {
    const context = visit === 'first' ? await browser.newContext({ viewport: { width: 1440, height: 900 } }) : shared;
    times.push(await load(context, url, slower));
    if (context !== shared) await context.close();
  }
  await shared.close();
  times.sort((a, b) => a - b);
  const processor = slower === 1 ? 'as it is' : `${slower} times slower`;
  const [medianMs, shortestMs, longestMs] = [times[loads >> 1], times[0], times.at(-1)!].map(Math.round);
  console.log(
    `  ${visit} visit, processor ${processor}: ${medianMs} ms (${shortestMs} to ${longestMs}, aim ${aimMs} on the slowed one)`,
  );
  return { visit, processor, medianMs, shortestMs, longestMs, loads, aimMs };
}

export async function benchFirstPicture(): Promise<FirstPictureRow[]> {
  requireBrowser();
  const server = await servePage();
  const browser = await chromium.launch({ executablePath: findChromium()!, args: chromiumArgs });
  try {
    const rows: FirstPictureRow[] = [];
    for (const slower of [1, 4])
      for (const visit of ['first', 'later'] as const) rows.push(await visits(browser, server.url, visit, slower));
    return rows;
  } finally {
    await browser.close();
    await server.close();
  }
}
