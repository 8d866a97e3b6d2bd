/**
 * Measures how fast the page answers while the processor trains: 200 clicks and keys in a real browser, each timed by
 * the browser from the input to the next frame (Event Timing). Interaction to next paint is their 98th percentile
 * (web.dev/articles/inp).
 */
import { chromium, type Page } from 'playwright-core';
import { chromiumArgsWithoutWebGpu, findChromium, requireBrowser } from '../scripts/machine.mjs';
import { servePage } from './served-page.ts';

export interface InteractionsRow {
  interactions: number;
  medianMs: number;
  inpMs: number;
  longestMs: number;
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

/** Records the longest event of each interaction. The browser does not report those under 16 ms, which count as 16. */
function observe() {
  window.answers = new Map();
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { interactionId?: number })[])
      if (entry.interactionId)
        window.answers.set(entry.interactionId, Math.max(window.answers.get(entry.interactionId) ?? 0, entry.duration));
  });
  observer.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
}

/** Acts as a person does during training: moves along the curve's steps, opens and closes panels, clicks the curve. */
async function interact(page: Page, i: number) {
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

export async function benchInteractions(): Promise<InteractionsRow[]> {
  requireBrowser();
  const server = await servePage();
  const browser = await chromium.launch({
    executablePath: findChromium()!,
    args: chromiumArgsWithoutWebGpu,
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${server.url}#view=lab`);
    await page.locator('button.train').click({ timeout: 120_000 });
    const shown = page.locator('tabgym-transport .steps strong');
    await shown.filter({ hasText: /Step ([3-9]|\d\d)/ }).waitFor({ timeout: 120_000 });
    await page.evaluate(observe);
    for (let i = 0; i < count; i++) await interact(page, i);
    const durations = await page.evaluate(() => [...window.answers.values()]);
    const all = [...durations, ...Array(Math.max(0, count - durations.length)).fill(16)].sort((a, b) => a - b);
    const at = (share: number) => all[Math.min(all.length - 1, Math.floor(all.length * share))];
    const device = await page.locator('tabgym-transport select.device').getAttribute('title');
    const steps = (await shown.textContent()) ?? '';
    const row = {
      interactions: all.length,
      medianMs: at(0.5),
      inpMs: at(0.98),
      longestMs: at(1),
      device: device!,
      steps,
    };
    console.log(
      `  ${row.interactions} interactions during training (${row.steps}; ${row.device.split('.')[0]}): median ${row.medianMs} ms, 98th percentile ${row.inpMs} ms (aim 200), longest ${row.longestMs} ms`,
    );
    return [row];
  } finally {
    await browser.close();
    await server.close();
  }
}
