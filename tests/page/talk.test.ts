/** The Talk tab: by keyboard and by role, with a tiny policy, a language model, a failure, and without axe's objections. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { launch, open, screenshot, serveMock, sizes } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

describe.each(sizes)('$size', ({ size: name, view, tags }) => {
  test('a tiny policy cannot talk; a chosen language model can, stops nothing else, and names a failure', {
    tags,
  }, async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=empty`, view);
    const button = (text: string) => page.getByRole('button', { name: text, exact: true });
    await page.getByRole('tab', { name: 'Talk' }).click();
    await page.getByText('A tiny policy knows only the words of its worlds.').waitFor();
    await button('Choose a language model').click();
    await button('Look it up').click();
    await button('Talk to it').click();
    await page.getByText('not trained here').waitFor();
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('What do you learn from?');
    await field.press('Enter');
    await page.getByText('It learns from rewards: what worked becomes more likely.').waitFor();
    await page.getByText('12 tokens, 18.3 a second · read 31 in 0.4 s').waitFor();
    await screenshot(page, `talk-${name}`);
    expect(await axeFindings(page)).toEqual([]);
    await field.fill('fail');
    await button('Send').click();
    await page.getByRole('alert').getByText('the device is lost').waitFor();
    await button('New conversation').click();
    await button('What is reinforcement learning?').waitFor();
    expect(errors).toEqual([]);
    await close();
  });
});
