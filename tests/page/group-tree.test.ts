/** The tree of the tab Group: its rows, marks, keys, and the places they open. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { launch, narrow, open, screenshot, serveMock, sizes, type View, wide } from './harness.ts';
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

async function openTree(state = 'tree', view: View = wide, more = '') {
  const opened = await open(browser, `${site.url}?mock=${state}#run=run-1&step=30&tab=group${more}`, view);
  await button(opened.page, more.includes('zh') ? '树' : 'Tree').click();
  await opened.page.getByRole('tree').waitFor();
  return opened;
}

const rows = (page: Page) => page.getByRole('treeitem');
const row = (page: Page, name: RegExp) => rows(page).filter({ hasText: name }).first();
const focused = (page: Page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element?.getAttribute('data-id') ?? element?.textContent?.trim();
  });
const hash = (page: Page) => page.evaluate(() => location.hash);

test.each(sizes)('the shared turns stand once, each branch with its numbers, $size', async ({ size, view }) => {
  const { page, errors, close } = await openTree('tree', view);
  const texts = (await rows(page).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
  expect(texts.map((text) => text.replace(/^[▾▸] /, ''))).toMatchInlineSnapshot(`
    [
      "Start inventory 7 episodes Value 0.43",
      "get 1 cobblestone 5 episodes Value 0.60 Advantage ▲ +0.17",
      "get 1 stick ↳ episode 8 branches off episode 1 here ≈ same as episode 3 before turn 4 3 episodes Value 0.67 Advantage ▲ +0.07",
      "craft 1 lever using 1 cobblestone, 1 stick ✓ success episodes 1, 4 2 episodes Value 1.00 Advantage ▲ +0.33",
      "get 2 oak planks → craft 4 stick using 2 oak planks ✕ out of turns ≈ same as episode 3 before turn 5 episode 8 Value 0.00 Advantage ▼ −0.67",
      "get 2 oak planks → craft 4 stick using 2 oak planks → craft 1 lever using 1 cobblestone, 1 stick ✓ success episode 2 Value 1.00 Advantage ▲ +0.40",
      "ends here ✕ out of context episode 5 Value 0.00",
      "get 1 stick ↳ episode 7 branches off episode 3 here 2 episodes Value 0.00 Advantage ▼ −0.43",
      "get 1 cobblestone → get 2 oak planks → craft 4 stick using 2 oak planks ✕ out of turns ≈ 2 observations seen elsewhere too episode 3 Value 0.00 Advantage ■ ±0.00",
      "get 2 oak planks → craft 4 stick using 2 oak planks → craft 4 stick using 2 oak planks ✕ out of turns episode 7 Value 0.00 Advantage ■ ±0.00",
    ]
  `);
  // Seven episodes of which three succeed; the eighth has no return.
  await page.getByText('Left out, as in the update: episode 6').waitFor();
  await rows(page).last().scrollIntoViewIfNeeded();
  await screenshot(page, `group-tree-${size}-${view.colorScheme}`);
  expect(await axeFindings(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForTimeout(60);
  await screenshot(page, `group-tree-${size}-dark`);
  expect(await axeFindings(page)).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});

test('by keyboard: arrows move and fold, Enter opens the turn, and the tree is still chosen afterwards', async () => {
  const { page, errors, close } = await openTree();
  await rows(page).first().focus();
  expect(await focused(page)).toBe('0');
  await page.keyboard.press('ArrowDown');
  expect(await focused(page)).toBe('0.0');
  const all = await rows(page).count();
  await page.keyboard.press('ArrowLeft');
  expect(await row(page, /get 1 cobblestone/).getAttribute('aria-expanded')).toBe('false');
  expect(await focused(page)).toBe('0.0');
  const folded = await rows(page).count();
  expect(folded).toBeLessThan(all);
  await page.getByText(new RegExp(`^hidden: ${all - folded} lines$`)).waitFor();
  await page.keyboard.press('ArrowRight');
  expect(await rows(page).count()).toBe(all);
  await page.keyboard.press('ArrowRight');
  expect(await focused(page)).toBe('0.0.0');
  // Folds the row, goes to the one above, folds it, and goes to the first.
  for (const id of ['0.0.0', '0.0', '0.0', '0']) {
    await page.keyboard.press('ArrowLeft');
    expect(await focused(page)).toBe(id);
  }
  await page.keyboard.press('End');
  expect(await focused(page)).toBe(await rows(page).last().getAttribute('data-id'));
  await page.keyboard.press('Home');
  expect(await focused(page)).toBe('0');
  // The first branch begins in the second turn.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText('Group 1, episode 1', { exact: true }).waitFor();
  expect(await hash(page)).toContain('turn=1&tab=trajectory');
  await page.keyboard.press('g');
  await page.getByRole('tree').waitFor();
  // The row of the place that was read is the one in the tab order.
  expect(await page.locator('[role=treeitem][tabindex="0"]').getAttribute('data-id')).toBe('0.0');
  expect(await page.locator('[role=treeitem][aria-selected=true]').getAttribute('data-id')).toBe('0.0');
  await button(page, 'Episodes').click();
  expect(await page.locator('tabgym-group .episodes .episode').count()).toBe(8);
  expect(errors).toEqual([]);
  await close();
});

test('states with the same observation are marked together, and what was done in each is listed', async () => {
  const { page, errors, close } = await openTree();
  // Episode 3 has the same things as episodes 1, 4 and 8, which took them in the other order.
  await page.getByRole('button', { name: /^≈? ?same as episode 3 before turn 4$/ }).click();
  const box = page.getByRole('region', { name: 'Same observation' });
  await box.getByText('Inventory: 1 cobblestone, 1 stick', { exact: true }).waitFor();
  expect(await box.getByRole('listitem').count()).toBe(2);
  expect(await page.locator('[role=treeitem].marked').count()).toBe(2);
  expect(await page.locator('[role=treeitem] [aria-pressed=true]').count()).toBe(2);
  expect(await axeFindings(page)).toEqual([]);
  await screenshot(page, 'group-tree-anchor-wide-light');
  await box.getByRole('button', { name: 'episode 3 before turn 4' }).click();
  await page.getByText('Group 1, episode 3', { exact: true }).waitFor();
  expect(await hash(page)).toContain('turn=3');
  expect(errors).toEqual([]);
  await close();
});

test('a line of many turns shows each turn, by the arrow and by its button', async () => {
  const { page, errors, close } = await openTree('tree-many');
  const before = await rows(page).count();
  expect(before).toBeLessThan(200);
  const leaf = page.locator('[role=treeitem][aria-expanded=false]').first();
  const id = await leaf.getAttribute('data-id');
  await leaf.focus();
  await page.keyboard.press('ArrowRight');
  const turns = page.locator(`[role=treeitem][data-id^="${id}@"]`);
  await turns.first().waitFor();
  expect(await rows(page).count()).toBeGreaterThan(before);
  await turns.nth(1).focus();
  await page.keyboard.press('Enter');
  await page.getByText(/^Group 1, episode \d+$/).waitFor();
  await page.keyboard.press('g');
  await page.getByRole('tree').waitFor();
  // Not all rows are drawn: the others are counted, and a button shows them.
  for (let k = 0; (await page.getByText(/^Not drawn: /).count()) === 0 && k < 8; k++) {
    const closed = page.locator('[role=treeitem][aria-expanded=false]').nth(k);
    await closed.focus();
    await page.keyboard.press('ArrowRight');
  }
  expect(await rows(page).count()).toBe(300);
  await button(page, 'Show more').click();
  await expect.poll(() => rows(page).count()).toBeGreaterThan(300);
  expect(errors).toEqual([]);
  await close();
});

test('in Chinese on a narrow screen', async () => {
  const { page, errors, close } = await openTree('tree', narrow, '&lang=zh-Hans');
  await page.getByText(/^经历相同的回合/).waitFor();
  await rows(page).last().scrollIntoViewIfNeeded();
  await screenshot(page, 'group-tree-narrow-chinese');
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  expect(errors).toEqual([]);
  await close();
});
