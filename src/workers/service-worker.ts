/**
 * The only service worker. It adds the headers that isolate the page's own files if the host sends none (as plain file
 * servers do), which enables SharedArrayBuffer and so more than one thread. It also caches these files, so that the
 * page opens and trains without a network. It ignores all requests to other origins.
 *
 * It does not delay the first visit: it activates immediately, and caches the files when the page reports that it has
 * started. A newer version caches all of its files before it is ready, and then waits until the user accepts it.
 *
 * Headers: https://web.dev/articles/coop-coep. `require-corp` rather than `credentialless`, which Safari does not
 * support; the page fetches files of other origins (models) by CORS, which `require-corp` allows. The build lists the
 * files (vite-plugin-pwa, injectManifest).
 */
import { PrecacheController } from 'workbox-precaching';

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] };

const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Cache of large and rarely needed files (the ONNX runtime). It fills as they are requested and keeps the newest. */
const onDemandCache = `tabgym-asked-${self.registration.scope}`;
const mostOnDemand = 24;
const kept = new PrecacheController({ cacheName: `tabgym-kept-${self.registration.scope}` });
kept.addToCacheList(self.__WB_MANIFEST);

const policy = 'Content-Security-Policy';
/** Only pages of this site may frame the page; the embedded view (`?embed`) is made for others. */
const ownAncestors = "frame-ancestors 'self'";

/** The cached page is one file, whatever its query. */
function guard(headers: Headers, { url, mode }: Request): void {
  if (mode !== 'navigate') return;
  if (!new URL(url).searchParams.has('embed')) headers.set(policy, ownAncestors);
  else if (headers.get(policy) === ownAncestors) headers.delete(policy);
}

/** The same response with the isolating headers. Opaque and failed responses stay as they are. */
function isolated(response: Response, request: Request): Response {
  // A redirected response must not be rebuilt for a navigation, and one with status 0 cannot be.
  if (response.status === 0 || response.type === 'opaque' || response.type === 'opaqueredirect') return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(isolation)) headers.set(name, value);
  guard(headers, request);
  const { status, statusText } = response;
  return new Response(status === 204 || status === 304 ? null : response.body, { status, statusText, headers });
}

/** The library adds files to its cache only during an install event. */
const asInstall = (event: ExtendableEvent) =>
  ({ type: 'install', waitUntil: (work: Promise<unknown>) => event.waitUntil(work) }) as ExtendableEvent;

/** The cached file of a URL without its query: `?embed` and `?device=` are read by the page. */
function keptFile(request: Request): Promise<Response | undefined> {
  const address = new URL(request.url);
  const { pathname: root } = new URL(self.registration.scope);
  const path = address.pathname === root ? `${root}index.html` : address.pathname;
  return kept.matchPrecache(new URL(path, address).href);
}

const isAsset = (url: string) => url.startsWith(`${self.registration.scope}assets/`);

/**
 * An asset's name contains a hash of its content, so a cached one stays valid. If the browser has no room for it, or
 * cannot read its cache, it is fetched again.
 */
async function fetched(request: Request): Promise<Response> {
  if (!isAsset(request.url) || kept.getCacheKeyForURL(request.url)) return fetch(request);
  const cache = await caches.open(onDemandCache).catch(() => null);
  const known = await cache?.match(request.url).catch(() => undefined);
  if (known) return known;
  const response = await fetch(request);
  if (cache && response.status === 200) await keepOnDemand(cache, request.url, response.clone()).catch(() => {});
  return response;
}

/** Drops the oldest files, which belong to former versions. */
async function keepOnDemand(cache: Cache, url: string, response: Response): Promise<void> {
  await cache.put(url, response);
  const all = await cache.keys();
  for (const old of all.slice(0, Math.max(0, all.length - mostOnDemand))) await cache.delete(old);
}

async function answer(request: Request): Promise<Response> {
  const known = await keptFile(request).catch(() => undefined);
  return isolated(known ?? (await fetched(request)), request);
}

self.addEventListener('install', (event) => {
  // On a first visit no older version is active.
  if (!self.registration.active) return void self.skipWaiting();
  event.waitUntil(kept.install(event));
});
// Deletes the files of older versions only now, because an older version was active until now.
self.addEventListener('activate', (event) =>
  event.waitUntil(Promise.all([kept.activate(event), self.clients.claim()])),
);
self.addEventListener('message', (event) => {
  if (event.data === 'keep') event.waitUntil(kept.install(asInstall(event)));
  if (event.data === 'let-in') void self.skipWaiting();
});
self.addEventListener('fetch', (event) => {
  const { request } = event;
  // Chromium makes such requests for DevTools and rejects any response: https://crbug.com/823392.
  if (request.cache === 'only-if-cached' && request.mode !== 'same-origin') return;
  if (request.method !== 'GET' || new URL(request.url).origin !== self.location.origin) return;
  event.respondWith(answer(request));
});
