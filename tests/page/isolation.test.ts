// The page on a plain file server, under a sub-path, without the headers for isolation. One service worker adds them
// after one reload, and everything of the page still loads. If that fails, the page works without isolation.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { chromiumArgs, findChromium } from '../../scripts/machine.mjs';
import { ensureIsolation, type IsolationHost } from '../../src/ui/app/isolation.ts';
import { buildReal, launch, rememberLab, wide } from './harness.ts';

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};

/** Serves the files of `folder` under /some/path/, with their type and the given headers only. */
function plainServer(folder: string, port = 0, headers: Record<string, string> = {}): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost');
    const inside = pathname.startsWith('/some/path/') ? normalize(pathname.slice('/some/path/'.length)) : '..';
    const file = join(folder, inside === '' || inside === '.' ? 'index.html' : inside);
    const found = !inside.startsWith('..') && statSync(file, { throwIfNoEntry: false })?.isFile();
    if (!found) return void response.writeHead(404).end();
    response
      .writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream', ...headers })
      .end(readFileSync(file));
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

const minute = 60_000;

const stop = (server: Server) =>
  new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });

async function persistent(folder: string): Promise<{ context: BrowserContext; page: Page }> {
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: findChromium()!,
    args: chromiumArgs,
    viewport: { width: 1440, height: 900 },
    acceptDownloads: true,
  });
  await context.addInitScript(rememberLab);
  return { context, page: context.pages()[0] ?? (await context.newPage()) };
}

/** Number of files in the service worker's cache. */
async function keptFiles(): Promise<number> {
  const names = (await caches.keys()).filter((name) => name.startsWith('tabgym-kept'));
  const counts = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).length));
  return counts.reduce((sum, each) => sum + each, 0);
}

/** True if the cache has not grown for a moment. */
async function settled(page: Page): Promise<boolean> {
  const before = await page.evaluate(keptFiles);
  await page.waitForTimeout(1000);
  return (await page.evaluate(keptFiles)) === before;
}

/** Trains the smallest preset up to this step. */
async function trainMicro(page: Page, step: number): Promise<void> {
  await page.getByLabel('Preset').selectOption({ label: 'Micro' });
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await page
    .getByText(/^Step 1$/)
    .first()
    .waitFor({ timeout: 2 * minute });
  for (let next = 2; next <= step; next++) {
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await page
      .getByText(new RegExp(`^Step ${next}$`))
      .first()
      .waitFor({ timeout: minute });
  }
}

