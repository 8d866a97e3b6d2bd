/**
 * Measures the page's first minutes for a newcomer: the built page in a clean profile, its opening preset, Train. Runs
 * in Chromium and, if installed, in Firefox without WebGPU. The page drives itself and reports its progress, so that
 * both browsers are timed alike and no outside observer affects the timing.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumArgsWithoutWebGpu, findChromium, findFirefox, requireBrowser } from '../scripts/machine.mjs';
import { drivenBy } from '../tests/page/driven.ts';
import { openFirefox } from '../tools/firefox.ts';
import { servePage } from './served-page.ts';

export interface FirstMinutesRow {
  browser: string;
  device: string;
  /**
   * Seconds from pressing Train to the first step at which the mean success of the last five steps is 0.3 above chance.
   */
  gainSeconds: number | null;
  gainStep: number | null;
  /** Seconds from pressing Train to the end, including evaluations; null if stopped earlier. */
  endSeconds: number | null;
  steps: number;
  success: number;
  chance: number;
}

/** Progress that the page reports at each new step. */
interface Progress {
  seconds: number;
  step: number;
  steps: number;
  success: number;
  chance: number;
  device: string;
  finished: boolean;
}

/** Runs in the page: presses Train and reports each new step. */
async function drive() {
  const inside = (path: string) =>
    path
      .split(' ')
      .reduce<Element | null>((node, selector) => (node?.shadowRoot ?? document).querySelector(selector), null);
  const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
  const within = async (path: string) => {
    for (;;) {
      const found = inside(path);
      if (found) return found as HTMLElement;
      await pause();
    }
  };
  const transport = 'tabgym-app tabgym-transport';
  const train = await within(`${transport} button.train:not([disabled])`);
  const started = performance.now();
  train.click();
  let last = 0;
  for (;;) {
    await pause();
    const words = inside(transport)?.shadowRoot?.textContent?.replace(/\s+/g, ' ') ?? '';
    const [, step, steps] = /Step (\d+) *\/ *(\d+)/.exec(words) ?? [];
    const charts = [...(inside('tabgym-app tabgym-progress')?.shadowRoot?.querySelectorAll('tabgym-chart') ?? [])];
    const sliders = charts.map((each) =>
      each.shadowRoot?.querySelector('[role=slider][aria-label^="Success by step"]'),
    );
    const values = sliders.find((slider) => slider)?.getAttribute('aria-valuetext') ?? '';
    const [, at, success, chance] = /^Step (\d+): training ([\d.]+), chance ([\d.]+)/.exec(values) ?? [];
    if (!at || Number(at) === last) continue;
    last = Number(at);
    const devices = inside(transport)?.shadowRoot?.querySelector<HTMLSelectElement>('select');
    const device = devices?.selectedOptions[0]?.label ?? '?';
    const finished = Number(step) === Number(steps);
    const seconds = (performance.now() - started) / 1000;
    const reported: Progress = {
      seconds,
      step: last,
      steps: Number(steps),
      success: Number(success),
      chance: Number(chance),
      device,
      finished,
    };
    await fetch('/said', { method: 'POST', body: JSON.stringify(reported) });
    if (finished) return;
  }
}

/** Opens an address in a browser; returns a function that closes the browser. */
type Opener = (address: string) => () => Promise<void>;

function openChromium(address: string): () => Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'tabgym-chromium-'));
  const args = chromiumArgsWithoutWebGpu;
  const own = ['--headless=new', '--no-first-run', `--user-data-dir=${profile}`];
  const child = spawn(findChromium()!, [...args, ...own, address], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
}

/** Browsers, and how to start each in a clean profile without WebGPU. */
const browsers: { [name: string]: { find(): string | null; open: Opener } } = {
  chromium: { find: findChromium, open: openChromium },
  firefox: { find: findFirefox, open: (address) => openFirefox(address, { 'dom.webgpu.enabled': false }) },
};

const span = 5;
const gain = 0.3;
const mean = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;

function rowOf(browser: string, reported: readonly Progress[]): FirstMinutesRow {
  const gained = reported.find((_, i) => {
    const last = reported.slice(Math.max(0, i - span + 1), i + 1);
    return last.length === span && mean(last.map((s) => s.success)) - mean(last.map((s) => s.chance)) >= gain;
  });
  const end = reported[reported.length - 1];
  const last = reported.slice(-span);
  return {
    browser,
    device: end.device,
    gainSeconds: gained?.seconds ?? null,
    gainStep: gained?.step ?? null,
    endSeconds: end.finished ? end.seconds : null,
    steps: end.step,
    success: mean(last.map((s) => s.success)),
    chance: mean(last.map((s) => s.chance)),
  };
}

const most = 10 * 60_000;

async function timed(name: string): Promise<FirstMinutesRow | null> {
  const reported: Progress[] = [];
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const receive = (each: Progress) => {
    reported.push(each);
    if (each.finished) finish();
  };
  const server = await servePage((outDir) => [drivenBy(drive, receive, outDir)]);
  const close = browsers[name].open(server.url);
  const late = setTimeout(finish, most);
  await finished;
  clearTimeout(late);
  await close();
  await server.close();
  return reported.length ? rowOf(name, reported) : null;
}

/** `match`: only browsers whose name contains it. */
export async function benchFirstMinutes(match = ''): Promise<FirstMinutesRow[]> {
  requireBrowser();
  const rows: FirstMinutesRow[] = [];
  for (const name of Object.keys(browsers).filter((each) => each.includes(match))) {
    if (!browsers[name].find()) {
      console.log(`  ${name}: not found, skipped`);
      continue;
    }
    const row = await timed(name);
    if (!row) throw new Error(`The page in ${name} finished no step within ${most / 60_000} minutes.`);
    rows.push(row);
    const seconds = (value: number | null) => (value === null ? 'not reached' : `${value.toFixed(1)} s`);
    console.log(
      `  ${name} (${row.device}): 0.3 above chance after ${seconds(row.gainSeconds)} (step ${row.gainStep}, aim 20 s), end after ${seconds(row.endSeconds)} (aim 240 s) at step ${row.steps}; last five steps: success ${row.success.toFixed(3)}, chance ${row.chance.toFixed(3)}`,
    );
  }
  return rows;
}
