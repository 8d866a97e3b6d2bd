/**
 * The board of a class and the panel that joins it, served by the class's own server: pupils' reports come over HTTP, as
 * from other pages. Both widths, both languages, axe, keyboard, printing, and sentences for what fails.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ClassHttp } from '../../src/classroom/together/http-client.ts';
import type { ClassReport } from '../../src/classroom/together/messages.ts';
import { type ClassServer, createClassServer } from '../../src/cli/classroom/class-server.ts';
import { axeFindings } from './axe.ts';
import { buildMock, launch, narrow, open, screenshot, wide } from './harness.ts';

const code = 'K7QM3TXR';
const teacherKey = 'key-of-the-teacher-here';

let browser: Browser;
let folder: string;

beforeAll(async () => {
  [folder, browser] = await Promise.all([buildMock(), launch()]);
});

afterAll(() => browser?.close());

interface Class {
  url: string;
  server: ClassServer;
  client: ClassHttp;
}

/** A class on this machine, by http: a browser treats a loopback address as secure. */
async function opened(mount?: (app: ClassServer['app']) => void): Promise<Class> {
  const server = createClassServer({
    ...{ mount, title: 'Class 9b', code, teacherKey, page: folder, training: 'Maze', report: console.error },
    door: { host: '127.0.0.1', hosts: [] },
  });
  const url = `${await server.app.listen({ port: 0, host: '127.0.0.1' })}/`;
  return { url, server, client: new ClassHttp(url, code) };
}

const curve = (values: readonly number[]) => values.map((value, k): [number, number] => [k + 1, value]);
const report: ClassReport = { run: 'Maze', step: 24, steps: 60, status: 'running', curve: [], heldOut: [] };
const rising = Array.from({ length: 24 }, (_, k) => k / 24);
const reports: { readonly [name: string]: ClassReport | null } = {
  Ada: {
    ...report,
    curve: curve(rising),
    heldOut: [
      [0, 0.1, 0.02, 0.3],
      [20, 0.7, 0.5, 0.85],
    ],
  },
  'Blaise with a name of forty characters..': { ...report, curve: curve(rising.map(() => 0.25)) },
  Emmy: { ...report, step: 3, status: 'failed', curve: curve([0, 0.1, 0]) },
  王小明: null,
};

/** Joins as each pupil and sends the reports; Emmy leaves. */
async function filled({ client }: Class): Promise<void> {
  for (const [name, each] of Object.entries(reports)) {
    const { secret } = await client.call<{ secret: string }>('join', { name });
    await client.call('report', { secret, report: each });
    if (name === 'Emmy') await client.call('leave', { secret });
  }
}

const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

