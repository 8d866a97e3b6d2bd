/**
 * The service worker from the page's side, once the page has started: it is registered where isolation did not need it, told to keep the page's
 * files, and a newer version of it asks before it takes over, since that reloads the page.
 */
import { msg } from '@lit/localize';
import type { Notifying } from './notify.ts';

/** What this needs of a registration, so that a test can be one. */
type Registration = Pick<ServiceWorkerRegistration, 'active' | 'waiting' | 'installing' | 'addEventListener'>;

export interface OfflineHost {
  /** Null: this window keeps no service worker. */
  register: (() => Promise<Registration>) | null;
  /** Calls back when another worker controls the page. */
  onTakeover(callback: () => void): void;
  /** Another worker than at the start would be a newer version, let in by another tab. */
  controlled: boolean;
  reload(): void;
}

/** Whether this tab let the newer version in. */
interface Asked {
  here: boolean;
}

function offer(said: Notifying, asked: Asked, worker: Pick<ServiceWorker, 'postMessage'>) {
  said.notify(
    'info',
    msg('A newer version of this page is ready. It reloads the page; a run that trains goes on from its last step.'),
    undefined,
    () => {
      asked.here = true;
      worker.postMessage('let-in');
    },
    msg('Use it'),
  );
}

/** Files of this tab's version that were not loaded yet are gone. */
const sayUpdated = (said: Notifying, host: OfflineHost) =>
  said.notify(
    'warning',
    msg('Another tab brought in a newer version of this page. Reload this one before you go on.'),
    undefined,
    () => host.reload(),
    msg('Reload the page'),
  );

/** Rejects never: without a service worker the page works as it is, with a network. */
export async function keepOffline(said: Notifying, host: OfflineHost): Promise<void> {
  const asked: Asked = { here: false };
  if (host.controlled) host.onTakeover(() => (asked.here ? host.reload() : sayUpdated(said, host)));
  const registration = await host.register?.().catch(() => null);
  if (!registration) return;
  const watch = (worker: ServiceWorker | null) =>
    worker?.addEventListener('statechange', () => {
      if (worker.state === 'installed' && registration.active) offer(said, asked, worker);
      if (worker.state === 'activated') worker.postMessage('keep');
    });
  registration.active?.postMessage('keep');
  if (registration.waiting && registration.active) offer(said, asked, registration.waiting);
  watch(registration.installing);
  registration.addEventListener('updatefound', () => watch(registration.installing));
}

/** This browser; none in development, where there is no built worker, and none inside another's page. */
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
