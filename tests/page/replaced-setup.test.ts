/** Changes in the setup that another experiment replaces can be put back, with the run that they were made of. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mockExperiment } from '../../src/ui/gallery/mock-data.ts';
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
const notice = (page: Page) => page.locator('.notice').filter({ hasText: 'Your changes in the setup were replaced.' });
const change = async (page: Page) => {
  await rate(page).fill('0.005');
  await rate(page).press('Enter');
};
const run = (page: Page) => new URLSearchParams(new URL(page.url()).hash.slice(1)).get('run');
const drop = (page: Page, name: string, text: string) =>
  page.locator('tabgym-app').evaluate(
    (element, [name, text]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], name, { type: 'application/json' }));
      element.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, composed: true }));
    },
    [name, text],
  );

const replacements: [string, string, (page: Page) => Promise<unknown>][] = [
  [
    'a run that is opened',
    '?mock=paused#run=run-1',
    async (page) => {
      await button(page, 'Runs').click();
      await button(page, 'Open: half the learning rate').click();
    },
  ],
  [
    'a file',
    '?mock=empty',
    (page) => drop(page, 'theirs.json', JSON.stringify({ ...mockExperiment('theirs'), seed: 7 })),
  ],
  ['another preset', '?mock=empty', (page) => page.getByLabel('Preset').selectOption('textcraft-depth-2')],
  ['the run’s own settings', '?mock=paused#run=run-1', (page) => button(page, 'Discard changes').click()],
];

test.each(replacements)('%s', async (_, address, replace) => {
  const { page, errors, close } = await open(browser, site.url + address);
  await rate(page).waitFor();
  if (address.includes('run=')) await opened(page);
  const [before, preset] = [run(page), await page.getByLabel('Preset').inputValue()];
  await change(page);
  await replace(page);
  await expect.poll(() => rate(page).inputValue()).not.toBe('0.005');
  await notice(page).getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => rate(page).inputValue()).toBe('0.005');
  expect(await page.getByLabel('Preset').inputValue()).toBe(preset);
  expect(run(page)).toBe(before);
  expect(errors).toEqual([]);
  await close();
});

test('nothing is offered where a run has the changes, or there are none', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
  await opened(page);
  await change(page);
  await button(page, /^Fork at step/).click();
  await page
    .getByText(/Forked at step/)
    .first()
    .waitFor();
  await button(page, 'Runs').click();
  await button(page, 'Open: half the learning rate').click();
  await expect.poll(() => run(page)).toBe('run-2');
  await page.getByLabel('Preset').selectOption('micro');
  expect(await notice(page).count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});
