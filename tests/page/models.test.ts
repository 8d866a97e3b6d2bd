/** The picker of language models and the stored models: by keyboard and by role, without objections by axe. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
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
  const summary = page.locator('tabgym-setup summary', { hasText: 'Language model' });
  await summary.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Model', exact: true }).waitFor();
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  return { page, errors, close, button };
}

/** The first choice is the smallest model, in 8 bits. */
async function chooseQwen(page: Page) {
  await page.getByRole('combobox', { name: 'Model', exact: true }).selectOption('qwen2.5-0.5b');
  await page.getByRole('combobox', { name: 'Kept in' }).selectOption('int4');
}

describe('the model picker', () => {
  describe.each(sizes)('$size', ({ size: name, view, tags }) => {
    test('looks a model up, downloads it, and stops on request', { tags }, async () => {
      const { page, errors, close, button } = await opened(view);
      await chooseQwen(page);
      await button('Look it up').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Qwen/Qwen2.5-0.5B-Instruct' }).waitFor();
      await page.getByText('988 MB', { exact: true }).waitFor();
      await page.getByText('1.2 GB', { exact: true }).waitFor();
      await button('Download').click();
      await page.getByText(/412 MB of 988 MB \(42%\)/).waitFor();
      await button('Stop').scrollIntoViewIfNeeded();
      await screenshot(page, `models-${name}`);
      expect(await axeFindings(page)).toEqual([]);
      await button('Stop').click();
      await page.getByRole('alert').getByText('Its received part is kept').waitFor();
      await button('Continue the download').waitFor();
      expect(errors).toEqual([]);
      await close();
    });
  });

  test('explains a gated model, and takes a token', async () => {
    const { page, close, button } = await opened();
    await page.getByRole('combobox', { name: 'Model', exact: true }).selectOption('llama-3.2-1b');
    await button('Look it up').click();
    await page
      .getByRole('alert')
      .getByText(/is gated/)
      .waitFor();
    await screenshot(page, 'models-gated');
    await page.getByRole('textbox', { name: 'Access token, for a gated model' }).fill('secret');
    await button('Look it up').click();
    await page.getByRole('heading', { name: 'meta-llama/Llama-3.2-1B-Instruct' }).waitFor();
    await close();
  });

  test('takes a folder by the input and another repository by its name', { tags: 'slow' }, async () => {
    const { page, close, button } = await opened();
    await page.getByRole('combobox', { name: 'Model', exact: true }).selectOption('files');
    expect(await button('Look it up').isDisabled()).toBe(true);
    await page.locator('tabgym-model-picker input#file').setInputFiles({
      name: 'small.gguf',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('GGUF'),
    });
    await page.getByText('small.gguf: 1 file').waitFor();
    await screenshot(page, 'models-files');
    await button('Look it up').click();
    await page.getByRole('heading', { name: 'small.gguf' }).waitFor();
    await page.getByRole('combobox', { name: 'Model', exact: true }).selectOption('other');
    await page.getByRole('textbox', { name: 'Repository' }).fill('someone/model');
    await page.locator('tabgym-model-picker summary').click();
    await page.getByRole('textbox', { name: 'Address of the hub or mirror' }).fill('http://127.0.0.1:9999');
    await screenshot(page, 'models-other');
    await button('Look it up').click();
    await page.getByRole('heading', { name: 'someone/model' }).waitFor();
    await close();
  });

  test('stops looking a model up at a silent server', { tags: 'slow' }, async () => {
    const { page, errors, close, button } = await opened();
    await page.getByRole('combobox', { name: 'Model', exact: true }).selectOption('other');
    await page.getByRole('textbox', { name: 'Repository' }).fill('someone/silent');
    await button('Look it up').click();
    await page.getByRole('status').getByText('Finding the model').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await button('Stop').click();
    expect(await button('Look it up').isEnabled()).toBe(true);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('textbox', { name: 'Repository' }).fill('someone/model');
    await button('Look it up').click();
    await page.getByRole('heading', { name: 'someone/model' }).waitFor();
    expect(errors).toEqual([]);
    await close();
  });

  test('warns before a download that does not fit', { tags: 'slow' }, async () => {
    const { page, close, button } = await opened();
    const roomFor = (bytes: number) =>
      page.evaluate((free) => {
        navigator.storage.estimate = async () => ({ quota: 9e9, usage: 9e9 - free });
      }, bytes);
    const warning = page.getByText('This browser has room for 100 MB, and this model needs 346 MB more.');
    await chooseQwen(page);
    await roomFor(400_000_000);
    await button('Look it up').click();
    await button('Download').waitFor();
    expect(await warning.count()).toBe(0);
    await roomFor(100_000_000);
    await button('Look it up').click();
    await warning.waitFor();
    await close();
  });

  test('takes a model that is dropped anywhere, and names files that cannot be used', { tags: 'slow' }, async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=empty`);
    await page.getByLabel('Preset').waitFor();
    const dropped = (...names: string[]) =>
      page.evaluateHandle((all) => {
        const transfer = new DataTransfer();
        for (const name of all) transfer.items.add(new File(['GGUF'], name));
        return transfer;
      }, names);
    const stage = page.locator('tabgym-stage');
    await stage.dispatchEvent('drop', { dataTransfer: await dropped('notes.txt') });
    await page.getByText('“notes.txt” cannot be opened.').first().waitFor();
    await stage.dispatchEvent('drop', { dataTransfer: await dropped() });
    await page.getByText('Nothing usable was dropped').first().waitFor();
    await stage.dispatchEvent('drop', { dataTransfer: await dropped('small.gguf') });
    await page.getByText('small.gguf: 1 file').waitFor();
    const zone = page.locator('tabgym-model-picker .drop');
    await zone.dispatchEvent('drop', { dataTransfer: await dropped('other.gguf') });
    await page.getByText('other.gguf: 1 file').waitFor();
    // A dropped model is looked up at once.
    await page.getByRole('heading', { name: 'other.gguf' }).waitFor();
    await page.getByRole('button', { name: 'Teach it TextCraft' }).click();
    const draft = () =>
      page.evaluate(() => {
        const { app } = document.querySelector('tabgym-app') as unknown as {
          app: { store: { state: { draft: Experiment } } };
        };
        return app.store.state.draft;
      });
    await expect.poll(async () => (await draft()).name).toBe('TextCraft, other.gguf');
    const { policy, sampling, ...taught } = await draft();
    const recipe = parseExperiment(JSON.parse(readFileSync('experiments/smollm2-textcraft.json', 'utf8')));
    expect(policy).toMatchObject({ kind: 'lora', model: expect.stringContaining('other.gguf') });
    expect(sampling).toEqual(recipe.sampling);
    expect(taught.algorithm).toEqual(recipe.algorithm);
    expect(errors).toEqual([]);
    await close();
  });

  test('leaves the simple arrangement for a model that is dropped on it', { tags: 'slow' }, async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=empty#view=simple`);
    await page.locator('tabgym-simple').waitFor();
    const transfer = await page.evaluateHandle(() => {
      const files = new DataTransfer();
      files.items.add(new File(['GGUF'], 'small.gguf'));
      return files;
    });
    await page.getByRole('button', { name: 'Train' }).waitFor();
    await page.locator('tabgym-simple').dispatchEvent('drop', { dataTransfer: transfer });
    const card = page.getByRole('heading', { name: 'small.gguf' });
    await card.waitFor();
    await expect.poll(async () => (await card.boundingBox())!.y).toBeLessThan(wide.height);
    expect(errors).toEqual([]);
    await close();
  });

  test('lists stored models under Storage, and deletes one after a question', { tags: 'slow' }, async () => {
    const { page, close, button } = await opened();
    await button('Storage').click();
    await page.getByText('not whole').waitFor();
    await screenshot(page, 'models-storage');
    await button('Delete HuggingFaceTB/SmolLM2-135M-Instruct').click();
    await button('Delete for good').click();
    await expect.poll(() => page.getByText('not whole').count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await close();
  });
});
