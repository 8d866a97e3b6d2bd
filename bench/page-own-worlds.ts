/**
 * `npm run test:own-worlds-page [-- NAME...] [--browser firefox]`: opens typed worlds in the editor of the built page,
 * presses **Train a policy**, and reads success on held-out tasks beside chance when the run ends. On the processor. A
 * script injected into the page drives it, since workers stand still under remote control in Firefox. Exits with 1 if a
 * world ends less than 0.3 above chance, or takes more than five minutes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { chromium } from 'playwright-core';
import { chromiumArgsWithoutWebGpu, findChromium, requireBrowser } from '../scripts/machine.mjs';
import { worldTemplates } from '../src/worlds/registry.ts';
import { drivenBy } from '../tests/page/driven.ts';
import { openFirefox } from '../tools/firefox.ts';
import { servePage } from './served-page.ts';

const leastAbove = 0.3;
const mostSeconds = 300;
/** The page is given up after this time. */
const patienceMs = 1_800_000;
const folder = 'tools/learn/own-worlds';
/** Worlds of different kinds: a table of prices, a talk, and one without an oracle. */
const first = ['vending', 'shop', 'lamps'];

const program = new Command('test:own-worlds-page')
  .description('Trains typed worlds from the editor of the built page.')
  .argument('[names...]', `templates and worlds of ${folder}; default: ${first.join(', ')}`)
  .addOption(
    new Option('--browser <name>', 'browser; repeat the command for both')
      .choices(['chromium', 'firefox'])
      .default('chromium'),
  )
  .parse();
const { browser } = program.opts<{ browser: 'chromium' | 'firefox' }>();

/** Report of the page: the end of a run, or a failure. */
type Report = { policy: number; chance: number; seconds: number } | { failed: string } | { now: string };

/** Runs in the page. Its world is at /world.js. */
async function drive() {
  const report = (what: object) => fetch('/said', { method: 'POST', body: JSON.stringify(what) });
  const find = (root: Document | ShadowRoot, selector: string, text = ''): HTMLElement | null => {
    for (const each of root.querySelectorAll<HTMLElement>(selector))
      if (each.textContent?.includes(text) && each.getClientRects().length) return each;
    for (const each of root.querySelectorAll('*')) {
      const found = each.shadowRoot && find(each.shadowRoot, selector, text);
      if (found) return found;
    }
    return null;
  };
  const until = async <T>(what: string, get: () => T | null | undefined | false, seconds = 120): Promise<T> => {
    for (let i = 0; i < 4 * seconds; i++) {
      const found = get();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    throw new Error(`${what} did not come within ${seconds} s`);
  };
  type Shown = {
    status: string;
    statusDetail: string;
    records: { step: number; evaluation?: { test: { policy: { rate: number }; chance: { rate: number } | null } } }[];
  };
  const state = () =>
    (document.querySelector('tabgym-app') as unknown as { app: { store: { state: Shown } } } | null)?.app.store.state;
  try {
    const code = await (await fetch('/world.js')).text();
    const preset = (await until('the setup', () => find(document, '#preset', 'Own world'))) as HTMLSelectElement;
    preset.value = [...preset.options].find(({ label }) => label.startsWith('Own world'))!.value;
    preset.dispatchEvent(new Event('change', { bubbles: true }));
    (await until('Edit the world', () => find(document, 'button', 'Edit the world'))).click();
    const train = await until('the editor', () => find(document, 'button', 'Train a policy'));
    const root = train.getRootNode() as ShadowRoot;
    const input = root.querySelector<HTMLInputElement>('input[type=file]')!;
    const files = new DataTransfer();
    files.items.add(new File([code], 'mine.js', { type: 'text/javascript' }));
    input.files = files.files;
    input.dispatchEvent(new Event('change'));
    await until('the world in the editor', () => root.textContent?.includes('Undo') && !input.value);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const began = performance.now();
    train.click();
    await until('the training', () => ['preparing', 'running'].includes(state()?.status ?? ''), 300);
    await report({ now: 'training' });
    await until('the end', () => ['finished', 'failed', 'paused'].includes(state()?.status ?? ''), 1800);
    const { status, statusDetail, records } = state()!;
    const test = records.at(-1)?.evaluation?.test;
    if (status !== 'finished' || !test) throw new Error(`the run is ${status}: ${statusDetail}`);
    const seconds = (performance.now() - began) / 1000;
    await report({ policy: test.policy.rate, chance: test.chance?.rate ?? 0, seconds });
  } catch (error) {
    await report({ failed: (error as Error).message });
  }
}

let receive: (report: Report) => void = () => {};
let world = '';

async function openPage(url: string): Promise<() => Promise<void>> {
  if (browser === 'firefox') return openFirefox(url);
  const opened = await chromium.launch({ executablePath: findChromium()!, args: chromiumArgsWithoutWebGpu });
  await (await opened.newPage({ viewport: { width: 1440, height: 900 } })).goto(url);
  return () => opened.close();
}

/** Trains one world in a fresh browser. */
async function outcome(url: string): Promise<Report> {
  const ended = new Promise<Report>((resolve) => {
    receive = (report) => 'now' in report || resolve(report);
    setTimeout(() => resolve({ failed: 'the page did not answer' }), patienceMs).unref();
  });
  const close = await openPage(`${url}?device=wasm`);
  try {
    return await ended;
  } finally {
    await close();
  }
}

function line(name: string, report: Report): boolean {
  if (!('policy' in report)) {
    console.log(`FAILED ${browser} ${name}: ${'failed' in report ? report.failed : ''}`);
    return false;
  }
  const { policy, chance, seconds } = report;
  const ok = policy - chance >= leastAbove && seconds <= mostSeconds;
  console.log(
    `${ok ? 'ok    ' : 'BELOW '} ${browser} ${name.padEnd(10)} held-out ${policy.toFixed(3)}  chance ${chance.toFixed(3)}  above ${(policy - chance).toFixed(3)}  ${seconds.toFixed(0)} s from Train to the end`,
  );
  return ok;
}

requireBrowser();
const worlds: { [name: string]: string } = { ...(await worldTemplates()) };
for (const file of readdirSync(folder)) worlds[file.replace('.js', '')] = readFileSync(join(folder, file), 'utf8');
const served = await servePage((outDir) => [
  {
    name: 'world',
    configurePreviewServer: ({ middlewares }) =>
      void middlewares.use('/world.js', (_request, response) => void response.end(world)),
  },
  drivenBy(drive, (report: Report) => receive(report), outDir),
]);
let below = 0;
try {
  for (const name of program.args.length ? program.args : first) {
    world = worlds[name];
    if (world === undefined) program.error(`There is no world ${name}. There are: ${Object.keys(worlds).join(', ')}.`);
    if (!line(name, await outcome(served.url))) below += 1;
  }
} finally {
  await served.close();
}
process.exit(below ? 1 : 0);
