/**
 * The page's side of the service worker, after the page has started. Registers it if isolation has not, makes it cache
 * the page's files, and offers a newer version before that takes over, because taking over reloads the page.
 */
import { msg } from '@lit/localize';
import type { Notifier } from './notifier.ts';

/** Part of a registration that is used here; a test replaces it. */
type Registration = Pick<ServiceWorkerRegistration, 'active' | 'waiting' | 'installing' | 'addEventListener'>;

export interface OfflineHost {
  /** Null if this window cannot have a service worker. */
  register: (() => Promise<Registration>) | null;
  /** Calls back when another worker controls the page. */
  onTakeover(callback: () => void): void;
  /**
   * True if a worker controls the page already. A change of the controlling worker then means a newer version,
   * activated by another tab.
   */
  controlled: boolean;
  reload(): void;
}

/** Records that this tab activated the newer version. */
interface Asked {
  here: boolean;
}

function offer(notifier: Notifier, asked: Asked, worker: Pick<ServiceWorker, 'postMessage'>) {
  notifier.notify(
    'info',
    msg(
      'A newer version of this page is ready. Using it reloads the page; a training run continues from its last step.',
    ),
    undefined,
    () => {
      asked.here = true;
      worker.postMessage('let-in');
    },
    msg('Use it'),
  );
}

/** Files of this tab's version that were not loaded yet are no longer available. */
const notifyUpdated = (notifier: Notifier, host: OfflineHost) =>
  notifier.notify(
    'warning',
    msg('Another tab installed a newer version of this page. Reload this tab before you continue.'),
    undefined,
    () => host.reload(),
    msg('Reload the page'),
  );

/** Never rejects: without a service worker the page still works, but needs a network. */
export async function keepOffline(notifier: Notifier, host: OfflineHost): Promise<void> {
  const asked: Asked = { here: false };
  if (host.controlled) host.onTakeover(() => (asked.here ? host.reload() : notifyUpdated(notifier, host)));
  const registration = await host.register?.().catch(() => null);
  if (!registration) return;
  const watch = (worker: ServiceWorker | null) =>
    worker?.addEventListener('statechange', () => {
      if (worker.state === 'installed' && registration.active) offer(notifier, asked, worker);
      if (worker.state === 'activated') worker.postMessage('keep');
    });
  registration.active?.postMessage('keep');
  if (registration.waiting && registration.active) offer(notifier, asked, registration.waiting);
  watch(registration.installing);
  registration.addEventListener('updatefound', () => watch(registration.installing));
}

/** The host for this browser. Registers no worker in development, where none is built, or inside another page. */
export const offlineHost = (): OfflineHost => {
  const workers =
    import.meta.env.MODE === 'production' && globalThis.top === globalThis.self ? navigator.serviceWorker : undefined;
  return {
    register: workers ? () => workers.register(new URL('service-worker.js', document.baseURI)) : null,
    controlled: Boolean(workers?.controller),
    onTakeover: (callback) => workers?.addEventListener('controllerchange', callback),
    reload: () => location.reload(),
  };
};
