/**
 * `npm run real-model-page [-- --browser firefox --steps 10 --shots FOLDER]`: drops the GGUF file that TABGYM_REAL_MODEL
 * names on the built page, talks to the model, and trains it with small settings, on the processor. A script injected
 * into the page drives it, since workers stand still under remote control in Firefox. In Chromium it also measures
 * interaction to next paint during the training, and stores screenshots at both widths. Exits with 1 if a step is
 * missing.
 */
import { createReadStream, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { chromium, type Page } from 'playwright-core';
import type { Plugin } from 'vite';
import { chromiumArgsWithoutWebGpu, findChromium, requireBrowser, root } from '../scripts/machine.mjs';
import { drivenBy } from '../tests/page/driven.ts';
import { openFirefox } from '../tools/firefox.ts';
import { interact, longestOf, observe } from './interactions.ts';
import { servePage } from './served-page.ts';

const program = new Command('real-model-page')
  .description('Talks to a real model in the built page and trains it.')
  .addOption(new Option('--browser <name>', 'browser').choices(['chromium', 'firefox']).default('chromium'))
  .option('--steps <n>', 'steps to train', '10')
  .option('--shots <folder>', 'folder of screenshots, in Chromium', 'test-results/real-model')
  .option('--interactions <n>', 'clicks and keys while it trains, in Chromium', '100')
  .parse();
const { browser, steps, shots, interactions } = program.opts<{
  browser: 'chromium' | 'firefox';
  steps: string;
  shots: string;
  interactions: string;
}>();

/** Report of the page, which waits for the answer. */
interface Report {
  at: 'chosen' | 'talked' | 'taught' | 'training' | 'learned' | 'failed';
  what: string;
}

/** Runs in the page. */
async function drive() {
  const report = (at: string, what: string) => fetch('/stage', { method: 'POST', body: JSON.stringify({ at, what }) });
  const find = (within: Document | ShadowRoot, selector: string, text = ''): HTMLElement | null => {
    for (const each of within.querySelectorAll<HTMLElement>(selector))
      if (each.textContent?.includes(text) && each.getClientRects().length) return each;
    for (const each of within.querySelectorAll('*')) {
      const found = each.shadowRoot && find(each.shadowRoot, selector, text);
      if (found) return found;
    }
    return null;
  };
  const until = async <T>(what: string, get: () => T | null | undefined | false, minutes = 5): Promise<T> => {
    for (let i = 0; i < minutes * 240; i++) {
      const found = get();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    throw new Error(
      `${what} did not come within ${minutes} minutes: ${JSON.stringify([state()?.model.problem, state()?.talk])}`,
    );
  };
  type Shown = {
    draft: { policy: { model?: string }; worlds: { name: string }[] } | null;
    status: string;
    statusDetail: string;
    model: { card: { name: string } | null; problem: string };
    talk: { busy: boolean; problem: string | null; messages: { role: string; content: string }[] };
    records: { step: number; metrics: { [name: string]: number } }[];
  };
  const state = () =>
    (document.querySelector('tabgym-app') as unknown as { app: { store: { state: Shown } } } | null)?.app.store.state;
  const drop = async (file: File) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(file);
    const stage = await until('the stage', () => find(document, 'tabgym-stage'));
    stage.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, composed: true, cancelable: true }));
  };
  const press = async (label: string) => (await until(label, () => find(document, 'button', label))).click();
  const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
  try {
    const { name, experiment } = await (await fetch('/given')).json();
    await until('the setup', () => find(document, '#preset'));
    let began = performance.now();
    await drop(new File([await (await fetch('/model.gguf')).blob()], name));
    const card = await until('the model', () => state()?.model.card);
    await report('chosen', `found after ${seconds(began)}`);
    began = performance.now();
    await press('Talk to it');
    await press('What is reinforcement learning?');
    const reply = await until(
      'a reply',
      () => {
        const { busy, problem, messages } = state()!.talk;
        if (problem) throw new Error(problem);
        return !busy && messages.find(({ role }) => role === 'assistant');
      },
      15,
    );
    await report('talked', `replied after ${seconds(began)}: ${reply.content.slice(0, 120)}`);
    await press('Teach it TextCraft');
    await until('the draft', () => {
      const { policy, worlds } = state()?.draft ?? {};
      return policy?.model === card.name && worlds?.[0].name === 'textcraft' && find(document, 'tabgym-stage');
    });
    await report('taught', 'the setup has TextCraft');
    experiment.policy.model = card.name;
    await drop(new File([JSON.stringify(experiment)], 'real.json', { type: 'application/json' }));
    await new Promise((resolve) => setTimeout(resolve, 2000));
    began = performance.now();
    (await until('Train', () => find(document, 'tabgym-transport button.train, button.train'))).click();
    await until('step 1', () => state()?.records.some(({ step }) => step >= 1), 20);
    await report('training', `step 1 after ${seconds(began)}`);
    await until('the end', () => ['finished', 'failed'].includes(state()?.status ?? ''), 60);
    const { status, statusDetail, records } = state()!;
    const last = records.at(-1)?.step;
    await report('learned', `${status} ${statusDetail} at step ${last}, ${seconds(began)} after Train`);
  } catch (error) {
    await report('failed', (error as Error).message);
  }
}

