/** The simple arrangement: an address opens what it names, the first minute's page and its end, without objections. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LiveTurn } from '../../src/session/protocol.ts';
import { ordered, type Pair, solved } from '../../src/ui/simple/before-after.ts';
import { arrangementOf } from '../../src/ui/state/arrangement.ts';
import { parseLink } from '../../src/ui/state/link.ts';
import { blockWeights } from '../../src/ui/state/plain-words.ts';
import { parseHash } from '../../src/ui/state/selection.ts';
import { launch, narrow, open, screenshot, serveMock, wide } from './harness.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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

  async function violations(page: Page): Promise<string[]> {
    await page.evaluate(axeSource);
    return page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run(root: Document): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      };
      const found = (await axe.run(document)).violations;
      return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
    });
  }

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  test.each([
    ['wide', wide],
    ['narrow, dark', { ...narrow, colorScheme: 'dark' as const }],
  ])('a first visit has one button and no setup (%s)', async (name, view) => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=empty`, view, { simple: true });
    await button(page, 'Train').waitFor();
    await page
      .getByText(/updates, \d+ tries each/)
      .first()
      .waitFor();
    expect(await page.getByLabel('Preset').count()).toBe(0);
    expect(await page.locator('tabgym-chart').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, `simple-empty-${name.split(',')[0]}`);
    await button(page, 'Train').click();
    await page.getByText(/of 100 tries succeed\./).waitFor();
    expect(await page.locator('tabgym-chart').count()).toBe(1);
    // The address names the run now, and keeps the arrangement.
    expect(new URL(page.url()).hash).toContain('view=simple');
    expect(errors).toEqual([]);
    await close();
  });

  test('the curve is drawn further, not anew, with each step', async () => {
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

  test('the end shows before and after, and three ways to go on', async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=finished`, wide, { simple: true });
    await page.getByText('Of 8 tasks it never trained on, it solved 0 before training and solves 8 now.').waitFor();
    await page.getByRole('region', { name: 'Before', exact: true }).getByText('failure').waitFor();
    await page.getByRole('region', { name: 'After', exact: true }).getByText('success').waitFor();
    expect(await violations(page)).toEqual([]);
    await screenshot(page, 'simple-finished-wide');
    await button(page, 'Change one thing').click();
    await page.getByRole('button', { name: /^Seed: / }).click();
    await button(page, 'Train').waitFor();
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
    expect(await violations(page)).toEqual([]);
    await screenshot(page, 'simple-settings-wide');
    expect(errors).toEqual([]);
    await close();
  });
});
