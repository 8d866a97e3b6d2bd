/**
 * The reader of trajectories: a file is opened, filtered, sorted, searched, read, compared, replayed and passed on;
 * episodes of a run over all its steps; addresses that lead back. In both widths, with the fixtures' trainer and the
 * reader's own worker.
 */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { launch, type narrow, open, screenshot, serveMock, sizes, wide } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** Episode `n`: odd ones reach their goal; each task is played by two. */
const episode = (n: number) => ({
  item_id: `${n % 10 === 9 ? 'alfworld' : 'textcraft'}_${n >> 1}`,
  conversations: [
    { from: 'human', loss: null, value: 'You are given a few useful crafting recipes. Reply with Thought and Action.' },
    { from: 'gpt', loss: false, value: "OK. I'll follow your instructions and try my best to solve the task." },
    { from: 'human', loss: null, value: `Goal: craft 4 oak planks, the ${n >> 1}. time.` },
    { from: 'gpt', loss: true, value: 'Thought:\nI need a log.\n\nAction:\nget 1 oak log' },
    { from: 'human', loss: null, value: 'Got 1 oak log' },
    {
      from: 'gpt',
      loss: true,
      value: n % 2 ? 'Thought:\nNow planks.\n\nAction:\ncraft 4 oak planks using 1 oak log' : 'Action:\ninventory',
    },
    { from: 'human', loss: null, value: n % 2 ? 'Crafted 4 minecraft:oak_planks' : 'Inventory: [oak log] (1)' },
  ],
  reward: n % 2,
  success: n % 2,
});

const lines = (count: number) => Array.from({ length: count }, (_, n) => JSON.stringify(episode(n)));
const text = (count: number, wrong = 4) => {
  const all = lines(count);
  all[wrong] = '{"item_id": "textcraft_2", "conversations": [';
  return all.join('\n');
};
const file = (name: string, body: string | Uint8Array) => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(body as string),
});

const reading = async (address: string, view: typeof wide | typeof narrow) => {
  const opened = await open(browser, `${site.url}${address}`, view);
  if (view.width < 860 && !address.includes('tab='))
    await opened.page.getByRole('button', { name: 'Stage', exact: true }).click();
  if (!address.includes('tab=')) await opened.page.getByRole('tab', { name: 'Read' }).click();
  return opened;
};

const chooser = (page: Page) => page.getByLabel('File of trajectories');
const list = (page: Page) => page.getByRole('grid', { name: 'Trajectories' });
const firstItem = (page: Page) => list(page).getByRole('row').first();

