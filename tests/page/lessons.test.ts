/**
 * One quick lesson in the page as it ships: played, watched and answered by keyboard alone. `npm run test:lessons` does
 * all but the one that needs a model.
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

test('the first lesson is done and stays done', { tags: 'slow' }, async () => {
  const { page, errors, close } = await open(browser, site.url);
  const stage = () => document.querySelector('tabgym-app')?.shadowRoot?.querySelector('tabgym-stage');
  await page.waitForFunction(stage);
  await driveLesson(await keyboardOf(page), 'agent');
  await page.reload();
  await page.waitForFunction(stage);
  await page.keyboard.press('n');
  await page.locator('tabgym-lessons .finished').waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('“Take me there” frames its panel, which may be in view already; the first answer counts', async () => {
  const { page, errors, close } = await open(browser, `${site.url}#lesson=agent`);
  // The frame lasts 1.5 s, so it is waited for before the click.
  const framed = page.waitForFunction(() => {
    const stage = document.querySelector('tabgym-app')?.shadowRoot?.querySelector('tabgym-stage');
    return stage && stage.getAnimations().length > 0;
  });
  await page.locator('[data-do=where]').click();
  await framed;
  const parts = ['act', 'win', 'refused', 'watch'];
  await page.evaluate(
    (done) =>
      localStorage.setItem(
        'tabgym.lessons',
        JSON.stringify({ open: 'agent', lessons: { agent: { done, answers: {} } } }),
      ),
    parts,
  );
  await page.reload();
  const question = page.locator('fieldset').first();
  await question.locator('input').first().check();
  expect(await question.locator('.feedback').count()).toBe(0);
  await question.getByRole('button', { name: 'Answer' }).click();
  // The feedback of every choice stays, and no other choice can be made.
  const choices = await question.locator('input').count();
  expect(await question.locator('.feedback').count()).toBe(choices);
  expect(await question.locator('input:disabled').count()).toBe(choices - 1);
  expect(errors).toEqual([]);
  await close();
});
