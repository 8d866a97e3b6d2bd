/**
 * Agents that the site ships, in the real page: listed, read, watched and improved; while they load, and if they are
 * missing or broken; by keyboard, in both widths.
 */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings, wcagOnly } from './axe.ts';
import { launch, open, screenshot, serveReal, sizes, wide } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveReal>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveReal(), launch()]);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const gallery = (page: Page) => page.locator('tabgym-agents');
const textcraft = (page: Page) => gallery(page).getByRole('group', { name: 'TextCraft, first steps' });

async function openGallery(page: Page) {
  const way = page.getByRole('button', { name: 'Open a trained agent' });
  await way.waitFor({ timeout: 60_000 });
  await way.focus();
  await page.keyboard.press('Enter');
}

describe.each(sizes)('$size', ({ size: name, view, tags }) => {
  test('agents are listed by world, and a card tells how its agent was made', { tags }, async () => {
    const { page, errors, close } = await open(browser, site.url, view);
    const requests: string[] = [];
    page.on(
      'request',
      (request) => request.url().includes('/agents/') && requests.push(new URL(request.url()).pathname),
    );
    await page.getByRole('button', { name: 'Open a trained agent' }).waitFor({ timeout: 60_000 });
    expect(requests).toEqual([]);
    await openGallery(page);
    await gallery(page).getByRole('heading', { name: 'TextCraft', exact: true }).waitFor();
    expect(requests).toEqual(['/agents/index.json']);
    await gallery(page)
      .getByRole('list', { name: 'Agents of Several worlds' })
      .getByRole('group', { name: 'Five worlds, one policy' })
      .waitFor();
    expect(await gallery(page).getByRole('group', { name: 'Five worlds, one policy' }).count()).toBe(1);
    await gallery(page)
      .getByText(/success \d+\.\d%/)
      .first()
      .waitFor();
    const how = textcraft(page).getByRole('button', { name: 'Model card' });
    await how.focus();
    await page.keyboard.press('Enter');
    await gallery(page)
      .getByText(/parameters, a vocabulary of \d+ words/)
      .waitFor();
    expect(await how.getAttribute('aria-expanded')).toBe('true');
    const written = readFileSync('public/agents/textcraft-first/card.md', 'utf8').match(/^## .*/gm)!;
    const shown = await gallery(page).locator('.card h4').allInnerTexts();
    expect(shown.map((each) => `## ${each}`)).toEqual(written);
    await gallery(page)
      .getByRole('img', { name: /^Curves of the training/ })
      .scrollIntoViewIfNeeded();
    await page.waitForFunction(() => {
      const panel = document.querySelector('tabgym-app')!.shadowRoot!.querySelector('tabgym-drawer')!;
      const image = panel.shadowRoot!.querySelector('tabgym-agents')!.shadowRoot!.querySelector('img')!;
      return image.complete && image.naturalWidth > 0;
    });
    expect(requests.filter((path) => path.endsWith('.tabgym'))).toEqual([]);
    // No content overflows its card to the right.
    const outside = await gallery(page).evaluate((host) => {
      const right = (element: Element) => element.getBoundingClientRect().right;
      const item = host.shadowRoot!.querySelector('li:has(.card)')!;
      const inside = [...item.querySelectorAll('p, img, .table, button, ul')];
      return inside.filter((each) => right(each) > right(item)).map((each) => each.outerHTML.slice(0, 80));
    });
    expect(outside).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight)).toBe(true);
    expect(await axeFindings(page, wcagOnly)).toEqual([]);
    await screenshot(page, `agents-card-${name}`);
    await page.keyboard.press('Enter');
    await how.scrollIntoViewIfNeeded();
    await screenshot(page, `agents-${name}`);
    expect(errors).toEqual([]);
    await close();
  });
});

