/**
 * A trajectory file in Setup: chosen for a stage of SFT, read with a list of its problems, refused if nothing can be
 * read.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch, narrow, open, serveMock, shots, sizes } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const line = (item: string) =>
  JSON.stringify({
    item_id: item,
    conversations: [
      { from: 'human', loss: null, value: 'Goal: craft 4 oak planks.' },
      { from: 'gpt', loss: true, value: 'get 1 oak log' },
    ],
  });

const file = (name: string, text: string) => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) });

/** Opens Setup with an imitation stage at the start. */
async function imitating(page: Page) {
  await page.getByRole('button', { name: 'Begin with another algorithm' }).click();
  const part = page.getByRole('group', { name: 'Part 1' });
  await part.getByLabel('Algorithm', { exact: true }).selectOption('sft');
  return part;
}

describe.each(sizes)('$size', ({ size: name, view, tags }) => {
  test('a trajectory file is chosen, described, and removed again', { tags }, async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=empty`, view);
    if (view === narrow) await page.getByRole('button', { name: 'Setup', exact: true }).click();
    const part = await imitating(page);
    const chooser = part.getByLabel('Trajectories');
    await part.getByText("the oracle's play").waitFor();
    await chooser.setInputFiles(
      file('play.jsonl', [line('textcraft_1'), '{"item_id": 3', line('textcraft_2')].join('\n')),
    );
    await part
      .getByText("2 trajectories, AgentGym's training data.")
      .or(part.getByText(/^2 trajectories/))
      .first()
      .waitFor();
    await part.getByText(/Unreadable records, left out: 1. Line 2:/).waitFor();
    await part.getByText('play.jsonl').waitFor();
    await part.scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(shots, `trajectory-file-${name}.png`) });
    await chooser.setInputFiles(file('none.jsonl', '{"a": 1}'));
    await part
      .getByRole('alert')
      .getByText(/none.jsonl holds no trajectory that can be read. Line 1/)
      .waitFor();
    // The earlier choice is unchanged.
    await part.getByText('play.jsonl').waitFor();
    await part.getByRole('button', { name: 'Remove the file' }).click();
    await part.getByText("the oracle's play").waitFor();
    expect(errors).toEqual([]);
    await close();
  });
});

test('a large file is read in a worker of its own, which ends at once on Cancel', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-page-'));
  const large = join(folder, 'large.jsonl');
  writeFileSync(large, `${line('textcraft_1')}\n`.repeat(400_000));
  const { page, errors, close } = await open(browser, `${site.url}?mock=empty`);
  const part = await imitating(page);
  const started = page.waitForEvent('worker', (worker) => worker.url().includes('reader-worker'));
  await part.getByLabel('Trajectories').setInputFiles(large);
  const worker = await started;
  const ended = worker.waitForEvent('close');
  await part.getByRole('button', { name: 'Cancel' }).click();
  await ended;
  await part.getByRole('progressbar').waitFor({ state: 'hidden' });
  await part.getByText("the oracle's play").waitFor();
  // The worker of a file that is read to its end ends as well.
  const next = page.waitForEvent('worker', (each) => each.url().includes('reader-worker'));
  await part.getByLabel('Trajectories').setInputFiles(file('play.jsonl', line('textcraft_1')));
  await part.getByText(/^1 trajectories/).waitFor();
  const last = await next;
  await expect.poll(() => page.workers().includes(last)).toBe(false);
  expect(errors).toEqual([]);
  await close();
  rmSync(folder, { recursive: true });
});
