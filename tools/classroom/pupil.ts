/**
 * An assignment from the teacher's form to the graded file, on the built page in Chromium and with the grading of Node:
 * the pupil's file and forged ones of it, and the file of a pupil whose policy hardly learned.
 * The teacher's part is timed with the pauses of a practised person (the Keystroke-Level Model of Card, Moran and Newell,
 * 1980): a model of a person, not one. The pupil has been on the page once and is then offline.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { chromiumArgs, chromiumArgsWithoutWebGpu, findChromium } from '../../scripts/machine.mjs';
import { type Assignment, readAssignment } from '../../src/classroom/assignment.ts';
import type { Graded, Result } from '../../src/classroom/grade.ts';
import { createClassServer } from '../../src/cli/classroom/class-server.ts';
import { gradeFolder } from '../../src/cli/grading.ts';
import { nodeEngines } from '../../src/library/node/engines.ts';
import { packExperiment } from '../../src/ui/state/link.ts';
import { goalExperiment, goalSteps, handedIn } from './class-files.ts';
import { type Forgery, forgeries, partsOf, withNewHashes, withOldHashes } from './forgeries.ts';

/** Seconds of the model: to decide on a step, to point, to press the mouse's button, to press a key. */
const model = { decide: 1.35, point: 1.1, press: 0.2, key: 0.28 };
const mostTeacherSeconds = 120;
/** A software adapter on a busy machine takes minutes for the steps. */
const trainMs = 900_000;
const pageMs = 120_000;
const seed = 20_261;
const pupilSeed = 3;
/** Lower bound that is asked for. Random weights reach 5 to 17%, trained ones 36 to 40%. */
const goalPercent = 25;
/** Learning rate of the pupil whose policy hardly learns. */
const idleRate = 1e-6;
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

/** A class's server for a built page, not yet listening. */
export const serveClass = (page: string) =>
  createClassServer({
    ...{ title: 'Class', code: 'K7QM3TXR', teacherKey: 'key-of-the-teacher-here', page, report: console.error },
    door: { host: '127.0.0.1', hosts: [] },
  });

