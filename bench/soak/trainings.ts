/**
 * Three trainings for the soak. One runs all the time, and is only suspended now and then; its memory is sampled. The
 * two others are killed and paused at random instants, and every finished run must equal one that was never stopped.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generator } from '../../tools/fuzz/mutations.ts';
import { recordsIn, startTraining } from '../../tools/hardening/training.ts';
import { collectedMb, collecting } from '../../tools/memory.ts';
import { sampledTrend } from '../../tools/memory-trend.ts';
import { type Part, sleep } from './part.ts';

const steps = 60;
const worlds: { [name: string]: object } = {
  textcraft: { depths: [1], distractors: 1 },
  wordle: { words: 100, observation: 'compact' },
  maze: { observation: 'compact', size: 3, loops: 0, stepLimit: 20 },
};

/** Writes the micro experiment with another world. Returns its file. */
function experimentOf(world: string, folder: string): string {
  const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
  const sampling = { ...micro.sampling, completionTokens: 384 };
  const file = join(folder, `${world}.json`);
  writeFileSync(
    file,
    JSON.stringify({ ...micro, sampling, worlds: [{ name: world, weight: 1, options: worlds[world] }] }),
  );
  return file;
}

/** Trains one run without an end, and suspends its process for moments. It must have every step, in order. */
async function steady(world: string, folder: string, until: number, seed: number): Promise<Part> {
  const out = join(folder, `${world}-steady`);
  const random = generator(seed);
  const { child, ended } = startTraining(experimentOf(world, folder), out, 1_000_000, undefined, collecting);
  let [isOver, faults] = [false, 0];
  const over = ended.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  const suspending = (async () => {
    while (Date.now() < until && !isOver) {
      await sleep(Math.min(10_000 + random(50_000), Math.max(0, until - Date.now())));
      if (Date.now() >= until || isOver) return;
      child.kill('SIGSTOP');
      await sleep(500 + random(3000));
      child.kill('SIGCONT');
      faults++;
    }
  })();
  const memory = await sampledTrend(`training in ${world}`, () => (isOver ? null : collectedMb(child.pid!)), until);
  await suspending;
  child.kill('SIGINT');
  const problem = await over.then(
    () => null,
    (error: Error) => `${world}: ${error.message}`,
  );
  const lost = problem ? [problem] : [];
  const records: { step: number }[] = problem ? [] : JSON.parse(recordsIn(out));
  if (records.some(({ step }, k) => step !== k)) lost.push(`${world}: its steps have gaps`);
  return {
    lines: [`${world}: one run of ${records.length - 1} steps, suspended ${faults} times`],
    faults,
    lost,
    accepted: [],
    memory: [memory],
  };
}

/** Trains runs one after another, each stopped at random instants until it ends. */
async function stoppedRuns(world: string, folder: string, until: number, seed: number): Promise<Part> {
  const file = experimentOf(world, folder);
  const random = generator(seed);
  const out = join(folder, world);
  await startTraining(file, out, steps).ended;
  const expected = recordsIn(out);
  let [runs, kills, pauses] = [0, 0, 0];
  const lost: string[] = [];
  while (Date.now() < until) {
    rmSync(out, { recursive: true, force: true });
    for (let isDone = false; !isDone; ) {
      // The last run is finished without more faults.
      const signal = random(2) ? ('SIGKILL' as const) : ('SIGINT' as const);
      const stop = Date.now() < until ? { signal, after: random(8000) } : undefined;
      const byItself = await startTraining(file, out, steps, stop).ended;
      isDone = byItself && JSON.parse(recordsIn(out)).length > steps;
      if (isDone) continue;
      if (byItself) pauses++;
      else kills++;
    }
    runs++;
    if (recordsIn(out) !== expected) lost.push(`${world}: run ${runs} differs from the run that was never stopped`);
  }
  return {
    lines: [`${world}: ${runs} runs of ${steps} steps, killed ${kills} times and paused ${pauses} times`],
    faults: kills + pauses,
    lost,
    accepted: [],
    memory: [],
  };
}

export const trainings = (folder: string, until: number, seed: number): Promise<Part>[] => [
  steady('textcraft', folder, until, seed),
  stoppedRuns('wordle', folder, until, seed + 1),
  stoppedRuns('maze', folder, until, seed + 2),
];
