/**
 * Measures how fast the page answers while the processor trains: 200 clicks and keys in a real browser, each timed by
 * the browser from the input to the next frame (Event Timing). Interaction to next paint is their 98th percentile
 * (web.dev/articles/inp). Once with this processor, and once with the page's thread slowed four times.
 */
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumArgsWithoutWebGpu, findChromium, requireBrowser } from '../scripts/machine.mjs';
import { servePage } from './served-page.ts';

export interface InteractionsRow {
  processor: string;
  interactions: number;
  medianMs: number;
  inpMs: number;
  longestMs: number;
  aimMs: number;
  /** Description of the processor device at the end; it gives up a thread if answers are slow. */
  device: string;
  steps: string;
}

declare global {
  interface Window {
    answers: Map<number, number>;
  }
}

const count = 200;
/** Each slowdown of the page's thread, with the aim for the 98th percentile. */
const slowdowns = [
  { slower: 1, aimMs: 200 },
  { slower: 4, aimMs: 500 },
] as const;

/** Records the longest event of each interaction. The browser does not report those under 16 ms, which count as 16. */
export function observe() {
  window.answers = new Map();
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { interactionId?: number })[])
      if (entry.interactionId)
        window.answers.set(entry.interactionId, Math.max(window.answers.get(entry.interactionId) ?? 0, entry.duration));
  });
  observer.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
}

/** Acts as a person does during training: moves along the curve's steps, opens and closes panels, clicks the curve. */
export async function interact(page: Page, i: number) {
  const curve = page.locator('[role=slider][aria-label^="Success by step"]').first();
  const acts = [
    () => curve.press('ArrowLeft'),
    () => curve.press('ArrowLeft'),
    () => curve.press('Home'),
    () => curve.press('End'),
    () => page.keyboard.press('r'),
    () => page.keyboard.press('r'),
    () => curve.click({ position: { x: 60 + ((i * 37) % 200), y: 40 } }),
  ];
  await acts[i % acts.length]();
  await page.waitForTimeout(60);
}

/** Percentiles of the interactions' longest events since `observe`. Those under 16 ms are not reported and count as 16. */
export async function longestOf(page: Page, count: number): Promise<(share: number) => number> {
  const durations = await page.evaluate(() => [...window.answers.values()]);
  const all = [...durations, ...Array(Math.max(0, count - durations.length)).fill(16)].sort((a, b) => a - b);
  return (share) => all[Math.min(all.length - 1, Math.floor(all.length * share))];
}

async function answers(browser: Browser, url: string, { slower, aimMs }: (typeof slowdowns)[number]) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${url}#view=lab`);
  await page.locator('button.train').click({ timeout: 120_000 });
  const shown = page.locator('tabgym-transport .steps strong');
  await shown.filter({ hasText: /Step ([3-9]|\d\d)/ }).waitFor({ timeout: 120_000 });
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower });
  await page.evaluate(observe);
  for (let i = 0; i < count; i++) await interact(page, i);
  const at = await longestOf(page, count);
  const device = await page.locator('tabgym-transport select.device').getAttribute('title');
  const steps = (await shown.textContent()) ?? '';
  await context.close();
  const processor = slower === 1 ? 'as it is' : `${slower} times slower`;
  const [medianMs, inpMs, longestMs] = [at(0.5), at(0.98), at(1)];
  console.log(
    `  ${count} interactions during training, processor ${processor} (${steps}; ${device?.split('.')[0]}): median ${medianMs} ms, 98th percentile ${inpMs} ms (aim ${aimMs}), longest ${longestMs} ms`,
  );
  return { processor, interactions: count, medianMs, inpMs, longestMs, aimMs, device: device!, steps };
}

export async function benchInteractions(): Promise<InteractionsRow[]> {
  requireBrowser();
  const server = await servePage();
  const browser = await chromium.launch({
    executablePath: findChromium()!,
    args: chromiumArgsWithoutWebGpu,
  });
  try {
    const rows: InteractionsRow[] = [];
    for (const slowdown of slowdowns) rows.push(await answers(browser, server.url, slowdown));
    return rows;
  } finally {
    await browser.close();
    await server.close();
  }
}
