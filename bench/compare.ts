/**
 * Compares the engine with two others in one Chromium page, on one device (WebGPU, or the processor): onnxruntime-web
 * decodes with the same weights, and jax-js takes the same training steps. Results are compared as well as times,
 * because the ratio of two different computations would mean nothing.
 */
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { build, preview } from 'vite';
import { chromiumArgs, findChromium, requireBrowser } from '../scripts/machine.mjs';
import { repositoryRoot } from '../src/envs/transport/wasm.ts';
import type {} from './compare/page.ts';
import type { DecodeRequest, DecodeResult, DeviceName, TrainRequest, TrainResult } from './compare/worker.ts';

interface CompareRow {
  name: string;
  unit: string;
  ours: number;
  theirs: number;
  /** Speed of ours divided by theirs. */
  times: number;
  aim: number;
  /** Description of how far the results agree. */
  agreement: string;
}

export interface CompareResult {
  adapter: string;
  rows: CompareRow[];
  details: { decode: [DecodeRequest, DecodeResult][]; train: [TrainRequest, TrainResult][] };
}

/**
 * Prompts of 16 tokens: from 32 on, onnxruntime 1.30 uses another attention kernel, which on SwiftShader gives
 * different logits from the fifth token on (docs/log.md).
 */
const decodes: Omit<DecodeRequest, 'device'>[] = (['float32', 'int4'] as const).flatMap((weights) => [
  { shape: 'tiny', weights, rows: 1, prompt: 16, tokens: 33, times: 3 },
  { shape: 'tiny', weights, rows: 32, prompt: 16, tokens: 33, times: 3 },
  { shape: '135M width, 2 layers', weights, rows: 1, prompt: 16, tokens: 5, times: 2 },
  { shape: '135M width, 2 layers', weights, rows: 32, prompt: 16, tokens: 5, times: 2 },
]);

const trains: Omit<TrainRequest, 'device'>[] = [
  { shape: 'tiny', rows: 8, length: 32, steps: 6 },
  { shape: 'wide', rows: 8, length: 32, steps: 4 },
];

/** Required relative speed: decoding one row, decoding many, and a training step. */
const aims: { [device in DeviceName]: { one: number; many: number; train: number } } = {
  webgpu: { one: 2, many: 10, train: 3 },
  wasm: { one: 2, many: 5, train: 5 },
};

