/** Each state of the page: its fixture, required elements by role, no objections by axe, no error, and screenshots. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings, contrastOnly } from './axe.ts';
import { launch, narrow, open, screenshot, serveMock, type View, wide } from './harness.ts';
import { button, type State, seen } from './state.ts';
import * as worldStates from './world-states.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const states: State[] = [
  {
    name: 'unsupported',
    address: '?mock=unsupported',
    async shows(page) {
      await seen(page, 'This browser cannot train: it offers neither WebGPU nor WebAssembly SIMD.');
      await seen(page, /Browsers that have WebAssembly SIMD: Chrome/);
      expect(await button(page, 'Train').isDisabled()).toBe(true);
      expect(await button(page, 'Open an exported run').isEnabled()).toBe(true);
      expect(await button(page, 'Watch a trained policy').isEnabled()).toBe(true);
    },
  },
  {
    name: 'empty',
    address: '?mock=empty',
    async shows(page) {
      await seen(page, /A tiny language-model agent learns to craft/);
      // The text appears before the device is known, the button for it afterwards.
      await expect.poll(() => page.getByRole('button', { name: 'Train', exact: true }).count()).toBe(2);
      expect(await page.getByText('No step yet').count()).toBeGreaterThan(0);
    },
  },
  {
    name: 'preparing',
    address: '?mock=preparing',
    async shows(page) {
      await button(page, 'Train').click();
      await seen(page, 'Compiling kernels: 17 of 41 kernels');
      expect(await button(page, 'Pause').isEnabled()).toBe(true);
    },
  },
  {
    name: 'shared',
    // `{"format":"tabgym-experiment-1"}` and nothing else, as a damaged link may contain.
    address: '?mock=empty#x=1.q1ZKyy_KTSxRslIqSUxKr8zVTa0oSC3KzE3NK9E1VKoFAA&run=run-9&step=30',
    async shows(page) {
      await seen(page, /The experiment in this link cannot be used: /);
      await seen(page, 'The run that this address names is not stored in this browser.');
    },
  },
  {
    name: 'share',
    address: '?mock=paused#run=run-1&step=30&tab=group',
    async shows(page) {
      await button(page, 'Share').click();
      const link = await page.getByLabel('Link', { exact: true }).inputValue();
      expect(link).toMatch(/#run=run-1&step=30&tab=group&x=1\./);
      await page.getByLabel('Embedded view, for slides and pages').waitFor();
      expect(await button(page, 'A report (.html)').isEnabled()).toBe(true);
    },
  },
  {
    name: 'embedded',
    address: '?mock=running&embed#run=run-1',
    async shows(page) {
      await seen(page, 'Open in Tabgym');
      await page.locator('tab-gym .turn').first().waitFor();
      await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('textcraft-first');
      expect(await page.getByLabel('Preset').count()).toBe(0);
    },
  },
  {
    name: 'chinese',
    address: '?mock=paused#run=run-1&step=30&group=0&member=1&turn=1&token=60&tab=trajectory&lang=zh-Hans',
    async shows(page) {
      await seen(page, '第 2 轮之后的环境');
      expect(await page.evaluate(() => [document.documentElement.lang, document.title])).toEqual([
        'zh-Hans',
        'Tabgym：微型智能体在此标签页中学习',
      ]);
    },
  },
  {
    name: 'chinese-empty',
    address: '?mock=empty#lang=zh-Hans',
    async shows(page) {
      await seen(page, '谁在学');
    },
  },
  {
    name: 'running',
    address: '?mock=running',
    async shows(page) {
      await seen(page, 'Live');
      // The fixture continues from step 42 at about five steps a second, so a busy machine may show a later one first.
      await page
        .getByText(/Step (4[4-9]|[5-9]\d|\d{3})/)
        .first()
        .waitFor();
      expect(await button(page, 'Pause').isEnabled()).toBe(true);
      await seen(page, 'over chance');
    },
  },
  {
    name: 'paused',
    address: '?mock=paused',
    async shows(page) {
      await seen(page, 'Recorded');
      await button(page, 'Read this episode').waitFor();
      const slider = page.locator('[role=slider][aria-label^="Success by step"]');
      expect(await slider.getAttribute('aria-valuetext')).toMatch(/^Step 42: training 0\.\d+, chance 0\.22/);
    },
  },
  {
    name: 'group',
    address: '?mock=paused#run=run-1&step=30&tab=group',
    async shows(page) {
      await button(page, /^Group 1: \d of 8 succeed/).waitFor();
      await seen(page, /mean return/);
      await seen(page, '12 newer: follow');
    },
  },
  {
    name: 'trajectory',
    address: '?mock=paused#run=run-1&step=30&group=0&member=1&turn=1&token=60&tab=trajectory',
    async shows(page) {
      await seen(page, 'Group 1, episode 2');
      await seen(page, 'The world after turn 2');
      await page.locator('tabgym-trajectory [role=option][aria-selected=true]').waitFor();
      await page.getByRole('listbox', { name: 'Tokens of the policy' }).first().waitFor();
    },
  },
  {
    name: 'sweep',
    address: '?mock=sweep#run=sweep-run-0',
    async shows(page) {
      const nav = page.getByRole('navigation', { name: 'Panels' });
      if (page.viewportSize()!.width < 860) await nav.getByRole('button', { name: 'Progress' }).click();
      await seen(page, 'Algorithm REINFORCE++, Learning rate 0.001');
      expect(await page.getByRole('slider', { name: /^Success by step/ }).count()).toBe(1);
      // A hidden variant disappears from the chart's description, and returns with it.
      const description = () => page.getByRole('slider', { name: /^Success by step/ }).getAttribute('aria-valuetext');
      expect(await description()).toMatch(/GRPO [\d.]+, REINFORCE\+\+ [\d.]+/);
      await page.getByRole('checkbox', { name: 'REINFORCE++' }).uncheck();
      expect(await description()).not.toContain('REINFORCE++');
      await page.getByRole('checkbox', { name: 'REINFORCE++' }).check();
      // Values are those of the steps themselves, whatever the smoothing of the lines.
      const legend = page.locator('tabgym-sweep-chart').first().locator('.legend');
      const [words, values] = [await description(), await legend.textContent()];
      await page.getByLabel('Smoothing').selectOption('0');
      expect([await description(), await legend.textContent()]).toEqual([words, values]);
      await page.getByLabel('Smoothing').selectOption('0.85');
      await button(page, 'Table: Success').click();
      await page.getByRole('columnheader', { name: 'REINFORCE++' }).first().waitFor();
      await button(page, 'Chart: Success').click();
      await button(page, 'This run').click();
      expect(await page.locator('tabgym-sweep-chart').count()).toBe(0);
      await button(page, 'All runs').click();
      await page.locator('tabgym-sweep-chart').first().waitFor();
    },
  },
  {
    name: 'goals',
    address: '?mock=goals#run=run-1',
    async shows(page) {
      const nav = page.getByRole('navigation', { name: 'Panels' });
      if (page.viewportSize()!.width < 860) await nav.getByRole('button', { name: 'Progress' }).click();
      const goals = page.locator('tabgym-goals');
      await goals.getByRole('button', { name: /^TextCraft, depth 3: success 0\.\d+, \d+ draws$/ }).waitFor();
      await goals.getByRole('row', { name: /^TextCraft, depth 4 .*not tried yet$/ }).waitFor();
      // A timeline's cell leads to a group of its step.
      await goals
        .getByRole('img', { name: 'Success and share of TextCraft, depth 1 over the run' })
        .locator('rect')
        .nth(9)
        .click();
      await expect.poll(() => page.evaluate(() => location.hash)).toContain('step=20');
      if (page.viewportSize()!.width < 860) await nav.getByRole('button', { name: 'Progress' }).click();
    },
  },
  {
    name: 'evaluate',
    address: '?mock=paused#run=run-1&tab=evaluate',
    async shows(page) {
      await seen(page, /TextCraft, the 100 test ids, step 42/);
      await seen(page, /stopped after 50 items/);
      expect(await page.getByText('published', { exact: true }).count()).toBe(9);
      const otherRuns = page.getByRole('group', { name: 'Compared with other runs' });
      await otherRuns.getByRole('rowheader', { name: /^This run textcraft-first, step 42$/ }).waitFor();
      // Only the newest evaluation of another run is shown, with its decoding.
      expect(await otherRuns.getByRole('rowheader').count()).toBe(2);
      const other = otherRuns.getByRole('row', { name: /^half the learning rate half the learning rate, step 20/ });
      expect(await other.getByRole('cell').last().textContent()).toBe('greedy');
      expect(await otherRuns.getByText('4 tries at temperature 1').count()).toBe(1);
      for (const format of ['JSON', 'CSV', 'Markdown'])
        expect(await button(page, `Save as ${format}`).isEnabled()).toBe(true);
      await page.locator('tabgym-evaluate').getByRole('button', { name: 'Evaluate' }).click();
      await seen(page, /Playing: \d+ of 400 episodes/);
      expect(await button(page, 'Stop').isEnabled()).toBe(true);
      await page.getByText(/Playing: \d+ of 400 episodes/).waitFor({ state: 'hidden' });
    },
  },
  {
    name: 'error',
    address: '?mock=error',
    async shows(page) {
      await seen(page, /ran out of memory while allocating the KV cache/);
      expect(await button(page, 'Try again from the last step').isEnabled()).toBe(true);
    },
  },
  {
    name: 'finished',
    address: '?mock=finished',
    async shows(page) {
      expect(await button(page, 'Finished').isDisabled()).toBe(true);
      await seen(page, 'Step 200');
    },
  },
  {
    name: 'read-only',
    address: '?mock=read-only',
    async shows(page) {
      await page
        .getByText('This run is open in another tab. This tab is read-only')
        .first()
        .waitFor({ state: 'attached' });
      expect(await button(page, 'Train').isDisabled()).toBe(true);
    },
  },
  {
    name: 'broken',
    address: '?mock=broken',
    async shows(page) {
      await seen(page, 'The trainer could not be started');
      expect(await button(page, 'Reload the page').isEnabled()).toBe(true);
    },
  },
];

/** States that every run shows on a narrow screen too; the slow tests show all of them. */
const alsoNarrow = ['empty', 'paused', 'group'];

