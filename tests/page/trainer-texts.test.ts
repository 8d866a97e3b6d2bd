/** Sentences of the trainer in the page's language: as the trainer writes them, and translated on the page. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../scripts/machine.mjs';
import { noRoomWords } from '../../src/rl/episode/unplayed.ts';
import { NotFiniteStepError } from '../../src/session/finite-weights.ts';
import { QuotaError } from '../../src/store/run.ts';
import { sentences } from '../../src/ui/control/trainer-texts.ts';
import { launch, open, serveMock } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** Sources of the trainer, with strings joined that are written in several lines. */
function trainerSources(): string {
  const files = ['session', 'store', 'rl', 'device', 'library/web', 'ui/app'].flatMap((folder) =>
    readdirSync(join(root, 'src', folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(root, 'src', folder, name),
    ),
  );
  const text = files.filter((name) => name.endsWith('.ts')).map((name) => readFileSync(name, 'utf8'));
  return text.join('\n').replace(/['`] \+\s+['`]/g, '');
}

/** Reasons for which no episode has room, with a prompt of 9 tokens. */
function roomTexts(): string {
  const episode = { ending: 'context', promptLength: 9 } as Parameters<typeof noRoomWords>[0][number];
  const texts = [
    'of step 1',
    'of this step',
    'of the evaluation on training goals',
    'of the evaluation on held-out goals',
  ];
  return texts.map((what) => noRoomWords([episode], { promptTokens: 4, completionTokens: 4 }, what)).join('\n');
}

test('every sentence is written by the trainer, and equals the English of its translation', () => {
  const written = `${trainerSources()}\n${roomTexts()}\nEvaluation on training goals: \nEvaluation on held-out goals: `;
  const missing = sentences.flatMap(([english]) => english.split('{}').filter((part) => !written.includes(part)));
  expect(missing).toEqual([]);
  for (const [english, translate] of sentences) {
    const [first, ...others] = english.split('{}');
    expect(translate(...others.map((_, index) => `${index}`))).toBe(
      first + others.map((part, index) => `${index}${part}`).join(''),
    );
  }
});

interface AppWithEvents {
  app: { events: { take(events: object[]): void; takeStatus(status: string, detail: string): void } };
}

const notify = (page: Page, messages: string[]) =>
  page.evaluate((messages) => {
    const { app } = document.querySelector('tabgym-app') as unknown as AppWithEvents;
    app.events.take(messages.map((message) => ({ type: 'notice', level: 'error', message, action: 'storage' })));
    app.events.takeStatus('failed', messages[0]);
  }, messages);

test('on a Chinese page the trainer’s notices are Chinese, and their button opens the storage', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1&lang=zh-Hans`);
  // The run is open once its recorded episode plays.
  await page.getByText('录像').waitFor();
  await notify(page, [
    'The GPU device was lost (unknown): GPU0. Continuing from the last committed step.',
    'Step 3: TextCraft failed in 2 of 8 episodes, which are not counted. ERR7',
    new QuotaError(5_000_000, { usage: 4e7, quota: 5e7 } as ConstructorParameters<typeof QuotaError>[1]).message,
  ]);
  const notices = page.getByRole('status', { name: '通知' });
  await expect
    .poll(() => notices.locator('.notice p').allInnerTexts())
    .toEqual([
      '✕ GPU 设备已丢失（unknown）：GPU0. 从最后提交的一步继续。',
      '✕ 第 3 步：TextCraft 在 8 个回合中有 2 个出了故障，这些回合不计入结果。 ERR7',
      expect.stringMatching(/^✕ 没有空间存储 5\.0 MB（已用 40\.0 MB，共 50\.0 MB）。已存储的数据没有丢失。/),
    ]);
  await page.locator('tabgym-watch').getByText('GPU 设备已丢失（unknown）：GPU0.').waitFor();
  // It begins like the notice of a step, and ends with a sentence of its own.
  await notify(page, [new NotFiniteStepError(3, 'w is NaN').message]);
  await expect
    .poll(() => notices.locator('.notice p').last().innerText())
    .toMatch(/^✕ 第 3 步没有提交：更新之后 w is NaN。运行停在第 2 步/);
  await notices.getByRole('button', { name: '腾出空间' }).first().click();
  await page.locator('tabgym-storage').waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('on a Chinese page what is wrong with a setting is Chinese', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=empty#lang=zh-Hans`);
  const type = async (path: string, text: string, problem: string) => {
    const knob = page.locator(`tabgym-knob[path="${path}"]`);
    await knob.locator('#control').fill(text);
    await knob.locator('#control').press('Enter');
    await knob.locator('#error').getByText(problem).waitFor();
  };
  await type('steps', '-3', '不能小于 1（现为 -3）');
  await page.evaluate(() => {
    const { app } = document.querySelector('tabgym-app') as unknown as { app: { train(): Promise<void> } };
    return app.train();
  });
  await page.locator('.notice').getByText('步数：不能小于 1（现为 -3）').waitFor();
  await type('steps', '0.5', '之间的整数（现为 0.5）');
  await type('name', '', '不能为空');
  await type('horizon.0.turns', 'x', '之间的轮数（现为 ');
  expect(errors).toEqual([]);
  await close();
});
