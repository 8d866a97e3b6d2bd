import { existsSync } from 'node:fs';
import { type Browser as Chromium, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../src/envs/env.ts';
import { parseAction } from '../../src/webarena/actions.ts';
import { parseWithLibrary } from '../../src/worlds/web/browser/node-page.ts';
import { pageDocument } from '../../src/worlds/web/browser/page-document.ts';
import { Browser } from '../../src/worlds/web/browser/session.ts';
import { followPlan } from '../../src/worlds/web/driver.ts';
import { netOf } from '../../src/worlds/web/sites/net.ts';
import { idOf, instanceById, templates } from '../../src/worlds/web/tasks/index.ts';
import { chromiumText, isolatedIds } from '../../tools/replay/web-chromium.ts';
import type { FrameSpeed } from './web-frame-page.ts';
import { type FrameServer, serveFrames } from './web-frame-server.ts';
import { playOracles, webTask } from './web-oracles.ts';

const path = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const skip = !existsSync(path);
/** Number of instances of each template on whose pages the trees are compared. */
const instances = Number(process.env.TABGYM_WEB_INSTANCES ?? 1);
/** Every third template is played in a frame and on Node, or all of them in the long form. */
const every = instances > 1 ? 1 : 3;
if (skip) console.log(`skipped: there is no Chromium at ${path} (CHROMIUM_PATH names it)`);

interface Frames {
  play(script: string, tasks: Task[]): Promise<string[][]>;
  measure(script: string, frames: number, tasks: Task[], turns: number): Promise<FrameSpeed>;
  close(): Promise<void>;
  hostile(script: string): Promise<string[]>;
}
declare const webFrames: Frames;

/** Arguments for the page: a script, and tasks as JSON. */
const sent = (script: string, value: unknown) => [script, JSON.stringify(value)] as [string, string];

let browser: Chromium;
let page: Page;
let served: FrameServer;
let frame: string;

beforeAll(async () => {
  if (skip) return;
  served = await serveFrames();
  frame = served.frame;
  browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
  page = await browser.newPage();
  await page.goto(served.url);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  served?.close();
});

describe.skipIf(skip)('frames', () => {
  it('give the same bytes as Node on an isolated page, in every task', { tags: 'slow', timeout: 300_000 }, async () => {
    const tasks = templates.flatMap((_, index) => (index % every === 0 ? [webTask(index)] : []));
    const found = await page.evaluate(([script, all]) => webFrames.play(script, JSON.parse(all)), sent(frame, tasks));
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    expect(found).toEqual(await playOracles(tasks));
    expect(found.every((texts) => texts.at(-2) === '1')).toBe(true);
  });
  it('open too where the page itself is in a frame', async () => {
    const outer = await browser.newPage();
    await outer.setContent(`<iframe src="${served.url}"></iframe>`);
    const inner = outer.frames()[1];
    await inner.waitForFunction(() => 'webFrames' in globalThis);
    const [texts] = await inner.evaluate(
      ([script, all]) => webFrames.play(script, JSON.parse(all)),
      sent(frame, [webTask(0)]),
    );
    expect(texts).toEqual((await playOracles([webTask(0)]))[0]);
    await outer.close();
  }, 60_000);
  it('open too while others send messages to every window', { timeout: 60_000 }, async () => {
    const flooded = await browser.newPage();
    await flooded.goto(served.url);
    await flooded.evaluate(() => {
      const send = (to: Window) => {
        to.postMessage('noise', '*');
        for (let k = 0; k < to.length; k++) send(to[k]);
      };
      setInterval(() => send(window), 0);
    });
    const [texts] = await flooded.evaluate(
      ([script, all]) => webFrames.play(script, JSON.parse(all)),
      sent(frame, [webTask(0)]),
    );
    expect(texts).toEqual((await playOracles([webTask(0)]))[0]);
    await flooded.close();
  });
  it('run twenty side by side', { tags: 'slow', timeout: 120_000 }, async () => {
    const speed = await page.evaluate(
      ([script, tasks]) => webFrames.measure(script, 20, JSON.parse(tasks), 5),
      sent(frame, [webTask(0)]),
    );
    expect(speed.stepsPerSecond).toBeGreaterThan(1);
    expect(await page.locator('iframe').count()).toBe(20);
    await page.evaluate(() => webFrames.close());
    expect(await page.locator('iframe').count()).toBe(0);
  });
  it('allow a hostile site neither the page nor the network', async () => {
    const before = served.paths.length;
    const target = served.url.slice(0, -1);
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
    expect(served.paths.slice(before)).toEqual([]);
    expect(await page.title()).toBe('page');
  }, 600_000);
});

describe.skipIf(skip)('trees', () => {
  it('equal Chromium’s own, line for line, ids aside, on every page that the oracles visit', {
    tags: 'slow',
    timeout: 600_000,
  }, async () => {
    const other = await browser.newPage({ viewport: { width: 1280, height: 4000 } });
    const client = await other.context().newCDPSession(other);
    let lines = 0;
    const wrong: string[] = [];
    const compared = new Set<string>();
    const withoutIds = (text: string) => text.split('\n').map((line) => line.replace(/^(\t*)\[\S+\] /, '$1'));
    const visited = templates.flatMap((template, index) =>
      Array.from({ length: instances }, (_, k) => ({
        name: template.name,
        ...instanceById(idOf(index, 11 + 37 * k))!,
      })),
    );
    for (const { name, start, state, plan, netSeed } of visited) {
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
          if (one[k] !== two[k]) wrong.push(`${name} ${ours.url}: ours ${one[k]}, Chromium's ${two[k]}`);
      }
    }
    console.log(`${lines} lines of ${compared.size} pages compared, ${wrong.length} differ`);
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});
