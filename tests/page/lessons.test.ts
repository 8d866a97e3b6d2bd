/**
 * One quick lesson in the page as it ships: played, watched and answered by keyboard alone. `npm run test:lessons` does
 * all ten.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyboardOf } from '../lessons/chromium-hands.ts';
import { driveLesson } from '../lessons/drives.ts';
import { launch, open, serveReal } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveReal>>;

beforeAll(async () => {
  [site, browser] = [await serveReal(), await launch()];
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

test('the first lesson is done and stays done', async () => {
  const { page, errors, close } = await open(browser, site.url);
  await page.waitForFunction(() => document.querySelector('tabgym-app')?.shadowRoot?.querySelector('tabgym-stage'));
  await driveLesson(await keyboardOf(page), 'agent');
  await page.reload();
  await page.locator('tabgym-app').waitFor();
  await page.keyboard.press('n');
  await page.locator('tabgym-lessons .finished').waitFor();
  expect(errors).toEqual([]);
  await close();
});
