/** Files that a person brings for a world, under Storage: a database, a shop and games, kept, set up and deleted. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { buildImage, openEngine } from '../../src/corpus/databases/read-only.ts';
import { zip } from '../../src/store/zip.ts';
import { writeGame } from '../../src/worlds/household/original/game.ts';
import { Household } from '../../src/worlds/household/world.ts';
import { walkHouse } from '../../tools/household/walks.ts';
import { launch, open, screenshot, serveMock, sizes } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;
/** A zip with two games, of which the second has an action that the household does not know. */
let games: Buffer;

beforeAll(async () => {
  await buildWasm();
  [site, browser] = await Promise.all([serveMock(), launch()]);
  const world = await Household.open();
  const house = walkHouse(1);
  await world.resetHouses([0], [house], {});
  const game = writeGame(house, 'move', (await world.oracle([0]))[0]!);
  const entries = {
    'valid_unseen/a/game.tw-pddl': game,
    'train/b/game.tw-pddl': game.replaceAll('coolobject', 'freezeobject'),
  };
  const packed = Object.entries(entries).map(([name, text]) => ({
    name,
    bytes: new TextEncoder().encode(text),
    stored: false,
  }));
  games = Buffer.from(zip(packed));
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const json = (name: string, value: unknown) => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(value)),
});
const lamp = {
  asin: 'B000000001',
  name: 'Velo Lamp',
  full_description: 'A lamp.',
  small_description: ['Energy Saving'],
  pricing: '$12.50',
  customization_options: { Color: [{ value: 'red' }] },
  category: 'garden',
  query: 'table lamps',
  product_category: 'Home › Lamps',
};
const wish = { instruction: 'i want a lamp.', instruction_attributes: ['energy saving'], instruction_options: ['red'] };

/** Shows the kinds in the order of the panel. */
async function showStorage(page: Page, size: string): Promise<Locator[]> {
  if (size === 'narrow') await page.getByRole('button', { name: 'More' }).click();
  await page
    .getByRole('button', { name: 'Storage' })
    .or(page.getByRole('tab', { name: 'Storage' }))
    .first()
    .click();
  const panels = page.locator('tabgym-own-files');
  await panels.nth(2).waitFor();
  return [0, 1, 2].map((k) => panels.nth(k));
}

const keep = (panel: Locator) => panel.getByRole('button', { name: 'Keep these files' });

describe.each(sizes)('$size', ({ size, view, tags }) => {
  test('databases, shops and games are kept, set up and deleted', { tags }, async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=finished`, view);
    const [databases, shops, houses] = await showStorage(page, size);

    const image = buildImage(await openEngine(), [
      'CREATE TABLE animal (kind TEXT)',
      "INSERT INTO animal VALUES ('lion')",
    ]);
    const sqlite = { name: 'zoo.sqlite', mimeType: 'application/octet-stream', buffer: Buffer.from(image) };
    const questions = ['animal', 'animal', 'nowhere'].map((table) => ({
      db_id: 'zoo',
      question: `All of ${table}?`,
      SQL: `SELECT * FROM ${table}`,
    }));
    await databases.getByLabel('Database and questions').setInputFiles(sqlite);
    await databases.getByText('Add the file of questions.').waitFor();
    await databases.getByLabel('Database and questions').setInputFiles(json('dev.json', questions));
    await keep(databases).click();
    await databases.getByText('“zoo” is kept: 2 questions. Left out: 1 question.').waitFor();

    await shops
      .getByLabel('Products and instructions')
      .setInputFiles([json('items_shuffle.json', [lamp, { ...lamp, asin: 'longer than ten' }])]);
    await shops.getByText('Add a file of instructions.').waitFor();
    await shops
      .getByLabel('Products and instructions')
      .setInputFiles([json('items_human_ins.json', { B000000001: [wish] })]);
    await shops.getByLabel('Name').fill('lamps');
    await keep(shops).click();
    await shops.getByText('“lamps” is kept: 1 product, 1 instruction. Left out: 1 product.').waitFor();

    await houses
      .getByLabel('Game files or zips')
      .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await houses.getByText('None of these files can be used here.').waitFor();
    await houses
      .getByLabel('Game files or zips')
      .setInputFiles({ name: 'alfred.zip', mimeType: 'application/zip', buffer: games });
    await keep(houses).click();
    await houses.getByText('“alfred” is kept: 1 game. Left out: 1 game.').waitFor();
    await houses.getByText(/train\/b\/game.tw-pddl: .*freezeobject/).waitFor();
    await houses.getByText('None of these').waitFor({ state: 'detached' });
    await houses.scrollIntoViewIfNeeded();
    await screenshot(page, `own-files-${size}`);

    // The panels follow a change of the language without a reload.
    const language = page.getByLabel('Language / 语言');
    await language.selectOption('zh-Hans');
    for (const [panel, heading] of [
      [databases, '用于 SQL 的数据库'],
      [shops, '一家商店'],
      [houses, '家务世界的游戏'],
    ] as const)
      await panel.locator('.drop strong').getByText(heading, { exact: true }).waitFor();
    await databases
      .locator('td')
      .getByText(/2 个问题，/)
      .waitFor();
    await language.selectOption('en');
    await houses.getByText('Games for Household', { exact: true }).waitFor();

    await page.reload();
    const again = (await showStorage(page, size))[2];
    await again.getByText('1 game', { exact: true }).waitFor();
    await again.getByRole('button', { name: 'Delete alfred' }).click();
    await again.getByRole('button', { name: 'Delete for good' }).click();
    await again.getByText('1 game', { exact: true }).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Set up a run with lamps' }).click();
    const world = page.getByRole('group', { name: 'World' }).getByLabel('World', { exact: true });
    await expect.poll(() => world.inputValue()).toBe('shop');
    expect(errors).toEqual([]);
    await close();
  });
});
