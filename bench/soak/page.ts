/**
 * The page for the soak: it trains on the processor in Chromium while keys are pressed. Now and then it is reloaded, or
 * its process is ended; the run must go on from the last step that was shown.
 */
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumArgsWithoutWebGpu, findChromium } from '../../scripts/machine.mjs';
import { presets } from '../../src/experiment/presets.ts';
import { packExperiment } from '../../src/ui/state/link.ts';
import { generator } from '../../tools/fuzz/mutations.ts';
import { growthOf, sampled } from '../../tools/memory.ts';
import { memoryMb } from '../renderer-memory.ts';
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

async function driven(context: BrowserContext, url: string, until: number, seed: number) {
  const random = generator(seed);
  const faults = { reload: 0, crash: 0 };
  const lost: string[] = [];
  const errors: string[] = [];
  context.on('weberror', (error) => errors.push(error.error().message));
  let page = await context.newPage();
  await page.goto(url);
  await goOn(page, 1);
  let next = Date.now() + 20_000 + random(60_000);
  for (let turn = 0; Date.now() < until; turn++) {
    await sleep(Math.min(7000, Math.max(0, until - Date.now())));
    await page.keyboard.press(keys[turn % keys.length]);
    if (Date.now() < next || Date.now() > until - 60_000) continue;
    const fault: Fault = random(3) ? 'reload' : 'crash';
    const before = await shownStep(page);
    page = await thrown(fault, page, context);
    faults[fault]++;
    const after = await goOn(page, before);
    if (after < before) lost.push(`page: step ${before} before a ${fault}, step ${after} after it`);
    next = Date.now() + 20_000 + random(100_000);
  }
  return { step: await shownStep(page), faults, lost: [...lost, ...errors.map((error) => `page: ${error}`)] };
}

export async function drivenPage(until: number, seed: number): Promise<Part> {
  const server = await servePage();
  const browser = await chromium.launch({ executablePath: findChromium()!, args: chromiumArgsWithoutWebGpu });
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const endless = { steps: 100_000, horizon: [{ steps: 100_000, turns: { oraclePlus: 1 } }] };
    const url = `${server.url}#x=${await packExperiment({ ...(presets[0] as object), ...endless })}`;
    const memory = sampled(() => memoryMb(browser).catch(() => null), until);
    const { step, faults, lost } = await driven(context, url, until, seed);
    return {
      lines: [
        `page: trained to step ${step} while keys were pressed, reloaded ${faults.reload} times, its process ended ${faults.crash} times`,
      ],
      faults: faults.reload + faults.crash,
      lost,
      accepted: [],
      memory: [growthOf("page's process", await memory)],
    };
  } finally {
    await browser.close();
    await server.close();
  }
}