describe('on a plain file server under a sub-path', () => {
  let browser: Browser;
  let server: Server;
  let url = '';

  beforeAll(async () => {
    server = await plainServer(await buildReal());
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/path/`;
    browser = await launch();
  }, 180_000);

  afterAll(async () => {
    await browser.close();
    await stop(server);
  });

  test('the page is isolated after one reload, and stays so', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    let loads = 0;
    page.on('domcontentloaded', () => loads++);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(url);
    await page.waitForFunction(() => document.documentElement.dataset.isolation === 'isolated');
    expect(await page.evaluate(() => new SharedArrayBuffer(8).byteLength)).toBe(8);
    expect(loads).toBe(2);
    await page.waitForFunction(() => customElements.get('tabgym-app') !== undefined);
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.isolation === 'isolated');
    expect(loads).toBe(3);
    expect(errors).toEqual([]);
    await context.close();
  });

  test('it sends requests to no other site, and its policy allows all that it does', async () => {
    const context = await browser.newContext({ viewport: wide });
    await context.addInitScript(rememberLab);
    const requestedUrls: string[] = [];
    const errors: string[] = [];
    context.on('request', (request) => requestedUrls.push(request.url()));
    const page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(url);
    await page.getByLabel('Preset').waitFor({ timeout: minute });
    await trainMicro(page, 1);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByLabel('Link', { exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
    for (const name of ['Runs', 'Device', 'Log']) {
      await page.getByRole('button', { name, exact: true }).first().click();
      await page.waitForTimeout(300);
    }
    const policy = await page.locator('meta[http-equiv=Content-Security-Policy]').getAttribute('content');
    expect(policy).toMatch(/script-src 'self' 'wasm-unsafe-eval' 'sha256-/);
    expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'/);
    expect(requestedUrls.filter((each) => !each.startsWith(url) && !/^(data|blob):/.test(each))).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });

  test('embedded it shows only the element, and opens a link', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${url}?embed#x=1.AAAA&tab=play`);
    await page.getByText(/^.?\s*This link is damaged/).waitFor({ timeout: minute });
    expect(await page.getByLabel('Preset').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Open in Tabgym' }).getAttribute('href')).not.toContain('embed');
    await context.close();
  });

  test.each([
    ['run=nonesuch', 'The run of this view is not stored in this browser'],
    ['shipped=nonesuch', 'This site has no trained agent “nonesuch”'],
  ])('embedded it says in one sentence that %s is not here', async (hash, sentence) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${url}?embed#${hash}`);
    await page.getByText(sentence).waitFor({ timeout: minute });
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Tabgym');
    expect(await page.getByRole('button', { name: 'Train' }).count()).toBe(0);
    expect(await page.locator('tab-gym nav, tab-gym .turn').count()).toBe(0);
    await context.close();
  });

  test('embedded an agent without recorded episodes plays a task', { tags: 'slow' }, async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${url}?embed#shipped=textcraft-first`);
    await page
      .locator('tab-gym .turn')
      .getByText(/^> (get|craft) \d/)
      .first()
      .waitFor({ timeout: 2 * minute });
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('TextCraft, first steps');
    await context.close();
  });

  test('in a frame it starts without isolation', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${url}icon.svg`.replace('icon.svg', 'samples.json'));
    await page.setContent(`<iframe src="${url}" width="800" height="600"></iframe>`);
    const frame = page.frames()[1];
    await frame.waitForFunction(() => document.documentElement.dataset.isolation === 'framed');
    await frame.waitForFunction(() => customElements.get('tabgym-app') !== undefined);
    await context.close();
  });

  /** The page in a frame of another origin. */
  const framed = async (query: string, before = () => {}) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.addInitScript(before);
    await page.setContent(`<iframe src="${url}${query}" width="800" height="600"></iframe>`);
    const frame = page.frames()[1];
    await frame.waitForFunction(() => document.documentElement.dataset.isolation === 'framed');
    return { context, frame };
  };

  test('in a frame of another site it is only a link to itself', async () => {
    const { context, frame } = await framed('');
    await frame.getByRole('link', { name: 'Open in Tabgym' }).waitFor();
    expect(await frame.locator('tabgym-app, button').count()).toBe(0);
    await context.close();
  });

  test('the embedded view opens there, also where it may store nothing', async () => {
    const { context, frame } = await framed('?embed', () => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(globalThis, name, {
          configurable: true,
          get: () => {
            throw new DOMException('denied', 'SecurityError');
          },
        });
    });
    await frame.locator('tab-gym .turn').first().waitFor({ timeout: minute });
    await context.close();
  });
});

describe('without a network, after the browser was closed, it opens, trains and exports', { tags: 'slow' }, () => {
  const isolating = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

  test.each([
    ['a plain host', {}],
    ['a host that isolates', isolating],
  ])('from %s', async (_, headers) => {
    const profile = mkdtempSync(join(tmpdir(), 'tabgym-offline-'));
    const server = await plainServer(await buildReal(), 0, headers);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/path/`;
    const first = await persistent(profile);
    await first.page.goto(url);
    await first.page.getByLabel('Preset').waitFor({ timeout: minute });
    await expect.poll(() => first.page.evaluate(keptFiles), { timeout: minute }).toBeGreaterThan(100);
    await expect.poll(() => settled(first.page), { timeout: minute, interval: 1500 }).toBe(true);
    await first.context.close();
    await stop(server);

    const { context, page } = await persistent(profile);
    await page.goto(url);
    await page.getByLabel('Preset').waitFor({ timeout: minute });
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    await trainMicro(page, 2);
    await page.getByRole('button', { name: 'Runs', exact: true }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page
        .getByRole('button', { name: /^Export: / })
        .first()
        .click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/\.tabgym$/);
    expect(statSync((await file.path())!).size).toBeGreaterThan(1000);
    await context.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
});

describe('a browser that cannot isolate', () => {
  const host = (changes: Partial<IsolationHost>): IsolationHost => ({
    isolated: false,
    framed: false,
    serviceWorker: null,
    storage: null,
    reload: () => expect.unreachable('reloaded'),
    script: 'service-worker.js',
    ...changes,
  });
  const memory = (value: string | null) => ({ getItem: () => value, setItem: () => {} });
  const worker = (register: () => Promise<never>) => ({
    register,
    ready: new Promise<never>(() => {}),
    controller: null,
  });

  test('continues with one thread and gives the reason', async () => {
    expect(await ensureIsolation(host({ isolated: true }))).toBe('isolated');
    expect(await ensureIsolation(host({ framed: true }))).toBe('framed');
    expect(await ensureIsolation(host({}))).toBe('no-service-worker');
    const refusing = worker(() => Promise.reject(new DOMException('no', 'SecurityError')));
    expect(await ensureIsolation(host({ serviceWorker: refusing, storage: memory(null) }))).toBe('no-service-worker');
    // An earlier reload did not help, so there is no second one.
    const register = vi.fn();
    expect(await ensureIsolation(host({ serviceWorker: worker(register), storage: memory('reloaded') }))).toBe(
      'refused',
    );
    expect(register).not.toHaveBeenCalled();
  });

  test('does not wait for a registration that never ends', async () => {
    vi.useFakeTimers();
    const slow = worker(() => Promise.resolve(undefined as never));
    const answer = ensureIsolation(host({ serviceWorker: slow, storage: memory(null) }));
    await vi.advanceTimersByTimeAsync(5000);
    expect(await answer).toBe('refused');
    vi.useRealTimers();
  });
});
