/**
 * The one service worker. It gives the page's own files the headers that isolate it where the host sends none (any plain file server), so that
 * SharedArrayBuffer, and with it more than one thread, works; and it keeps those files, so that the page opens and trains without a network.
 * Touches nothing of another origin.
 *
 * The first visit is not held up: this worker is there at once, and keeps the files when the page says that it has started. A newer version
 * keeps all of its files before it is ready, and then waits until the person lets it in.
 *
 * Headers: https://web.dev/articles/coop-coep. `require-corp` rather than `credentialless`, which Safari does not know;
 * what the page fetches elsewhere (models) it asks for by CORS, which `require-corp` lets through.
 * The list of files is the build's (vite-plugin-pwa, injectManifest).
 */
import { PrecacheController } from 'workbox-precaching';

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] };

const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** What is large and seldom asked for (the ONNX runtime) is kept once it has been, of the newest few. */
const askedCache = `tabgym-asked-${self.registration.scope}`;
const mostAsked = 24;
const kept = new PrecacheController({ cacheName: `tabgym-kept-${self.registration.scope}` });
kept.addToCacheList(self.__WB_MANIFEST);

/** The same answer under other headers. An opaque or failed one is handed on as it is. */
function isolated(response: Response): Response {
  // A redirected answer must not be rebuilt for a navigation; status 0 cannot be.
  if (response.status === 0 || response.type === 'opaque' || response.type === 'opaqueredirect') return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(isolation)) headers.set(name, value);
  const { status, statusText } = response;
  return new Response(status === 204 || status === 304 ? null : response.body, { status, statusText, headers });
}

/** The library keeps files only while it is told that it is being installed. */
const asInstall = (event: ExtendableEvent) =>
  ({ type: 'install', waitUntil: (work: Promise<unknown>) => event.waitUntil(work) }) as ExtendableEvent;

/** The kept file of an address, whatever its query: `?embed` and `?device=` are the page's own. */
function keptFile(request: Request): Promise<Response | undefined> {
  const address = new URL(request.url);
  const { pathname: root } = new URL(self.registration.scope);
  const path = address.pathname === root ? `${root}index.html` : address.pathname;
  return kept.matchPrecache(new URL(path, address).href);
}

const isAsset = (url: string) => url.startsWith(`${self.registration.scope}assets/`);

/** An asset's name is its content's: what was asked for once stays right. A browser that has no room for it fetches it again. */
async function fetched(request: Request): Promise<Response> {
  if (!isAsset(request.url) || kept.getCacheKeyForURL(request.url)) return fetch(request);
  const cache = await caches.open(askedCache);
  const known = await cache.match(request.url);
  if (known) return known;
  const response = await fetch(request);
  if (response.status === 200) await keepAsked(cache, request.url, response.clone()).catch(() => {});
  return response;
}

/** Files of versions that are gone fall out at the old end. */
async function keepAsked(cache: Cache, url: string, response: Response): Promise<void> {
  await cache.put(url, response);
  const all = await cache.keys();
  for (const old of all.slice(0, Math.max(0, all.length - mostAsked))) await cache.delete(old);
}

async function answer(request: Request): Promise<Response> {
  const known = await keptFile(request).catch(() => undefined);
  return isolated(known ?? (await fetched(request)));
}

self.addEventListener('install', (event) => {
  // Nothing older is at work: this is a first visit.
  if (!self.registration.active) return void self.skipWaiting();
  event.waitUntil(kept.install(event));
});
// What this version does not name falls out only now: an older one was still at work with it.
self.addEventListener('activate', (event) =>
  event.waitUntil(Promise.all([kept.activate(event), self.clients.claim()])),
);
self.addEventListener('message', (event) => {
  if (event.data === 'keep') event.waitUntil(kept.install(asInstall(event)));
  if (event.data === 'let-in') void self.skipWaiting();
});
self.addEventListener('fetch', (event) => {
  const { request } = event;
  // Chromium asks so for DevTools, and refuses any answer: https://crbug.com/823392.
  if (request.cache === 'only-if-cached' && request.mode !== 'same-origin') return;
  if (request.method !== 'GET' || new URL(request.url).origin !== self.location.origin) return;
  event.respondWith(answer(request));
});
