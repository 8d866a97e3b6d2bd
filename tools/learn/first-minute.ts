/**
 * `npm run test:first-minute`: checks that a person who presses Train sees learning within a minute. Trains each first
 * experiment from random weights on the processor and stops after 60 seconds of steps. By then its curve must be above
 * chance. Over ten steps, success must exceed chance by five standard errors; or, for tasks that are hardly ever
 * completed, the score must exceed that of the first ten steps by as much. During imitation, the loss on the oracle's
 * choices must fall by as much.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { type DeviceOptions, deviceOptions } from '../../src/cli/node-device.ts';
import { three } from '../../src/cli/report.ts';
import { mean } from '../../src/rl/common/numbers.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import { learnChecks } from './checks.ts';
import { trainWithoutError } from './trained.ts';

const SECONDS = 60;
const WINDOW = 10;
const ERRORS = 5;

const firsts = Object.keys(learnChecks).filter((name) => name.endsWith('-first'));

interface Found {
  step: number;
  seconds: number;
  finding: string;
}

/**
 * Standard error of the mean, from the differences of neighbours (von Neumann 1941): half their mean square is the
 * variance of independent values, and a fall within the window, which is what is looked for, hardly adds to it.
 */
function standardError(values: readonly number[]): number {
  const squares = values.slice(1).map((value, i) => (value - values[i]) ** 2);
  return Math.sqrt(mean(squares) / 2 / values.length);
}
const read = (records: readonly StepRecord[], metric: string) => records.map(({ metrics }) => metrics[metric]);

/** Describes success above chance, or returns null if it is not significant. */
function aboveChance(window: readonly StepRecord[]): string | null {
  const above = window.map(({ metrics }) => metrics.success - (metrics.chance ?? 0));
  if (!(mean(above) > ERRORS * standardError(above))) return null;
  return `success ${three(mean(read(window, 'success')))}, ${three(mean(above))} above chance`;
}

/**
 * Describes an improvement over the first steps, or returns null if it is within the errors of the difference. `sign`
 * -1: less is better.
 */
function better(window: readonly StepRecord[], first: readonly StepRecord[], metric: string, sign: 1 | -1) {
  const [now, then] = [read(window, metric), read(first, metric)];
  const gain = sign * (mean(now) - mean(then));
  if (!(gain > ERRORS * Math.hypot(standardError(now), standardError(then)))) return null;
  return `${metric === 'policyLoss' ? "nats of the oracle's choices" : metric} ${three(mean(now))}, at first ${three(mean(then))}`;
}

/**
 * Describes what the curve shows at a step, or returns null. A metric that a step lacks makes every comparison false.
 */
function findingAt(records: readonly StepRecord[], k: number): string | null {
  if (k + 1 < 2 * WINDOW) return null;
  const [first, window] = [records.slice(0, WINDOW), records.slice(k + 1 - WINDOW, k + 1)];
  if (records[k].metrics.success === undefined) return better(window, first, 'policyLoss', -1);
  return aboveChance(window) ?? better(window, first, 'score', 1);
}

/** First step within the minute at which the curve has left chance. */
function firstSeen(records: readonly StepRecord[]): Found | null {
  let ms = 0;
  for (const [k, record] of records.entries()) {
    ms += record.metrics.stepMs;
    if (ms > SECONDS * 1000) return null;
    const finding = findingAt(records, k);
    if (finding) return { step: record.step, seconds: ms / 1000, finding };
  }
  return null;
}

/** Trains as `npm run train` does, and stops as Ctrl-C would. */
async function firstMinute(name: string, out: string, device: DeviceOptions): Promise<StepRecord[]> {
  let ms = 0;
  const print = (line: string) => {
    const taken = /^step [1-9].* (\d+) ms/.exec(line);
    ms += Number(taken?.[1] ?? 0);
    if (taken && ms > SECONDS * 1000) process.emit('SIGINT');
  };
  const folder = join(out, name);
  rmSync(folder, { recursive: true, force: true });
  const { records } = await trainWithoutError({ ...device, file: `experiments/${name}.json`, out: folder, print });
  return records.filter(({ step }) => step > 0);
}

const program = new Command('test:first-minute')
  .argument('[names...]', 'experiments (default: all that end in -first)')
  .option('--out <folder>', 'folder of the runs', 'runs/first-minute');
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
        ? `ok      ${name}: after ${found.seconds.toFixed(1)} s of steps (step ${found.step}): ${found.finding}`
        : `FAILED  ${name}: nothing within ${SECONDS} s of steps (${records.length} steps; success ${three(last.success ?? 0)}, chance ${three(last.chance ?? 0)})`,
    );
  }
  return failed ? 1 : 0;
}

// Dawn keeps the process alive, so exit explicitly.
main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
