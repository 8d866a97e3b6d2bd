/**
 * The phone's frame in Chromium: the browser's own layout gives every element the box that the world computes, texts of
 * an app stay texts, and code in the frame reaches nothing outside.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ElementSeen, ScreenSeen } from '../../src/worlds/phone/view-data.ts';
import { launch } from './harness.ts';
import { oracleScreens, serveScreens, worstGap } from './phone-boxes.ts';

let browser: Browser;
let screens: ScreenSeen[];

beforeAll(async () => {
  [browser, screens] = await Promise.all([launch(), oracleScreens(2)]);
}, 120_000);
afterAll(async () => browser?.close());

test.each([360, 287])(
  'gives every element the world’s box, %i pixels wide',
  async (width) => {
    const site = await serveScreens(screens);
    const page = await browser.newPage({ viewport: { width: 800, height: 900 } });
    const reported = site.boxes();
    await page.goto(`${site.url}?width=${width}`);
    const drawn = await reported;
    expect(drawn.length).toBe(screens.length);
    expect(screens.length).toBeGreaterThan(300);
    const gaps = screens.map((screen, k) => worstGap(screen, drawn[k]));
    expect(gaps.filter(({ gap }) => gap > 1)).toEqual([]);
    await page.close();
    await site.close();
  },
  120_000,
);

/** A page that shows one screen in the frame, and the frame's inner document. */
async function shown(screen: ScreenSeen, sent?: (page: Page) => Promise<void>) {
  const site = await serveScreens([screen]);
  const context = await browser.newContext();
  await context.addCookies([{ name: 'secret', value: 'cookie', url: site.url }]);
  const page = await context.newPage();
  const reported = site.boxes();
  await page.goto(`${site.url}?width=360`);
  await reported;
  await sent?.(page);
  const inner = page.frames().at(-1)!;
  return { site, page, inner, close: () => context.close().then(site.close) };
}

const hostileTexts = [
  '<img src=/stolen onerror="top.document.title=1">',
  '<script>fetch("/stolen")</script>',
  '"><iframe src="/stolen"></iframe>',
  '</button><a href="/stolen">x</a>',
  '<style>main{display:none}</style>',
];

test('shows the texts of a hostile app as texts', async () => {
  const home = screens.find(({ app }) => app === 'home')!;
  const row = (text: string, k: number): ElementSeen => ({
    ...home.elements[0],
    ...{ kind: 'row', key: `row ${k}`, text, detail: text, state: text, tint: 0 },
  });
  const { site, page, inner, close } = await shown({
    ...home,
    title: hostileTexts[0],
    elements: hostileTexts.map(row),
  });
  expect(await inner.locator('.name').allTextContents()).toEqual([...hostileTexts, 'Back', 'Home']);
  expect(await inner.locator('img, iframe, a, style:not(head style), main script').count()).toBe(0);
  expect([await page.title(), site.asked.filter((path) => path.includes('stolen'))]).toEqual(['page', []]);
  await close();
});

/** Attempts of code in the frame, by name. Each returns or throws; none may have an effect outside. */
const attempts: { readonly [name: string]: string } = {
  document: 'parent.parent.document.title',
  location: "top.location = '/stolen'",
  storage: 'localStorage.getItem("x")',
  database:
    'new Promise((yes, no) => { const r = indexedDB.open("x"); r.onsuccess = yes; r.onerror = () => no(r.error); })',
  cookie: 'document.cookie || Promise.reject("no cookie")',
  network: "fetch(base + 'stolen', { mode: 'no-cors' })",
  socket:
    "new Promise((yes, no) => { const s = new WebSocket(base.replace('http', 'ws') + 'stolen'); s.onopen = yes; s.onerror = no; })",
  picture:
    "new Promise((yes, no) => { const i = new Image(); i.onload = yes; i.onerror = no; i.src = base + 'stolen'; })",
  window: "open(base + 'stolen') || Promise.reject('no window')",
  dialog: "confirm('stolen') || Promise.reject('no dialog')",
  worker:
    "new Promise((yes, no) => { const w = new Worker(URL.createObjectURL(new Blob(['postMessage(1)']))); w.onmessage = yes; w.onerror = no; })",
  form: "new Promise((yes, no) => { const f = document.createElement('form'); f.action = base + 'stolen'; document.body.append(f); f.submit(); setTimeout(no, 300, 'no answer'); })",
  script:
    "new Promise((yes, no) => { const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s); window.ran ? yes() : no('did not run'); })",
};

test('lets code in the frame reach nothing outside', async () => {
  const { site, page, inner, close } = await shown(screens[0]);
  for (const [name, code] of Object.entries(attempts)) {
    const result = await inner.evaluate(
      `(async () => { const base = ${JSON.stringify(site.url)}; await (${code}); return 'reached'; })().catch(() => 'refused')`,
    );
    expect([name, result]).toEqual([name, 'refused']);
  }
  // The frame that leaves for another address is stopped by the frame around it.
  await inner.evaluate(`void (location.href = ${JSON.stringify(`${site.url}stolen`)})`).catch(() => {});
  await page.waitForTimeout(300);
  expect(site.asked.filter((path) => path.includes('stolen'))).toEqual([]);
  expect([page.url(), await page.title(), page.context().pages().length]).toEqual([`${site.url}?width=360`, 'page', 1]);
  await close();
});
