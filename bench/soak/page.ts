/**
 * Two pages for the soak, each in a browser of its own; both train on the processor in Chromium while keys are pressed.
 * One is reloaded now and then, or its process is ended; the run must go on from the last step that was shown. The
 * other is left alone, so that its memory shows what a long life of a page retains.
 */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumArgsWithoutWebGpu, findChromium } from '../../scripts/machine.mjs';
import { presets } from '../../src/experiment/presets.ts';
import { packExperiment } from '../../src/ui/state/link.ts';
import { generator } from '../../tools/fuzz/mutations.ts';
import { type Sampled, sampledUntil } from '../../tools/memory-trend.ts';
import { collectedPage, type PageMemory, pageTrends } from '../renderer-memory.ts';
import { servePage } from '../served-page.ts';
import { type Part, sleep } from './part.ts';

const keys = ['g', 'ArrowLeft', 't', 'f', 'w', 'r', 'r', 'n', 'n'];

const stepsOf = (page: Page) => page.locator('tabgym-transport .steps strong');

const shownStep = async (page: Page) =>
  Number(/\d+/.exec((await stepsOf(page).textContent({ timeout: 120_000 })) ?? '')?.[0] ?? 0);

/** Presses Train if the run stands still, and waits for a step of at least `least`. */
async function goOn(page: Page, least: number): Promise<number> {
  await stepsOf(page).waitFor({ timeout: 180_000 });
  const train = page.locator('button.train');
  for (let tries = 0; tries < 90; tries++) {
    const [step, label] = [await shownStep(page), (await train.textContent()) ?? ''];
    if (step >= least && step > 0 && /Pause/.test(label)) return step;
    if (/Train/.test(label)) await train.click({ timeout: 5000 }).catch(() => {});
    await sleep(2000);
  }
  return shownStep(page);
}

type Fault = 'reload' | 'crash';

/** Throws a fault in. Returns the page that is open after it. */
async function thrown(fault: Fault, page: Page, context: BrowserContext): Promise<Page> {
  if (fault === 'reload') {
    await page.reload();
    return page;
  }
  const address = page.url();
  const session = await context.newCDPSession(page);
  await Promise.race([session.send('Page.crash').catch(() => {}), sleep(3000)]);
  await page.close().catch(() => {});
  const next = await context.newPage();
  await next.goto(address);
  return next;
}

/** Ages, in seconds, at which lives of a page are compared: after its start, before it is usually ended. */
const comparedAge = { from: 20, to: 60 };

/** Samples each life of the page with faults at about the same age. */
class Lives {
  readonly samples: Sampled<PageMemory>[] = [];
  private readonly began = Date.now();
  private life = 0;
  private bornAt = Number.POSITIVE_INFINITY;
  page: Page | null = null;

  born(page: Page): void {
    this.page = page;
    this.life++;
    this.bornAt = Date.now();
  }

  died(): void {
    this.page = null;
  }

  async sample(): Promise<void> {
    const { page, life } = this;
    const age = (Date.now() - this.bornAt) / 1000;
    if (!page || age < comparedAge.from || age > comparedAge.to) return;
    const value = await collectedPage(page);
    const isSame = this.page === page && this.life === life;
    if (value && isSame) this.samples.push({ minute: (Date.now() - this.began) / 60_000, block: life, value });
  }
}

async function faulty(context: BrowserContext, url: string, until: number, seed: number) {
  const random = generator(seed);
  const faults = { reload: 0, crash: 0 };
  const lost: string[] = [];
  const lives = new Lives();
  const errors = errorsOf(context);
  let page = await context.newPage();
  await page.goto(url);
  await goOn(page, 1);
  lives.born(page);
  let next = Date.now() + 20_000 + random(60_000);
  for (let turn = 0; Date.now() < until; turn++) {
    await sleep(Math.min(7000, Math.max(0, until - Date.now())));
    await page.keyboard.press(keys[turn % keys.length]);
    await lives.sample();
    if (Date.now() < next || Date.now() > until - 60_000) continue;
    const fault: Fault = random(3) ? 'reload' : 'crash';
    const before = await shownStep(page);
    lives.died();
    page = await thrown(fault, page, context);
    faults[fault]++;
    const after = await goOn(page, before);
    lives.born(page);
    if (after < before) lost.push(`page: step ${before} before a ${fault}, step ${after} after it`);
    next = Date.now() + 20_000 + random(100_000);
  }
  return { step: await shownStep(page), faults, lost: [...lost, ...errors], samples: lives.samples };
}

