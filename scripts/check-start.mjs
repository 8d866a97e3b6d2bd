// `npm run check:start`: checks that the README's first command works. Starts `npm start` on a free port, opens the
// page in Chromium, takes one training step of its preset, and stops everything. Chromium reaches the network only
// through a proxy of ours, which forwards requests to the page's own server, refuses all others and records them. Only
// Chromium's own requests may be among those. At the end, requests from the page and from a worker test that the check
// would notice a violation.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumArgs, findChromium, requireBrowser } from './machine.mjs';
import { startPage, trainOneStep } from './start-page.mjs';

const minute = 60_000;

/** Hosts that Chromium contacts by itself, whatever the page and its switches: updates, sign-in, forms, messages. */
const chromiumsOwn = /\b(google|googleapis|gvt1)\.com\b/;

/** Opens a proxy that forwards to one server, `own` (host and port), and records requests to any other address. */
async function openProxy(own) {
  const foreignRequests = [];
  const { hostname, port } = new URL(`http://${own}`);
  const proxy = createServer((incoming, answer) => {
    const { host, pathname, search } = new URL(incoming.url, 'http://unnamed');
    if (host !== own) {
      foreignRequests.push(`${incoming.method} ${incoming.url}`);
      answer.writeHead(502).end();
      return;
    }
    const { method, headers } = incoming;
    const passed = request({ hostname, port, method, path: pathname + search, headers }, (response) => {
      answer.writeHead(response.statusCode, response.headers);
      response.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    incoming.pipe(passed);
  });
  // Tunnels, for https and web sockets.
  proxy.on('connect', ({ url }, socket, head) => {
    socket.on('error', () => {});
    if (url !== own) {
      foreignRequests.push(`CONNECT ${url}`);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    const server = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      server.write(head);
      server.pipe(socket).pipe(server);
    });
    server.on('error', () => socket.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const close = () => {
    proxy.closeAllConnections();
    proxy.close();
  };
  return { url: `http://127.0.0.1:${proxy.address().port}`, foreignRequests, close };
}

/** Takes one step of the preset with which the page opens; returns the step that the page then shows. */
async function trainPreset(page, address) {
  await page.goto(`${address}#view=lab`);
  const preset = page.getByLabel('Preset');
  await preset.waitFor({ timeout: minute });
  const chosen = await preset.evaluate((select) => select.selectedOptions[0].textContent.trim());
  console.log(`the page is open; one step of its preset, ${chosen}`);
  return trainOneStep(page);
}

/** Requests a non-existent address from a page and from a worker. Both requests must reach the proxy. */
async function tryLeaving(page) {
  await page.evaluate(async () => {
    await fetch('http://page.invalid/').catch(() => {});
    const source = `fetch('https://worker.invalid/').catch(() => {}).then(() => postMessage(0))`;
    const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
    await new Promise((resolve) => worker.addEventListener('message', resolve));
    worker.terminate();
  });
}

async function checkIn(context, address, foreignRequests) {
  const page = context.pages()[0] ?? (await context.newPage());
  const problems = [];
  const requested = [];
  // Every request of the page and its workers. None may go elsewhere, not even to an address that Chromium itself
  // requests.
  context.on('request', (seen) => requested.push(`${seen.method()} ${seen.url()}`));
  page.on('console', (message) => message.type() === 'error' && problems.push(`the page printed: ${message.text()}`));
  page.on('pageerror', (error) => problems.push(`the page threw: ${error.message}`));
  const step = await trainPreset(page, address);
  const foreign = requested.filter((what) => what.includes('://') && !what.includes(new URL(address).origin));
  const left = [...foreignRequests.splice(0).filter((what) => !chromiumsOwn.test(what)), ...foreign];
  problems.push(...left.map((what) => `a request left the page's server: ${what}`));
  page.removeAllListeners('console');
  await tryLeaving(page);
  for (const name of ['page.invalid', 'worker.invalid'])
    if (![foreignRequests, requested].every((list) => list.some((what) => what.includes(name))))
      problems.push(`a request to ${name} was not noticed: this check does not work`);
  return { step, problems };
}

async function check() {
  const { address, stop } = await startPage();
  const profile = mkdtempSync(join(tmpdir(), 'tabgym-start-'));
  const proxy = await openProxy(new URL(address).host);
  try {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: findChromium(),
      // By default Chromium bypasses a proxy for its own machine; `<-loopback>` turns that off.
      proxy: { server: proxy.url, bypass: '<-loopback>' },
      args: chromiumArgs,
      viewport: { width: 1440, height: 900 },
    });
    try {
      return await checkIn(context, address, proxy.foreignRequests);
    } finally {
      await context.close();
    }
  } finally {
    proxy.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    await stop();
  }
}

requireBrowser();
const started = Date.now();
const { step, problems } = await check();
for (const problem of problems) console.error(problem);
const seconds = Math.round((Date.now() - started) / 1000);
console.log(
  `${problems.length ? 'FAILED' : 'ok'}: npm start, ${step.trim()} trained, ${problems.length} problems (${seconds} s)`,
);
process.exit(problems.length ? 1 : 0);
