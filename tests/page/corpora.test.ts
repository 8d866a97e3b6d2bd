/** A person's own corpus on the page: chosen, ingested, given questions, found again after a reload, deleted. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

const lines = (count: number) =>
  Array.from({ length: count }, (_, k) => JSON.stringify({ id: `${k}`, contents: `"Title ${k}"\nDocument ${k}.` }));

describe.each(sizes)('$size', ({ size, view, tags }) => {
  test('a corpus is ingested, kept and deleted', { tags }, async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=finished`, view);
    const showStorage = async () => {
      if (size === 'narrow') await page.getByRole('button', { name: 'More' }).click();
      await page
        .getByRole('button', { name: 'Storage' })
        .or(page.getByRole('tab', { name: 'Storage' }))
        .first()
        .click();
    };
    await showStorage();
    const panel = page.locator('tabgym-corpora');
    const buffer = Buffer.from([...lines(3000), '{broken'].join('\n'));
    await panel.getByLabel('Files of a corpus').setInputFiles({ name: 'wiki.jsonl', mimeType: 'text/plain', buffer });
    await panel.getByRole('button', { name: 'Index' }).click();
    await panel.getByText(/.wiki. can be searched: 3000 documents; left out: 1 line\./).waitFor();
    await panel.getByText(/record 3001: it is not JSON/).waitFor();
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      panel.getByRole('button', { name: 'Add questions to wiki' }).click(),
    ]);
    const questions = Buffer.from('{"question":"What is document 7?","answer":["Title 7"]}\n');
    await chooser.setFiles({ name: 'questions.jsonl', mimeType: 'text/plain', buffer: questions });
    await panel.getByText(/Added to .wiki.: 1 question;/).waitFor();
    await panel.getByRole('button', { name: 'Ask about wiki' }).click();
    await panel.getByLabel('Question', { exact: true }).fill('Which document is the last?');
    await panel.getByLabel('Accepted answers, one a line').fill('Title 2999\n2999');
    await panel.getByRole('button', { name: 'Add', exact: true }).click();
    await panel.getByText('The question was added to “wiki”.').waitFor();
    await screenshot(page, `corpora-${size}`);

    await page.reload();
    await showStorage();
    await panel.getByText('3000 documents, 2 questions').waitFor();
    await panel.getByRole('button', { name: 'Delete wiki' }).click();
    await panel.getByRole('button', { name: 'Delete for good' }).click();
    await panel.getByText('3000 documents, 2 questions').waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
    await close();
  });
});