/** Presses Tab until the focused element's name matches, as somebody without a mouse does. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const focused = () =>
    page.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return at?.getAttribute('aria-label') ?? (at?.id || at?.textContent?.trim()) ?? '';
    });
  for (let presses = 0; presses < 120; presses++) {
    if (name.test(await focused())) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${name}.`);
}

describe('the board', () => {
  const texts = {
    en: { stuck: 'Where the class is stuck', flat: 'Success does not rise', none: 'No run yet', away: 'away' },
    'zh-Hans': { stuck: '全班卡在哪里', flat: '成功率没有上升', none: '还没有运行', away: '离开' },
  };

  test.each([
    ['wide', wide, 'en'],
    ['narrow', narrow, 'en'],
    ['wide', { ...wide, colorScheme: 'dark' } as const, 'zh-Hans'],
    ['narrow', narrow, 'zh-Hans'],
  ] as const)('%s, %j, in %s', async (size, view, lang) => {
    const own = await opened();
    await filled(own);
    const { page, errors, close } = await boardOf(own, `board=${code}&lang=${lang}`, view);
    await page.getByRole('heading', { level: 1, name: 'Class 9b' }).waitFor();
    const tiles = page.getByRole('listitem').filter({ has: page.locator('.name') });
    await expect.poll(() => tiles.count()).toBe(4);
    const { stuck, flat, none, away } = texts[lang];
    await page.getByRole('heading', { name: stuck }).waitFor();
    const tile = (name: string) => page.locator(`[data-member="${name}"]`);
    expect(await tile('Blaise with a name of forty characters..').textContent()).toContain(flat);
    expect(await tile('王小明').textContent()).toContain(none);
    expect(await tile('Emmy').textContent()).toContain(away);
    expect(await tile('Ada').textContent()).toMatch(/70(?:\.0)?\s?%.*50(?:\.0)?\s?%–85(?:\.0)?\s?%/s);
    expect(await page.getByRole('img').evaluateAll((all) => all.every((each) => each.getAttribute('alt')))).toBe(true);
    expect(await page.getByRole('button').count()).toBe(1);
    expect(await page.locator('tabgym-board .code').textContent()).toBe('K7QM-3TXR');
    await screenshot(page, `board-${lang}-${size}`);
    expect(await axeFindings(page)).toEqual([]);
    expect(await fits(page)).toBe(true);
    expect(errors).toEqual([]);
    await close();
    await own.server.close();
  });

  test('with the key, names are removed by keyboard, and it is printed without buttons', async () => {
    const own = await opened();
    await filled(own);
    const { page, errors, close } = await boardOf(own, `board=${code}&key=${teacherKey}`);
    await page.locator('[data-member="Emmy"]').waitFor();
    await tabTo(page, /^Remove Emmy$/);
    await page.keyboard.press('Enter');
    await page.locator('[data-member="Emmy"]').waitFor({ state: 'detached' });
    expect(own.server.board.view().map(({ name }) => name)).not.toContain('Emmy');
    expect(await axeFindings(page)).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await fits(page)).toBe(true);
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    expect(pages).toBeGreaterThan(0);
    expect(pages).toBeLessThan(5);
    expect(errors).toEqual([]);
    await close();
    await own.server.close();
  });

  test('says that the code is wrong, and that the machine does not answer', async () => {
    const own = await opened();
    const wrong = await boardOf(own, 'board=WRONGCODE');
    await wrong.page.getByRole('status').getByText('The code is wrong. Type it as the board shows it.').waitFor();
    await wrong.close();
    const { page, close } = await boardOf(own, `board=${code}`);
    await page.getByText('Nobody has joined yet.').waitFor();
    await own.server.close();
    await page.getByRole('status').getByText('The teacher’s machine does not answer.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Class 9b' }).waitFor();
    await close();
  });
});

async function boardOf({ url }: Class, hash: string, view: Parameters<typeof open>[2] = wide) {
  const { width, height, colorScheme } = view;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${url}#${hash}`);
  return { page, errors, close: () => context.close() };
}

describe('the panel that joins a class', () => {
  const address = (lang: string) => `?mock=paused#join=${code}&lang=${lang}`;

  test.each([
    ['wide', wide, 'en', 'Name on the board', /You are in Class 9b as Li\./],
    ['narrow', { ...narrow, colorScheme: 'dark' } as const, 'zh-Hans', '看板上的名字', /Class 9b.*Li|Li.*Class 9b/],
  ] as const)('%s, %j, in %s, by keyboard', async (size, view, lang, label, joinedText) => {
    const own = await opened();
    const { page, errors, close } = await open(browser, own.url + address(lang), view);
    const panel = page.locator('tabgym-join-class');
    await panel.getByLabel(label).waitFor();
    expect(await panel.locator('#code').inputValue()).toBe(code);
    await screenshot(page, `join-${lang}-${size}`);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('tab', { selected: true }).and(page.locator('tabgym-learn [role=tab]')).focus();
    await tabTo(page, /^code$/);
    await tabTo(page, /^name$/);
    await page.keyboard.type('Li');
    await page.keyboard.press('Enter');
    await panel.getByText(joinedText).waitFor();
    await expect.poll(() => own.server.board.view()[0]?.report?.run).toBe('textcraft-first');
    await screenshot(page, `joined-${lang}-${size}`);
    expect(await axeFindings(page)).toEqual([]);
    expect(await fits(page)).toBe(true);
    // The tab keeps its place in the class.
    await page.goto('about:blank');
    await page.goto(own.url + address(lang));
    await page.locator('tabgym-transport .steps').waitFor();
    await page.keyboard.press('n');
    await page.locator('#tab-assignment').press('Enter');
    await panel.getByText(joinedText).waitFor();
    await panel.locator('[data-do=leave]').press('Enter');
    await panel.locator('#name').waitFor();
    await expect.poll(() => own.server.board.view().map(({ name, away }) => [name, away])).toEqual([['Li', true]]);
    expect(errors).toEqual([]);
    await close();
    await own.server.close();
  });

  test('says that the code is wrong, and that the trainer does not answer', async () => {
    // The experiment is answered by a cut connection, then by a refusal.
    let cut = true;
    const own = await opened((app) =>
      app.get('/class/training', (request, reply) => {
        if (cut) return void request.raw.destroy();
        return reply.code(403).send({ type: 'MemberRefused', detail: '' });
      }),
    );
    const { page, close } = await open(browser, own.url + address('en'));
    const panel = page.locator('tabgym-join-class');
    await panel.locator('#code').fill('WRONG-CODE');
    await panel.locator('#name').fill('Li');
    await panel.locator('[data-do=join]').click();
    await page.getByText('The code is wrong. Type it as the board shows it.').first().waitFor();
    await panel.locator('#code').fill('k7qm-3txr');
    await panel.locator('[data-do=join]').click();
    await panel.locator('[data-do=play]').click();
    await panel.getByText(/^The trainer does not answer\. This page asks again/).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await panel.locator('[data-do=stop-playing]').click();
    await panel.locator('[data-do=play]').click();
    await panel.getByText(/^The trainer does not answer\. This page asks again/).waitFor();
    cut = false;
    await page
      .getByText(/The trainer refused the episodes of this page/)
      .first()
      .waitFor();
    await panel.locator('[data-do=play]').waitFor();
    await own.server.close();
    await panel.getByText(/^The teacher’s machine does not answer\./).waitFor();
    await panel.locator('[data-do=play]').click();
    await page
      .getByText(/The teacher’s machine does not answer\.$/)
      .first()
      .waitFor();
    await panel.locator('[data-do=play]').waitFor();
    await close();
  });
});
