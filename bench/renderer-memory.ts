/** What a page takes of the machine, seen from outside: its process's anonymous resident memory, which is what cannot be given back. Linux alone tells. */
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';

/** Of the page's process with its workers: megabytes that are its own. Null: this system does not tell. */
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
