/**
 * Memory of a page measured from outside: its process's anonymous resident memory, which the system cannot reclaim.
 * Linux only.
 */
import type { Browser } from 'playwright-core';
import { residentMb } from '../tools/memory.ts';

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
