/**
 * `npm run soak:page [-- --minutes N] [--sites]`: the page trains on the processor in Chromium, for an hour by default,
 * while keys are pressed. Every ten seconds, after a garbage collection, it samples the process's own memory and the
 * page's heaps (its own and its workers'), elements and listeners. Exits with 1 if the heaps grow beyond the bound of
 * tools/memory-trend.ts or the page throws, and with 2 if the time was too short to tell. `--sites` also lists the
 * functions whose allocations stay: the page is built with their names, and is slower.
 */
import { Command } from 'commander';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { chromiumArgsWithoutWebGpu, findChromium, requireBrowser } from '../scripts/machine.mjs';
import { wholeFrom } from '../src/cli/number-argument.ts';
import { presets } from '../src/experiment/presets.ts';
import { packExperiment } from '../src/ui/state/link.ts';
import { type Sampled, trendTable } from '../tools/memory-trend.ts';
import { HeapWatch, type Held, sizeOf } from './page-heaps.ts';
import { memoryMb, type PageMemory, pageTrends } from './renderer-memory.ts';
import { servePage } from './served-page.ts';

interface Sample extends PageMemory {
  step: number;
  /** Objects and buffers of the page, and of its workers. */
  page: number;
  workers: number;
  nodes: number;
  listeners: number;
}

const everyMs = 10_000;
/** Number of spans of time; the samples of one depend on each other. */
const blocks = 30;

async function sample(page: Page, watch: HeapWatch, session: CDPSession): Promise<Sample> {
  const heaps = await watch.heaps();
  const { metrics } = await session.send('Performance.getMetrics');
  const metric = (name: string) => metrics.find((each) => each.name === name)?.value ?? 0;
  const shown = (await page.locator('tabgym-transport .steps strong').textContent()) ?? '';
  return {
    step: Number(/\d+/.exec(shown)?.[0] ?? 0),
    heaps: sizeOf(heaps),
    process: (await memoryMb(page.context().browser()!)) ?? 0,
    page: heaps.page.objects + heaps.page.buffers,
    workers: heaps.workers.objects + heaps.workers.buffers,
    nodes: metric('Nodes'),
    listeners: metric('JSEventListeners'),
  };
}

/** Prints the functions that hold more at the end than at the beginning, as KB a step. */
function printSites(before: readonly Held[], after: readonly Held[], steps: number) {
  for (const [i, { name, held }] of after.entries()) {
    const grown = [...held].map(([site, mb]) => ({
      site,
      kb: ((mb - (before[i].held.get(site) ?? 0)) * 1024) / steps,
    }));
    const most = grown.sort((a, b) => b.kb - a.kb).slice(0, 20);
    console.log(`Held more at the end, in the ${name}, KB a step:`);
    for (const { site, kb } of most) if (kb > 0.05) console.log(`  ${kb.toFixed(2)}  ${site}`);
  }
}

/** Acts as a watching person does: switches the stage's tabs, moves along the curve, opens the drawer. */
async function look(page: Page, turn: number) {
  const keys = ['g', 'ArrowLeft', 't', 'f', 'w', 'r', 'r', 'n', 'n'];
  await page.keyboard.press(keys[turn % keys.length]);
}

const options = new Command('soak-page')
  .description('Trains in the page and watches its memory.')
  .option('--minutes <n>', 'duration in minutes', wholeFrom(1), 60)
  .option('--sites', 'list the functions whose allocations stay', false)
  .parse()
  .opts<{ minutes: number; sites: boolean }>();

requireBrowser();
const server = await servePage(undefined, !options.sites);
const browser = await chromium.launch({
  executablePath: findChromium()!,
  args: chromiumArgsWithoutWebGpu,
});
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(180_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  const first = presets[0] as { steps: number };
  await page.goto(
    `${server.url}#x=${await packExperiment({ ...first, steps: 100_000, horizon: [{ steps: 100_000, turns: { oraclePlus: 1 } }] })}`,
  );
  await page.locator('button.train').click();
  await page
    .locator('tabgym-transport .steps strong')
    .filter({ hasText: /Step [1-9]/ })
    .waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const watch = await HeapWatch.open(page);
  if (options.sites) await watch.sampleSites();
  const [began, ms] = [Date.now(), options.minutes * 60_000];
  const samples: Sampled<Sample>[] = [];
  let before: Held[] = [];
  for (let turn = 0; Date.now() - began < ms; turn++) {
    await page.waitForTimeout(everyMs / 4);
    await look(page, turn);
    if (turn % 4 !== 3) continue;
    const age = Date.now() - began;
    const value = await sample(page, watch, session);
    samples.push({ minute: age / 60_000, block: Math.floor((age * blocks) / ms), value });
    console.log(
      `  ${(age / 60_000).toFixed(1)} min, step ${value.step}: process ${value.process.toFixed(0)} MB, page ${value.page.toFixed(1)} MB, workers ${value.workers.toFixed(1)} MB, ${value.nodes} nodes, ${value.listeners} listeners`,
    );
    if (options.sites && !before.length && age > ms / 3) before = await watch.sites();
  }
  const steps = samples.at(-1)!.value.step - samples[0].value.step;
  const { judged, compared } = pageTrends('page', samples);
  console.log(
    `${options.minutes} minutes, ${steps} steps, errors: ${errors.length}\n${trendTable([judged, compared])}`,
  );
  const middle = samples.find(({ minute }) => minute > options.minutes / 3)!.value.step;
  if (options.sites) printSites(before, await watch.sites(), samples.at(-1)!.value.step - middle);
  if (judged.verdict === 'grown' || errors.length) process.exitCode = 1;
  else if (judged.verdict === 'unclear') process.exitCode = 2;
} finally {
  await browser.close();
  await server.close();
}
