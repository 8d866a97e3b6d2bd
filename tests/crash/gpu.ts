// Kills of Chromium's GPU process while a page trains on WebGPU (a software adapter). Without Chromium's bounds on such
// kills the run must end with the numbers of a run that was left alone; with them Chromium takes WebGPU away after a few,
// which the run must name, and it must go on with the processor.
import { generator } from '../../tools/fuzz/mutations.ts';
import type { Outcome } from '../../tools/hardening/outcome.ts';
import { type Part, parts } from '../../tools/hardening/part-of.ts';
import { begin, born, differences, finish, type Harness } from './harness.ts';
import { sleep } from './page-events.ts';
import type { Result } from './tabs.ts';

const steps = 24;
/** Chromium otherwise refuses 3D to a page whose GPU process ended, and ends GPU access after three such ends. */
const unbounded = ['--disable-gpu-process-crash-limit', '--disable-domain-blocking-for-3d-apis'];
/** More losses than this without a step between end a training by design (`MOST_RECOVERIES`). */
const mostInARow = 3;
const latestMs: { readonly [part in Part]: number } = { loading: 2000, decoding: 200, learning: 400 };
/** A training in which nothing has happened for this long is stuck. */
const stuckMs = 180_000;

type Life = Awaited<ReturnType<typeof born>>;

