/** The settings of every world, the advanced ones included, as the page shows them. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { worldModules } from '../../src/worlds/registry.ts';
import { launch, open, serveMock } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

test('are shown without an error, and a list of any texts is typed with commas', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=empty`);
  await page.getByLabel('Show advanced settings').check();
  const worlds = page.getByRole('combobox', { name: 'World', exact: true }).first();
  for (const { name } of worldModules) {
    await worlds.selectOption(name);
    await expect.poll(() => worlds.inputValue()).toBe(name);
    expect({ name, errors }).toEqual({ name, errors: [] });
  }
  const typed = worldModules.find(({ name }) => name === 'sql') ?? null;
  if (typed) {
    await worlds.selectOption(typed.name);
    const templates = page.getByLabel('Templates', { exact: true });
    await templates.fill('count-rows, , count-rows ,');
    await templates.blur();
    await expect.poll(() => templates.inputValue()).toBe('count-rows');
  }
  expect(errors).toEqual([]);
  await close();
});
