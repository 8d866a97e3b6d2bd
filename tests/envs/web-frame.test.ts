import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser as Chromium, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildFrameScript, frameScript } from '../../scripts/frame-script.mjs';
import type { Task } from '../../src/envs/env.ts';
import { parseAction } from '../../src/envs/web/actions.ts';
import { parseWithLibrary } from '../../src/envs/web/browser/node-page.ts';
import { pageDocument } from '../../src/envs/web/browser/page-document.ts';
import { Browser } from '../../src/envs/web/browser/session.ts';
import { followPlan } from '../../src/envs/web/driver.ts';
import { netOf } from '../../src/envs/web/sites/net.ts';
import { idOf, instanceById, templates } from '../../src/envs/web/tasks/index.ts';
import { chromiumText, isolatedIds } from '../../tools/replay/web-chromium.ts';
import { playOracles, webTask } from './web-oracles.ts';

const path = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const skip = !existsSync(path);
if (skip) console.log(`skipped: there is no Chromium at ${path} (CHROMIUM_PATH names it)`);

interface Frames {
  play(script: string, tasks: Task[]): Promise<string[][]>;
  bench(script: string, frames: number, task: Task, steps: number): Promise<number>;
  hostile(script: string): Promise<string[]>;
}
declare const webFrames: Frames;

/** What is sent to the page: a script and tasks, as JSON. */
const sent = (script: string, value: unknown) => [script, JSON.stringify(value)] as [string, string];

let browser: Chromium;
let server: Server;
let page: Page;
let frame: string;
const asked: string[] = [];

async function builtPage(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: { 'import.meta.env.SSR': 'false' },
    plugins: [frameScript({ empty: true })],
    build: {
      write: false,
      target: 'esnext',
      lib: { entry: 'tests/envs/web-frame-page.ts', formats: ['iife'], name: 'page' },
    },
  });
  const [{ output }] = (Array.isArray(result) ? result : [result]) as { output: { code?: string }[] }[];
  return output[0].code!;
}

beforeAll(async () => {
  if (skip) return;
  const script = await builtPage();
  frame = await buildFrameScript();
  server = createServer((request, response) => {
    asked.push(request.url!);
    response.setHeader('content-type', 'text/html');
    // Isolated, as the page is.
    response.setHeader('cross-origin-opener-policy', 'same-origin');
    response.setHeader('cross-origin-embedder-policy', 'require-corp');
    response.end(
      `<!DOCTYPE html><title>page</title><body><script>${script.replaceAll('</script', '<\\/script')}</script></body>`,
    );
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  server?.close();
});

describe.skipIf(skip)('frames', () => {
  it('say the same bytes as Node, on an isolated page, whatever is solved', async () => {
    const tasks = templates.flatMap((_, index) => (index % 3 === 0 ? [webTask(index)] : []));
    const found = await page.evaluate(([script, all]) => webFrames.play(script, JSON.parse(all)), sent(frame, tasks));
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    expect(found).toEqual(await playOracles(tasks));
    expect(found.every((texts) => texts.at(-2) === '1')).toBe(true);
  }, 60_000);
  it('run twenty side by side', async () => {
    const perSecond = await page.evaluate(
      ([script, task]) => webFrames.bench(script, 20, JSON.parse(task), 5),
      sent(frame, webTask(0)),
    );
    console.log(`20 frames: ${perSecond.toFixed(0)} steps a second`);
    expect(perSecond).toBeGreaterThan(1);
    expect(await page.locator('iframe').count()).toBe(0);
  }, 60_000);
  it('let a hostile site reach neither the page nor the network', async () => {
    const before = asked.length;
    const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const attempts = `
      const say = (text) => top.postMessage(text, '*');
      const attempt = (name, work) => { try { const r = work(); if (r && r.then) r.then(() => say(name), () => {}); else say(name); } catch {} };
      attempt('fetch', () => fetch('${target}/leak-fetch', {mode: 'no-cors'}));
      attempt('page', () => top.document.title);
      attempt('around', () => parent.document.title);
      attempt('storage', () => localStorage.setItem('a', 'b'));
      attempt('database', () => { if (!indexedDB.open('x')) throw 0; return new Promise((good, bad) => { const r = indexedDB.open('x'); r.onsuccess = good; r.onerror = bad; }); });
      attempt('eval', () => new Function('return 1')());
      attempt('worker', () => new Promise((good, bad) => { const w = new Worker(URL.createObjectURL(new Blob(['postMessage(1)']))); w.onmessage = good; w.onerror = bad; }));
      attempt('navigated the page', () => { top.location = '${target}/leak-top'; throw 0; });
      attempt('window', () => { if (!window.open('${target}/leak-window')) throw 0; });
      attempt('socket', () => new Promise((good, bad) => { const s = new WebSocket('${target.replace('http', 'ws')}/leak-socket'); s.onopen = good; s.onerror = bad; }));
      document.body.innerHTML += '<img src="${target}/leak-image"><iframe src="${target}/leak-frame"></iframe><link rel=stylesheet href="${target}/leak-style"><img src=x onerror="top.postMessage(\\'handler\\',\\'*\\')"><form id=f action="${target}/leak-form" method=post></form><meta http-equiv="refresh" content="0;url=${target}/leak-refresh">';
      attempt('form', () => { document.getElementById('f').submit(); throw 0; });
      navigator.sendBeacon && navigator.sendBeacon('${target}/leak-beacon', 'x');
      setTimeout(() => { location = '${target}/leak-self'; }, 200);
      say('ran');`;
    const reports = await page.evaluate((script) => webFrames.hostile(script), attempts);
    expect(reports).toEqual(['ran']);
    expect(asked.slice(before)).toEqual([]);
    expect(await page.title()).toBe('page');
  }, 30_000);
});

describe.skipIf(skip)('trees', () => {
  it('are Chromium’s own, line for line, ids aside, on every page that the oracles visit', async () => {
    const other = await browser.newPage({ viewport: { width: 1280, height: 4000 } });
    const client = await other.context().newCDPSession(other);
    let lines = 0;
    const wrong: string[] = [];
    const compared = new Set<string>();
    const withoutIds = (text: string) => text.split('\n').map((line) => line.replace(/^(\t*)\[\S+\] /, '$1'));
    for (const [index, template] of templates.entries()) {
      const { start, state, plan, netSeed } = instanceById(idOf(index, 11))!;
      const ours = Browser.open({ net: netOf(netSeed), parse: parseWithLibrary, screenLines: 0 }, start, state ?? {});
      for (const action of ['', ...followPlan(ours, plan).actions]) {
        if (action.startsWith('stop')) continue;
        if (action) ours.act(parseAction(action), ours.observe().nodes);
        const { title, html } = ours.entry;
        const own = isolatedIds(ours);
        if (compared.has(`${html}\n${own}`)) continue;
        compared.add(`${html}\n${own}`);
        await other.setContent(pageDocument(title, html));
        const [one, two] = [own, await chromiumText(client, other, ours)].map(withoutIds);
        lines += two.length;
        for (let k = 0; k < Math.max(one.length, two.length); k++)
          if (one[k] !== two[k]) wrong.push(`${template.name} ${ours.url}: ours ${one[k]}, Chromium's ${two[k]}`);
      }
    }
    console.log(`${lines} lines of ${compared.size} pages compared, ${wrong.length} differ`);
    expect(wrong.slice(0, 5)).toEqual([]);
  }, 120_000);
});
