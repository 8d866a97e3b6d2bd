/**
 * `npm run bench [-- --only NAME...] [--write]`: measures and prints tables. With --write it stores the results in
 * bench/results/, with the adapter, commit and processor.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { failureText } from '../src/cli/command-error.ts';
import { benchCompare } from './compare.ts';
import { benchCompareAdapter } from './compare-adapter.ts';
import { benchCompareTorch } from './compare-torch.ts';
import { benchEngine } from './engine.ts';
import { benchFirstMinutes } from './first-minutes.ts';
import { benchFirstPicture } from './first-picture.ts';
import { benchFreeRunning } from './free-running.ts';
import { benchGoals } from './goals.ts';
import { benchGpu, gpuRows } from './gpu.ts';
import { benchInteractions } from './interactions.ts';
import { benchIsa, isaColumns } from './isa.ts';
import { benchMemory } from './memory.ts';
import { benchPacking } from './packing.ts';
import { benchProcessor } from './processor.ts';
import { benchQuantized } from './quantized.ts';
import { benchRealModel } from './real-model.ts';
import { cell, cpu, type Result, worldResult } from './result.ts';
import { benchSmallWorlds } from './small-worlds.ts';
import { benchSweepPage } from './sweep-page.ts';
import { benchWorld } from './world.ts';
import * as worldBenches from './worlds.ts';

async function engine(): Promise<Result> {
  const details = await benchEngine();
  const columns = ['', 'ms', 'floor ms', 'GFLOP/s', 'MB', 'dispatches', 'read-backs', 'tokens/s'];
  const rows = details.rows.map((row) => [
    row.name,
    row.ms,
    row.floorMs,
    row.gflops,
    row.megabytes,
    row.dispatches,
    row.readbacks,
    row.tokensPerSecond,
  ]);
  return { on: details.adapter, adapter: details.adapter, columns, rows, details };
}

async function quantized(): Promise<Result> {
  const details = await benchQuantized();
  const columns = ['', 'ms', 'floor ms', 'tokens/s', 'GFLOP/s', 'MB'];
  const rows = details.rows.map((r) => [r.name, r.ms, r.floorMs, r.tokensPerSecond, r.gflops, r.megabytes]);
  return { on: details.adapter, adapter: details.adapter, columns, rows, details };
}

async function packing(): Promise<Result> {
  const details = benchPacking();
  const columns = ['', 'ns a value', 'least', 'rounds'];
  return { on: cpu(), adapter: null, columns, rows: details.map((row) => Object.values(row)), details };
}

async function gpu(match?: string): Promise<Result> {
  const details = await benchGpu(match);
  const columns = ['', 'ms', 'floor ms', 'share of the floor', 'GFLOP/s', 'tokens/s'];
  return { on: details.adapter, adapter: details.adapter, columns, rows: gpuRows(details), details };
}

async function realModel(match?: string): Promise<Result> {
  const details = await benchRealModel(match);
  const columns = ['', 'f32, tokens/s', 'integers, tokens/s', 'times', 'floor, tokens/s', 'MB', 'GOP'];
  return { on: cpu(), adapter: 'WebAssembly', columns, rows: details.map((row) => Object.values(row)), details };
}

async function processor(match?: string): Promise<Result> {
  const details = await benchProcessor(match);
  const columns = ['', 'threads', 'ms', 'GFLOP/s', 'of', 'share', 'aim', 'waits'];
  const rows = details.map((r) => [r.name, r.threads, r.ms, r.gflops, r.of, r.share, r.aim, r.waits ?? null]);
  return { on: cpu(), adapter: 'WebAssembly', columns, rows, details };
}

async function smallWorlds(): Promise<Result> {
  const details = await benchSmallWorlds();
  const columns = ['', 'resets/s', 'steps/s'];
  return { on: cpu(), adapter: null, columns, rows: details.map((row) => Object.values(row)), details };
}

async function freeRunning(): Promise<Result> {
  const details = await benchFreeRunning();
  const rows = details.map(({ name, turns, ms }) => [name, turns, ms]);
  return { on: cpu(), adapter: null, columns: ['', 'turns/s', 'ms'], rows, details };
}

async function firstMinutes(match?: string): Promise<Result> {
  const details = await benchFirstMinutes(match);
  const columns = ['', 'device', '0.3 over chance, s', 'at step', 'end, s', 'steps', 'success', 'chance'];
  return { on: cpu(), adapter: 'none', columns, rows: details.map((row) => Object.values(row)), details };
}

async function firstPicture(): Promise<Result> {
  const details = await benchFirstPicture();
  const columns = ['', 'processor', 'median, ms', 'shortest, ms', 'longest, ms', 'loads', 'aim, ms'];
  return { on: cpu(), adapter: 'none', columns, rows: details.map((row) => Object.values(row)), details };
}

async function interactions(): Promise<Result> {
  const details = await benchInteractions();
  const times = ['median, ms', '98th percentile, ms', 'longest, ms', 'aim, ms'];
  const columns = ['processor', 'interactions', ...times, 'device', 'training'];
  return { on: cpu(), adapter: 'none', columns, rows: details.map((row) => Object.values(row)), details };
}

async function sweepPage(): Promise<Result> {
  const details = await benchSweepPage();
  const columns = ['answers', 'idle, ms', 'sweeping, ms', 'first, MB', 'last, MB'];
  return { on: cpu(), adapter: 'none', columns, rows: details.map((row) => Object.values(row)), details };
}

async function memory(): Promise<Result> {
  const details = await benchMemory();
  const columns = ['step', 'device, bytes', 'buffers ever made', 'its memory, bytes', 'heap, bytes', 'process, bytes'];
  return { on: cpu(), adapter: 'WebAssembly', columns, rows: details.map((row) => Object.values(row)), details };
}

async function goals(): Promise<Result> {
  const details = await benchGoals();
  const columns = ['goals', 'heap, bytes', 'texts of a checkpoint, bytes', 'numbers of a checkpoint'];
  return { on: cpu(), adapter: null, columns, rows: details.map((row) => Object.values(row)), details };
}

async function compareTorch(): Promise<Result> {
  const details = await benchCompareTorch();
  const columns = ['', 'threads', 'ours, ms', 'theirs, ms', 'times', 'aim', 'agreement', 'our product', 'theirs'];
  return { on: cpu(), adapter: 'WebAssembly', columns, rows: details.map((row) => Object.values(row)), details };
}

async function compareAdapter(match?: string): Promise<Result> {
  const { adapter, rows } = await benchCompareAdapter(match);
  const columns = ['a step of', 'steps', 'ours, ms', 'theirs, ms', 'times', 'aim'];
  return { on: adapter, adapter, columns, rows: rows.map((row) => Object.values(row)), details: rows };
}

async function isa(match?: string): Promise<Result> {
  const details = await benchIsa(match);
  const on = `MODELLED by Mesa ${details.version}`;
  return { on, adapter: `none, ${on}`, columns: isaColumns, rows: details.forms, details };
}

async function world(): Promise<Result> {
  return worldResult(await benchWorld());
}

async function compare(device: 'webgpu' | 'wasm', match?: string): Promise<Result> {
  const details = await benchCompare(device, match);
  const columns = ['', 'ours', 'theirs', 'unit', 'times', 'aim', 'agreement'];
  const rows = details.rows.map((row) => [row.name, row.ours, row.theirs, row.unit, row.times, row.aim, row.agreement]);
  return { on: device === 'wasm' ? cpu() : details.adapter, adapter: details.adapter, columns, rows, details };
}

const benches: { [name: string]: (match?: string) => Promise<Result> } = {
  world,
  'free-running': freeRunning,
  ...worldBenches,
  'small-worlds': smallWorlds,
  engine,
  compare: (match) => compare('webgpu', match),
  'compare-torch': compareTorch,
  'compare-processor': (match) => compare('wasm', match),
  'compare-adapter': compareAdapter,
  quantized,
  packing,
  gpu,
  isa,
  processor,
  'real-model': realModel,
  'first-minutes': firstMinutes,
  'first-picture': firstPicture,
  interactions,
  'sweep-page': sweepPage,
  memory,
  goals,
};

/** These need a GPU, a GPU's compiler, PyTorch, a model's file, or Chromium and several minutes, so they run only when named. */
const onRequest = new Set(['isa', 'gpu', 'real-model', 'compare-torch', 'compare-adapter', 'proxy', 'passages']);

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  try {
    const changed = git(
      'status',
      '--porcelain',
      '--untracked-files=no',
      '--',
      'src',
      'shaders',
      'kernels-wasm',
      'envs-wasm',
      'bench/*.ts',
    );
    return `${git('rev-parse', '--short=12', 'HEAD')}${changed ? ', with changes' : ''}`;
  } catch {
    return 'unknown (no git here)';
  }
}

