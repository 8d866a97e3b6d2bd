/** What a person does while the trainer has not answered yet stays, is done once, or waits. */
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

interface Held {
  app: {
    client: { api: { [method: string]: (...given: unknown[]) => Promise<unknown> } };
    open(id: string): Promise<void>;
    prepare(experiment: unknown): void;
    store: { state: { presets: unknown[] } };
  };
  /** Arguments of each call of the held method. */
  calls: unknown[][];
  answer(): void;
}

/** Holds the answers of a method of the trainer until `answer`. */
const hold = (page: Page, method: string) =>
  page.evaluate((method) => {
    const element = document.querySelector('tabgym-app') as unknown as Held;
    const { api } = element.app.client;
    const call = api[method].bind(api);
    const asked = new Promise<void>((resolve) => {
      element.answer = resolve;
    });
    element.calls = [];
    api[method] = async (...given) => {
      element.calls.push(given);
      await asked;
      return call(...given);
    };
  }, method);

const answer = (page: Page) => page.evaluate(() => (document.querySelector('tabgym-app') as unknown as Held).answer());
const calls = (page: Page) =>
  page.evaluate(() => (document.querySelector('tabgym-app') as unknown as Held).calls.length);
const place = (page: Page, key: string) => new URLSearchParams(new URL(page.url()).hash.slice(1)).get(key);

test('a step that is chosen while a run opens stays chosen', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
  await opened(page);
  await hold(page, 'connect');
  await button(page, 'Runs').click();
  await button(page, 'Open: half the learning rate').click();
  // The run and its curves are shown; the trainer does not have the settings of its servers yet.
  await expect.poll(() => page.locator('tabgym-transport .steps strong').textContent()).toBe('Step 20');
  await page.locator('[role=slider][aria-label^="Success by step"]').press('ArrowLeft');
  await expect.poll(() => place(page, 'step')).toBe('19');
  await answer(page);
  await page.getByRole('heading', { name: /^Group 1: / }).waitFor();
  expect([place(page, 'run'), place(page, 'step'), place(page, 'tab')]).toEqual(['run-2', '19', 'group']);
  expect(errors).toEqual([]);
  await close();
});

test('an experiment that is put in while a run opens stays', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
  await opened(page);
  await hold(page, 'openRun');
  const ids = await page.evaluate(async () => {
    const element = document.querySelector('tabgym-app') as unknown as Held;
    const { app } = element;
    const opening = app.open('run-2');
    app.prepare(structuredClone(app.store.state.presets[1]));
    element.answer();
    await opening;
    return element.calls.map(([id]) => id);
  });
  expect(ids).toEqual(['run-2']);
  expect(place(page, 'run')).toBe(null);
  await button(page, /^Train/).waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('the key for training makes one run, however often it is pressed', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=empty`);
  await page.getByLabel('Preset').waitFor();
  await hold(page, 'createRun');
  await page.keyboard.press('Space');
  await expect.poll(() => calls(page)).toBe(1);
  await page.keyboard.press('Space');
  await page.keyboard.press('s');
  expect(await calls(page)).toBe(1);
  await answer(page);
  await button(page, 'Pause').waitFor();
  expect(await calls(page)).toBe(1);
  expect(errors).toEqual([]);
  await close();
});

test('methods cannot be compared before their run is open', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=empty#step=3&tab=group`);
  await page.getByLabel('Preset').waitFor();
  await page.keyboard.press('n');
  await page.locator('tabgym-learn #tab-compare').click();
  await page.locator('tabgym-compare').waitFor();
  expect(await button(page, 'Compare the methods').isDisabled()).toBe(true);
  expect(errors).toEqual([]);
  await close();
});
