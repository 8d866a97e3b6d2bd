/**
 * A person's own objective in the page: edited, checked and reset, by keyboard and by role, in a real sandbox without a
 * trainer.
 */
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

async function opened(view: View = wide) {
  const { page, errors, close } = await open(browser, `${site.url}?mock=empty`, view);
  if (view.width < 700) await page.getByRole('button', { name: 'Setup' }).first().click();
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  await button('Edit the objective').focus();
  await page.keyboard.press('Enter');
  const editor = page.getByRole('textbox', { name: /^Objective as JavaScript/ });
  await editor.waitFor();
  // The editor draws only the visible part.
  const text = () => editor.evaluate((node) => (node as HTMLElement).innerText.slice(0, 400));
  /** Replaces the whole text at once. */
  const write = async (code: string) => {
    await editor.focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(code);
  };
  const outcome = page.locator('tabgym-objective-editor .outcome');
  return { page, errors, close, button, editor, text, write, outcome };
}

describe('the objective', () => {
  describe.each(sizes)('$size', ({ size: name, view, tags }) => {
    test('is read, checked and changed', { tags }, async () => {
      const { page, errors, close, button, editor, write, outcome } = await opened(view);
      await page.getByRole('heading', { name: 'The objective of GRPO' }).waitFor();
      expect(await editor.evaluate((node) => (node as HTMLElement).innerText)).toContain(
        'function objective(rows, settings)',
      );
      await page.keyboard.press('Control+Enter');
      await outcome.getByText(/The slopes match the loss: \d+ were compared on \d+ generated rows/).waitFor();
      await screenshot(page, `objective-${name}`);
      expect(await axeFindings(page)).toEqual([]);

      await write(
        'export function objective({ count, logprob, advantage, coefficient }) {\n  const loss = new Float64Array(count);\n  const weight = new Float64Array(count);\n  for (let i = 0; i < count; i++) {\n    loss[i] = -coefficient[i] * advantage[i] * logprob[i];\n    weight[i] = coefficient[i] * advantage[i];\n  }\n  return { loss, weight };\n}\n',
      );
      await expect.poll(() => outcome.isHidden()).toBe(true);
      await button('Check').click();
      // The pressed button is disabled meanwhile; without a focus in the dialog, Space would train behind it.
      await expect.poll(() => outcome.evaluate((each) => each.matches(':focus'))).toBe(true);
      await outcome.getByText(/\d+ of \d+ slopes differ from those of the loss/).waitFor();
      await outcome.getByRole('cell', { name: 'weight' }).first().waitFor();
      await screenshot(page, `objective-wrong-${name}`);
      expect(await axeFindings(page)).toEqual([]);

      await button('Done').click();
      await page.getByText('edited, 10 lines').waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
      await page.getByText('edited, 10 lines').scrollIntoViewIfNeeded();
      await screenshot(page, `objective-setup-${name}`);
      expect(await axeFindings(page)).toEqual([]);
      await button('Back to the built-in').click();
      await page.getByText('built-in', { exact: true }).waitFor();
      await page.getByRole('status', { name: 'Notices' }).getByRole('button', { name: 'Undo' }).click();
      await page.getByText('edited, 10 lines').waitFor();
      expect(errors).toEqual([]);
      await close();
    });
  });

  test('shows the place where code fails, and stops code that does not end', { tags: 'slow' }, async () => {
    const { page, errors, close, write, outcome } = await opened();
    const say = async (code: string, message: RegExp) => {
      await write(code);
      await page.keyboard.press('Control+Enter');
      await outcome.getByText(message).waitFor();
    };
    await say(
      'export function objective(rows) {\n  return rows.nothing.here;\n}\n',
      /objective\.js, line 2, column \d+: TypeError/,
    );
    await page.locator('tabgym-objective-editor .cm-lintRange-error').first().waitFor();
    await screenshot(page, 'objective-failed');
    expect(await axeFindings(page)).toEqual([]);
    await say('export const objective = ;', /line 1, column \d+: SyntaxError/);
    await say('export const objective = () => { while (1); };', /did not end within 5 s/);
    await say('export const objective = () => { const all = []; for (;;) all.push(new Float64Array(1e5)); };', /64 MB/);
    await say('export const objective = () => fetch("/");', /ReferenceError/);
    await say(
      'export const objective = ({ logprob }) => ({ loss: logprob, weight: logprob.map((x, i) => i === 2 ? NaN : x) });',
      /weight is NaN in row 2/,
    );
    await say('export const objective = () => ({ loss: [1], weight: [1] });', /loss has 1 numbers for 21 rows/);
    expect(errors).toEqual([]);
    await close();
  });

  test('can be undone, discarded and reset, and Escape keeps the typed text', { tags: 'slow' }, async () => {
    const { page, errors, close, button, editor, text, write } = await opened();
    const own = await text();
    expect(await button('Undo').isDisabled()).toBe(true);
    await write('// mine\n');
    await button('Undo').click();
    expect(await text()).toBe(own);
    await button('Redo').click();
    expect(await text()).toContain('// mine');
    await button('Discard changes').click();
    expect(await text()).toBe(own);
    await write('// mine\n');
    await button('Reset to the built-in GRPO').click();
    expect(await text()).toBe(own);
    await page.keyboard.press('Escape');
    await page.getByText('built-in', { exact: true }).waitFor();

    await button('Edit the objective').click();
    await editor.waitFor();
    await write('// mine');
    // While the editor is open, single keys go to it.
    await page.keyboard.type(' ?');
    await page.keyboard.press('Escape');
    await page.getByText('edited, 1 line').waitFor();
    expect(await page.getByRole('heading', { name: 'Keys and help' }).count()).toBe(0);
    expect(errors).toEqual([]);
    await close();
  });
});