const slug = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48)
    .replace(/-+$/, '');

function markdown(name: string, result: Result, facts: { [name: string]: string }): string {
  const lines = [
    `# bench ${name}`,
    '',
    ...Object.entries(facts).map(([key, value]) => `- ${key}: ${value}`),
    '',
    `Again: \`npm run bench -- --only ${name} --write\``,
    '',
    `| ${result.columns.join(' | ')} |`,
    `|${result.columns.map((_, i) => (i ? '---:' : '---')).join('|')}|`,
    ...result.rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ];
  return `${lines.join('\n')}\n`;
}

function store(name: string, result: Result): void {
  const facts = {
    ...(result.adapter ? { adapter: result.adapter } : {}),
    processor: cpu(),
    commit: commit(),
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
  };
  mkdirSync('bench/results', { recursive: true });
  const file = `bench/results/${name}-${slug(result.on)}`;
  writeFileSync(`${file}.json`, `${JSON.stringify({ bench: name, ...facts, result: result.details }, null, 1)}\n`);
  writeFileSync(`${file}.md`, markdown(name, result, facts));
  console.log(`wrote ${file}.json and .md`);
}

const program = new Command('bench')
  .description('Measures kernels, decoding, a whole GRPO step and the worlds, and prints each beside its floor.')
  .option('--only <names...>', `only these: ${Object.keys(benches).join(', ')}`)
  .option(
    '--match <text>',
    'for compare, processor, compare-adapter, search and first-minutes: only parts whose name contains this text; for gpu: one part; for isa: only kernels whose name begins with it',
  )
  .option('--write', 'store the results in bench/results', false);

async function main(): Promise<void> {
  const { only, match, write } = program.parse().opts<{ only?: string[]; match?: string; write: boolean }>();
  const unknown = (only ?? []).filter((name) => !(name in benches));
  if (unknown.length)
    throw new Error(`No such bench: ${unknown.join(', ')}. Choose from ${Object.keys(benches).join(', ')}.`);
  for (const name of only ?? Object.keys(benches).filter((each) => !onRequest.has(each))) {
    console.log(`\n== ${name}`);
    const result = await benches[name](match);
    if (write) store(name, result);
  }
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    console.error(failureText(error));
    process.exit(1);
  },
);
