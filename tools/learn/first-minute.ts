/**
 * `npm run test:first-minute`: does a person who presses Train see something learnt within a minute? Each first experiment, from random
 * weights on the processor, stopped after 60 seconds of steps. Its curve must have left chance by then: over ten steps the batches' success (where a task is
 * hardly ever done whole, its score) lies above chance by three standard errors; while it imitates, the oracle's choices are twice as likely as at first.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { type DeviceOptions, deviceOptions } from '../../src/cli/node-device.ts';
import { three } from '../../src/cli/report.ts';
import { train } from '../../src/cli/training.ts';
import type { StepRecord } from '../../src/rl/evaluation.ts';
import { learnChecks } from './checks.ts';

const SECONDS = 60;
const WINDOW = 10;
const ERRORS = 3;

const firsts = Object.keys(learnChecks).filter((name) => name.endsWith('-first'));

interface Found {
  step: number;
  seconds: number;
  words: string;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Above chance by so many standard errors of the window's steps. */
function rises(window: readonly StepRecord[], metric: 'success' | 'score', baseline: number | null): string | null {
  if (window.length < WINDOW || window.some(({ metrics }) => metrics[metric] === undefined)) return null;
  const above = window.map(({ metrics }) => metrics[metric] - (baseline ?? metrics.chance ?? 0));
  const centre = mean(above);
  const error = Math.sqrt(mean(above.map((value) => (value - centre) ** 2)) / (WINDOW - 1));
  if (centre <= ERRORS * error) return null;
  return `${metric} ${three(mean(window.map(({ metrics }) => metrics[metric])))}, ${three(centre)} above ${baseline === null ? 'chance' : 'its first steps'}`;
}

/** What the curve shows at a step, in words; null: nothing yet. */
function learnt(records: readonly StepRecord[], k: number): string | null {
  const window = records.slice(Math.max(0, k - WINDOW + 1), k + 1);
  const { metrics } = records[k];
  if (metrics.success === undefined) {
    const [first, now] = [
      Math.exp(-records[0].metrics.policyLoss),
      Math.exp(-mean(window.map((r) => r.metrics.policyLoss))),
    ];
    return window.length === WINDOW && now > 2 * first
      ? `likelihood of the oracle's choices ${three(now)}, at first ${three(first)}`
      : null;
  }
  if (k < 2 * WINDOW) return rises(window, 'success', null);
  const start = mean(records.slice(0, WINDOW).map((each) => each.metrics.score ?? 0));
  return rises(window, 'success', null) ?? rises(window, 'score', start);
}

/** The first step within the minute at which the curve has left chance. */
function firstSeen(records: readonly StepRecord[]): Found | null {
  let ms = 0;
  for (const [k, record] of records.entries()) {
    ms += record.metrics.stepMs;
    if (ms > SECONDS * 1000) return null;
    const words = learnt(records, k);
    if (words) return { step: record.step, seconds: ms / 1000, words };
  }
  return null;
}

/** Trains as `npm run train` does, and stops it as Ctrl-C would. */
async function firstMinute(name: string, out: string, device: DeviceOptions): Promise<StepRecord[]> {
  let ms = 0;
  const print = (line: string) => {
    const taken = /^step [1-9].* (\d+) ms/.exec(line);
    ms += Number(taken?.[1] ?? 0);
    if (taken && ms > SECONDS * 1000) process.emit('SIGINT');
  };
  const folder = join(out, name);
  rmSync(folder, { recursive: true, force: true });
  const { records } = await train({ ...device, file: `experiments/${name}.json`, out: folder, print });
  return records.filter(({ step }) => step > 0);
}

const program = new Command('test:first-minute')
  .argument('[names...]', 'which experiments (default: every first one)')
  .option('--out <folder>', 'where runs are kept', 'runs/first-minute');
for (const option of deviceOptions('wasm')) program.addOption(option);

async function main(): Promise<number> {
  program.parse();
  const { out, ...device } = program.opts<DeviceOptions & { out: string }>();
  let failed = 0;
  for (const name of program.args.length ? program.args : firsts) {
    const records = await firstMinute(name, out, device);
    const found = firstSeen(records);
    if (!found) failed++;
    const last = records.at(-1)!.metrics;
    console.log(
      found
        ? `ok      ${name}: after ${found.seconds.toFixed(1)} s of steps (step ${found.step}): ${found.words}`
        : `FAILED  ${name}: nothing within ${SECONDS} s of steps (${records.length} steps; success ${three(last.success ?? 0)}, chance ${three(last.chance ?? 0)})`,
    );
  }
  return failed ? 1 : 0;
}

// Dawn keeps the process alive: it is ended explicitly.
main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
