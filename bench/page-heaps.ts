/**
 * Heaps of a page and of its workers, read through the debugger after a forced garbage collection in each. Unlike the
 * memory of the process they hold only what is reachable, so that a leak shows within a minute.
 */
import type { CDPSession, Page } from 'playwright-core';

/** Memory of one heap, in MB. */
interface Heap {
  /** Objects of JavaScript. */
  objects: number;
  /** Objects of the browser: elements, events, responses. */
  browser: number;
  /** Bytes of buffers and of WebAssembly's memories. */
  buffers: number;
}

export interface PageHeaps {
  page: Heap;
  /** The heaps of all workers together. */
  workers: Heap;
  workerCount: number;
}

interface Usage {
  usedSize: number;
  embedderHeapUsedSize?: number;
  backingStorageSize?: number;
}

/** Answer to a call. */
interface Message {
  id: number;
  result?: unknown;
}

/** A connection to a page or a worker. */
class Link {
  private readonly waiting = new Map<number, (result: unknown) => void>();
  private next = 1;

  constructor(private readonly post: (text: string) => Promise<unknown>) {}

  /** Calls a method. Resolves with null if the target is gone before it answers. */
  async call(method: string, params: object = {}): Promise<unknown> {
    const id = this.next++;
    const answer = new Promise((resolve) => this.waiting.set(id, resolve));
    await this.post(JSON.stringify({ id, method, params }));
    return answer;
  }

  receive({ id, result }: Message): void {
    this.waiting.get(id)?.(result ?? null);
  }

  end(): void {
    for (const resolve of this.waiting.values()) resolve(null);
  }

  async heap(): Promise<Heap> {
    await this.call('HeapProfiler.collectGarbage');
    const usage = (await this.call('Runtime.getHeapUsage')) as Usage | null;
    const { usedSize = 0, embedderHeapUsedSize = 0, backingStorageSize = 0 } = usage ?? {};
    const mb = 2 ** 20;
    return { objects: usedSize / mb, browser: embedderHeapUsedSize / mb, buffers: backingStorageSize / mb };
  }
}

/** The page's own connection, by Playwright's session. */
function pageLink(session: CDPSession): Link {
  const link: Link = new Link(async (text) => {
    const { id, method, params } = JSON.parse(text);
    const result = await session.send(method, params).catch(() => null);
    link.receive({ id, result });
  });
  return link;
}

/**
 * Connections to the page's workers. Those that its workers begin are left out: the processor's threads sleep in a wait
 * in which they answer no debugger, and their memory is that of the worker above them.
 */
async function workerLinks(session: CDPSession): Promise<Link[]> {
  const links = new Map<string, Link>();
  session.on('Target.attachedToTarget', ({ sessionId }) => {
    const post = (message: string) => session.send('Target.sendMessageToTarget', { sessionId, message });
    links.set(sessionId, new Link(post));
  });
  session.on('Target.receivedMessageFromTarget', ({ sessionId, message }) =>
    links.get(sessionId)?.receive(JSON.parse(message)),
  );
  session.on('Target.detachedFromTarget', ({ sessionId }) => links.get(sessionId)?.end());
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  return [...links.values()];
}

const sum = (heaps: readonly Heap[]): Heap =>
  heaps.reduce(
    (all, each) => ({
      objects: all.objects + each.objects,
      browser: all.browser + each.browser,
      buffers: all.buffers + each.buffers,
    }),
    { objects: 0, browser: 0, buffers: 0 },
  );

export async function pageHeaps(page: Page): Promise<PageHeaps> {
  const session = await page.context().newCDPSession(page);
  try {
    const links = [pageLink(session), ...(await workerLinks(session))];
    const [own, ...workers] = await Promise.all(links.map((each) => each.heap()));
    return { page: own, workers: sum(workers), workerCount: workers.length };
  } finally {
    await session.detach().catch(() => {});
  }
}