test('an agent is fetched, watched, and trained further; another starts from nothing', {
  tags: 'slow',
  timeout: 300_000,
}, async () => {
  const { page, errors, close } = await open(browser, `${site.url}?device=wasm`, wide);
  await openGallery(page);
  const fetched = page.waitForResponse(/textcraft-first\.tabgym$/);
  await textcraft(page).getByRole('button', { name: 'Watch it' }).click();
  await fetched;
  await page.locator('tabgym-transport').getByText('Step 460').first().waitFor({ timeout: 60_000 });
  await page
    .locator('tabgym-watch')
    .getByText(/^(get|craft) \d/)
    .first()
    .waitFor({ timeout: 60_000 });
  await screenshot(page, 'agents-watched');
  // Improve: a fork from the agent's last step, which trains.
  await textcraft(page).getByRole('button', { name: 'Improve it' }).click();
  await page
    .getByText(/Step 46[1-9]|step 46[1-9]/)
    .first()
    .waitFor({ timeout: 120_000 });
  await page.getByRole('button', { name: 'Pause' }).first().click();
  await page.getByRole('button', { name: 'Train', exact: true }).first().waitFor({ timeout: 60_000 });
  await page.locator('tabgym-drawer').getByRole('tab', { name: 'Runs' }).click();
  await page.locator('tabgym-drawer').getByText('TextCraft, first steps, improved').first().waitFor();
  await page
    .getByText(/forked from TextCraft, first steps at step 460/)
    .first()
    .waitFor();
  await page.locator('tabgym-drawer').getByRole('tab', { name: 'Agents' }).click();
  await textcraft(page).getByRole('button', { name: 'From nothing' }).click();
  await page.getByRole('button', { name: 'Pause' }).first().click({ timeout: 60_000 });
  await page.locator('tabgym-drawer').getByRole('tab', { name: 'Runs' }).click();
  await page.locator('tabgym-drawer').getByText('TextCraft, first steps, from nothing').first().waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('a list that is loading, missing, broken or empty is explained, with a button to try again', async () => {
  const { page, close } = await open(browser, site.url, wide, { serviceWorkers: 'block' });
  const answers: ((route: import('playwright-core').Route) => Promise<void>)[] = [
    (route) => route.fulfill({ status: 503 }),
    (route) => route.fulfill({ contentType: 'text/html', body: '<p>front page</p>' }),
    (route) => route.fulfill({ json: { format: 'tabgym-agents-0', agents: [] } }),
    (route) => route.fulfill({ json: { format: 'tabgym-agents-1', agents: [] } }),
  ];
  let arrive = () => {};
  const held = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route('**/agents/index.json', async (route) => {
    await held;
    await answers.shift()!(route);
  });
  await openGallery(page);
  await gallery(page).getByText('Looking for agents').waitFor();
  arrive();
  const again = gallery(page).getByRole('button', { name: 'Try again' });
  await gallery(page)
    .getByText(/could not be loaded \(503\)/)
    .waitFor();
  await again.click();
  await gallery(page)
    .getByText(/has an unexpected format/)
    .waitFor();
  await again.click();
  await gallery(page)
    .getByText(/make it again with npm run agents/)
    .waitFor();
  await again.click();
  await gallery(page)
    .getByText(/No agent is shipped/)
    .waitFor();
  await close();
});

test('a card or a run that cannot be fetched is reported, and nothing is left behind', { tags: 'slow' }, async () => {
  const { page, close } = await open(browser, site.url, wide, { serviceWorkers: 'block' });
  await page.route('**/textcraft-first/agent.json', (route) => route.abort());
  await openGallery(page);
  await textcraft(page).getByRole('button', { name: 'Model card' }).click();
  await gallery(page)
    .getByText(/could not be loaded/)
    .waitFor();
  await page.unroute('**/textcraft-first/agent.json');
  await gallery(page).getByRole('button', { name: 'Try again' }).click();
  await gallery(page)
    .getByText(/parameters, a vocabulary of \d+ words/)
    .waitFor();
  await page.route('**/textcraft-first.tabgym', (route) => route.fulfill({ body: 'cut' }));
  await textcraft(page).getByRole('button', { name: 'Watch it' }).click();
  await page
    .getByText(/not a complete zip/)
    .first()
    .waitFor();
  await page.locator('tabgym-drawer').getByRole('tab', { name: 'Runs' }).click();
  await page.getByText('No run is stored in this browser yet.').waitFor();
  await close();
});
