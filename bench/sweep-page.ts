/**
 * Measures the page during a sweep of twenty runs on the processor: the time from a key to the frame that shows its tab,
 * before the sweep and during it, and the memory of the page's process after the first round of runs and at the end.
 */
import { readFileSync } from 'node:fs';
import { chromium, type Page } from 'playwright-core';
import { chromiumArgsWithoutWebGpu, findChromium, requireBrowser } from '../scripts/machine.mjs';
import { memoryMb } from './renderer-memory.ts';
import { servePage } from './served-page.ts';

export interface SweepPageRow {
  answers: number;
  /** 95th percentiles. */
  idleMs: number;
  sweepingMs: number;
  firstMb: number | null;
  lastMb: number | null;
}

const runs = 20;
const steps = 3;

/** Parts of the page's own objects that are used here. */
interface PageParts {
  app: {
    draft: { use(draft: unknown): void };
    store: { state: { sweep: { state: { done: number } } | null } };
  };
}

const stepsDone = (page: Page) =>
  page.evaluate(
    () => (document.querySelector('tabgym-app') as unknown as PageParts).app.store.state.sweep?.state.done ?? 0,
  );

async function waitForSteps(page: Page, wanted: number): Promise<void> {
  while ((await stepsDone(page)) < wanted) await page.waitForTimeout(250);
}

/** Time from a key to the frame that shows its tab, in ms. */
const answer = (page: Page, key: string, tab: string) =>
  page.evaluate(
    ([pressed, wanted]) =>
      new Promise<number>((resolve) => {
        const started = performance.now();
        dispatchEvent(new KeyboardEvent('keydown', { key: pressed }));
        const look = () => {
          const { shadowRoot } = document.querySelector('tabgym-app')!.shadowRoot!.querySelector('tabgym-stage')!;
          const chosen = shadowRoot!.querySelector('[role=tab][aria-selected=true]')?.id;
          if (chosen === `tab-${wanted}`) resolve(performance.now() - started);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    [key, tab],
  );

const bothTabs = async (page: Page) => [await answer(page, 'g', 'group'), await answer(page, 'w', 'watch')];

const late = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(0.95 * (times.length - 1))];

export async function benchSweepPage(): Promise<SweepPageRow[]> {
  requireBrowser();
  const server = await servePage();
  const browser = await chromium.launch({ executablePath: findChromium()!, args: chromiumArgsWithoutWebGpu });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${server.url}#view=lab`);
    await page.getByRole('combobox', { name: 'Device that trains' }).waitFor({ timeout: 60_000 });
    const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
    const seeds = Array.from({ length: runs }, (_, i) => i + 1);
    await page.evaluate(
      (draft) => (document.querySelector('tabgym-app') as unknown as PageParts).app.draft.use(draft),
      { ...micro, name: 'Twenty', steps, sweep: { seeds, variants: [] } },
    );
    const idle: number[] = [];
    for (let i = 0; i < 10; i++) idle.push(...(await bothTabs(page)));
    await page.getByRole('button', { name: 'Train', exact: true }).first().click();
    await waitForSteps(page, runs);
    const firstMb = await memoryMb(browser);
    const times: number[] = [];
    while ((await stepsDone(page)) < runs * steps) {
      times.push(...(await bothTabs(page)));
      await page.waitForTimeout(300);
    }
    const row = {
      answers: times.length,
      idleMs: late(idle),
      sweepingMs: late(times),
      firstMb,
      lastMb: await memoryMb(browser),
    };
    console.log(
      `  ${row.answers} answers during a sweep of ${runs} runs: 95% within ${row.sweepingMs.toFixed(0)} ms (idle ${row.idleMs.toFixed(0)}; aim 200 more); memory ${row.firstMb?.toFixed(0)} MB, then ${row.lastMb?.toFixed(0)} MB`,
    );
    return [row];
  } finally {
    await browser.close();
    await server.close();
  }
}
