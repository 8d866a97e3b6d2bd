/** The narrow page: texts that were cut, and what a panel says of a run whose episodes are gone. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, narrow, open, serveMock, wide } from './harness.ts';
import { button, seen } from './state.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** Texts of elements that are wider than their box. */
const cutIn = (page: Page, selector: string): Promise<string[]> =>
  page
    .locator(selector)
    .evaluateAll((all) =>
      all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map((each) => each.textContent!.trim()),
    );

const sql = (n: number) => ({
  item_id: `a_database_with_a_long_name_and_its_question_${n}`,
  conversations: [
    { from: 'human', loss: null, value: 'How many?' },
    { from: 'gpt', loss: true, value: 'SELECT 1' },
  ],
  reward: 1,
  success: 1,
});

for (const locale of ['en', 'zh-Hans'])
  test(`tabs, step and success are not cut (${locale})`, async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=finished#lang=${locale}`, narrow);
    await page.locator('tabgym-stage [role=tab]').nth(6).waitFor();
    expect(await cutIn(page, 'tabgym-stage [role=tablist]')).toEqual([]);
    await expect.poll(() => cutIn(page, 'tabgym-transport .meter > span')).toEqual([]);
    // A large phone, and a wide screen at 200%.
    for (const width of [500, 720]) {
      await page.setViewportSize({ width, height: 450 });
      await expect.poll(() => cutIn(page, 'tabgym-transport .meter > span')).toEqual([]);
    }
    expect(errors).toEqual([]);
    await close();
  });

for (const locale of ['en', 'zh-Hans'])
  test(`that another tab owns the run is not cut (${locale})`, async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=read-only#lang=${locale}`, wide);
    await page.locator('tabgym-stage [role=tab]').nth(6).waitFor();
    for (const width of [1440, 900, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await expect.poll(() => cutIn(page, 'tabgym-transport .steps > span')).toEqual([]);
    }
    expect(errors).toEqual([]);
    await close();
  });

for (const locale of ['en', 'zh-Hans'])
  test(`the first page has no sideways scroll on a phone at 200% (${locale})`, async () => {
    const view = { ...narrow, width: 195, height: 422 };
    const { page, errors, close } = await open(browser, `${site.url}?mock=empty#lang=${locale}`, view, {
      simple: true,
    });
    await button(page, /Train|训练/).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(195);
    expect(errors).toEqual([]);
    await close();
  });

test('goals and actions of a group are not cut, as list and as tree', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=tree#run=run-1&step=30&tab=group`, narrow);
  await page.locator('tabgym-group .episode .actions').first().waitFor();
  expect(await cutIn(page, 'tabgym-group .goal, tabgym-group .first, tabgym-group .actions')).toEqual([]);
  await button(page, 'Tree').click();
  await page.locator('tabgym-group-tree .actions').first().waitFor();
  expect(await cutIn(page, 'tabgym-group-tree .actions')).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});

test('a narrow list of trajectories has the whole name of an item, in its own line', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=empty#tab=read`, narrow);
  const buffer = Buffer.from(Array.from({ length: 60 }, (_, n) => JSON.stringify(sql(n))).join('\n'));
  await page.getByLabel('File of trajectories').setInputFiles({ name: 'a.jsonl', mimeType: 'text/plain', buffer });
  await page.getByText('60 trajectories').waitFor();
  const name = page.locator('tabgym-record-list .line .name').first();
  await expect.poll(() => name.evaluate((each) => each.clientWidth)).toBeGreaterThan(300);
  expect(await cutIn(page, 'tabgym-record-list .line .name')).toEqual([]);
  const rows = page.locator('tabgym-record-list .line');
  const [first, second] = [await rows.nth(0).boundingBox(), await rows.nth(1).boundingBox()];
  expect(second!.y).toBeGreaterThanOrEqual(first!.y + first!.height);
  const [top, score] = [await name.boundingBox(), await rows.nth(0).locator('.end').first().boundingBox()];
  expect(score!.y).toBeGreaterThanOrEqual(top!.y + top!.height);
  expect(errors).toEqual([]);
  await close();
});

test('a finished run is called finished', async () => {
  const { page, close } = await open(browser, `${site.url}?mock=finished#run=run-1&tab=watch`, wide);
  await page
    .locator('tabgym-watch')
    .getByText(/Recorded|Finished/)
    .first()
    .waitFor();
  await page.evaluate(() => {
    const { store } = (document.querySelector('tabgym-app') as unknown as { app: { store: { set(to: object): void } } })
      .app;
    store.set({ recorded: null, live: [], kept: [] });
  });
  await seen(page, 'Watch the policy try one task.');
  expect(await page.locator('tabgym-watch').getByText('Paused').count()).toBe(0);
  // There is nothing to read.
  expect(await button(page, 'Read the episodes').count()).toBe(0);
  await close();
});

test('a recorded episode is not shown beside another world', async () => {
  const { page, close } = await open(browser, `${site.url}?mock=empty`, wide);
  await page.getByRole('region', { name: 'A recorded episode' }).waitFor();
  await page.evaluate(() => {
    const { app } = document.querySelector('tabgym-app') as unknown as {
      app: { draft: { edit(path: string, value: string): void } };
    };
    app.draft.edit('worlds.0.name', 'household');
  });
  await expect.poll(() => page.getByRole('region', { name: 'A recorded episode' }).count()).toBe(0);
  await close();
});

test('a size under Storage stays on one line beside a long name, and a dialog has its Close beside the title', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`, narrow);
  await button(page, 'More').click();
  await page.getByRole('tab', { name: 'Runs' }).click();
  await page.getByRole('button', { name: 'Edit: textcraft-first' }).click();
  await page.getByLabel('New name').fill('a long name '.repeat(8));
  await button(page, 'Save').click();
  await page.getByRole('tab', { name: 'Storage' }).click();
  const size = page.locator('tabgym-storage td.number').first();
  const lines = (each: Element) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size;
  };
  await expect.poll(() => size.evaluate(lines)).toBe(1);
  await button(page, 'Setup').click();
  await page.getByRole('button', { name: 'Have reward functions proposed' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reward functions by proposal' });
  const [title, closing] = [dialog.getByRole('heading').first(), dialog.getByRole('button', { name: 'Close' })];
  const [above, beside] = [(await title.boundingBox())!, (await closing.boundingBox())!];
  expect(beside.y).toBeLessThan(above.y + above.height);
  expect(errors).toEqual([]);
  await close();
});
