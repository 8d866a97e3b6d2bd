/** The page on paper: the shown tab whole, without what only a screen needs. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, narrow, open, serveMock, wide } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** Elements of the stage and of the page's frame that show less than their content. */
const cut = (page: Page) =>
  page.evaluate(() => {
    const found: string[] = [];
    const visit = (root: ParentNode) => {
      for (const each of root.querySelectorAll<HTMLElement>('*')) {
        if (each.shadowRoot) visit(each.shadowRoot);
        const { overflowY } = getComputedStyle(each);
        if (overflowY !== 'visible' && each.clientHeight > 4 && each.scrollHeight > each.clientHeight + 4)
          found.push(`${each.localName}.${each.className}: ${each.clientHeight} of ${each.scrollHeight}`);
      }
    };
    visit(document.querySelector('tabgym-app')!.shadowRoot!);
    return found;
  });

test.each([
  ['wide', wide, 'group'],
  ['wide', wide, 'trajectory'],
  ['narrow', narrow, 'group'],
] as const)('%s: the tab prints whole, without setup, navigation and notices', async (_, view, tab) => {
  const { page, errors, close } = await open(
    browser,
    `${site.url}?mock=paused#run=run-1&step=30&group=0&member=1&tab=${tab}`,
    view,
  );
  await page.locator(`tabgym-${tab}`).waitFor();
  await page.locator('tabgym-transport .steps').waitFor();
  await page.emulateMedia({ media: 'print' });
  for (const hidden of ['tabgym-setup', 'tabgym-notices', 'tabgym-splitter', 'nav'])
    expect(await page.locator(hidden).filter({ visible: true }).count()).toBe(0);
  expect(await page.locator(`tabgym-${tab}`).isVisible()).toBe(true);
  expect(await page.locator('tabgym-chart').first().isVisible()).toBe(true);
  expect(await cut(page)).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});
