/**
 * An assignment from the teacher's form to the graded file, on the built page in Chromium and with the grading of Node.
 * The teacher's part is timed with the pauses of a practised person (the Keystroke-Level Model of Card, Moran and Newell,
 * 1980): a model of a person, not one. The pupil has been on the page once and is then offline.
 */
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { chromiumArgs, chromiumArgsWithoutWebGpu, findChromium } from '../../scripts/machine.mjs';
import type { Result } from '../../src/classroom/grade.ts';
import { createClassServer } from '../../src/cli/classroom/class-server.ts';
import { gradeFolder } from '../../src/cli/grading.ts';
import { classSteps } from './class-files.ts';

/** Seconds of the model: to decide on a step, to point, to press the mouse's button, to press a key. */
const model = { decide: 1.35, point: 1.1, press: 0.2, key: 0.28 };
const mostTeacherSeconds = 120;
/** A software adapter on a busy machine takes minutes for the steps. */
const trainMs = 900_000;
const pageMs = 120_000;
const seed = 20_261;
/** The page has some hundred files. */
const leastFiles = 100;
const quietMs = 4000;

interface PupilOptions {
  /** Device on which the page trains. */
  device: 'wasm' | 'webgpu';
  /** Folder of the built page. */
  page: string;
  out?: string;
}

/** A person's hand: clicks and types with the model's pauses, and counts. */
class Hand {
  actions = 0;

  constructor(private readonly page: Page) {}

  private pause = (seconds: number) => this.page.waitForTimeout(1000 * seconds);

  async click(what: Locator): Promise<void> {
    this.actions++;
    await what.waitFor();
    await this.pause(model.decide + model.point + model.press);
    await what.click();
  }

  async type(into: Locator, text: string): Promise<void> {
    await this.click(into);
    await into.fill('');
    for (const letter of text) {
      await this.pause(model.key);
      await this.page.keyboard.type(letter);
    }
  }
}

async function openPage(browser: Browser, address: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(pageMs);
  await page.goto(address);
  return page;
}

async function trainWhole(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Train', exact: true }).first().click();
  await page.getByRole('button', { name: 'Finished' }).waitFor({ timeout: trainMs });
}

/** Presses the button and keeps the file that the page saves. */
async function saved(page: Page, press: () => Promise<void>, folder: string, name?: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  const path = join(folder, name ?? download.suggestedFilename());
  await download.saveAs(path);
  return path;
}

/** Waits until the service worker keeps the page's files, and for some seconds no more come. */
async function filesKept(page: Page): Promise<void> {
  const count = () =>
    page.evaluate(async () => {
      const caches = await Promise.all((await globalThis.caches.keys()).map((name) => globalThis.caches.open(name)));
      return (await Promise.all(caches.map((each) => each.keys()))).flat().length;
    });
  for (let before = -1, now = 0; now < leastFiles || now !== before; ) {
    await page.waitForTimeout(quietMs);
    [before, now] = [now, await count()];
  }
}

const question = 'What does an advantage within the group compare?';
const choices = 'Episodes of one task\nEpisodes of all tasks';
const rightChoice = 'Episodes of one task';

interface Made {
  page: Page;
  link: string;
  key: string;
  seconds: number;
  actions: number;
}

/** A run, then its assignment: opens the form, types title and question, saves the answers, copies the link. */
async function teacher(browser: Browser, url: string, folder: string): Promise<Made> {
  const page = await openPage(browser, `${url}?device=wasm#view=lab&lang=en`);
  await page.getByLabel('Preset').selectOption({ label: 'Micro' });
  await trainWhole(page);
  const hand = new Hand(page);
  const maker = page.locator('tabgym-assignment-maker');
  const began = performance.now();
  await hand.click(page.getByRole('button', { name: 'Learn', exact: true }));
  await hand.click(page.getByRole('tab', { name: 'Assignment' }));
  await hand.click(page.locator('tabgym-assignment [data-do=make]'));
  await hand.type(maker.locator('#title'), 'Craft it by Friday');
  await hand.click(maker.locator('[data-do=add-question]'));
  await hand.type(maker.locator('#question-0'), question);
  await hand.type(maker.locator('#choices-0'), choices);
  const key = await saved(page, () => hand.click(maker.locator('[data-do=save-key]')), folder, 'with-answers.json');
  await hand.click(maker.locator('[data-do=copy-link]'));
  const link = await maker.locator('#link').inputValue();
  return { page, link, key, seconds: (performance.now() - began) / 1000, actions: hand.actions };
}