/** States of the daily run: one of each arrangement of the page. The slow tests show the others. */
const daily = [
  ...['unsupported', 'empty', 'preparing', 'embedded', 'chinese', 'running', 'paused', 'group', 'trajectory'],
  ...['evaluate', 'error', 'broken', 'babyai', 'tools'],
];

/** Opens a state, checks it, and returns its page. */
async function checked({ name, address, shows }: State, size: string, view: View) {
  const opened = await open(browser, site.url + address, view);
  const { page } = opened;
  await shows(page);
  await screenshot(page, `${name}-${size}-${view.colorScheme}`);
  expect(await axeFindings(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  return opened;
}

describe.concurrent.each([...states, ...Object.values<State[]>(worldStates).flat()])('state $name', (state) => {
  const { name } = state;

  test('wide', { tags: daily.includes(name) ? [] : 'slow' }, async () => {
    const { errors, close } = await checked(state, 'wide', wide);
    expect(errors).toEqual([]);
    await close();
  });

  test('narrow', { tags: alsoNarrow.includes(name) ? [] : 'slow' }, async () => {
    const { errors, close } = await checked(state, 'narrow', { ...narrow, colorScheme: 'dark' });
    expect(errors).toEqual([]);
    await close();
  });

  test.each([
    ['wide', wide, 'dark'],
    ['narrow', { ...narrow, colorScheme: 'dark' } as const, 'light'],
  ] as const)('%s, after a change of colors', { tags: 'slow' }, async (size, view, colorScheme) => {
    const { page, errors, close } = await open(browser, site.url + state.address, view);
    await state.shows(page);
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(60);
    await screenshot(page, `${name}-${size}-${colorScheme}`);
    if (size === 'wide') expect(await axeFindings(page, contrastOnly)).toEqual([]);
    expect(errors).toEqual([]);
    await close();
  });
});

describe.concurrent('the drawer', () => {
  test.each([
    ['Runs', 'tabgym-runs li'],
    ['Storage', 'tabgym-storage td'],
    ['Device', 'tabgym-gpu summary'],
    ['Log', 'tabgym-log'],
  ])('%s', async (tab, content) => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=paused`);
    await button(page, tab).click();
    await page.getByRole('tab', { name: tab, selected: true }).waitFor();
    await page.locator(content).first().waitFor();
    await screenshot(page, `drawer-${tab.toLowerCase()}-wide-light`);
    expect(await axeFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
    await close();
  });
});

test.each([
  ['wide', wide, 'en'],
  ['narrow', narrow, 'zh-CN'],
] as const)('the device panel lists the measured forms, with the one in use marked, %s', async (name, view, locale) => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused`, view, { locale });
  if (name === 'narrow') {
    await page.getByRole('button', { name: '更多', exact: true }).click();
    await page.getByRole('tab', { name: '设备', exact: true }).click();
  } else await button(page, 'Device').click();
  const panel = page.locator('tabgym-gpu');
  await panel.getByText(locale === 'en' ? 'Each choice' : '每项选择').click();
  const words =
    locale === 'en' ? { later: 'not measured yet', times: '1.62 times' } : { later: '尚未测量', times: '1.62 倍' };
  const rows = (part: string) =>
    panel.locator(`.choice ${part}`).evaluateAll((all) =>
      all.map((row) =>
        [...row.children]
          .map((cell) => cell.textContent!.trim())
          .join(' ')
          .trim(),
      ),
    );
  expect(await rows('.used')).toEqual(['✓ blocks 2600 µs', '✓ tiled 24 µs', `✓ tiled-subgroups ${words.later}`]);
  expect(await rows('.soft')).toContain(`tiled 4200 µs ${words.times}`);
  await panel.getByText('attention_many').scrollIntoViewIfNeeded();
  await screenshot(page, `device-forms-${name}`);
  expect(await axeFindings(page)).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});

describe.concurrent('narrow panels', () => {
  test.each([
    ['Setup', 'tabgym-setup .preset'],
    ['Progress', 'tabgym-chart .u-over'],
    ['More', 'tabgym-runs li'],
  ])('%s', async (panel, content) => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=paused`, narrow);
    await page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: panel }).click();
    await page.locator(content).first().waitFor();
    await screenshot(page, `panel-${panel.toLowerCase()}-narrow-light`);
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(errors).toEqual([]);
    await close();
  });
});

test('the settings, all of them, and the help', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused`);
  await page.getByLabel('Show advanced settings').click();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Watch' }).focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys and help' }).waitFor();
  await screenshot(page, 'help-wide-light');
  expect(await axeFindings(page)).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});

