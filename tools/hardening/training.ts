/** Trainings on the command line that are killed, or paused, at random instants and continued. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { readRunFile } from '../../src/session/run-file.ts';
import { generator } from '../fuzz/mutations.ts';
import type { Outcome } from './outcome.ts';

const tool = 'build/cli/train.js';

/** A training of the command line. */
interface Training {
  what: string;
  experiment: string;
  steps: number;
  /** The longest time from a life's first step to the signal. */
  mostMs: number;
  /** Further arguments of the command. */
  args: string[];
}

const micro: Training = {
  what: 'a training',
  experiment: 'experiments/micro.json',
  steps: 120,
  mostMs: 1500,
  args: [],
};

interface Stop {
  signal: NodeJS.Signals;
  /** Milliseconds from the first step to the signal. */
  after: number;
}

/**
 * Starts the command on one thread of the processor. `ended` resolves with true if no signal ended it. `node`: arguments
 * of Node.
 */
export function startTraining(
  experiment: string,
  out: string,
  count: number,
  stop?: Stop,
  node: string[] = [],
  more: string[] = [],
) {
  const args = [experiment, '--steps', String(count), '--device', 'wasm', '--threads', '1', '--out', out, ...more];
  const child = spawn(process.execPath, [...node, tool, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  return { child, ended: endOf(child, stop) };
}

function endOf(child: ChildProcess, stop?: Stop): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let [errors, printed] = ['', ''];
    let timer: NodeJS.Timeout | undefined;
    child.stderr!.on('data', (data) => {
      errors = (errors + data).slice(-4000);
    });
    child.stdout!.on('data', (data) => {
      printed = (printed + data).slice(-4000);
      if (stop && !timer && /^step /m.test(String(data))) timer = setTimeout(() => child.kill(stop.signal), stop.after);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code !== null && code !== 0) reject(new Error(`training ended with ${code}: ${errors || printed}`));
      else resolve(code === 0 && signal === null);
    });
  });
}

const trained = ({ experiment, steps, args }: Training, out: string, stop?: Stop) =>
  startTraining(experiment, out, steps, stop, [], args).ended;

/** Records of a finished or paused run, without times, as JSON. */
export const recordsIn = (out: string) =>
  JSON.stringify(readRunFile(new Uint8Array(readFileSync(join(out, 'run.tabgym'))), 'run').records.map(withoutTimes));

/** Stops trainings `times` times by a signal; every finished run must equal one that was never stopped. */
export async function stopped(times: number, signal: 'SIGKILL' | 'SIGINT', training = micro): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-kills-'));
  const random = generator(3);
  const never = join(folder, 'never');
  await trained(training, never);
  const expected = recordsIn(never);
  let [tried, lost, run] = [0, 0, 0];
  while (tried < times) {
    const out = join(folder, String(run++));
    const stop = () => ({ signal, after: random(training.mostMs) });
    for (; tried < times && !(await isDone(out, trained(training, out, stop()), training.steps)); tried++);
    await trained(training, out);
    if (recordsIn(out) !== expected) lost++;
  }
  rmSync(folder, { recursive: true, force: true });
  return {
    what: `${signal} of ${training.what} at a random instant (${run} ${run === 1 ? 'run' : 'runs'})`,
    tried,
    lost,
    accepted: 0,
  };
}

/** Kills trainings of SmolLM2-135M-Instruct's adapter, with two episodes a step. TABGYM_REAL_MODEL names its GGUF file. */
export async function killedModel(times: number): Promise<Outcome> {
  const file = process.env.TABGYM_REAL_MODEL;
  if (!file) throw new Error('TABGYM_REAL_MODEL must name the GGUF file of SmolLM2-135M-Instruct.');
  const whole = JSON.parse(readFileSync('experiments/lessons/model-learns.json', 'utf8'));
  const steps = times + 2;
  const small = {
    ...whole,
    steps,
    algorithm: { ...whole.algorithm, groups: 1, groupSize: 2, mostWaves: 1, entropy: 0.001 },
    horizon: [{ steps, turns: 2 }],
    evaluation: { ...whole.evaluation, every: steps, episodes: 2 },
  };
  const experiment = join(mkdtempSync(join(tmpdir(), 'tabgym-model-')), 'small.json');
  writeFileSync(experiment, JSON.stringify(small));
  const what = 'a training of SmolLM2-135M-Instruct';
  return stopped(times, 'SIGKILL', { what, experiment, steps, mostMs: 6000, args: ['--model', file] });
}

/** True if a training ended by itself at its last step, not after a pause. */
async function isDone(out: string, training: Promise<boolean>, steps: number): Promise<boolean> {
  if (!(await training)) return false;
  return JSON.parse(recordsIn(out)).length > steps;
}