/** Opens the link without a network after one visit, trains, answers and hands in. */
async function pupil(
  browser: Browser,
  { url, link, device }: { url: string; link: string; device: string },
  folder: string,
) {
  const page = await openPage(browser, `${url}?device=${device}#view=lab&lang=en`);
  await page.getByLabel('Preset').waitFor();
  await filesKept(page);
  await page.context().setOffline(true);
  const { hash } = new URL(link);
  await page.goto(`${url}?device=${device}${hash}&lang=en`);
  await page.reload();
  const panel = page.locator('tabgym-assignment');
  await panel.locator('.tasks').waitFor();
  await trainWhole(page);
  await panel.getByRole('radio', { name: rightChoice }).check();
  await panel.locator('#pupil').fill('Ada');
  const trained = await page.getByRole('combobox', { name: 'Device that trains' }).inputValue();
  const file = await saved(page, () => panel.locator('[data-do=hand-in]').click(), folder, 'ada.tabgym');
  await page.context().close();
  return { file, trained };
}

/** Grades the file in the teacher's page too, and prints the class's page. Returns its table's text and its pages. */
async function dashboard(page: Page, { key, file }: { key: string; file: string }, folder: string) {
  const grading = page.locator('tabgym-grading');
  await page.locator('tabgym-assignment').getByRole('button', { name: 'Back' }).click();
  await page.locator('tabgym-assignment [data-do=grade]').click();
  await grading.locator('#key').setInputFiles(key);
  await grading.locator('#files').setInputFiles(file);
  const row = grading.locator('tr[data-file]');
  await row.waitFor({ timeout: trainMs });
  const text = (await row.textContent()) ?? '';
  const html = await saved(page, () => grading.locator('[data-do=page]').click(), folder);
  const printed = await page.context().newPage();
  await printed.setContent(readFileSync(html, 'utf8'));
  const pdf = await printed.pdf({ format: 'A4', path: join(folder, 'grades.pdf') });
  const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  return { text, pages };
}

/** Makes, does, hands in and grades an assignment. Returns the number of faults. */
export async function comparePupil({ device, page: site, out }: PupilOptions): Promise<number> {
  const folder = out ?? mkdtempSync(join(tmpdir(), 'tabgym-pupil-'));
  const handedIn = join(folder, 'handed-in');
  mkdirSync(handedIn, { recursive: true });
  let faults = 0;
  const check = (holds: boolean, words: string) => {
    if (!holds) faults++;
    console.log(`${holds ? 'ok   ' : 'FAULT'} ${words}`);
  };
  const server = createClassServer({
    ...{ title: 'Class', code: 'K7QM3TXR', teacherKey: 'key-of-the-teacher-here', page: site, report: console.error },
    door: { host: '127.0.0.1', hosts: [] },
  });
  const url = `${await server.app.listen({ port: 0, host: '127.0.0.1' })}/`;
  const args = device === 'webgpu' ? chromiumArgs : chromiumArgsWithoutWebGpu;
  const browser = await chromium.launch({ executablePath: findChromium()!, args });
  try {
    const made = await teacher(browser, url, folder);
    check(
      made.seconds <= mostTeacherSeconds,
      `the teacher's link after ${made.seconds.toFixed(0)} s and ${made.actions} actions, with the model's pauses; ${made.link.length} characters`,
    );
    const { file, trained } = await pupil(browser, { url, link: made.link, device }, handedIn);
    check(trained === device, `trained on ${trained}, offline after the first visit, and handed in`);
    const options = { assignment: made.key, folder: handedIn, out: join(folder, 'marks'), seed, steps: 40 };
    const { results } = await gradeFolder({
      ...options,
      allowCode: false,
      device: 'wasm',
      threads: 1,
      print: console.log,
    });
    check(isWhole(results[0]), `Node grades it: ${JSON.stringify(results[0])}`);
    const { text, pages } = await dashboard(made.page, { key: made.key, file }, folder);
    check(/Ada/.test(text) && !/refused/.test(text), `the page grades it: ${text.replace(/\s+/g, ' ').trim()}`);
    check(pages > 0, `the class's page is printed on ${pages} sheets`);
  } finally {
    await browser.close();
    await server.close();
  }
  console.log(`${faults} faults. The files are in ${folder}.`);
  return faults;
}

/** True if a result has a name, the right choice, and all steps computed again. Micro's own goal is not measured. */
function isWhole(result: Result): boolean {
  if (result.status !== 'graded' || result.pupil !== 'Ada') return false;
  const answered = result.tasks.find(({ kind }) => kind === 'choice');
  return answered?.passed === true && result.checked.steps.length === classSteps;
}
