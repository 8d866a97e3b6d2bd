/** The simple arrangement: an address opens what it names, the first minute's page and its end, without objections. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LiveTurn, RunSummary } from '../../src/session/protocol.ts';
import { mockExperiment, mockSummary } from '../../src/ui/gallery/mock-data.ts';
import { ordered, type Pair, solved } from '../../src/ui/simple/before-after.ts';
import { arrangementOf } from '../../src/ui/state/arrangement.ts';
import { singleChange, verdict } from '../../src/ui/state/compare.ts';
import { parseLink } from '../../src/ui/state/link.ts';
import { moveText } from '../../src/ui/state/move-text.ts';
import { blockWeights } from '../../src/ui/state/plain-words.ts';
import { parseHash } from '../../src/ui/state/selection.ts';
import { axeFindings } from './axe.ts';
import { launch, narrow, open, screenshot, serveMock, type View, wide } from './harness.ts';

const of = (hash: string, remembered: 'simple' | 'lab') => arrangementOf(parseLink(hash), parseHash(hash), remembered);

describe('the arrangement of an address', () => {
  test('is the remembered one if the address names nothing but a language', () => {
    for (const remembered of ['simple', 'lab'] as const)
      for (const hash of ['', '#lang=zh-Hans']) expect(of(hash, remembered)).toBe(remembered);
  });

  test.each(['run=run-1', 'step=3', 'tab=group', 'x=1.AAAA', 'shipped=babyai', 'preset=Micro', 'seed=7', 'hide=setup'])(
    'is the lab for an older address with %s',
    (named) => expect(of(`#${named}`, 'simple')).toBe('lab'),
  );

  test('is the one that the address names', () => {
    expect(of('#run=run-1&view=simple', 'lab')).toBe('simple');
    expect(of('#view=lab', 'simple')).toBe('lab');
    expect(of('#view=other', 'simple')).toBe('simple');
  });
});

test('a task that only the trained policy solves is shown first', () => {
  const turns = (reward: number) => [{ reward } as LiveTurn];
  const pair = (before: number, after: number): Pair => ({ before: turns(before), after: turns(after) });
  const pairs = ordered([pair(0, 0), pair(1, 1), pair(0, 1), { before: [], after: turns(1) }]);
  expect(pairs.map(({ before, after }) => [solved(before), solved(after)])).toEqual([
    [false, true],
    [true, true],
    [false, false],
  ]);
});

test('the weights of the blocks are those of the projections', () => {
  const policy = { kind: 'tiny', layers: 2, hidden: 64, heads: 4, kvHeads: 2, headDim: 16, intermediate: 192 };
  // Queries and output 64 × 64, keys and values 64 × 32, three feed-forward matrices 64 × 192.
  const layer = 2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 192;
  expect(blockWeights({ policy } as unknown as Parameters<typeof blockWeights>[0])).toBe(2 * layer);
});

describe('the effect of a change', () => {
  const experiment = mockExperiment('a', 10);
  const finished = (id: string, changes: Partial<typeof experiment>, rest: Partial<RunSummary> = {}): RunSummary => ({
    ...mockSummary(id, id, 10),
    experiment: { ...experiment, ...changes },
    deletedUntil: null,
    ...rest,
  });
  const run = finished('now', { seed: 2 });

  test('is against the finished run that differs in one setting, last used', () => {
    const base = finished('base', { seed: 1, description: 'another text' }, { updatedAt: 5 });
    const others = [
      run,
      finished('same', { seed: 2 }, { updatedAt: 9 }),
      finished('two settings', { seed: 1, group: 3, steps: 9 } as object, { updatedAt: 9 }),
      finished('unfinished', { seed: 1 }, { updatedAt: 9, step: 4 }),
      finished('binned', { seed: 1 }, { updatedAt: 9, deletedUntil: 1 }),
      finished('older', { seed: 1 }, { updatedAt: 4 }),
    ];
    expect(singleChange(run, [...others, base])).toEqual({ base, path: 'seed', from: 1, to: 2 });
    expect(singleChange(run, others.slice(0, 5))).toBeNull();
  });

  test('is open if the intervals overlap', () => {
    const rate = (low: number, high: number) => ({ successes: 0, episodes: 0, rate: (low + high) / 2, low, high });
    expect(verdict(rate(0.1, 0.2), rate(0.3, 0.4))).toBe('higher');
    expect(verdict(rate(0.3, 0.4), rate(0.1, 0.2))).toBe('lower');
    expect(verdict(rate(0.1, 0.3), rate(0.2, 0.4))).toBe('open');
  });

  test('a move states the most moves of its try', () => {
    expect([moveText(2, 10), moveText(2)]).toEqual(['Move 3 of at most 10', 'Move 3']);
  });
});

describe('in the page', () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveMock>>;

  beforeAll(async () => {
    [site, browser] = await Promise.all([serveMock(), launch()]);
  });

  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  const firstVisit = async (name: string, view: View) => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=empty`, view, { simple: true });
    await button(page, 'Train').waitFor();
    await page
      .getByText(/updates, \d+ tries each/)
      .first()
      .waitFor();
    expect(await page.getByLabel('Preset').count()).toBe(0);
    expect(await page.locator('tabgym-chart').count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await screenshot(page, `simple-empty-${name.split(',')[0]}`);
    await button(page, 'Train').click();
    await page.getByText(/of 100 tries of the last 10 updates succeeded\./).waitFor();
    expect(await page.locator('tabgym-chart').count()).toBe(1);
    // The address names the run now, and keeps the arrangement.
    expect(new URL(page.url()).hash).toContain('view=simple');
    expect(errors).toEqual([]);
    await close();
  };

  test('a first visit has one button and no setup (wide)', () => firstVisit('wide', wide));
  test('a first visit has one button and no setup (narrow, dark)', { tags: 'slow' }, () =>
    firstVisit('narrow, dark', { ...narrow, colorScheme: 'dark' }),
  );

  test('settings stand above the rest of a narrow page, and cover nothing', async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=empty`, narrow, { simple: true });
    await button(page, 'Train').waitFor();
    await button(page, 'Settings').click();
    await page.getByLabel('Preset').waitFor();
    const end = await page.locator('tabgym-simple .settings').evaluate((each) => each.scrollHeight);
    expect(end).toBeGreaterThan(narrow.height / 2);
    const tops = await page.locator('tabgym-simple').evaluate((simple) => {
      const top = (selector: string) => simple.shadowRoot!.querySelector(selector)!.getBoundingClientRect().top;
      return { settings: top('.settings'), rest: Math.min(...['.lead', '.go', '.left', '.terms'].map(top)) };
    });
    expect(tops.rest).toBeGreaterThanOrEqual(tops.settings + end);
    await screenshot(page, 'simple-settings-narrow');
    await button(page, 'Settings').click();
    await expect.poll(() => page.getByLabel('Preset').count()).toBe(0);
    expect(errors).toEqual([]);
    await close();
  });

  test('the words of the six questions are on the page, and a group is one click away', async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=running`, wide, { simple: true });
    const words = page.locator('dl.terms dt');
    await page.getByText(/of 100 tries of the last 10 updates succeeded\./).waitFor();
    expect(await words.allTextContents()).toEqual([
      ...['Policy', 'Try', 'Reward', 'Chance', 'Group', 'Advantage', 'Update'],
      ...['Held-out', 'Oracle'],
    ]);
    // One measurement of each kind on the curve.
    expect(await page.locator('tabgym-chart .legend').getByText('evaluated').count()).toBe(0);
    await button(page, 'Show a group').click();
    await page.getByText(/^A group: tries of one task by the same policy\./).waitFor();
    for (const heading of ['Return', 'Advantage', 'Ending', 'Actions'])
      expect(await page.locator('tabgym-group .headings').getByText(heading, { exact: true }).isVisible()).toBe(true);
    // The training goes on, and what is read stays.
    const step = await page.getByLabel('Step', { exact: true }).inputValue();
    await page.getByRole('button', { name: /newer: follow$/ }).waitFor();
    expect(await page.getByLabel('Step', { exact: true }).inputValue()).toBe(step);
    // The chosen group compares a success with a failure.
    const marks = await page.locator('tabgym-group .grid [aria-pressed=true] .cells').textContent();
    expect(marks).toMatch(/●.*○|○.*●/s);
    expect(errors).toEqual([]);
    await close();
  });

  test('a change names itself before it is trained, and its effect at the end', { tags: 'slow' }, async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=changed`, wide, { simple: true });
    const effect = page.getByRole('region', { name: 'What the change did' });
    await effect.getByText('Learning rate 0.001 → 0.002').waitFor();
    await effect.getByText(/^The intervals in brackets overlap: with \d+ tries/).waitFor();
    await button(page, 'See both curves').click();
    await page.getByRole('dialog').getByText('Settings that differ').waitFor();
    await page.getByRole('dialog').getByLabel('Close').click();
    await button(page, 'Change one thing').click();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: /^Seed: / }).click();
    await button(page, 'Train').waitFor();
    await page.getByText(/^Changed: Seed \d+ → \d+$/).waitFor();
    expect(errors).toEqual([]);
    await close();
  });

  test('the curve is drawn further, not anew, with each step', { tags: 'slow' }, async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=running`, wide, { simple: true });
    const plot = page.locator('tabgym-chart .uplot');
    await plot.waitFor();
    const first = await plot.elementHandle();
    const update = page.getByText(/^Update \d+ of \d+\.$/);
    const before = await update.textContent();
    await expect.poll(() => update.textContent()).not.toBe(before);
    expect(await first!.evaluate((each) => each.isConnected)).toBe(true);
    expect(errors).toEqual([]);
    await close();
  });

  test('the end shows before and after, and three ways to go on', { tags: 'slow' }, async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=finished`, wide, { simple: true });
    await page.getByText('Of 8 tasks it never trained on, it solved 0 before training and solves 8 now.').waitFor();
    await page.getByRole('region', { name: 'Before', exact: true }).getByText('failure').waitFor();
    await page.getByRole('region', { name: 'After', exact: true }).getByText('success').waitFor();
    // A slot's name breaks between words only: it has no more lines than words.
    const broken = await page.locator('.slot .name').evaluateAll((names) =>
      names.map(({ lastChild }) => {
        const range = document.createRange();
        range.selectNodeContents(lastChild!);
        return [range.toString(), range.getClientRects().length] as const;
      }),
    );
    expect(broken.length).toBeGreaterThan(0);
    expect(broken.filter(([name, lines]) => lines > name.trim().split(' ').length)).toEqual([]);
    expect(await axeFindings(page)).toEqual([]);
    await screenshot(page, 'simple-finished-wide');
    await button(page, 'Change one thing').click();
    await page.getByRole('button', { name: /^Seed: / }).click();
    await button(page, 'Train').waitFor();
    expect(errors).toEqual([]);
    await close();
  });

  /** Share of an element that is in the window's visible part, from 0 to 1. */
  const inView = (page: Page, selector: string) =>
    page.locator(selector).evaluate(
      (each) =>
        new Promise<number>((resolve) => {
          new IntersectionObserver(([{ intersectionRatio }]) => resolve(intersectionRatio)).observe(each);
        }),
    );

  test('on a narrow page the ways to go on are in view, and so is what they open', async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=finished`, narrow, { simple: true });
    await button(page, 'Change one thing').waitFor();
    await expect.poll(() => inView(page, 'tabgym-simple .next')).toBe(1);
    // The group is opened from the words, far below the stage.
    await button(page, 'Show a group').click();
    await expect.poll(() => inView(page, 'tabgym-group .meaning')).toBe(1);
    await page.locator('tabgym-simple .terms').scrollIntoViewIfNeeded();
    await page.getByRole('tab', { name: 'Watch', exact: true }).or(button(page, 'Watch')).click();
    await button(page, 'Play against it').click();
    await expect.poll(() => inView(page, 'tabgym-play form.head')).toBe(1);
    // The game has begun, without a second button.
    await page.locator('tabgym-play .said').waitFor();
    await screenshot(page, 'simple-play-narrow');
    expect(errors).toEqual([]);
    await close();
  });

  test.each([
    ['wide', wide],
    ['narrow', narrow],
  ] as const)('a lesson has the buttons of the training beside it (%s)', async (_, view) => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=empty`, view, { simple: true });
    await button(page, 'Lessons').click();
    await page.getByText('Short, long and growing horizons').click();
    const train = page.locator('tabgym-transport').getByRole('button', { name: 'Train', exact: true });
    await train.waitFor();
    expect(await inView(page, 'tabgym-transport .train')).toBe(1);
    expect(await axeFindings(page)).toEqual([]);
    await button(page, 'Simple').click();
    await page
      .getByText(/updates, \d+ tries each/)
      .first()
      .waitFor();
    expect(errors).toEqual([]);
    await close();
  });

  test('the lab is one click away and remembered, and so is the way back', async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=empty`, wide, { simple: true });
    await button(page, 'Lab').click();
    await page.getByLabel('Preset').waitFor();
    await page.reload();
    await page.getByLabel('Preset').waitFor();
    await button(page, 'Simple').click();
    await button(page, 'Settings').click();
    await page.getByLabel('Preset').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await screenshot(page, 'simple-settings-wide');
    expect(errors).toEqual([]);
    await close();
  });
});
