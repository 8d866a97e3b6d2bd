/**
 * The page's first minutes, as a newcomer has them: the built page in a clean profile, its opening preset, Train. In Chromium and,
 * where it is installed, in Firefox without WebGPU. The page drives itself and tells how far it is, so that both are timed alike
 * and nothing watches from outside.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumArgsWithoutWebGpu, findChromium, findFirefox, requireBrowser } from '../scripts/machine.mjs';
import { drivenBy } from '../tests/page/driven.ts';
import { openFirefox } from '../tests/page/firefox.ts';
import { servePage } from './served-page.ts';

export interface FirstMinutesRow {
  browser: string;
  device: string;
  /** Seconds from the press of Train to the first step at which the last five steps' mean success is 0.3 over their chance. */
  gainSeconds: number | null;
  gainStep: number | null;
  /** Seconds from the press to the end, evaluations included; null: it was stopped before. */
  endSeconds: number | null;
  steps: number;
  success: number;
  chance: number;
}

/** What the page says at each new step. */
interface Said {
  seconds: number;
  step: number;
  steps: number;
  success: number;
  chance: number;
  device: string;
  finished: boolean;
}

/** Runs in the page: presses Train and says each new step. */
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
    const said: Said = {
      seconds,
      step: last,
      steps: Number(steps),
      success: Number(success),
      chance: Number(chance),
      device,
      finished,
    };
    await fetch('/said', { method: 'POST', body: JSON.stringify(said) });
    if (finished) return;
  }
}

/** Opens an address; returns how to end the browser. */
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

/** How each is started in a clean profile, without WebGPU. */
const browsers: { [name: string]: { find(): string | null; open: Opener } } = {
  chromium: { find: findChromium, open: openChromium },
  firefox: { find: findFirefox, open: (address) => openFirefox(address, { 'dom.webgpu.enabled': false }) },
};

const span = 5;
const gain = 0.3;
const mean = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;

function rowOf(browser: string, said: readonly Said[]): FirstMinutesRow {
  const gained = said.find((_, i) => {
    const last = said.slice(Math.max(0, i - span + 1), i + 1);
    return last.length === span && mean(last.map((s) => s.success)) - mean(last.map((s) => s.chance)) >= gain;
  });
  const end = said[said.length - 1];
  const last = said.slice(-span);
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
  const said: Said[] = [];
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const hear = (each: Said) => {
    said.push(each);
    if (each.finished) finish();
  };
  const server = await servePage((outDir) => [drivenBy(drive, hear, outDir)]);
  const close = browsers[name].open(server.url);
  const late = setTimeout(finish, most);
  await finished;
  clearTimeout(late);
  await close();
  await server.close();
  return said.length ? rowOf(name, said) : null;
}

/** `match`: only the browser that has this in its name. */
export async function benchFirstMinutes(match = ''): Promise<FirstMinutesRow[]> {
  requireBrowser();
  const rows: FirstMinutesRow[] = [];
  for (const name of Object.keys(browsers).filter((each) => each.includes(match))) {
    if (!browsers[name].find()) {
      console.log(`  ${name}: not found here, left out`);
      continue;
    }
    const row = await timed(name);
    if (!row) throw new Error(`The page in ${name} came to no step in ${most / 60_000} minutes.`);
    rows.push(row);
    const seconds = (value: number | null) => (value === null ? 'not reached' : `${value.toFixed(1)} s`);
    console.log(
      `  ${name} (${row.device}): 0.3 over chance after ${seconds(row.gainSeconds)} (step ${row.gainStep}, aim 20 s), end after ${seconds(row.endSeconds)} (aim 240 s) at step ${row.steps}; last five steps: success ${row.success.toFixed(3)}, chance ${row.chance.toFixed(3)}`,
    );
  }
  return rows;
}
