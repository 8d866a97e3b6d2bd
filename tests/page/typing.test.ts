/** Fields keep what is typed into them while the page is drawn anew, as every training step does. */
import type { LitElement } from 'lit';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, open, serveMock } from './harness.ts';
import { button } from './state.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** Draws the component that contains the field anew. */
const redraw = (field: Locator) =>
  field.evaluate(async (element) => {
    const host = (element.getRootNode() as ShadowRoot).host as LitElement;
    host.requestUpdate();
    await host.updateComplete;
  });

const tab = (name: string) => async (page: Page) => {
  await page.getByRole('tab', { name, exact: true }).click();
};

const talk = async (page: Page) => {
  await tab('Talk')(page);
  await button(page, 'Choose a language model').click();
  await button(page, 'Look it up').click();
  await button(page, 'Talk to it').click();
};

const knob = (page: Page) => page.locator('.inner');
const fields: [string, string, (page: Page) => Promise<void>, (page: Page) => Locator, string, string, string][] = [
  ['Task of Watch', '?mock=paused#run=run-1', tab('Watch'), (page) => page.locator('tabgym-watch'), 'Task', '12', '0'],
  ['Task of Play', '?mock=empty', tab('Play'), (page) => page.locator('tabgym-play'), 'Task', '12', '0'],
  ['Temperature', '?mock=empty', talk, (page) => page.locator('tabgym-talk'), 'Temperature', '1.5', '0.7'],
  ['Longest reply', '?mock=empty', talk, (page) => page.locator('tabgym-talk'), 'Longest reply', '90', '200'],
  ['a setting', '?mock=empty', async () => {}, knob, 'Learning rate', '0.0125', ''],
];

test.each(fields)('%s', async (_, address, reach, within, label, typed, emptied) => {
  const { page, errors, close } = await open(browser, site.url + address);
  await reach(page);
  const field = within(page).getByLabel(label, { exact: true });
  await field.fill(typed);
  await redraw(field);
  expect(await field.inputValue()).toBe(typed);
  await field.blur();
  await redraw(field);
  expect(await field.inputValue()).toBe(typed);
  await field.fill('');
  await redraw(field);
  expect(await field.inputValue()).toBe('');
  await field.blur();
  await expect.poll(() => field.inputValue()).toBe(emptied);
  expect(errors).toEqual([]);
  await close();
});

test('the step of the shown episodes, while the run goes on', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=running#run=run-1&tab=group`);
  const field = page.getByRole('textbox', { name: 'Step', exact: true });
  const newest = async () => Number((await page.locator('.row.place').innerText()).match(/\/ (\d+)/)![1]);
  await field.fill('2');
  const before = await newest();
  await expect.poll(newest).toBeGreaterThan(before);
  expect(await field.inputValue()).toBe('2');
  await field.press('Enter');
  await expect.poll(() => page.url()).toContain('step=2');
  await field.fill('3');
  await field.fill('2');
  await button(page, 'Later step').click();
  await expect.poll(() => field.inputValue()).toBe('3');
  expect(errors).toEqual([]);
  await close();
});

test('an arrow key counts from the typed number', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=empty`);
  const field = knob(page).getByLabel('Steps', { exact: true });
  await field.fill('40');
  await field.press('ArrowUp');
  await expect.poll(() => field.inputValue()).toBe('41');
  expect(errors).toEqual([]);
  await close();
});