describe.each([
  ['waiting', '.state', 'slow'],
  ['failing', 'text=This fixture refuses to answer. Try again.', []],
])('every panel, %s', (state, sign, tags) => {
  const panels: [string, string][] = [
    ['Group', 'tabgym-group'],
    ['Trajectory', 'tabgym-trajectory'],
    ['Evaluate', 'tabgym-evaluate'],
    ['Storage', 'tabgym-storage'],
    ['Device', 'tabgym-gpu'],
  ];
  test('shows it in the panel, and the rest stays usable', { tags }, async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=${state}#run=run-1&step=30&tab=group`);
    await button(page, 'Train').waitFor();
    // Waits for the stage, which appears after the bar; before it, buttons of the bar could match.
    await page.getByRole('tab', { name: 'Group', exact: true }).waitFor();
    for (const [name, panel] of panels) {
      const tab = page.getByRole('tab', { name, exact: true });
      await ((await tab.count()) ? tab.first() : button(page, name)).click();
      await page.locator(panel).locator(sign).first().waitFor();
      await screenshot(page, `panel-${state}-${name.toLowerCase()}`);
      expect(await axeFindings(page)).toEqual([]);
    }
    expect(errors).toEqual([]);
    await close();
  });
});

/** Waits until the bar has the numbers of the run. */
const barFilled = (page: Page) => page.locator('tabgym-transport .value strong').waitFor();

