/** A sweep in the built page, on the processor: it trains every run, and the tabs open meanwhile. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumArgsWithoutWebGpu, findChromium } from '../../scripts/machine.mjs';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { rememberLab, screenshot, serveReal } from './harness.ts';

const minutes = 60_000;
const RUNS = 5;
const STEPS = 2;
const profile = mkdtempSync(join(tmpdir(), 'tabgym-sweep-page-'));
let url = '';
let stopServer = async () => {};

beforeAll(async () => {
  ({ url, close: stopServer } = await serveReal());
}, 5 * minutes);

afterAll(async () => {
  await stopServer();
  rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
});

/** Parts of the page's own objects that are used here. */
interface PageParts {
  draft: { use(draft: unknown): void };
  store: { state: { sweep: { state: { done: number; total: number; status: string } } | null } };
}

const inPage = <T>(page: Page, read: (app: PageParts) => T): Promise<T> =>
  page.evaluate(
    ([source]) =>
      new Function(`return (${source})`)()((document.querySelector('tabgym-app') as unknown as { app: PageParts }).app),
    [read.toString()],
  );

const stateOf = (page: Page) => inPage(page, (app) => app.store.state.sweep?.state ?? null);

describe.skipIf(!findChromium() || process.platform !== 'linux')('a sweep of five runs', () => {
  test('trains, and its page can be used meanwhile', { tags: 'slow', timeout: 15 * minutes }, async () => {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: findChromium()!,
      args: [...chromiumArgsWithoutWebGpu, '--disable-gpu'],
      viewport: { width: 1440, height: 900 },
    });
    await context.addInitScript(rememberLab);
    const page = context.pages()[0] ?? (await context.newPage());
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(url);
    await page.getByRole('combobox', { name: 'Device that trains' }).waitFor({ timeout: minutes });
    const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
    const seeds = Array.from({ length: RUNS }, (_, i) => i + 1);
    await page.evaluate(
      (draft) => (document.querySelector('tabgym-app') as unknown as { app: PageParts }).app.draft.use(draft),
      parseExperiment({ ...micro, name: 'Five', steps: STEPS, sweep: { seeds, variants: [] } }),
    );
    await page.getByRole('button', { name: 'Train', exact: true }).first().click();
    const done = async () => (await stateOf(page))?.done ?? 0;
    await expect.poll(done, { timeout: 6 * minutes, interval: 250 }).toBeGreaterThanOrEqual(1);
    await page.keyboard.press('g');
    await page.getByRole('tab', { name: /Group/, selected: true }).waitFor();
    await page.keyboard.press('w');
    await page.getByRole('tab', { name: /Watch/, selected: true }).waitFor();
    await expect.poll(async () => (await stateOf(page))?.status, { timeout: minutes }).toBe('finished');
    await page.getByText(`${RUNS} runs, ${RUNS * STEPS} of ${RUNS * STEPS} steps done`).waitFor();
    await screenshot(page, 'sweep-real');
    expect(errors).toEqual([]);
    await context.close();
  });
});
