/**
 * Training together in real tabs: the built page over https at this machine's address in the network, opened in as many
 * tabs of Chromium, each of which joins the class and plays for its training. Trained alone, by all tabs, and by tabs of
 * which one is killed while it holds a group: the curves must agree within their intervals, each tab must play
 * about an equal share of the groups, and none may be missing.
 */
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumArgsWithoutWebGpu, findChromium } from '../../scripts/machine.mjs';
import { correctedFor } from '../../src/classroom/together/sharable.ts';
import { type SharedCounts, SharedTraining, type Work } from '../../src/classroom/together/shared-training.ts';
import { newCertificate } from '../../src/cli/classroom/certificate.ts';
import { type ClassServer, createClassServer } from '../../src/cli/classroom/class-server.ts';
import { mountTraining } from '../../src/cli/classroom/training-routes.ts';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { mean, sum } from '../../src/rl/common/numbers.ts';
import { curveOf, engineOf } from './together.ts';

const code = 'K7QM3TXR';
const patienceMs = 15_000;
/** A busy machine opens a page slowly. */
const openMs = 300_000;
/** Longest time from the click of *Play* to a tab's first call for work. */
const startMs = 120_000;
/** Maximum distance of a tab's share of the groups from an equal one, as a part of the equal one. */
const shareTolerance = 0.3;
/** Groups after which a tab is killed. */
const groupsOfTheKilled = 2;
const normal95 = 1.96;

const nameOfTab = (k: number) => `tab ${k + 1}`;

/** This machine's address in a network; its loopback address if it is in none. */
const networkAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';

interface TabsOptions {
  experiment: string;
  tabs: number;
  steps: number;
  stale: 0 | 1;
  /** Folder of the built page. */
  page: string;
}

/** A tab, and what it waits for. */
interface Tab {
  name: string;
  page: Page;
  /** Addresses that were asked for and not answered yet. */
  open: Set<string>;
  problems: string[];
}

/** Opens a tab that joined the class and plays for it. */
async function playingTab(browser: Browser, url: string, name: string): Promise<Tab> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 900, height: 700 } });
  const page = await context.newPage();
  page.setDefaultTimeout(openMs);
  const tab: Tab = { name, page, open: new Set(), problems: [] };
  context.on('request', (request) => tab.open.add(request.url()));
  context.on('requestfinished', (request) => tab.open.delete(request.url()));
  context.on('requestfailed', (request) => {
    tab.open.delete(request.url());
    tab.problems.push(`${request.url()}: ${request.failure()?.errorText}`);
  });
  page.on('pageerror', ({ message }) => tab.problems.push(message));
  page.on('console', (message) => message.type() === 'error' && tab.problems.push(message.text()));
  await page.goto(`${url}/#join=${code}&view=lab&lang=en`);
  const panel = page.locator('tabgym-join-class');
  await panel.locator('#name').fill(name);
  await panel.locator('[data-do=join]').click();
  await panel.locator('[data-do=play]').click();
  return tab;
}

/** Prints what a tab shows and waits for. */
async function printState({ name, page, open, problems }: Tab): Promise<void> {
  const panel = page.locator('tabgym-join-class');
  const text = await panel.innerText({ timeout: patienceMs }).catch((error: Error) => error.message);
  console.log(`${name} shows: ${text.replace(/\s+/g, ' ').trim()}`);
  console.log(
    `${name} has the workers: ${
      page
        .workers()
        .map((worker) => worker.url())
        .join(', ') || 'none'
    }`,
  );
  console.log(`${name} waits for: ${[...open].join(', ') || 'nothing'}; problems: ${problems.join('; ') || 'none'}`);
}

/** Waits until every tab has asked for work, so that their shares can be compared. */
async function allAsk(tabs: readonly Tab[], asked: ReadonlySet<string>): Promise<void> {
  const until = Date.now() + startMs;
  while (tabs.some(({ name }) => !asked.has(name))) {
    if (Date.now() > until) {
      for (const tab of tabs) await printState(tab);
      const silent = tabs.filter(({ name }) => !asked.has(name)).map(({ name }) => name);
      throw new Error(`${silent.join(', ')} did not ask for work within ${startMs / 1000} s of the click.`);
    }
    await tabs[0].page.waitForTimeout(50);
  }
}

/** Ends the tab's process, as the system does when it runs out of memory. */
async function kill(page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash');
  const session = await page.context().newCDPSession(page);
  // The call is never answered, because the process ends.
  void session.send('Page.crash').catch(() => {});
  await crashed;
}

interface Trained {
  curve: number[];
  counts: SharedCounts;
  seconds: number;
}

