/**
 * Memory of a page measured from outside: its process's anonymous resident memory, which the system cannot reclaim.
 * Linux only.
 */
import type { Browser, CDPSession, Page } from 'playwright-core';
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

/** Longest time for a collection in all heaps of a page; a page that does not answer is being replaced. */
const longestMs = 20_000;

/** Collects the garbage of a page's workers. Resolves once each has answered. */
async function collectWorkers(session: CDPSession): Promise<void> {
  const ids = new Set<string>();
  session.on('Target.attachedToTarget', ({ sessionId }) => ids.add(sessionId));
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const waiting = new Set(ids);
  const done = new Promise<void>((resolve) => {
    if (!waiting.size) resolve();
    const left = ({ sessionId }: { sessionId: string }) => {
      waiting.delete(sessionId);
      if (!waiting.size) resolve();
    };
    session.on('Target.receivedMessageFromTarget', left);
    session.on('Target.detachedFromTarget', left);
  });
  const message = JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' });
  for (const sessionId of ids) await session.send('Target.sendMessageToTarget', { sessionId, message });
  await done;
}

/** As `memoryMb`, after a garbage collection in the page and its workers; null if the page does not answer. */
export async function collectedPageMb(page: Page): Promise<number | null> {
  const collected = (async () => {
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    await collectWorkers(session);
    await session.detach();
    return memoryMb(page.context().browser()!);
  })().catch(() => null);
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), longestMs).unref());
  return Promise.race([collected, late]);
}