export async function openPage(browser: Browser, address: string): Promise<Page> {
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
export async function filesKept(page: Page): Promise<void> {
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

const [pupilFile, idleFile] = ['ada.tabgym', 'idle.tabgym'];
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
  const packed = await packExperiment(goalExperiment());
  const page = await openPage(browser, `${url}?device=wasm#x=${packed}&view=lab&lang=en`);
  await trainWhole(page);
  const hand = new Hand(page);
  const maker = page.locator('tabgym-assignment-maker');
  const began = performance.now();
  await hand.click(page.getByRole('button', { name: 'Learn', exact: true }));
  await hand.click(page.getByRole('tab', { name: 'Assignment' }));
  await hand.click(page.locator('tabgym-assignment [data-do=make]'));
  await hand.type(maker.locator('#title'), 'Craft it by Friday');
  await hand.type(maker.locator('#goal'), String(goalPercent));
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
  const seedField = page.getByLabel('Seed', { exact: true });
  await seedField.fill(String(pupilSeed));
  await seedField.blur();
  await trainWhole(page);
  await panel.getByRole('radio', { name: rightChoice }).check();
  await panel.locator('#pupil').fill('Ada');
  const trained = await page.getByRole('combobox', { name: 'Device that trains' }).inputValue();
  const file = await saved(page, () => panel.locator('[data-do=hand-in]').click(), folder, pupilFile);
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
  const folders = { handedIn: join(folder, 'handed-in') };
  mkdirSync(folders.handedIn, { recursive: true });
  let faults = 0;
  const check = (holds: boolean, words: string) => {
    if (!holds) faults++;
    console.log(`${holds ? 'ok   ' : 'FAULT'} ${words}`);
  };
  const server = serveClass(site);
  const url = `${await server.app.listen({ port: 0, host: '127.0.0.1' })}/`;
  const args = device === 'webgpu' ? chromiumArgs : chromiumArgsWithoutWebGpu;
  const browser = await chromium.launch({ executablePath: findChromium()!, args });
  try {
    const made = await teacher(browser, url, folder);
    check(
      made.seconds <= mostTeacherSeconds,
      `the teacher's link after ${made.seconds.toFixed(0)} s and ${made.actions} actions, with the model's pauses; ${made.link.length} characters`,
    );
    const { file, trained } = await pupil(browser, { url, link: made.link, device }, folders.handedIn);
    check(trained === device, `trained on ${trained}, offline after the first visit, and handed in`);
    const assignment = readAssignment(readFileSync(made.key, 'utf8'));
    const forged = await writeOthers(assignment, file, folders.handedIn);
    const options = { assignment: made.key, folder: folders.handedIn, out: join(folder, 'marks'), seed, steps: 40 };
    const { results } = await gradeFolder({
      ...options,
      allowCode: false,
      device: 'wasm',
      threads: 1,
      print: console.log,
    });
    const resultOf = (name: string) => results.find((each) => each.file === name)!;
    const honest = resultOf(pupilFile);
    check(isWhole(honest), `Node grades it: ${JSON.stringify(honest)}`);
    const idle = resultOf(idleFile);
    check(isIdle(idle), `a policy that hardly learned has no mark for the goal: ${measuredOf(idle)}`);
    for (const { name, reasons } of forged) {
      const result = resultOf(name);
      const reason = result.status === 'refused' ? result.reason : 'graded';
      const words = result.status === 'refused' ? result.message : measuredOf(result);
      check(
        reasons.some((each) => each === reason),
        `${name}: ${reason}: ${words}`,
      );
    }
    const { text, pages } = await dashboard(made.page, { key: made.key, file }, folder);
    check(/Ada/.test(text) && /success: \d/.test(text), `the page grades it: ${text.replace(/\s+/g, ' ').trim()}`);
    check(pages > 0, `the class's page is printed on ${pages} sheets`);
  } finally {
    await browser.close();
    await server.close();
  }
  console.log(`${faults} faults. The files are in ${folder}.`);
  return faults;
}

type ForgedFile = { name: string } & Pick<Forgery, 'reasons'>;

/** Writes forged forms of the pupil's file, and the file of a pupil whose policy hardly learned. */
async function writeOthers(assignment: Assignment, file: string, folder: string): Promise<ForgedFile[]> {
  const engines = nodeEngines({ device: 'wasm', threads: 1 });
  const settings = { seed: pupilSeed, learningRate: assignment.experiment.optimizer.learningRate };
  const made = (changes: Partial<Parameters<typeof handedIn>[2]>) =>
    handedIn(assignment, engines, { ...settings, ...changes }, 'Emmy');
  const sources = {
    own: partsOf(readFileSync(file)),
    other: partsOf(await made({ seed: pupilSeed + 1 })),
    longer: partsOf(await made({ steps: goalSteps + 2 })),
    disallowed: partsOf(await made({ learningRate: settings.learningRate / 2 })),
  };
  writeFileSync(join(folder, idleFile), await made({ learningRate: idleRate }));
  return forgeries.flatMap((forgery) => {
    const parts = forgery.make(sources);
    const [edited, anew] = [`edited-${forgery.name}.tabgym`, `anew-${forgery.name}.tabgym`];
    writeFileSync(join(folder, edited), withOldHashes(parts));
    writeFileSync(join(folder, anew), withNewHashes(parts));
    return [
      { name: edited, reasons: ['damaged'] as const },
      { name: anew, reasons: forgery.reasons },
    ];
  });
}

const goalOf = ({ tasks }: Graded) => tasks.find(({ kind }) => kind === 'success')!;

const measuredOf = (result: Result): string =>
  result.status === 'graded' ? `${goalOf(result).measured}, ${goalOf(result).needed}` : result.message;

/** True if a result has a name, all points, and all steps computed again. */
function isWhole(result: Result): boolean {
  if (result.status !== 'graded' || result.pupil !== 'Ada') return false;
  return result.points === result.most && result.checked.steps.length === goalSteps;
}

/** True if all steps follow from the weights, and the goal was measured and missed. */
const isIdle = (result: Result): boolean =>
  result.status === 'graded' && goalOf(result).passed === false && result.checked.steps.length === goalSteps;