async function trainedByTabs(browser: Browser, experiment: Experiment, options: TabsOptions, killed: boolean) {
  const { tabs, stale, page } = options;
  const address = networkAddress();
  const nameOf = (secret: string): string => server.board.nameOf(secret);
  const shared = new SharedTraining({ staleness: stale, patienceMs, nameOf, print: console.log });
  const opened: Tab[] = [];
  const asked = new Set<string>();
  const nameOfAsking = (secret: string) => {
    asked.add(nameOf(secret));
    return nameOf(secret);
  };
  const server: ClassServer = createClassServer({
    ...{ title: 'Class', code, teacherKey: 'key-of-the-teacher-here', page, report: console.error },
    ...{ certificate: await newCertificate([address]), training: experiment.name },
    door: { host: address, hosts: [] },
    mount: (app) => {
      // The first tab that has played some groups dies while it waits for the answer that gives it another one.
      let toKill = killed;
      app.addHook('preSerialization', async ({ body }, _reply, answer) => {
        if (!toKill || (answer as Work).kind !== 'part') return answer;
        const name = nameOf((body as { secret: string }).secret);
        if ((shared.counts.accepted[name] ?? 0) < groupsOfTheKilled) return answer;
        toKill = false;
        await kill(opened.find((each) => each.name === name)!.page);
        return answer;
      });
      mountTraining(app, { nameOf: nameOfAsking }, { shared, experiment });
    },
  });
  const url = await server.app.listen({ port: 0, host: address });
  const trainer = await engineOf(experiment, shared);
  for (let k = 0; k < tabs; k++) opened.push(await playingTab(browser, url, nameOfTab(k)));
  await allAsk(opened, asked);
  const began = performance.now();
  const curve = await curveOf(trainer, experiment.steps);
  const seconds = (performance.now() - began) / 1000;
  shared.finish();
  for (const { page: each } of opened) await each.context().close();
  await trainer.close();
  await server.close();
  return { curve, counts: shared.counts, seconds } satisfies Trained;
}

const shown = (values: readonly number[]) => values.map((each) => each.toFixed(3)).join(' ');

/** Half of the 95% interval of the difference of two shares of `n` episodes each. */
const halfOf = (a: number, b: number, n: number) => normal95 * Math.sqrt((a * (1 - a) + b * (1 - b)) / n);

/** Compares both trainings by tabs with one machine. Returns the number of faults. */
export async function compareTabs(options: TabsOptions): Promise<number> {
  const { tabs, steps, stale } = options;
  const read = parseExperiment({ ...JSON.parse(readFileSync(options.experiment, 'utf8')), steps });
  const experiment = stale ? (correctedFor(read) ?? read) : read;
  const { groups, groupSize } = experiment.algorithm as { groups: number; groupSize: number };
  const episodes = groups * groupSize;
  let faults = 0;
  const fault = (words: string) => {
    faults++;
    console.log(`FAULT ${words}`);
  };
  const engine = await engineOf(experiment);
  const alone = await curveOf(engine, steps);
  await engine.close();
  console.log(`one machine:           ${shown(alone)}`);
  const executablePath = findChromium()!;
  const browser = await chromium.launch({ executablePath, args: chromiumArgsWithoutWebGpu });
  try {
    for (const killed of [false, true]) {
      const what = killed ? `${tabs} tabs, one killed` : `${tabs} tabs`;
      const { curve, counts, seconds } = await trainedByTabs(browser, experiment, options, killed);
      console.log(`${what}: ${shown(curve)}, ${seconds.toFixed(1)} s, ${JSON.stringify(counts)}`);
      const accepted = sum(Object.values(counts.accepted));
      if (accepted !== groups * steps) fault(`${what}: ${accepted} of ${groups * steps} groups were accepted`);
      if (Object.values(counts.refused).some(Boolean)) fault(`${what}: groups were refused`);
      for (const [k, each] of curve.entries()) {
        const half = halfOf(each, alone[k], episodes);
        if (Math.abs(each - alone[k]) > half)
          fault(`${what}: step ${k + 1} is outside of its interval, ±${shown([half])}`);
      }
      const [together, own] = [mean(curve), mean(alone)];
      const half = halfOf(together, own, episodes * steps);
      console.log(`${what} minus one machine: ${(together - own).toFixed(4)} [±${half.toFixed(4)}]`);
      if (Math.abs(together - own) > half) fault(`${what}: the mean is outside of its interval`);
      const shares = Object.entries(counts.accepted).map(
        ([name, each]) => `${name} ${((100 * each) / accepted).toFixed(0)}%`,
      );
      console.log(`${what}, shares: ${shares.join(', ')}`);
      const far = (name: string) => Math.abs(((counts.accepted[name] ?? 0) * tabs) / accepted - 1) > shareTolerance;
      const unequal = Array.from({ length: tabs }, (_, k) => nameOfTab(k)).filter(far);
      if (!killed && unequal.length)
        fault(`${what}: ${unequal.join(', ')} played more than ${shareTolerance * 100}% off an equal share`);
      if (killed && counts.again === 0) fault(`${what}: the killed tab held no group`);
    }
  } finally {
    await browser.close();
  }
  console.log(`${faults} faults`);
  return faults;
}