describe.each(sizes)('$size', ({ size: name, view, tags }) => {
  test('a file is opened, filtered, sorted, searched and read', { tags }, async () => {
    const { page, errors, close } = await reading('?mock=empty', view);
    await page.getByText('Read trajectories').first().waitFor();
    await screenshot(page, `reader-empty-${name}`);
    await chooser(page).setInputFiles(file('play.jsonl', text(400)));
    await page.getByText('399 trajectories').waitFor();
    await page.getByText(/Unreadable records, left out: 1/).click();
    await page.getByText(/Line 5: This record does not end/).waitFor();
    await page.getByText(/Unreadable records, left out: 1/).click();
    await screenshot(page, `reader-list-${name}`);
    expect(await axeFindings(page)).toEqual([]);
    await page.locator('tabgym-filter-bar').getByLabel('Success', { exact: true }).selectOption('yes');
    await page.getByText('200 of 399 trajectories').waitFor();
    await page.locator('tabgym-filter-bar').getByLabel('World', { exact: true }).selectOption('walfworld');
    await page.getByText('40 of 399 trajectories').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('Order', { exact: true }).selectOption('score');
    await page.getByRole('button', { name: 'Descending' }).click();
    await firstItem(page).getByText('success').waitFor({ state: 'attached' });
    await page.getByLabel('Search the messages').fill('the 7. time');
    await page.getByText('2 of 399 trajectories').waitFor();
    await firstItem(page).click();
    await page.getByText('Goal: craft 4 oak planks, the 7. time.').waitFor();
    expect(await page.getByText('not learnt').count()).toBe(1);
    await page.getByRole('button', { name: 'Replay it in our world' }).click();
    await page.getByText('our world answers differently').waitFor();
    await screenshot(page, `reader-record-${name}`);
    expect(await axeFindings(page)).toEqual([]);
    expect(new URL(page.url()).hash).toContain('source=play.jsonl');
    expect(errors).toEqual([]);
    await close();
  });

  test('two records are shown side by side, with their differences', { tags }, async () => {
    const { page, errors, close } = await reading('?mock=empty', view);
    await chooser(page).setInputFiles(file('play.jsonl', text(40)));
    await firstItem(page).click();
    await page.getByRole('button', { name: 'Compare' }).click();
    await list(page).getByRole('row').nth(1).click();
    await page.getByText('2 of 7 messages differ.').waitFor();
    await page.getByLabel('show only differences').check();
    expect(await page.locator('tabgym-comparison mark').count()).toBeGreaterThan(0);
    await screenshot(page, `reader-compare-${name}`);
    expect(await axeFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
    await close();
  });
});

test('a selection becomes a file, pairs, or the data of a stage of SFT', { tags: 'slow' }, async () => {
  const { page, errors, close } = await reading('?mock=empty', wide);
  await chooser(page).setInputFiles(file('play.jsonl.gz', gzipSync(text(20))));
  await page.getByText('19 trajectories').waitFor();
  expect(await page.getByRole('button', { name: 'Save as a file' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Select all' }).click();
  await page.getByText('19 selected').waitFor();
  const saved = async (format: string) => {
    await page.getByLabel('Format', { exact: true }).selectOption(format);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as a file' }).click(),
    ]);
    return readFileSync(await download.path(), 'utf8');
  };
  const traj = JSON.parse(await saved('agenttraj'));
  expect(traj.length).toBe(19);
  expect(traj[0]).toEqual({ item_id: 'textcraft_0', conversations: episode(0).conversations, reward: 0 });
  await page.getByText(/The format cannot store: whether it succeeded \(19\)/).waitFor();
  const pairs = JSON.parse(await saved('agentgym-dpo'));
  await page.getByText('7 pairs were written. 5 form no pair').waitFor();
  expect(pairs[0].prompt).toEqual(episode(0).conversations.slice(0, 3));
  expect(pairs[0].chosen).toEqual(episode(1).conversations.slice(3));
  expect(pairs[0].rejected).toEqual(episode(0).conversations.slice(3));
  await page.getByRole('button', { name: 'Learn from them (SFT)' }).click();
  await page.getByText(/The setup now imitates these 19 trajectories/).waitFor();
  await page.locator('tabgym-trajectory-file').getByText('play-19-selected.jsonl').waitFor();
  await screenshot(page, 'reader-sent-wide');
  expect(errors).toEqual([]);
  await close();
});

test("a run's episodes of all steps are listed, and an address leads back", { tags: 'slow' }, async () => {
  const { page, errors, close } = await reading('?mock=paused', wide);
  await page.getByRole('button', { name: 'Read this run’s episodes' }).first().click();
  await page.getByText(/^\d+ trajectories/).waitFor();
  await page.getByLabel('Step', { exact: true }).fill('7');
  await page.getByText(/^\d+ of \d+ trajectories/).waitFor();
  await firstItem(page).click();
  await page.getByText('step 7').waitFor();
  await screenshot(page, 'reader-run-wide');
  const address = page.url();
  expect(address).toContain('source=run');
  await page.goto('about:blank');
  await page.goto(address);
  await page.getByText('step 7').waitFor();
  await page.getByRole('button', { name: 'Show its tokens' }).click();
  await page
    .getByText(/^Group \d+, episode \d+$/)
    .first()
    .waitFor();
  expect(new URL(page.url()).hash).toContain('step=7');
  expect(errors).toEqual([]);
  await close();
});

test('keys move through the list, open, select and compare; an unreadable file is reported', async () => {
  const { page, errors, close } = await reading('?mock=empty#tab=read&source=play.jsonl&record=2', wide);
  await page.getByText('The file “play.jsonl” is not open').waitFor();
  await screenshot(page, 'reader-link-wide');
  await chooser(page).setInputFiles(file('none.jsonl', '{"a": 1}'));
  await page
    .getByRole('alert')
    .getByText(/none.jsonl holds no trajectory that can be read. Line 1/)
    .waitFor();
  await chooser(page).setInputFiles(file('play.jsonl', text(300)));
  await page.getByText('299 trajectories').waitFor();
  await list(page).focus();
  await page.keyboard.press('End');
  await page.waitForFunction(() => document.activeElement !== null);
  await list(page)
    .getByText('alfworld_149')
    .or(list(page).getByText('TextCraft 149'))
    .or(list(page).getByText('alfworld 149'))
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('the 149. time').waitFor();
  await list(page).focus();
  await page.keyboard.press('c');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.getByText('2 of 7 messages differ.').waitFor();
  await list(page).focus();
  await page.keyboard.press(' ');
  await page.getByText('1 selected').waitFor();
  expect(errors).toEqual([]);
  await close();
});