/** The bar's height, and elements that overflow it or overlap a neighbour. */
const measureBar = (page: Page) =>
  page.evaluate(() => {
    const bar = document.querySelector('tabgym-app')!.shadowRoot!.querySelector('tabgym-transport')!.shadowRoot!;
    const shown = [...bar.querySelectorAll<HTMLElement>('header button:not(.skip), header select, .meter')]
      .map((each) => ({ name: each.textContent!.trim().slice(0, 20), box: each.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0);
    const over = shown.flatMap((a, i) =>
      shown
        .slice(i + 1)
        .filter((b) => Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left) > 1)
        .filter((b) => Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top) > 1)
        .map((b) => `${a.name} over ${b.name}`),
    );
    const out = shown.filter(({ box }) => box.right > innerWidth || box.left < 0).map(({ name }) => `${name} is out`);
    const spills = [...bar.querySelectorAll<HTMLElement>('.meter > span')]
      .filter((each) => each.scrollWidth > each.clientWidth)
      .map((each) => `${each.textContent} is cut or spills`);
    return {
      height: bar.querySelector('header')!.getBoundingClientRect().height,
      problems: [...over, ...out, ...spills],
    };
  });

describe.each([
  ['en', 'paused', []],
  ['en', 'finished', []],
  ['zh-Hans', 'paused', 'slow'],
])('in the language %s, %s', (lang, state, tags) => {
  test('the bar has one row from 861 pixels on and two below, and all of it is visible', { tags }, async () => {
    const { page, close } = await open(browser, `${site.url}?mock=${state}#lang=${lang}`);
    await barFilled(page);
    for (const width of [1920, 1781, 1701, 1440, 1400, 1366, 1280, 1241, 1200, 1122, 1081, 1041, 900, 861, 390, 360]) {
      await page.setViewportSize({ width, height: 900 });
      const measured = async () => {
        const { height, problems } = await measureBar(page);
        return { width, problems, rows: Math.ceil(height / 60) };
      };
      await expect.poll(measured).toEqual({ width, problems: [], rows: width > 860 ? 1 : 2 });
      if (lang === 'en' || width < 1300) await screenshot(page, `bar-${lang}-${state}-${width}`);
    }
    await close();
  });
});

