/**
 * Memory of a page measured from outside: the heaps of the page and its workers, and its process's anonymous resident
 * memory, which the system cannot reclaim. Linux only.
 */
import type { Browser, Page } from 'playwright-core';
import { median } from '../src/envs/median.ts';
import { residentMb } from '../tools/memory.ts';
import { type Sampled, type Trend, trendOf } from '../tools/memory-trend.ts';
import { pageHeaps, sizeOf } from './page-heaps.ts';

/**
 * Anonymous resident megabytes of the page's process, including its workers; null if the system does not report them.
 */
export async function memoryMb(browser: Browser): Promise<number | null> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const own = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => residentMb(id) ?? 0);
  const most = Math.max(0, ...own);
  return most || null;
}

/** Longest time for a collection in all heaps of a page; a page that does not answer is being replaced. */
const longestMs = 20_000;

/** Memory of a page after its garbage is collected, in MB. */
export interface PageMemory {
  /** Objects and buffers of the page and of its workers. */
  heaps: number;
  /** The process. */
  process: number;
}

/** As `memoryMb`, after a garbage collection in the page and its workers; null if the page does not answer. */
export async function collectedPage(page: Page): Promise<PageMemory | null> {
  const collected = (async () => {
    const heaps = sizeOf(await pageHeaps(page));
    const process = await memoryMb(page.context().browser()!);
    return process === null ? null : { heaps, process };
  })().catch(() => null);
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), longestMs).unref());
  return Promise.race([collected, late]);
}

/**
 * Trends of a page's memory. The verdict is on the heaps, whose growth is a share of the process's memory: that of the
 * process itself varies by a tenth with the speed of the machine, and is listed for comparison.
 */
export function pageTrends(what: string, samples: readonly Sampled<PageMemory>[]): { judged: Trend; compared: Trend } {
  const of = (part: keyof PageMemory) => samples.map(({ value, ...at }) => ({ ...at, mb: value[part] }));
  const level = median(samples.map(({ value }) => value.process));
  return {
    judged: trendOf(`heaps of the ${what}`, of('heaps'), level),
    compared: trendOf(`process of the ${what}`, of('process')),
  };
}
