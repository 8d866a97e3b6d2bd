/**
 * The page's first minutes, as a newcomer has them: the built page in a clean profile, its opening preset, Train. In Chromium and,
 * where it is installed, in Firefox without WebGPU. The page drives itself and tells how far it is, so that both are timed alike
 * and nothing watches from outside.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Plugin } from 'vite';
import { chromiumArgs, findChromium, findFirefox, requireBrowser } from '../scripts/machine.mjs';
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

const driver = (hear: (said: Said) => void, outDir: string): Plugin => ({
  name: 'driven',
  configurePreviewServer({ middlewares }) {
    middlewares.use((request, response, next) => {
      const { pathname } = new URL(request.url!, 'http://localhost');
      if (pathname === '/drive.js') {
        response.setHeader('content-type', 'text/javascript');
        return response.end(`(${drive})();`);
      }
      if (pathname === '/said') {
        void text(request).then((body) => {
          hear(JSON.parse(body));
          response.end();
        });
        return;
      }
      if (pathname !== '/') return next();
      response.setHeader('content-type', 'text/html');
      const page = readFileSync(join(outDir, 'index.html'), 'utf8');
      response.end(page.replace('</head>', '<script type="module" src="/drive.js"></script></head>'));
    });
  },
});

/** How each is started in a clean profile, without WebGPU. */
const browsers: { [name: string]: { find(): string | null; args(profile: string): string[] } } = {
  chromium: {
    find: findChromium,
    args: (profile) => [
      ...chromiumArgs.filter((arg) => !arg.includes('webgpu')),
      '--headless=new',
      '--disable-features=WebGPU',
      '--no-first-run',
      `--user-data-dir=${profile}`,
    ],
  },
  firefox: {
    find: findFirefox,
    args(profile) {
      const preferences = {
        'dom.webgpu.enabled': false,
        'browser.shell.checkDefaultBrowser': false,
        'browser.aboutwelcome.enabled': false,
        'datareporting.policy.dataSubmissionEnabled': false,
        'app.update.disabledForTesting': true,
      };
      const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${value});`);
      writeFileSync(join(profile, 'user.js'), lines.join('\n'));
      return ['--headless', '--no-remote', '--profile', profile];
    },
  },
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

async function timed(name: string, executable: string): Promise<FirstMinutesRow | null> {
  const said: Said[] = [];
  const profile = mkdtempSync(join(tmpdir(), `tabgym-${name}-`));
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const hear = (each: Said) => {
    said.push(each);
    if (each.finished) finish();
  };
  const server = await servePage((outDir) => [driver(hear, outDir)]);
  const child = spawn(executable, [...browsers[name].args(profile), server.url], { stdio: 'ignore' });
  const late = setTimeout(finish, most);
  await finished;
  clearTimeout(late);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await ended;
  await server.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  return said.length ? rowOf(name, said) : null;
}

/** `match`: only the browser that has this in its name. */
export async function benchFirstMinutes(match = ''): Promise<FirstMinutesRow[]> {
  requireBrowser();
  const rows: FirstMinutesRow[] = [];
  for (const name of Object.keys(browsers).filter((each) => each.includes(match))) {
    const executable = browsers[name].find();
    if (!executable) {
      console.log(`  ${name}: not found here, left out`);
      continue;
    }
    const row = await timed(name, executable);
    if (!row) throw new Error(`The page in ${name} came to no step in ${most / 60_000} minutes.`);
    rows.push(row);
    const seconds = (value: number | null) => (value === null ? 'not reached' : `${value.toFixed(1)} s`);
    console.log(
      `  ${name} (${row.device}): 0.3 over chance after ${seconds(row.gainSeconds)} (step ${row.gainStep}, aim 20 s), end after ${seconds(row.endSeconds)} (aim 240 s) at step ${row.steps}; last five steps: success ${row.success.toFixed(3)}, chance ${row.chance.toFixed(3)}`,
    );
  }
  return rows;
}