/** Messages of errors that a page did not handle, collected as they come. */
function errorsOf(context: BrowserContext): string[] {
  const errors: string[] = [];
  context.on('weberror', (error) => errors.push(`page: ${error.error().message}`));
  return errors;
}

/** Retains `megabytes` of objects a minute in the page: the planted leak by which the measure is checked. */
const plantLeak = (page: Page, megabytes: number) =>
  page.evaluate((mb) => {
    const kept: object[] = [];
    Object.assign(window, { soakLeak: kept });
    // An array of a million small numbers has 4 or 8 bytes each, by the engine's build.
    setInterval(() => kept.push(Array.from({ length: (mb * 2 ** 20) / 4 / 60 }, (_, k) => k)), 1000);
  }, megabytes);

async function leftAlone(context: BrowserContext, url: string, until: number, leak: number) {
  const errors = errorsOf(context);
  const page = await context.newPage();
  await page.goto(url);
  await goOn(page, 1);
  if (leak) await plantLeak(page, leak);
  const memory = sampledUntil(() => collectedPage(page), until);
  for (let turn = 0; Date.now() < until; turn++) {
    await sleep(Math.min(7000, Math.max(0, until - Date.now())));
    await page.keyboard.press(keys[turn % keys.length]);
  }
  return { step: await shownStep(page), lost: errors, samples: await memory };
}

/** Runs `play` in a browser of its own. */
async function inChromium<T>(play: (context: BrowserContext) => Promise<T>): Promise<T> {
  const browser: Browser = await chromium.launch({
    executablePath: findChromium()!,
    args: chromiumArgsWithoutWebGpu,
  });
  try {
    return await play(await browser.newContext({ viewport: { width: 1440, height: 900 } }));
  } finally {
    await browser.close();
  }
}

const aloneLine = (step: number) => `page left alone: trained to step ${step} while keys were pressed`;

/** Builds and serves the page; its address is that of an endless run. */
export async function endlessPage(): Promise<{ url: string; close(): Promise<void> }> {
  const server = await servePage();
  const endless = { steps: 100_000, horizon: [{ steps: 100_000, turns: { oraclePlus: 1 } }] };
  const packed = await packExperiment({ ...(presets[0] as object), ...endless });
  return { ...server, url: `${server.url}#x=${packed}` };
}

export async function drivenPages(url: string, until: number, seed: number): Promise<Part> {
  const [{ step, faults, lost, samples }, alone] = await Promise.all([
    inChromium((context) => faulty(context, url, until, seed)),
    inChromium((context) => leftAlone(context, url, until, 0)),
  ]);
  const trends = [
    pageTrends('page with faults, at the same age', samples),
    pageTrends('page left alone', alone.samples),
  ];
  return {
    lines: [
      `page: trained to step ${step} while keys were pressed, reloaded ${faults.reload} times, its process ended ${faults.crash} times`,
      aloneLine(alone.step),
    ],
    faults: faults.reload + faults.crash,
    lost: [...lost, ...alone.lost],
    accepted: [],
    memory: trends.map(({ judged }) => judged),
    compared: trends.map(({ compared }) => compared),
  };
}

/** Only the page left alone, which retains `leak` megabytes a minute: a check of the measure. */
export async function singlePage(url: string, until: number, leak: number): Promise<Part> {
  const { step, lost, samples } = await inChromium((context) => leftAlone(context, url, until, leak));
  const { judged, compared } = pageTrends('page left alone', samples);
  return { lines: [aloneLine(step)], faults: 0, lost, accepted: [], memory: [judged], compared: [compared] };
}
