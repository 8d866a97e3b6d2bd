/**
 * A typed world in the page: help, check-up, random player and My worlds, by keyboard, in a real sandbox without a
 * trainer.
 */
import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { launch, open, screenshot, serveMock, sizes, type View, wide } from './harness.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** A door with one right key of three; `text` follows the answer. */
const door = (text: string) => `let key;
export const tasks = () => Array.from({ length: 60 }, (_, n) => ({ key: n % 3, n }));
export const reset = (task) => ((key = task.key), 'door ' + task.n + ' key ' + key);
export const step = (action) => ({ text: ${JSON.stringify(text)}, reward: action === 'use ' + key ? 1 : 0, done: true });
export const validActions = () => ['use 0', 'use 1', 'use 2'];
export const oracle = () => 'use ' + key;
export const view = () => ({ table: { columns: ['key'], rows: [[key]] } });
`;

/** Link to the first experiment in a typed world. */
const linked = `1.${deflateRawSync(readFileSync('experiments/own-first.json')).toString('base64url')}`;

async function opened(view: View = wide) {
  const { page, errors, close } = await open(browser, `${site.url}?mock=empty#x=${linked}`, view);
  if (view.width < 700) await page.getByRole('button', { name: 'Setup' }).first().click();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await button('Edit the world').focus();
  await page.keyboard.press('Enter');
  const code = page.getByRole('textbox', { name: /^World as JavaScript/ });
  await code.waitFor();
  const write = async (text: string) => {
    await code.focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(text);
  };
  return { page, errors, close, button, write, outcome: page.locator('tabgym-world-editor .outcome') };
}

describe('the editor of a typed world', () => {
  describe.each(sizes)('$size', ({ size: name, view, tags }) => {
    test('explains, checks and plays a world', { tags }, async () => {
      const { page, errors, close, button, write, outcome } = await opened(view);
      const help = page.locator('tabgym-world-editor .code-help');
      await help.locator('summary').focus();
      await page.keyboard.press('Enter');
      for (const each of ['tasks(seed)', 'reset(task)', 'step(action)', 'validActions()', 'oracle()', 'view()'])
        await help.getByText(each, { exact: true }).waitFor();
      await screenshot(page, `world-help-${name}`);
      expect(await axeFindings(page)).toEqual([]);
      await help.locator('summary').press('Enter');

      await write(door('over'));
      await page.keyboard.press('Control+Enter');
      await outcome.getByText('Nothing keeps a policy from learning it.').waitFor();
      await outcome.getByText(/Random player: success \d+% in 200 episodes/).waitFor();
      await outcome.getByText(/A tiny policy can read it\.$/).waitFor();
      await screenshot(page, `world-checked-${name}`);
      expect(await axeFindings(page)).toEqual([]);

      const tag = '<img src="x" onerror="document.title=1">';
      await write(door(tag));
      await button('Let the random player play').focus();
      await page.keyboard.press('Enter');
      await outcome.getByText(tag).waitFor();
      expect(await page.locator('tabgym-world-editor img').count()).toBe(0);
      await screenshot(page, `world-played-${name}`);
      expect(await axeFindings(page)).toEqual([]);

      await page.getByText(/^My worlds/).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('textbox', { name: 'Name of the world' }).fill('Doors');
      await page.keyboard.press('Enter');
      await button('Open “Doors”').waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('typed, 8 lines').waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(errors).toEqual([]);
      await close();
    });
  });

  test('names what is wrong, at its line', { tags: 'slow' }, async () => {
    const { page, errors, close, write, outcome } = await opened();
    const say = async (code: string, message: RegExp) => {
      await write(code);
      await page.keyboard.press('Control+Enter');
      await outcome.getByText(message).waitFor();
    };
    const stepping = (body: string) => door('over').replace(/step = .*/, `step = () => ${body};`);
    await say(stepping('nothing.here'), /An episode fails: .*line 4.*not defined/);
    await page.locator('tabgym-world-editor .cm-lintRange-error').first().waitFor();
    await say(stepping('{ for (;;); }'), /An episode fails: .*line 4/);
    await say(stepping("({ text: 'on', done: true })"), /Every reward is 0/);
    await say(stepping("({ text: 'on', reward: 1 / 0, done: true })"), /An episode fails: .*finite/);
    await say('export const tasks = ;', /line 1.*SyntaxError/);
    expect(errors).toEqual([]);
    await close();
  });
});
