/** Learn, Compare: several methods on one batch, by the mock trainer, which computes them with the trainer's modules. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { launch, narrow, open, screenshot, serveMock, type View, wide } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const panel = (page: Page) => page.locator('tabgym-compare');

async function opened(view: View, more = '') {
  const at = await open(browser, `${site.url}?mock=paused#run=run-1&step=30&tab=group${more}`, view);
  const { page } = at;
  if (view === narrow)
    await page
      .getByRole('button', { name: /^(Learn|学习)$/ })
      .last()
      .click();
  else await page.keyboard.press('n');
  await page.locator('tabgym-learn #tab-compare').click();
  return at;
}

const compared = async (page: Page) => {
  await panel(page).locator('[data-do=compare]').click();
  await panel(page).locator('article.method').first().waitFor();
};

const saved = async (page: Page, name: string) => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    panel(page).locator(`[data-do=${name}]`).click(),
  ]);
  return readFileSync(await download.path(), 'utf8');
};

test('methods side by side: formulas with their differences, numbers, cosines, shares, live settings', async () => {
  const { page, errors, close } = await opened(wide);
  await compared(page);
  // The four tabs of Learn and its button are in one line.
  const tops = page
    .locator('tabgym-learn [role=tab]')
    .evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().top));
  expect(new Set(await tops).size).toBe(1);
  const methods = panel(page).locator('article.method');
  expect(await methods.locator('h4').allTextContents()).toEqual(['GRPO', 'Dr. GRPO', 'RLOO', 'PPO', 'DPO']);
  expect(await methods.nth(0).locator('.differs').count()).toBe(0);
  expect(await methods.nth(1).locator('.differs').count()).toBeGreaterThan(0);
  await methods.nth(3).getByText('Its critic is fitted on this batch').waitFor();
  const row = (name: string) => panel(page).getByRole('row', { name: new RegExp(`^${name}`) });
  const norms = () => row('Norm of the gradient').locator('td').allTextContents();
  const before = await norms();
  // Without the spread, GRPO's advantages of one group are only scaled, so both norms differ.
  expect(before[0]).not.toBe(before[1]);
  // A setting by the keyboard: all numbers of that method follow, and no others.
  await methods.nth(0).locator('summary').click();
  await methods.nth(0).getByLabel('Clip high').fill('0');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await row('Clipped tokens').locator('td').allTextContents())[0]).not.toBe('0%');
  const after = await norms();
  expect([after[0] !== before[0], after[1]]).toEqual([true, before[1]]);
  await panel(page).locator('[data-do=division]').selectOption('token');
  await panel(page).locator('[data-do=episode]').waitFor();
  await screenshot(page, 'compare-wide');
  expect(await axeFindings(page)).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});

test('saves figure, table and training log; the log opens here with the same advantages', async () => {
  const { page, errors, close } = await opened(wide);
  await compared(page);
  const svg = await saved(page, 'figure');
  expect(svg).toMatch(/^<svg xmlns/);
  expect(svg).toContain('Dr. GRPO');
  const csv = await saved(page, 'table');
  const [head, grpo] = csv.split('\n').map((line) => line.split(','));
  expect(head.slice(0, 6)).toEqual(['method', 'tokens', 'mean_ratio', 'clipped_share', 'gradient_norm', 'cosine_grpo']);
  expect(Number(grpo[5])).toBeCloseTo(1, 6);
  const log = await saved(page, 'unipo');
  const advantages = panel(page).getByRole('row', { name: /^Advantage/ });
  const before = await advantages.locator('td').first().textContent();
  const file = { name: 'log.json', mimeType: 'application/json', buffer: Buffer.from(log) };
  await panel(page).locator('#log').setInputFiles(file);
  await panel(page).getByText('The log has no weights').waitFor();
  expect(await advantages.locator('td').first().textContent()).toBe(before);
  await panel(page)
    .locator('#log')
    .setInputFiles({ ...file, buffer: Buffer.from('{"header":{},"entries":[]}') });
  await panel(page).getByRole('alert').waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('narrow and in Chinese', async () => {
  const { page, errors, close } = await opened(narrow, '&lang=zh-Hans');
  await compared(page);
  await panel(page).getByText('梯度之间的余弦').first().waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await screenshot(page, 'compare-narrow-zh');
  expect(await axeFindings(page)).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});