// https://www.w3.org/WAI/WCAG22/Understanding/text-spacing.html
test('with the text spacing of WCAG 1.4.12 the bar shows everything', async () => {
  const { page, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
  await barFilled(page);
  await page.locator('tabgym-transport').evaluate((bar) => {
    const spacing = new CSSStyleSheet();
    spacing.replaceSync(
      '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }',
    );
    bar.shadowRoot!.adoptedStyleSheets.push(spacing);
  });
  for (const width of [1440, 1122, 900, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(async () => ({ width, ...(await measureBar(page)) })).toMatchObject({ width, problems: [] });
    await screenshot(page, `bar-spaced-${width}`);
  }
  await close();
});

test('with large letters on a narrow screen the bar has the number, and neither bar nor setup overflows', async () => {
  const { page, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
  await barFilled(page);
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '24px';
  });
  await page.locator('tabgym-setup .preset').waitFor();
  const setup = await page.locator('tabgym-setup').evaluate((each) => each.scrollWidth - each.clientWidth);
  expect(setup).toBe(0);
  await page.setViewportSize({ width: 390, height: 900 });
  await expect.poll(async () => (await measureBar(page)).problems).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  const shown = await page.locator('tabgym-transport .value strong').evaluate((number) => {
    const [own, line] = [number.getBoundingClientRect(), number.parentElement!.parentElement!.getBoundingClientRect()];
    return own.width > 0 && own.right <= line.right + 1 && own.top < line.bottom - own.height / 2;
  });
  expect(shown).toBe(true);
  await screenshot(page, 'bar-large-letters');
  await close();
});

test('neighbouring plots are aligned, whatever their legends, and mark the chosen step at the right place', async () => {
  const { page, close } = await open(browser, `${site.url}?mock=paused#run=run-1&step=30&tab=group`);
  const marked = page.locator('tabgym-chart .marker:visible');
  await marked.nth(2).waitFor();
  const places = () =>
    page.locator('tabgym-chart').evaluateAll((all) =>
      all.map((each) => {
        const root = each.shadowRoot!;
        const over = root.querySelector('.u-over')!.getBoundingClientRect();
        const marker = root.querySelector('.marker')!.getBoundingClientRect();
        return {
          row: each.getBoundingClientRect().top,
          top: root.querySelector('.plot')!.getBoundingClientRect().top,
          at: (marker.left + 0.75 - over.left) / over.width,
        };
      }),
    );
  /** Charts that are not aligned with the first of their row, or whose mark is elsewhere. */
  const misplaced = async () => {
    const charts = await places();
    return charts.filter(({ row, top, at }) => {
      const first = charts.find((each) => each.row === row)!;
      return Math.abs(top - first.top) >= 0.5 || Math.abs(at - 30 / 42) >= 0.005;
    });
  };
  for (const width of [1440, 1180, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    // Plots are drawn again soon after a change of the width; until then they have their earlier places.
    await page.waitForTimeout(150);
    await expect.poll(misplaced).toEqual([]);
  }
  await close();
});
