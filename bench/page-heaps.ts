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
  /** The heap of each worker, with the name of its script. */
  each: readonly (Heap & { name: string })[];
}

/** Objects of JavaScript and buffers of a page and its workers, in MB. Elements are left out: they come and go. */
export const sizeOf = ({ page, workers }: PageHeaps) => page.objects + page.buffers + workers.objects + workers.buffers;

/** Megabytes that are still held in a page or worker, by the function that allocated them and its callers. */
export interface Held {
  name: string;
  held: ReadonlyMap<string, number>;
}

interface SampledNode {
  callFrame: { functionName: string; url: string; lineNumber: number };
  selfSize: number;
  children: readonly SampledNode[];
}

interface Usage {
  usedSize: number;
  embedderHeapUsedSize?: number;
  backingStorageSize?: number;
}

/** Answer to a call, or an event. */
interface Message {
  id?: number;
  result?: unknown;
  method?: string;
  params?: TargetEvent;
}

/** Fields of the events of workers that begin, answer and end. */
interface TargetEvent {
  sessionId: string;
  message?: string;
  targetInfo?: { url: string };
}

/** Name of a script without the hash of its file. */
const scriptOf = (url: string) => url.replace(/^.*\//, '').replace(/-[\w-]{8}\.js$/, '');
/** The processor's threads: they sleep in a wait in which they answer no debugger, and hold the memory of their worker. */
const silent = 'helper';

/** A connection to a page or a worker, and to the workers that it begins. */
class Link {
  readonly children = new Map<string, Link>();
  private readonly waiting = new Map<number, (result: unknown) => void>();
  private next = 1;

  constructor(
    readonly name: string,
    private readonly post: (text: string) => Promise<unknown>,
  ) {}

  /** Calls a method. Resolves with null if the target is gone before it answers. */
  async call(method: string, params: object = {}): Promise<unknown> {
    const id = this.next++;
    const answer = new Promise((resolve) => this.waiting.set(id, resolve));
    await this.post(JSON.stringify({ id, method, params }));
    return answer;
  }

  receive({ id, result, method, params }: Message): void {
    if (id !== undefined) {
      this.waiting.get(id)?.(result ?? null);
      this.waiting.delete(id);
    } else if (method && params) this.event(method, params);
  }

  private event(method: string, { sessionId, message = '{}', targetInfo }: TargetEvent): void {
    if (method === 'Target.attachedToTarget') {
      const name = scriptOf(targetInfo?.url ?? '');
      const post = (text: string) => this.call('Target.sendMessageToTarget', { sessionId, message: text });
      if (name !== silent) this.children.set(sessionId, new Link(name, post));
    } else if (method === 'Target.receivedMessageFromTarget')
      this.children.get(sessionId)?.receive(JSON.parse(message));
    else if (method === 'Target.detachedFromTarget') this.children.get(sessionId)?.end();
  }

  end(): void {
    for (const resolve of this.waiting.values()) resolve(null);
    for (const child of this.children.values()) child.end();
  }

  /** This connection and those to the workers below. */
  async all(): Promise<Link[]> {
    await this.call('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
    const below = await Promise.all([...this.children.values()].map((child) => child.all()));
    return [this, ...below.flat()];
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
  const link: Link = new Link('page', async (text) => {
    const { id, method, params } = JSON.parse(text);
    const result = await session.send(method, params).catch(() => null);
    link.receive({ id, result });
  });
  for (const method of [
    'Target.attachedToTarget',
    'Target.receivedMessageFromTarget',
    'Target.detachedFromTarget',
  ] as const)
    session.on(method, (params: TargetEvent) => link.receive({ method, params }));
  return link;
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

/** Bytes between two sampled allocations, on average. */
const samplingInterval = 16_384;
/** Number of functions in the name of a site: the one that allocated, and its callers. */
const siteDepth = 6;

function addSites(node: SampledNode, callers: readonly string[], sites: Map<string, number>): void {
  const { functionName, lineNumber } = node.callFrame;
  const path = [`${functionName || 'anonymous'}:${lineNumber + 1}`, ...callers].slice(0, siteDepth);
  const name = path.join(' < ');
  if (node.selfSize) sites.set(name, (sites.get(name) ?? 0) + node.selfSize / 2 ** 20);
  for (const child of node.children) addSites(child, path, sites);
}

/** A connection to a page and its workers, for many samples. */
export class HeapWatch {
  private constructor(
    private readonly session: CDPSession,
    private readonly links: readonly Link[],
  ) {}

  static async open(page: Page): Promise<HeapWatch> {
    const session = await page.context().newCDPSession(page);
    return new HeapWatch(session, await pageLink(session).all());
  }

  async heaps(): Promise<PageHeaps> {
    const [own, ...workers] = await Promise.all(this.links.map((link) => link.heap()));
    const each = workers.map((heap, i) => ({ ...heap, name: this.links[i + 1].name }));
    return { page: own, workers: sum(workers), each };
  }

  /** From now on, allocations are sampled, and `sites` returns those that are still held. */
  async sampleSites(): Promise<void> {
    await Promise.all(this.links.map((link) => link.call('HeapProfiler.startSampling', { samplingInterval })));
  }

  /** Held allocations, in MB, of the page and of each worker. */
  async sites(): Promise<Held[]> {
    return Promise.all(
      this.links.map(async (link) => {
        const answer = (await link.call('HeapProfiler.getSamplingProfile')) as {
          profile: { head: SampledNode };
        } | null;
        const held = new Map<string, number>();
        if (answer) addSites(answer.profile.head, [], held);
        return { name: link.name, held };
      }),
    );
  }

  close(): Promise<void> {
    return this.session.detach().catch(() => {});
  }
}

export async function pageHeaps(page: Page): Promise<PageHeaps> {
  const watch = await HeapWatch.open(page);
  try {
    return await watch.heaps();
  } finally {
    await watch.close();
  }
}
