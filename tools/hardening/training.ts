/** Trainings on the command line that are killed, or paused, at random instants and continued. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { readRunFile } from '../../src/session/run-file.ts';
import { generator } from '../fuzz/mutations.ts';
import type { Outcome } from './outcome.ts';

const tool = 'build/cli/train.js';
const steps = 120;

interface Stop {
  signal: NodeJS.Signals;
  /** Milliseconds from the first step to the signal. */
  after: number;
}

/**
 * Starts the command on one thread of the processor. `ended` resolves with true if no signal ended it. `node`: arguments
 * of Node.
 */
export function startTraining(experiment: string, out: string, count: number, stop?: Stop, node: string[] = []) {
  const args = [experiment, '--steps', String(count), '--device', 'wasm', '--threads', '1', '--out', out];
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

const trained = (out: string, stop?: Stop) => startTraining('experiments/micro.json', out, steps, stop).ended;

/** Records of a finished or paused run, without times, as JSON. */
export const recordsIn = (out: string) =>
  JSON.stringify(readRunFile(new Uint8Array(readFileSync(join(out, 'run.tabgym'))), 'run').records.map(withoutTimes));

/** Stops trainings `times` times by a signal; every finished run must equal one that was never stopped. */
export async function stopped(times: number, signal: 'SIGKILL' | 'SIGINT'): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-kills-'));
  const random = generator(3);
  const never = join(folder, 'never');
  await trained(never);
  const expected = recordsIn(never);
  let [tried, lost, run] = [0, 0, 0];
  while (tried < times) {
    const out = join(folder, String(run++));
    const stop = () => ({ signal, after: random(1500) });
    for (; tried < times && !(await isDone(out, trained(out, stop()))); tried++);
    await trained(out);
    if (recordsIn(out) !== expected) lost++;
  }
  rmSync(folder, { recursive: true, force: true });
  return {
    what: `${signal} of a training at a random instant (${run} ${run === 1 ? 'run' : 'runs'})`,
    tried,
    lost,
    accepted: 0,
  };
}

/** True if a training ended by itself at its last step, not after a pause. */
async function isDone(out: string, training: Promise<boolean>): Promise<boolean> {
  if (!(await training)) return false;
  return JSON.parse(recordsIn(out)).length > steps;
}
