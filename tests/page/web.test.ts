/** The web in the real page: a world in a sandboxed frame, played with the mouse on the live site beside its tree. */
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings, wcagOnly } from './axe.ts';
import { launch, narrow, open, screenshot, serveReal, wide } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveReal>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveReal(), launch()]);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** Objections of axe in the world's view; the site's own page is in frames that axe cannot enter. */
const findings = (page: Page) => axeFindings(page, { ...wcagOnly, iframes: false });

const siteIn = (page: Page): FrameLocator => page.frameLocator('tabgym-web-view iframe').frameLocator('iframe');

async function play(page: Page): Promise<void> {
  await page.getByLabel('Preset').waitFor({ timeout: 60_000 });
  await page.getByLabel('Preset').selectOption({ label: 'The web, first clicks' });
  await page.getByRole('tab', { name: 'Play' }).click();
  await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).click();
  await page.getByText('Objective').first().waitFor({ timeout: 60_000 });
}

test('a person clicks on the live site, and the world takes it as the agent’s action', { tags: 'slow' }, async () => {
  const { page, errors, close } = await open(browser, site.url, wide);
  await play(page);
  const live = siteIn(page);
  await live.getByRole('heading', { level: 1 }).waitFor();
  // The world's own frame exists in the page beside the one that shows it.
  expect(await page.locator('body > iframe[sandbox="allow-scripts"]').count()).toBeGreaterThan(0);
  const lines = page.getByRole('list', { name: 'Page as the agent reads it' });
  await lines.getByText(/RootWebArea/).waitFor();
  const link = live.locator('main a').first();
  const name = await link.textContent();
  await link.click();
  await page.getByRole('log').locator('.you').first().waitFor();
  expect(await page.getByRole('log').locator('.you').first().textContent()).toMatch(/^> click \[\d+\]$/);
  await page.getByText(`Last action: click`).waitFor();
  expect(name).toBeTruthy();
  expect(await findings(page)).toEqual([]);
  await screenshot(page, 'web-play-wide');
  expect(errors).toEqual([]);
  await close();
});

test('it is played on a narrow screen by typing', async () => {
  const { page, errors, close } = await open(browser, site.url, wide);
  await play(page);
  await page.setViewportSize({ width: narrow.width, height: narrow.height });
  await page.getByLabel('Action', { exact: true }).fill('goto [http://wiki.test/]');
  await page.keyboard.press('Enter');
  await siteIn(page).getByRole('heading', { name: 'Free Wiki' }).waitFor();
  await siteIn(page).getByLabel('Search the wiki').fill('Alder');
  await siteIn(page).getByLabel('Search the wiki').press('Enter');
  await page
    .getByText(/http:\/\/wiki\.test\/(wiki|search)/)
    .first()
    .waitFor();
  await screenshot(page, 'web-play-narrow');
  expect(errors).toEqual([]);
  await close();
});
