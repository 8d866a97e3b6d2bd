/** Import and opening of a long run: progress and cancellation, and a recording refused by its size alone. */
import type { Browser } from 'playwright-core';
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

const runFile = (name: string) => ({ name, mimeType: 'application/zip', buffer: Buffer.from('tabgym-run') });

test('a long import shows its progress, and is canceled with nothing left behind', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused`);
  await button(page, 'Runs').click();
  const chooser = page.locator('tabgym-runs input[type=file]').first();
  await chooser.setInputFiles(runFile('long.tabgym'));
  const importing = page.locator('tabgym-import-progress');
  await importing.getByText('Importing “long.tabgym”').waitFor();
  const share = () => importing.getByRole('progressbar').evaluate((bar) => (bar as HTMLProgressElement).value);
  const first = await share();
  await expect.poll(share).toBeGreaterThan(first);
  await importing.getByText(/ left\./).waitFor();
  await button(page, 'Cancel').click();
  await importing.waitFor({ state: 'detached' });
  expect(await page.locator('tabgym-runs').getByText('from long.tabgym').count()).toBe(0);
  expect(await page.locator('tabgym-notices .notice').count()).toBe(0);
  // A short one shows none.
  await chooser.setInputFiles(runFile('short.tabgym'));
  await page.getByText('“short” was imported.').waitFor();
  expect(await importing.count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});

test('opening a long run shows its progress, and once canceled leaves the open run', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused`);
  await button(page, 'Runs').click();
  const runs = page.locator('tabgym-runs');
  await button(page, 'Edit: half the learning rate').click();
  await runs.getByLabel('New name').fill('long run');
  await button(page, 'Save').click();
  await button(page, 'Open: long run').click();
  const opening = page.locator('tabgym-import-progress');
  await opening.getByText('Opening “long run”').waitFor();
  await opening.getByText(/ left\./).waitFor();
  await button(page, 'Cancel').click();
  await opening.waitFor({ state: 'detached' });
  expect(new URL(page.url()).hash).toContain('run=run-1');
  expect(await page.locator('tabgym-notices .notice').count()).toBe(0);
  // By its address, too.
  await page.evaluate(() => (location.hash = '#run=run-2'));
  await opening.getByText('Opening “long run”').waitFor();
  await button(page, 'Cancel').click();
  await expect.poll(() => new URL(page.url()).hash).toContain('run=run-1');
  expect(errors).toEqual([]);
  await close();
});

test('a recording that is too large is refused before it is read', async () => {
  const { page, close } = await open(browser, `${site.url}?mock=empty`);
  await button(page, 'Begin with another algorithm').click();
  const part = page.getByRole('group', { name: 'Part 1' });
  await part.getByLabel('Algorithm', { exact: true }).selectOption('sft');
  const workers: string[] = [];
  page.on('worker', (worker) => workers.push(worker.url()));
  await part.getByLabel('Trajectories').evaluate((input) => {
    const files = new DataTransfer();
    files.items.add(new File([new Uint8Array(65e6)], 'large.jsonl'));
    (input as HTMLInputElement).files = files.files;
    input.dispatchEvent(new Event('change'));
  });
  await part
    .getByRole('alert')
    .getByText(/65.0 MB; a run keeps at most 64 MB/)
    .waitFor();
  expect(workers.filter((url) => url.includes('reader-worker'))).toEqual([]);
  await close();
});
