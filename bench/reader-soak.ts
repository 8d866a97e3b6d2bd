/**
 * `npm run soak:reader [-- --megabytes N] [--gzip]`: reads a large trajectory file in Chromium, and measures the time
 * until its first row is shown and until all is read, the memory of the page's process (anonymous resident memory,
 * which the system cannot reclaim), and how fast the page answers meanwhile (Event Timing; the 98th percentile,
 * web.dev/articles/inp). Memory is measured on Linux only.
 */
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Command } from 'commander';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumArgs, findChromium, requireBrowser } from '../scripts/machine.mjs';
import { memoryMb } from './renderer-memory.ts';
import { servePage } from './served-page.ts';

/** Required limits. */
const aims = { memoryMb: 300, inpMs: 200 };
const letters = 5000;

function episode(n: number): string {
  const turns = Array.from({ length: 1 + (n % 20) }, (_, turn) => [
    { from: 'gpt', loss: true, value: `Thought:\nTurn ${turn} of ${n}.\n\nAction:\nget ${turn} oak log` },
    {
      from: 'human',
      loss: null,
      value: `Got ${turn} oak log. ${'The world says more. '.repeat(1 + ((n * 7 + turn) % 12))}`,
    },
  ]).flat();
  const opening = {
    from: 'human',
    loss: null,
    value: `Goal: craft ${n}. ${'craft 1 stick using 2 planks\n'.repeat(40)}`,
  };
  return JSON.stringify({
    item_id: `${n % 3 ? 'textcraft' : 'babyai'}_${n}`,
    conversations: [opening, ...turns],
    reward: (n % 8) / 7,
    success: Number(n % 8 === 7),
  });
}

function* lines(bytes: number): Generator<string> {
  let written = 0;
  for (let n = 0; written < bytes; ) {
    let some = '';
    while (some.length < letters * 20) some += `${episode(n++)}\n`;
    written += some.length;
    yield some;
  }
}

declare global {
  interface Window {
    soakAnswers: Map<number, number>;
  }
}

function observe() {
  window.soakAnswers = new Map();
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { interactionId?: number })[])
      if (entry.interactionId) {
        const before = window.soakAnswers.get(entry.interactionId) ?? 0;
        window.soakAnswers.set(entry.interactionId, Math.max(before, entry.duration));
      }
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
}

/** Performs one action of a person in the list. */
async function interact(page: Page, i: number) {
  const list = page.getByRole('grid', { name: 'Trajectories' });
  const acts = [
    () => list.press('PageDown'),
    () => list.press('End'),
    () => list.press('Enter'),
    () => list.press('Home'),
    () => list.press('ArrowDown'),
    () => list.press(' '),
    () => page.getByRole('button', { name: 'Descending' }).click(),
  ];
  await acts[i % acts.length]();
  await page.waitForTimeout(120);
}

async function soak(page: Page, browser: Browser, path: string) {
  await page.getByRole('tab', { name: 'Read' }).click();
  await page.getByText('Read trajectories').first().waitFor();
  await page.evaluate(observe);
  const before = (await memoryMb(browser)) ?? 0;
  const began = performance.now();
  await page.getByLabel('File of trajectories').setInputFiles(path);
  await page.getByRole('grid', { name: 'Trajectories' }).getByRole('row').first().waitFor();
  const firstRowMs = performance.now() - began;
  let [peak, count] = [before, 0];
  const reading = page.getByRole('button', { name: 'Stop', exact: true });
  while ((await reading.count()) > 0) {
    await interact(page, count++);
    peak = Math.max(peak, (await memoryMb(browser)) ?? 0);
  }
  const readMs = performance.now() - began;
  for (const until = count + 30; count < until; ) await interact(page, count++);
  peak = Math.max(peak, (await memoryMb(browser)) ?? 0);
  const durations = await page.evaluate(() => [...window.soakAnswers.values()]);
  const all = [...durations, ...Array(Math.max(0, count - durations.length)).fill(16)].sort((a, b) => a - b);
  const inpMs = all[Math.min(all.length - 1, Math.floor(all.length * 0.98))];
  const counted = await page.locator('tabgym-reader .top .number').first().textContent();
  return { before, peak, firstRowMs, readMs, inpMs, count, counted };
}

const program = new Command('soak-reader')
  .description(
    'Reads a large file of trajectories in Chromium, and measures memory, time to the first row, and how fast the page answers.',
  )
  .option('--megabytes <n>', 'size of the file', '1000')
  .option('--gzip', 'compress the file', false)
  .parse();
const { megabytes, gzip } = program.opts<{ megabytes: string; gzip: boolean }>();

requireBrowser();
const folder = mkdtempSync(join(tmpdir(), 'tabgym-soak-'));
const path = join(folder, `soak.jsonl${gzip ? '.gz' : ''}`);
const text = Readable.from(lines(Number(megabytes) * 1e6));
await (gzip
  ? pipeline(text, createGzip({ level: 1 }), createWriteStream(path))
  : pipeline(text, createWriteStream(path)));
console.log(`a file of ${(statSync(path).size / 1e6).toFixed(0)} MB${gzip ? ` (${megabytes} MB unpacked)` : ''}`);
const server = await servePage();
const browser = await chromium.launch({ executablePath: findChromium()!, args: chromiumArgs });
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(120_000);
  await page.goto(`${server.url}#view=lab`);
  const { before, peak, firstRowMs, readMs, inpMs, count, counted } = await soak(page, browser, path);
  console.log(
    `first row after ${firstRowMs.toFixed(0)} ms, all read after ${(readMs / 1000).toFixed(1)} s: ${counted?.trim()}`,
  );
  console.log(
    `memory: ${before.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most: ${(peak - before).toFixed(0)} MB for the file (aim ${aims.memoryMb})`,
  );
  console.log(`${count} interactions, 98th percentile ${inpMs} ms (aim ${aims.inpMs})`);
  if (peak - before > aims.memoryMb || inpMs > aims.inpMs) process.exitCode = 1;
} finally {
  await browser.close();
  await server.close();
  rmSync(folder, { recursive: true });
}
