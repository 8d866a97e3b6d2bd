/**
 * Links and files from one browser profile to another, in the page as it ships. A link alone opens a shipped run at the
 * same step, episode and token; a damaged or foreign run file gets a message and changes nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../scripts/machine.mjs';
import { launch, open, serveReal } from './harness.ts';

/** Original id of the recorded run of lesson 10. */
const recorded = '0083b27a9c02f308';
const place = { step: '100', group: '1', member: '2', turn: '1', token: '38', tab: 'trajectory' };

let browser: Browser;
let site: Awaited<ReturnType<typeof serveReal>>;

beforeAll(async () => {
  [site, browser] = [await serveReal(), await launch()];
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** The place as the page shows it: the step's field, the heading of the episode, the details of the token. */
async function shown(page: Page) {
  await page.getByText('Group 2, episode 3').first().waitFor({ timeout: 60_000 });
  const token = page.locator('tabgym-trajectory').getByRole('heading', { name: /^Token \d+$/ });
  await token.waitFor();
  const { searchParams } = new URL(page.url().replace('#', '?'));
  return {
    place: Object.fromEntries(Object.keys(place).map((key) => [key, searchParams.get(key)])),
    token: await token.textContent(),
    line: await page.locator('tabgym-trajectory [role=option][aria-selected=true]').textContent(),
  };
}

const runs = async (page: Page) => {
  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  await page
    .locator('tabgym-runs')
    .getByRole('button', { name: /^Export: / })
    .first()
    .waitFor();
  const count = await page
    .locator('tabgym-runs')
    .getByRole('button', { name: /^Export: / })
    .count();
  await page.keyboard.press('Escape');
  return count;
};

test('a link to a shipped run opens the same step, episode and token in a new profile', { tags: 'slow' }, async () => {
  const query = new URLSearchParams({ shipped: 'adapter-run', run: recorded, ...place });
  const first = await open(browser, `${site.url}#${query}`);
  const there = await shown(first.page);
  expect(there.place).toEqual(place);
  await first.page.getByRole('button', { name: 'Share', exact: true }).click();
  const link = await first.page.getByLabel('Link', { exact: true }).inputValue();
  expect(new URL(link.replace('#', '?')).searchParams.get('run')).toBe(recorded);
  expect(link).toContain('shipped=adapter-run');
  expect(link).not.toContain('x=1.');

  const second = await open(browser, link);
  expect(await shown(second.page)).toEqual(there);
  await second.page.goto('about:blank');
  await second.page.goto(link);
  expect(await shown(second.page)).toEqual(there);
  expect(await runs(second.page)).toBe(1);
  expect([...first.errors, ...second.errors]).toEqual([]);
  await first.close();
  await second.close();
});

test('a link to a run that is not shipped gets a message, and the page stays usable', async () => {
  const { page, close } = await open(browser, `${site.url}#shipped=no-such-agent&step=3`);
  await page
    .getByText(/no-such-agent.*(could not be loaded|has an unexpected format)/)
    .first()
    .waitFor({ timeout: 60_000 });
  expect(await page.getByRole('button', { name: 'Train', exact: true }).first().isEnabled()).toBe(true);
  await close();
});

test('damaged, hostile and foreign run files get a message and change nothing; a whole one opens', async () => {
  const { page, errors, close } = await open(browser, site.url);
  await page.getByRole('button', { name: 'Runs', exact: true }).click({ timeout: 60_000 });
  const whole = readFileSync(join(root, 'public/lessons/adapter-run.tabgym'));
  const flipped = Buffer.from(whole);
  for (let at = 2000; at < flipped.length; at += 997) flipped[at] ^= 0xff;
  const files: [string, Buffer][] = [
    ['text.tabgym', Buffer.from('<script>alert(1)</script>')],
    ['empty.tabgym', Buffer.alloc(0)],
    ['cut.tabgym', whole.subarray(0, whole.length >> 1)],
    ['flipped.tabgym', flipped],
  ];
  for (const [name, buffer] of files) {
    await page.getByLabel('File to import').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
    const notice = page.locator('tabgym-notices .notice.error');
    await notice.getByText(/is not a complete zip|is (damaged|missing)|are not/).waitFor({ timeout: 60_000 });
    await notice.getByRole('button', { name: 'Dismiss' }).click();
    expect(await page.getByRole('button', { name: /^Export: / }).count()).toBe(0);
  }
  await page
    .getByLabel('File to import')
    .setInputFiles({ name: 'whole.tabgym', mimeType: 'application/octet-stream', buffer: whole });
  await page
    .getByRole('button', { name: /^Export: / })
    .first()
    .waitFor({ timeout: 60_000 });
  expect(errors).toEqual([]);
  await close();
});

test('a run file of the first version opens and trains on', { tags: 'slow' }, async () => {
  const { page, errors, close } = await open(browser, site.url);
  await page.getByRole('button', { name: 'Runs', exact: true }).click({ timeout: 60_000 });
  // Written by the version of 2026-11-20 from experiments/micro.json of that day: four steps of 400.
  await page.getByLabel('File to import').setInputFiles(join(root, 'tests/fixtures/first-version.tabgym'));
  await page.getByText('Step 4', { exact: true }).waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await page.getByText('Step 5', { exact: true }).waitFor({ timeout: 120_000 });
  expect(errors).toEqual([]);
  await close();
});
