/**
 * Cross-origin isolation of the page, which decides how many threads the processor device may use. On a host that sends
 * no headers for it, a service worker adds them, and the page reloads once, before anything has started.
 */

/** Result of the isolation: `isolated` allows several threads; every other value is the reason why only one is used. */
export type Isolation = 'isolated' | 'framed' | 'no-service-worker' | 'refused';

/** Parts of the browser that isolation uses; a test replaces them. */
export interface IsolationHost {
  isolated: boolean;
  framed: boolean;
  /** Null in a private window of Firefox and on a page without https. */
  serviceWorker: Pick<ServiceWorkerContainer, 'register' | 'ready' | 'controller'> | null;
  /** Storage that lives as long as the tab; null if the browser refuses it. */
  storage: Pick<Storage, 'getItem' | 'setItem'> | null;
  reload(): void;
  script: string;
}

const reloadedKey = 'tabgym.isolation';
/** Longest wait for the registration; after it, the page starts with one thread. */
const patienceMs = 4000;

const waited = (ms: number) => new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), ms));

/**
 * Resolves with the result, or never if the page is about to reload. It reloads at most once per tab: if the headers
 * did not help (the browser ignores them, or the host strips them), the page starts without isolation.
 */
export async function ensureIsolation(host: IsolationHost): Promise<Isolation> {
  if (host.isolated) return 'isolated';
  if (host.framed) return 'framed';
  if (!host.serviceWorker || !host.storage) return 'no-service-worker';
  if (host.storage.getItem(reloadedKey)) return 'refused';
  try {
    await host.serviceWorker.register(host.script);
    if ((await Promise.race([host.serviceWorker.ready, waited(patienceMs)])) === 'late') return 'refused';
  } catch {
    return 'no-service-worker';
  }
  host.storage.setItem(reloadedKey, 'reloaded');
  host.reload();
  return new Promise(() => {});
}

function sessionStorageOrNull(): Storage | null {
  try {
    return globalThis.sessionStorage ?? null;
  } catch {
    return null;
  }
}

/** The host for this browser. */
export const thisPage = (): IsolationHost => ({
  isolated: globalThis.crossOriginIsolated === true,
  framed: globalThis.top !== globalThis.self,
  serviceWorker: navigator.serviceWorker ?? null,
  storage: sessionStorageOrNull(),
  reload: () => location.reload(),
  script: new URL('service-worker.js', document.baseURI).href,
});
