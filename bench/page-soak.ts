/**
 * `npm run soak:page [-- --minutes N]`: the page trains on the processor in Chromium, for an hour by default, while
 * keys are pressed. Twice a minute, after a garbage collection, it samples the process's own memory and the page's
 * heaps (its own and its workers'), elements and listeners. The result is the growth after the first fifth (Theil-Sen
 * slope: the median of the slopes between all pairs); exits with 1 if the process grows beyond the bound.
 */
import { Command } from 'commander';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { chromiumArgsWithoutWebGpu, findChromium, requireBrowser } from '../scripts/machine.mjs';
import { presets } from '../src/experiment/presets.ts';
import { packExperiment } from '../src/ui/state/link.ts';
import { pageHeaps } from './page-heaps.ts';
import { memoryMb } from './renderer-memory.ts';
import { servePage } from './served-page.ts';

interface Sample {
  minute: number;
  step: number;
  processMb: number;
  /** Objects and buffers of the page, and of its workers. */
  heapMb: number;
  workersMb: number;
  nodes: number;
  listeners: number;
}

/**
 * Largest allowed growth per hour, as a share of the total. The records of the steps stay in memory, which is a small
 * growth.
 */
const mostGrowth = 0.1;
const everyMs = 30_000;

async function sample(page: Page, session: CDPSession, began: number): Promise<Sample> {
  const heaps = await pageHeaps(page);
  const { metrics } = await session.send('Performance.getMetrics');
  const metric = (name: string) => metrics.find((each) => each.name === name)?.value ?? 0;
  const shown = (await page.locator('tabgym-transport .steps strong').textContent()) ?? '';
  return {
    minute: (Date.now() - began) / 60_000,
    step: Number(/\d+/.exec(shown)?.[0] ?? 0),
    processMb: (await memoryMb(page.context().browser()!)) ?? 0,
    heapMb: heaps.page.objects + heaps.page.buffers,
    workersMb: heaps.workers.objects + heaps.workers.buffers,
    nodes: metric('Nodes'),
    listeners: metric('JSEventListeners'),
  };
}

/** Growth per hour, as a share of the median. */
function growth(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const slopes = samples.flatMap((a, i) => samples.slice(i + 1).map((b) => (of(b) - of(a)) / (b.minute - a.minute)));
  const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
  return (middle(slopes) * 60) / Math.max(1, middle(samples.map(of)));
}

/** Acts as a watching person does: switches the stage's tabs, moves along the curve, opens the drawer. */
async function look(page: Page, turn: number) {
  const keys = ['g', 'ArrowLeft', 't', 'f', 'w', 'r', 'r', 'n', 'n'];
  await page.keyboard.press(keys[turn % keys.length]);
}

const { minutes } = new Command('soak-page')
  .description('Trains in the page and watches its memory.')
  .option('--minutes <n>', 'duration in minutes', '60')
  .parse()
  .opts<{ minutes: string }>();

requireBrowser();
const server = await servePage();
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
  const began = Date.now();
  const samples: Sample[] = [];
  for (let turn = 0; Date.now() - began < Number(minutes) * 60_000; turn++) {
    await page.waitForTimeout(everyMs / 4);
    await look(page, turn);
    if (turn % 4 !== 3) continue;
    const now = await sample(page, session, began);
    samples.push(now);
    console.log(
      `  ${now.minute.toFixed(1)} min, step ${now.step}: process ${now.processMb.toFixed(0)} MB, heap ${now.heapMb.toFixed(1)} MB, workers ${now.workersMb.toFixed(1)} MB, ${now.nodes} nodes, ${now.listeners} listeners`,
    );
  }
  const settled = samples.slice(Math.floor(samples.length / 5));
  const shares = {
    process: growth(settled, (each) => each.processMb),
    heap: growth(settled, (each) => each.heapMb),
    workers: growth(settled, (each) => each.workersMb),
    nodes: growth(settled, (each) => each.nodes),
  };
  const cells = Object.entries(shares).map(([name, share]) => `${name} ${(100 * share).toFixed(1)}%`);
  const steps = samples.at(-1)!.step - samples[0].step;
  console.log(
    `${minutes} minutes, ${steps} steps: growth per hour after the first fifth: ${cells.join(', ')} (bound for the process ${100 * mostGrowth}%); errors: ${errors.length}`,
  );
  if (shares.process > mostGrowth || errors.length) process.exitCode = 1;
} finally {
  await browser.close();
  await server.close();
}
