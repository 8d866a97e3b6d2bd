/**
 * Training together in real tabs: the built page over https at this machine's address in the network, opened in as many
 * tabs of Chromium, each of which joins the class and plays for its training. Trained alone, by all tabs, and by tabs of
 * which one is killed while it holds a group: the curves must agree within their intervals, each tab must play
 * some groups, and none may be missing.
 */
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumArgsWithoutWebGpu, findChromium } from '../../scripts/machine.mjs';
import { correctedFor } from '../../src/classroom/together/sharable.ts';
import { type SharedCounts, SharedTraining } from '../../src/classroom/together/shared-training.ts';
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

/** Opens a tab that joined the class and plays for it. */
async function playingTab(browser: Browser, url: string, name: string): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 900, height: 700 } });
  const page = await context.newPage();
  page.setDefaultTimeout(openMs);
  await page.goto(`${url}/#join=${code}&view=lab&lang=en`);
  const panel = page.locator('tabgym-join-class');
  await panel.locator('#name').fill(name);
  await panel.locator('[data-do=join]').click();
  await panel.locator('[data-do=play]').click();
  return page;
}

/** Ends the tab's process, as the system does when it runs out of memory. */
async function kill(page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash');
  const session = await page.context().newCDPSession(page);
  // The call is never answered, because the process ends.
  void session.send('Page.crash').catch(() => {});
  await crashed;
}

/** Kills the first tab that has played some groups: it then holds another one. */
async function killFirst(tabs: readonly Page[], shared: SharedTraining): Promise<void> {
  const played = (k: number) => shared.counts.accepted[nameOfTab(k)] ?? 0;
  for (;;) {
    const first = tabs.find((_, k) => played(k) >= groupsOfTheKilled);
    if (first) return kill(first);
    await tabs[0].waitForTimeout(50);
  }
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
  const server: ClassServer = createClassServer({
    ...{ title: 'Class', code, teacherKey: 'key-of-the-teacher-here', page, report: console.error },
    ...{ certificate: await newCertificate([address]), training: experiment.name },
    door: { host: address, hosts: [] },
    mount: (app) => mountTraining(app, { nameOf }, { shared, experiment }),
  });
  const url = await server.app.listen({ port: 0, host: address });
  const trainer = await engineOf(experiment, shared);
  // All tabs play before the first step, so that their shares can be compared.
  const opened: Page[] = [];
  for (let k = 0; k < tabs; k++) opened.push(await playingTab(browser, url, nameOfTab(k)));
  const began = performance.now();
  const death = killed ? killFirst(opened, shared) : null;
  const curve = await curveOf(trainer, experiment.steps);
  const seconds = (performance.now() - began) / 1000;
  shared.finish();
  await death;
  for (const tab of opened) await tab.context().close();
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
      if (!killed && Object.keys(counts.accepted).length < tabs) fault(`${what}: a tab played nothing`);
      if (killed && counts.again === 0) fault(`${what}: the killed tab held no group`);
    }
  } finally {
    await browser.close();
  }
  console.log(`${faults} faults`);
  return faults;
}
