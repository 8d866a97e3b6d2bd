// What a page of a folder shows in Chromium: the text of `#out` once it ends with `done` or contains `failed`.
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from './machine.mjs';

const types = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
  '.tabgym': 'application/zip',
};
const patienceMs = 240_000;

/** Serves a folder. `policy`: the content security policy of every answer. */
export async function servedFolder(folder, { policy } = {}) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const file = join(folder, decodeURIComponent(pathname).replace(/\/$/, '/index.html'));
    const isFile = existsSync(file) && statSync(file).isFile();
    const type = types[extname(file)] ?? 'application/octet-stream';
    response.writeHead(isFile ? 200 : 404, {
      'content-type': type,
      ...(policy && { 'content-security-policy': policy }),
    });
    response.end(isFile ? readFileSync(file) : 'Not found');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Opens a path of a folder in Chromium; `use` receives the page. Problems that the console shows are printed. */
export async function inChromium(folder, path, { policy }, use) {
  const served = await servedFolder(folder, { policy });
  const browser = await chromium.launch({ executablePath: findChromium() ?? undefined, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const problems = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${served.address}${path}`);
    return await use(page, problems);
  } finally {
    await browser.close();
    served.close();
  }
}

export const shownByPage = (folder, path, options) =>
  inChromium(folder, path, options, async (page, problems) => {
    const out = page.locator('#out');
    const ended = () => /done|failed/.test(document.querySelector('#out')?.textContent ?? '');
    await page.waitForFunction(ended, null, { timeout: patienceMs }).catch((error) => problems.push(error.message));
    return `${await out.textContent()}\n${problems.join('\n')}`;
  });

/** Uses the two elements of a page: plays a turn in one, trains the other, and inserts that one again a hundred times. */
export async function twoElements(page, problems) {
  await page.locator('#two').getByRole('textbox').waitFor({ timeout: patienceMs, state: 'attached' });
  const shown = await page.evaluate(async () => {
    const [one, two] = ['one', 'two'].map((id) => document.getElementById(id));
    const text = (element) => element.shadowRoot.textContent;
    const field = two.shadowRoot.querySelector('input');
    field.value = 'inventory';
    field.form.requestSubmit();
    while (!text(two).includes('> inventory')) await new Promise((next) => setTimeout(next, 50));
    const color = getComputedStyle(one.shadowRoot.querySelector('strong')).color;
    const states = [];
    one.addEventListener('tabgym-status', ({ detail }) => states.push(detail.status));
    await one.train();
    const told = text(one);
    const frame = one.parentNode;
    for (let time = 0; time < 100; time++) {
      one.remove();
      frame.append(one);
    }
    await new Promise((next) => setTimeout(next, 500));
    return [...states, text(two), told, color === 'rgb(255, 0, 0)' ? 'color lost' : 'color kept'];
  });
  const workers = page.workers().filter((worker) => worker.url().includes('library-worker')).length;
  return { shown: [...shown, workers === 1 ? 'one trainer' : `${workers} trainers`], problems };
}