async function killGpu({ life }: Life): Promise<boolean> {
  const id = await life.processId('GPU');
  if (id === null) return false;
  try {
    process.kill(id, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

/** Number of the last step that the page reported. The session counts losses in a row from step 1 on. */
const stepOf = ({ events }: Life) => Number(events.received.findLast((event) => /^step /.test(event))?.slice(5) ?? 0);

/** Kills the GPU process at random instants of random parts until the training ends. Returns the kills of each part. */
async function killInTraining(each: Life, training: Promise<unknown>, most: number, random: (below: number) => number) {
  const by: { [part in Part]: number } = { loading: 0, decoding: 0, learning: 0 };
  const { events } = each;
  const ended = training.then(() => 'ended' as const);
  let [total, inARow, before] = [0, 0, 0];
  while (total < most) {
    const part = parts[random(parts.length)];
    // A run in memory loads nothing, so the wait for a part is bounded.
    const begun = events.until(new RegExp(`^part ${part}`), 1 + random(3)).then(() => 'begun' as const);
    if ((await Promise.race([begun, ended, sleep(20_000)])) === 'ended') break;
    await sleep(random(latestMs[part]));
    const step = stepOf(each);
    if (step >= steps - 1) break;
    inARow = step === before ? inARow : 0;
    before = step;
    if (inARow >= mostInARow) {
      await Promise.race([events.until(/^step [1-9]/), ended]);
      continue;
    }
    const now = events.received.findLast((event) => /^part /.test(event))?.slice(5) as Part | undefined;
    if (!(await killGpu(each))) continue;
    by[now ?? 'loading']++;
    total++;
    inARow++;
  }
  return by;
}

/**
 * Trains to the end. A loss while the next device opens can make four in a row, at which a training ends by its name; it
 * is then started again, as the message says.
 */
async function trainOn({ life, events }: Life, id: string): Promise<string> {
  for (;;) {
    const end = await life.page
      .evaluate((run) => window.crash.train(run), id)
      .catch((error: Error) => `error ${error.message.split('\n')[0]}`);
    if (!/The device was lost \d+ times without a step between/.test(end)) return end;
    events.receive('restart');
  }
}

/** One run through kills. Returns its kills by part, and its problems. */
async function disturbed(
  harness: Harness,
  never: Awaited<ReturnType<typeof finish>>,
  name: string,
  most: number,
  random: (below: number) => number,
) {
  const each = await born(harness);
  const { life, events } = each;
  try {
    const id = await begin(life, name, harness.experiment);
    const end = trainOn(each, id);
    const by = await killInTraining(each, end, most, random);
    const idle = async () => {
      for (let seen = -1; seen !== events.received.length; await sleep(stuckMs)) seen = events.received.length;
      return 'stuck';
    };
    const how = await Promise.race([end, idle()]);
    const problems = how === `step ${steps}` ? [] : [`it ended with ${how}`];
    problems.push(...differences(never, await life.page.evaluate((run) => window.crash.records(run), id)));
    const named = events.received.filter((event) => /^notice The GPU device was lost/.test(event)).length;
    const moved = events.received.find((event) => /^notice This run was computed on/.test(event));
    if (moved) problems.push(moved);
    const restarts = events.received.filter((event) => event === 'restart').length;
    return { by, named: named + restarts, restarts, problems: problems.slice(0, 5) };
  } finally {
    await life.kill();
  }
}

/** Kills without Chromium's bounds: each run ends with the numbers of an undisturbed one. */
export async function killedGpus(harness: Harness, times: number): Promise<Outcome> {
  const own = onGpu(harness, unbounded);
  const random = generator(13);
  const never = await finish(own, 'GPU never killed');
  const sum: { [part in Part]: number } = { loading: 0, decoding: 0, learning: 0 };
  let [tried, lost, named, restarts, runs] = [0, 0, 0, 0, 0];
  while (tried < times) {
    const result = await disturbed(own, never, `GPU killed ${++runs}`, times - tried, random);
    const kills = parts.reduce((count, part) => count + result.by[part], 0);
    for (const part of parts) sum[part] += result.by[part];
    tried += kills;
    named += result.named;
    restarts += result.restarts;
    if (result.problems.length) lost++;
    console.log(`run ${runs}: ${kills} kills, ${result.named} losses named; ${result.problems.join('; ') || 'ok'}`);
    if (!kills) throw new Error('There was no GPU process to kill.');
  }
  const what = `SIGKILL of Chromium's GPU process (WebGPU on SwiftShader) while a run loads (${sum.loading}), decodes (${sum.decoding}) or learns (${sum.learning}); ${named} losses of the device named; ${runs} runs, started again ${restarts} times after four losses in a row`;
  return { what, tried, lost, accepted: 0 };
}

const onGpu = (harness: Harness, switches: readonly string[]): Harness => ({
  ...harness,
  url: `${harness.url}?device=webgpu`,
  experiment: { ...(harness.experiment as object), steps },
  switches,
});

/** Kills with Chromium's bounds: training ends by name, and continues with the processor. */
export async function refusedGpu(harness: Harness): Promise<Result> {
  const problems: string[] = [];
  const each = await born(onGpu(harness, []));
  const { life, events } = each;
  try {
    const id = await begin(life, 'GPU refused', { ...(harness.experiment as object), steps });
    const training = life.page.evaluate((run) => window.crash.train(run), id);
    let end: string | null = null;
    training.then(
      (reached) => (end = `ended at ${reached}`),
      (error: Error) => (end = error.message.split('\n')[0]),
    );
    let kills = 0;
    for (const until = Date.now() + stuckMs; end === null && Date.now() < until; ) {
      await Promise.race([events.until(/^part decoding/), sleep(5000)]);
      // Chromium 156 ends itself if its GPU process is killed once more after it has refused WebGPU.
      const isRefused = events.received.some((event) => /^notice .*found no adapter/.test(event));
      if (end === null && !isRefused && (await killGpu(each))) kills++;
    }
    console.log(`${kills} kills; training: ${end ?? 'still running'}`);
    if (!/processor/.test(end ?? '')) problems.push(`it was ${end ?? 'stuck'}`);
    const kept = stepOf(each);
    await life.page.evaluate(() => window.crash.chooseDevice('wasm'));
    const reached = await life.page.evaluate((run) => window.crash.train(run), id);
    if (reached !== `step ${steps}`) problems.push(`on the processor it ended at ${reached}`);
    const { length } = await life.page.evaluate((run) => window.crash.records(run), id);
    if (length !== steps + 1) problems.push(`it has ${length} records`);
    return { what: `${kills} kills of the GPU process until Chromium refuses WebGPU at step ${kept}`, problems };
  } finally {
    await life.kill();
  }
}