async function serve(root: string): Promise<{ url: string; close(): Promise<void> }> {
  const outDir = join(root, 'build/compare');
  const input = join(root, 'bench/compare/page.html');
  await build({
    configFile: join(root, 'vite.config.ts'),
    root,
    logLevel: 'error',
    build: { outDir, rollupOptions: { input } },
  });
  // Cross-origin isolated, as the page is; without shared memory there is only one thread.
  const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
  const options = { build: { outDir }, preview: { host: '127.0.0.1', port: 0, headers } };
  const server = await preview({ configFile: false, root, logLevel: 'error', ...options });
  const { port } = server.httpServer.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/bench/compare/page.html`, close: () => server.close() };
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.error(`page: ${error.message}`));
  page.setDefaultTimeout(0);
  await page.goto(url);
  await page.waitForFunction(() => 'compare' in window);
  return page;
}

/**
 * The fastest run, because other work on the machine only adds time. Each kind runs more than once, since the first run
 * compiles.
 */
const best = (all: readonly number[]) => Math.min(...all);

function decodeRow(request: DecodeRequest, result: DecodeResult): CompareRow {
  const count = request.rows * (request.tokens - 1);
  const [ours, theirs] = [result.oursMs, result.ortMs].map((ms) => (1000 * count) / best(ms));
  const difference = `logits differ by ${result.logitDifference.toExponential(1)} of ${result.largestLogit.toFixed(1)}`;
  return {
    name: decodeName(request),
    unit: 'tokens/s',
    ours,
    theirs,
    times: ours / theirs,
    aim: request.rows === 1 ? aims[request.device].one : aims[request.device].many,
    agreement: `${difference}, ${result.sameTokens} of ${result.allTokens} greedy tokens the same`,
  };
}

function trainRow(request: TrainRequest, result: TrainResult): CompareRow {
  // The first step compiles.
  const [ours, theirs] = [result.ours, result.jax].map((steps) => best(steps.slice(1).map(({ ms }) => ms)));
  const largestDifference = (key: 'loss' | 'gradNorm') =>
    Math.max(...result.ours.map((step, i) => Math.abs(step[key] - result.jax[i][key]))).toExponential(1);
  const [first, last] = [result.ours[0], result.ours[result.ours.length - 1]].map(({ loss }) => loss.toFixed(3));
  return {
    name: trainName(request),
    unit: 'ms',
    ours,
    theirs,
    times: theirs / ours,
    aim: aims[request.device].train,
    agreement: `loss ${first} to ${last} in ${request.steps} steps, losses differ by ${largestDifference('loss')}, gradient norms by ${largestDifference('gradNorm')}`,
  };
}

function print({ name, unit, ours, theirs, times, aim, agreement }: CompareRow): void {
  const digits = (x: number) => x.toLocaleString('en-US', { maximumSignificantDigits: 4 });
  console.log(
    `  ${name}: ours ${digits(ours)} ${unit}, theirs ${digits(theirs)}, ${times.toFixed(2)} times (aim ${aim})`,
  );
  console.log(`    ${agreement}`);
}

const decodeName = ({ shape, rows, weights }: Omit<DecodeRequest, 'device'>) =>
  `decode, ${shape}, batch ${rows}, weights ${weights}`;
const trainName = ({ shape, rows, length }: Omit<TrainRequest, 'device'>) =>
  `training step, ${shape}, ${rows * length} tokens`;

/** On SwiftShader, onnxruntime takes minutes per token for 32 rows of a model this wide. */
const tooSlow = ({ shape, rows }: DecodeRequest, adapter: string) =>
  adapter.includes('software') && rows > 1 && shape !== 'tiny';

/**
 * Runs each comparison whose name contains `match`, in a fresh page of one browser. A comparison that fails is reported
 * and skipped.
 */
export async function benchCompare(device: DeviceName, match = ''): Promise<CompareResult> {
  requireBrowser();
  const server = await serve(await repositoryRoot());
  const browser = await chromium.launch({ executablePath: findChromium()!, args: chromiumArgs });
  const result: CompareResult = { adapter: '', rows: [], details: { decode: [], train: [] } };
  const add = (row: CompareRow) => {
    print(row);
    result.rows.push(row);
  };
  const each = async <R>(what: string, run: (page: Page) => Promise<R>): Promise<R | null> => {
    const page = await openPage(browser, server.url);
    try {
      return await run(page);
    } catch (error) {
      console.error(`  ${what} failed: ${(error as Error).message.split('\n')[0]}`);
      return null;
    } finally {
      await page.close();
    }
  };
  try {
    result.adapter =
      (await each('adapter', (page) => page.evaluate((on) => window.compare.adapter(on), device))) ?? 'unknown';
    console.log(`adapter: ${result.adapter}`);
    const on = <R>(request: R) => ({ device, ...request });
    for (const request of decodes.map(on).filter((each) => decodeName(each).includes(match))) {
      if (tooSlow(request, result.adapter)) {
        console.log(`  ${decodeName(request)}: skipped on a software adapter`);
        continue;
      }
      const got = await each(decodeName(request), (page) => page.evaluate((r) => window.compare.decode(r), request));
      if (!got) continue;
      result.details.decode.push([request, got]);
      add(decodeRow(request, got));
    }
    for (const request of trains.map(on).filter((each) => trainName(each).includes(match))) {
      const got = await each(trainName(request), (page) => page.evaluate((r) => window.compare.train(r), request));
      if (!got) continue;
      result.details.train.push([request, got]);
      add(trainRow(request, got));
    }
  } finally {
    await browser.close();
    await server.close();
  }
  return result;
}
