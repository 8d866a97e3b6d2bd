/** The experiment in the setup outlives a reload of the page, with the run that its changes were made of. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, open, serveMock } from './harness.ts';
import { button, opened } from './state.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const rate = (page: Page) => page.getByLabel('Learning rate', { exact: true });
const preset = (page: Page) => page.getByLabel('Preset');
const notice = (page: Page, text: string) => page.locator('.notice').filter({ hasText: text });
const kept = 'Your changes in the setup were kept.';
const run = (page: Page) => new URLSearchParams(new URL(page.url()).hash.slice(1)).get('run');

/** Waits until the setup is kept for a reload, which begins once the page has started. */
const stored = (page: Page, part: string) =>
  page.waitForFunction((part) => sessionStorage.getItem('tabgym.draft')?.includes(part), part);

async function change(page: Page): Promise<string> {
  await opened(page);
  const before = await rate(page).inputValue();
  await rate(page).fill('0.005');
  await rate(page).press('Enter');
  await stored(page, '"learningRate":0.005');
  return before;
}

test('changes of a run', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
  const before = await change(page);
  await page.reload();
  await notice(page, kept).waitFor();
  // The link below the notices covers what lies under it.
  const link = page.getByRole('button', { name: 'All notices' });
  expect(await link.evaluate((element) => getComputedStyle(element).backgroundColor)).not.toBe('rgba(0, 0, 0, 0)');
  await expect.poll(() => rate(page).inputValue()).toBe('0.005');
  expect(run(page)).toBe('run-1');
  await button(page, /^Fork at step/).waitFor();
  await notice(page, kept).getByRole('button', { name: 'Discard changes' }).click();
  await expect.poll(() => rate(page).inputValue()).toBe(before);
  await page.reload();
  await opened(page);
  expect(await rate(page).inputValue()).toBe(before);
  expect(await notice(page, kept).count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});

test('another preset without a run, though runs are stored', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
  await opened(page);
  await page.evaluate(() => {
    const { app } = document.querySelector('tabgym-app') as unknown as {
      app: { prepare(experiment: unknown): void; store: { state: { presets: { name: string }[] } } };
    };
    app.prepare(structuredClone(app.store.state.presets.find(({ name }) => name === 'textcraft-depth-2')));
  });
  await expect.poll(() => run(page)).toBe(null);
  await stored(page, '"run":null');
  const chosen = await preset(page).inputValue();
  await page.reload();
  await rate(page).waitFor();
  await expect.poll(() => preset(page).inputValue()).toBe(chosen);
  expect(run(page)).toBe(null);
  expect(await notice(page, kept).count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});

test('changes of something else are offered', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
  await change(page);
  await page.goto('about:blank');
  await page.goto(`${site.url}?mock=paused#run=run-2`);
  await notice(page, 'Your changes in the setup were replaced.').getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => rate(page).inputValue()).toBe('0.005');
  expect(run(page)).toBe('run-1');
  expect(errors).toEqual([]);
  await close();
});
