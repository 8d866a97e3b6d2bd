/** Trainings on the command line that are killed, or paused, at random instants and continued. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { readRunFile } from '../../src/session/run-file.ts';
import { generator } from '../fuzz/mutations.ts';
import type { Outcome } from './outcome.ts';

const tool = join(import.meta.dirname, 'train.js');
const steps = 120;
const args = ['experiments/micro.json', '--steps', String(steps), '--device', 'wasm', '--threads', '1'];

/** Runs the command. `after`: milliseconds from its first step to the signal. Resolves with true if it ended by itself. */
function trained(out: string, stop?: { signal: NodeJS.Signals; after: number }): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [tool, ...args, '--out', out], { stdio: ['ignore', 'pipe', 'pipe'] });
    let errors = '';
    let timer: NodeJS.Timeout | undefined;
    child.stderr.on('data', (data) => {
      errors += data;
    });
    child.stdout.on('data', (data) => {
      if (stop && !timer && /^step /m.test(String(data))) timer = setTimeout(() => child.kill(stop.signal), stop.after);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code !== null && code !== 0) reject(new Error(errors));
      else resolve(code === 0 && signal === null);
    });
  });
}

const recordsIn = (out: string) =>
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
  return { what: `${signal} of a training at a random instant (${run} runs)`, tried, lost, accepted: 0 };
}

/** True if a training ended by itself at its last step, not after a pause. */
async function isDone(out: string, training: Promise<boolean>): Promise<boolean> {
  if (!(await training)) return false;
  return JSON.parse(recordsIn(out)).length > steps;
}
