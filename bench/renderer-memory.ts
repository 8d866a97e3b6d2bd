/**
 * Memory of a page measured from outside: its process's anonymous resident memory, which the system cannot reclaim.
 * Linux only.
 */
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';

/**
 * Anonymous resident megabytes of the page's process, including its workers; null if the system does not report them.
 */
export async function memoryMb(browser: Browser): Promise<number | null> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const own = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => {
      try {
        return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) / 1024;
      } catch {
        return 0;
      }
    });
  const most = Math.max(0, ...own);
  return most || null;
}