const file = process.env.TABGYM_REAL_MODEL;
if (!file?.endsWith('.gguf')) program.error('TABGYM_REAL_MODEL must name a .gguf file of SmolLM2-135M-Instruct.');

/** The lesson's experiment with one group of four, always with an update. */
function experimentOf() {
  const whole = JSON.parse(readFileSync(join(root, 'experiments/lessons/model-learns.json'), 'utf8'));
  return {
    ...whole,
    steps: Number(steps),
    algorithm: { ...whole.algorithm, groups: 1, groupSize: 4, mostWaves: 1, entropy: 0.001 },
    horizon: [{ steps: Number(steps), turns: 2 }],
    evaluation: { ...whole.evaluation, every: Number(steps), episodes: 4 },
  };
}

type Receive = (report: Report) => Promise<void>;

const given = (receive: Receive): Plugin => ({
  name: 'given',
  configurePreviewServer: ({ middlewares }) => {
    middlewares.use('/model.gguf', (_request, response) => void createReadStream(file!).pipe(response));
    middlewares.use('/given', (_request, response) => {
      response.end(JSON.stringify({ name: basename(file!), experiment: experimentOf() }));
    });
    middlewares.use('/stage', (request, response) => {
      void text(request).then(async (body) => {
        await receive(JSON.parse(body));
        response.end();
      });
    });
  },
});

const widths = [
  { name: 'wide', width: 1440, height: 900 },
  { name: 'narrow', width: 390, height: 844 },
];

async function shoot(page: Page, at: string): Promise<void> {
  mkdirSync(shots, { recursive: true });
  for (const { name, ...size } of widths) {
    await page.setViewportSize(size);
    await page.waitForTimeout(700);
    await page.screenshot({ path: join(shots, `${at}-${name}.png`) });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** Interaction to next paint: the 98th percentile. */
async function answersOf(page: Page): Promise<string> {
  await page.evaluate(observe);
  const count = Number(interactions);
  for (let i = 0; i < count; i++) await interact(page, i);
  const at = await longestOf(page, count);
  return `${count} interactions while it trains: median ${at(0.5)} ms, 98th percentile ${at(0.98)} ms, longest ${at(1)} ms`;
}

async function main(): Promise<boolean> {
  requireBrowser();
  let page: Page | null = null;
  let end: (good: boolean) => void = () => {};
  const ended = new Promise<boolean>((resolve) => {
    end = resolve;
  });
  const receive: Receive = async ({ at, what }) => {
    console.log(`${browser} ${at}: ${what}`);
    if (page) await shoot(page, at);
    if (page && at === 'training') console.log(await answersOf(page));
    if (at === 'failed' || at === 'learned') end(what.includes(`finished`) && what.includes(`at step ${steps},`));
  };
  const served = await servePage((outDir) => [given(receive), drivenBy(drive, () => {}, outDir)]);
  const address = `${served.url}?device=wasm`;
  const opened =
    browser === 'chromium'
      ? await chromium.launch({ executablePath: findChromium()!, args: chromiumArgsWithoutWebGpu })
      : null;
  const close = opened ? () => opened.close() : openFirefox(address);
  if (opened) {
    page = await opened.newPage({ viewport: { width: 1440, height: 900 } });
    page.on('pageerror', (error) => console.error(`page: ${error.message}`));
    await page.goto(address);
  }
  const good = await ended;
  await close();
  await served.close();
  return good;
}

main().then(
  (good) => process.exit(good ? 0 : 1),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
