/** The list of runs: names from changes, search, tags, comparison, deletion of several. Pure parts, and the page. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changedName, copyName, freeName } from '../../src/experiment/run-names.ts';
import { mockExperiment, mockRecords, mockSummary } from '../../src/ui/gallery/mock-data.ts';
import { comparedLines, heldOutRows, settingsThatDiffer } from '../../src/ui/state/compare.ts';
import { isUnstarted, matchingRuns, tagsOf } from '../../src/ui/state/run-filter.ts';
import { axeFindings } from './axe.ts';
import { launch, open, screenshot, serveMock, sizes, wide } from './harness.ts';

const change = (path: string, to: unknown) => ({ path, from: null, to });

describe('the name of a run', () => {
  test('is made from what was changed', () => {
    expect(changedName('textcraft-first', [change('optimizer.learningRate', 0.004)])).toBe('textcraft-first, lr 0.004');
    expect(changedName('a', [change('algorithm.groups', 4), change('name', 'b')])).toBe('a, groups 4');
    const five = ['groups', 'groupSize', 'clipLow', 'clipHigh', 'entropy'].map((name) =>
      change(`algorithm.${name}`, 1),
    );
    expect(changedName('a', five)).toMatch(/^a, groups 1, group size 1, .*, \+2$/);
    // A stage is more than a name can say.
    const stage = { steps: 100, algorithm: { name: 'sft' } };
    expect(changedName('a', [change('steps', 9), change('stages.5', stage)])).toBe('a, steps 9, stages');
    expect(changedName('a, stages', [change('stages.5', stage), change('stages.6', stage)])).toBe('a, stages');
    expect(changedName('a', [change('algorithm.dualClip', null)])).toMatch(/ null$/);
    expect(changedName('a', [])).toBe('a');
  });

  test('replaces a setting that it already names, and gets a number if it is taken', () => {
    const changes = [change('optimizer.learningRate', 0.008)];
    expect(changedName('a, groups 4, lr 0.004', changes)).toBe('a, groups 4, lr 0.008');
    expect(changedName('a', changes, ['a, lr 0.008', 'a, lr 0.008 (2)'])).toBe('a, lr 0.008 (3)');
    expect(freeName('x'.repeat(120), ['x'.repeat(120)])).toMatch(/^x{116} \(2\)$/);
  });

  test('of a copy says so once, whole and within the bound', () => {
    expect(copyName('maze', [])).toBe('maze (copy)');
    expect(copyName('maze (copy)', ['maze', 'maze (copy)'])).toBe('maze (copy 2)');
    expect(copyName('maze (copy 2)', ['maze (copy)'])).toBe('maze (copy 2)');
    expect(copyName('x'.repeat(120), [])).toBe(`${'x'.repeat(113)} (copy)`);
    // A character of two code units is left out whole.
    expect(copyName(`${'x'.repeat(112)}😀`, [])).toBe(`${'x'.repeat(112)} (copy)`);
  });
});

describe('the list', () => {
  const runs = [
    mockSummary('a', 'small steps', 40, { tags: ['thesis'], notes: 'warm-up helps' }),
    mockSummary('b', 'large steps', 40),
  ];

  test('is searched in names, tags, notes and worlds, for every word', () => {
    const found = (search: string) => matchingRuns(runs, search).map(({ id }) => id);
    expect(['STEPS', 'thesis', 'warm small', 'textcraft', ' ', 'thesis large'].map(found)).toEqual([
      ['a', 'b'],
      ['a'],
      ['a'],
      ['a', 'b'],
      ['a', 'b'],
      [],
    ]);
    expect(tagsOf(' a, b，c、a,, ')).toEqual(['a', 'b', 'c']);
  });

  test('keeps no run that was never started, unless a person wrote something about it', () => {
    const fresh = mockSummary('c', 'fresh', 0, { bytes: 0 });
    expect(isUnstarted(fresh)).toBe(true);
    for (const other of [{ step: 1 }, { bytes: 10 }, { notes: 'x' }, { tags: ['x'] }, { deletedUntil: 1 }])
      expect(isUnstarted({ ...fresh, ...other })).toBe(false);
    expect(isUnstarted({ ...fresh, origin: { kind: 'import', file: 'x' } })).toBe(false);
  });
});

test('a comparison has a line for each run, the settings that differ, and the newest and best held-out evaluation', () => {
  const slower = { ...mockExperiment('slow'), optimizer: { ...mockExperiment('slow').optimizer, learningRate: 0.001 } };
  const runs = [
    { summary: mockSummary('a', 'one', 42), records: mockRecords(42) },
    { summary: { ...mockSummary('b', 'two', 10), experiment: slower }, records: mockRecords(10).slice(1) },
  ];
  const lines = comparedLines(runs);
  expect(lines.map(({ name }) => name)).toEqual(['one', 'two']);
  expect(lines[0].color).not.toBe(lines[1].color);
  expect(settingsThatDiffer(runs.map(({ summary }) => summary.experiment))).toEqual([
    { path: 'optimizer.learningRate', values: [0.002, 0.001] },
  ]);
  const [one, two] = heldOutRows(runs);
  const rates = mockRecords(42).flatMap(({ evaluation }) => evaluation?.test.policy.rate ?? []);
  expect(one.newest?.step).toBe(40);
  expect(one.best).toEqual({ step: 40, rate: Math.max(...rates) });
  expect(two).toMatchObject({ name: 'two', step: 10, newest: null, best: null });
});

describe('on the page', () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveMock>>;

  beforeAll(async () => {
    [site, browser] = await Promise.all([serveMock(), launch()]);
  });

  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const list = (page: Page) => page.getByRole('list', { name: 'Runs' });

  const compare = async (page: Page) => {
    await page.getByRole('checkbox', { name: 'textcraft-first' }).check();
    expect(await page.getByRole('button', { name: 'Compare' }).isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'half the learning rate' }).check();
    await page.getByRole('button', { name: 'Compare' }).click();
    const dialog = page.getByRole('dialog', { name: 'Compare 2 runs' });
    await dialog.getByRole('heading', { name: 'Settings that differ' }).waitFor();
    return dialog;
  };

  describe.each([...sizes, { size: 'dark', view: { ...wide, colorScheme: 'dark' as const }, tags: ['slow'] }])(
    '$size',
    ({ size: name, view, tags }) => {
      test('two ticked runs are compared, by keyboard too', { tags }, async () => {
        const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`, view);
        await page.getByRole('tab', { name: 'Group' }).first().waitFor();
        await page.keyboard.press('r');
        const dialog = await compare(page);
        await dialog.getByRole('row', { name: /half the learning rate 20/ }).waitFor();
        await dialog.getByRole('row', { name: /^Learning rate 0\.002 0\.001$/ }).waitFor();
        const plot = dialog.getByRole('slider', { name: /^Success by step/ });
        await plot.focus();
        await page.keyboard.press('Home');
        await expect
          .poll(() => plot.getAttribute('aria-valuetext'))
          .toMatch(/^Step 1: textcraft-first 0\.\d+, half the learning rate 0\.\d+$/);
        await screenshot(page, `compare-${name}`);
        expect(await axeFindings(page)).toEqual([]);
        await page.keyboard.press('Escape');
        await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
        expect(errors).toEqual([]);
        await close();
      });
    },
  );

  test('a card shows the bar’s success', async () => {
    const { page, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
    const bar = page
      .locator('tabgym-transport')
      .getByText(/^Success 0/)
      .first();
    const rate = /0\.\d\d/.exec((await bar.textContent())!)![0];
    await page.keyboard.press('r');
    await list(page)
      .getByRole('listitem')
      .filter({ hasText: 'textcraft-first' })
      .getByText(`success ${rate}`)
      .first()
      .waitFor();
    await close();
  });

  test('opening another run says that the trained one is paused, and leads back to it', async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
    await page.getByRole('button', { name: 'Train' }).first().click();
    await page.getByRole('button', { name: 'Pause' }).first().waitFor();
    const status = page.locator('tabgym-transport .steps');
    await page.keyboard.press('r');
    await page.getByRole('button', { name: 'Open: half the learning rate' }).click();
    const notice = page
      .locator('.notice')
      .filter({ hasText: '“textcraft-first” is paused: one run trains at a time.' });
    await notice.getByRole('button', { name: 'Open' }).click();
    await expect.poll(() => new URL(page.url()).hash).toContain('run=run-1');
    // That one was not training.
    await expect.poll(() => page.locator('.notice').filter({ hasText: 'is paused' }).count()).toBe(0);
    await status.getByText('paused').waitFor();
    const step = await status.textContent();
    await page.waitForTimeout(500);
    expect(await status.textContent()).toBe(step);
    expect(errors).toEqual([]);
    await close();
  });

  test('tags and notes are written, searched, and kept; several runs are deleted and restored', async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
    await page.getByRole('tab', { name: 'Group' }).first().waitFor();
    await page.keyboard.press('r');
    await page.getByRole('button', { name: 'Edit: half the learning rate' }).click();
    await page.getByLabel('Tags, separated by commas').fill('slow, thesis');
    await page.getByLabel('Notes').fill('learns later');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await list(page).getByText('learns later').waitFor();
    await list(page).getByRole('button', { name: 'thesis' }).click();
    await page.getByText('1 of 2').waitFor();
    expect(await list(page).getByRole('listitem').count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Search the runs' }).fill('');
    await page.getByRole('checkbox', { name: 'textcraft-first' }).check();
    await page.getByRole('checkbox', { name: 'half the learning rate' }).check();
    await page.getByRole('button', { name: 'Delete the ticked' }).click();
    await page.getByText('2 runs are in the bin.').first().waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => list(page).getByRole('listitem').count()).toBe(2);
    expect(errors).toEqual([]);
    await close();
  });

  test('a run that is paused before its first step stays, and its notice opens it', async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=preparing`);
    await page.getByRole('button', { name: 'Train', exact: true }).first().click();
    await page.getByRole('button', { name: 'Pause' }).first().waitFor();
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await expect.poll(() => new URL(page.url()).hash).toContain('run=run-2');
    await page.keyboard.press('r');
    await expect.poll(() => list(page).getByRole('listitem').count()).toBe(2);
    await page.locator('.notice').filter({ hasText: 'is paused' }).getByRole('button', { name: 'Open' }).click();
    await expect.poll(() => new URL(page.url()).hash).toContain('run=run-1');
    expect(errors).toEqual([]);
    await close();
  });

  test('a new run that was not trained is gone once another is opened', { tags: 'slow' }, async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.keyboard.press('r');
    await expect.poll(() => list(page).getByRole('listitem').count()).toBe(3);
    await page.getByRole('button', { name: 'Open: half the learning rate' }).click();
    await expect.poll(() => list(page).getByRole('listitem').count()).toBe(2);
    expect(errors).toEqual([]);
    await close();
  });
});
