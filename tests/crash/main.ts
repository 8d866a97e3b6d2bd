/**
 * `npm run test:crash`: one run of a micro experiment in Chromium, whose whole process group is killed ten times: at random
 * instants, while it starts, and inside the transaction of a commit. The run that is left ends with the metrics of one that
 * was never killed.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, preview } from 'vite';
import { requireBrowser } from '../../scripts/machine.mjs';
import { repositoryRoot } from '../../src/envs/wasm.ts';
import type { StepRecord } from '../../src/session/protocol.ts';
import { withoutTimes } from '../../src/session/schedule.ts';
import { type Life, open } from './browser.ts';
import type {} from './page.ts';

const STEPS = 40;
/** A life that takes longer to its end than this is stuck. */
const LATEST_MS = 120_000;
/**
 * How a life ends: inside its `after`-th commit; some time after its `after`-th step, within about a step; or while it
 * starts, at latest with its first step.
 */
type Death = { kind: 'random' | 'start' | 'commit'; after: number; ms: number };

/** Repeatable: the seed is printed, and TABGYM_SEED sets it. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Ten deaths in random order. */
function deaths(next: () => number): Death[] {
  const some = (count: number, kind: Death['kind'], longestMs: number) =>
    Array.from(
      { length: count },
      (): Death => ({ kind, after: 1 + Math.floor(next() * 3), ms: Math.round(next() * longestMs) }),
    );
  const all = [...some(4, 'commit', 0), ...some(4, 'random', 1500), ...some(2, 'start', 6000)];
  return all
    .map((death) => ({ death, key: next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ death }) => death);
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** What the page says, and a way to wait for it. */
class Ears {
  readonly said: string[] = [];
  private readonly waiting: { wanted: RegExp; resolve: () => void }[] = [];

  readonly hear = (event: string) => {
    this.said.push(event);
    if (/^(error|console|notice)/.test(event)) console.log(`    page: ${event}`);
    for (const { wanted, resolve } of this.waiting) if (wanted.test(event)) resolve();
  };

  /** Resolves at the `nth` event of this kind. */
  private until(wanted: RegExp, nth = 1): Promise<void> {
    return new Promise((resolve) => {
      let left = nth;
      this.waiting.push({ wanted, resolve: () => --left === 0 && resolve() });
    });
  }

  /** Resolves when the life is to end. */
  async dying({ kind, after, ms }: Death): Promise<void> {
    const late = sleep(LATEST_MS).then(() => {
      throw new Error(
        `Nothing to kill within ${LATEST_MS} ms. The page said: ${this.said.slice(-8).join(' | ') || 'nothing'}`,
      );
    });
    if (kind === 'start') return Promise.race([sleep(ms), this.until(/^step /), late]);
    if (kind === 'commit') return Promise.race([this.until(/^inside-commit$/), late]);
    await Promise.race([this.until(/^step /, after), late]);
    // On a fast machine the run may be far ahead after this time: never more than four steps.
    await Promise.race([sleep(ms), this.until(/^step /, 4)]);
  }
}

interface Harness {
  profile: string;
  url: string;
  experiment: unknown;
}

async function born({ profile, url }: Harness): Promise<{ life: Life; ears: Ears }> {
  const ears = new Ears();
  return { life: await open(profile, url, ears.hear), ears };
}

const begin = ({ page }: Life, name: string, experiment: unknown) =>
  page.evaluate(([n, e]) => window.crash.run(n as string, e).then((run) => run.id), [name, experiment] as const);

/** Opens the browser, lets the run go on, and kills it as `death` says. Gives back the committed step heard last. */
async function liveAndDie(harness: Harness, death: Death): Promise<string> {
  const { life, ears } = await born(harness);
  const started = Date.now();
  try {
    const id = await begin(life, 'killed', harness.experiment);
    if (death.kind === 'commit') await life.page.evaluate((nth) => window.crash.stretchCommit(nth), death.after);
    const training = life.page.evaluate((run) => window.crash.train(run), id);
    training.catch(() => {});
    await ears.dying(death);
  } finally {
    await life.kill();
  }
  const steps = ears.said.filter((event) => event.startsWith('step '));
  const where = {
    commit: `inside its commit ${death.after}`,
    random: `${death.ms} ms after its step ${death.after}`,
    start: `${death.ms} ms after its start`,
  };
  return `killed after ${((Date.now() - started) / 1000).toFixed(1)} s (${where[death.kind]}); last heard: ${steps.at(-1) ?? 'no step'}`;
}

/** Trains a run to its end and reads its records. */
async function finish(harness: Harness, name: string): Promise<StepRecord[]> {
  const { life } = await born(harness);
  try {
    const id = await begin(life, name, harness.experiment);
    await life.page.evaluate((run) => window.crash.train(run), id);
    return await life.page.evaluate((run) => window.crash.records(run), id);
  } finally {
    await life.kill();
  }
}

/** Each number that differs, in words. */
function differences(never: readonly StepRecord[], killed: readonly StepRecord[]): string[] {
  const found: string[] = [];
  if (never.length !== killed.length) found.push(`${never.length} records against ${killed.length}`);
  for (const [i, record] of never.entries()) {
    const [a, b] = [withoutTimes(record), killed[i] && withoutTimes(killed[i])];
    for (const name of Object.keys(a.metrics))
      if (a.metrics[name] !== b?.metrics[name])
        found.push(`step ${record.step} ${name}: ${a.metrics[name]} against ${b?.metrics[name]}`);
    if (JSON.stringify(a.evaluation) !== JSON.stringify(b?.evaluation))
      found.push(`step ${record.step}: the evaluations differ`);
  }
  return found;
}

async function serve(root: string): Promise<{ url: string; close(): Promise<void> }> {
  const outDir = join(root, 'build/crash');
  const input = join(root, 'tests/crash/page.html');
  await build({
    configFile: join(root, 'vite.config.ts'),
    root,
    logLevel: 'error',
    build: { outDir, rollupOptions: { input } },
  });
  const server = await preview({
    configFile: false,
    root,
    logLevel: 'error',
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0 },
  });
  const { port } = server.httpServer.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/tests/crash/page.html`, close: () => server.close() };
}

async function main(): Promise<number> {
  requireBrowser();
  const seed = Number(process.env.TABGYM_SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed} (TABGYM_SEED=${seed} repeats it)`);
  const root = await repositoryRoot();
  const server = await serve(root);
  const profile = mkdtempSync(join(tmpdir(), 'tabgym-crash-'));
  const micro = JSON.parse(readFileSync(join(root, 'experiments/micro.json'), 'utf8'));
  const harness: Harness = { profile, url: server.url, experiment: { ...micro, steps: STEPS } };
  try {
    const plan = deaths(random(seed));
    for (const [i, death] of plan.entries()) console.log(`${i + 1}/${plan.length} ${await liveAndDie(harness, death)}`);
    const killed = await finish(harness, 'killed');
    console.log(`the run that was killed ${plan.length} times is finished, at step ${killed.at(-1)?.step}`);
    const never = await finish(harness, 'never killed');
    console.log(`the run that was never killed is finished, at step ${never.at(-1)?.step}`);
    const different = differences(never, killed);
    for (const line of different.slice(0, 20)) console.log(`  ${line}`);
    const numbers = never.reduce((sum, record) => sum + Object.keys(withoutTimes(record).metrics).length, 0);
    const ok = different.length === 0 && never.length === STEPS + 1;
    console.log(
      ok
        ? `agree: ${numbers} numbers over ${never.length} records, after 10 kills`
        : `DIFFER in ${different.length} places`,
    );
    return ok ? 0 : 1;
  } finally {
    await server.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
