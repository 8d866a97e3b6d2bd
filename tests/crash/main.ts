/**
 * `npm run test:crash [-- PART...] [--times N] [--write]`: one run of a micro experiment in Chromium, whose whole
 * process group is killed ten times: at random instants, while it starts, and inside the transaction of a commit. The
 * run must end with the metrics of a run that was never killed. Then the GPU process is killed. Then, in the same
 * browser: a full disk, quotas and deletions of the page's storage, two tabs that want the same run, runs whose step is
 * more than a rollout and an update (a critic, stages, refills, rounds of AgentEvol), a typed world with a typed reward,
 * and kills in the middle of a sweep and of an evaluation. `--times`: kills of the GPU process, and tries of quotas and
 * deletions; `--write`: their rows in docs/hardening.md.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import { build, preview } from 'vite';
import { requireBrowser } from '../../scripts/machine.mjs';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { repositoryRoot } from '../../src/envs/transport/wasm.ts';
import type { StepRecord } from '../../src/session/protocol.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { countsPage, type Outcome, rowOf, writeRow } from '../../tools/hardening/outcome.ts';
import { algorithmCases, typedCase } from './cases.ts';
import { killedGpus, refusedGpu } from './gpu.ts';
import { differences, finish, type Harness, idOf, liveAndDie } from './harness.ts';
import type {} from './page.ts';
import type { Death } from './page-events.ts';
import { evictions, fullQuotas } from './storage.ts';
import { killedEvaluation, killedSweep } from './sweeps.ts';
import { fullDisk, type Result, twoTabs } from './tabs.ts';

/** More steps than ten lives reach on a machine that kills slowly and trains fast. */
const STEPS = 120;
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

async function tenKills(harness: Harness, never: readonly StepRecord[], plan: readonly Death[]): Promise<Result> {
  for (const [i, death] of plan.entries())
    console.log(`${i + 1}/${plan.length} ${await liveAndDie(harness, 'killed', death)}`);
  const killed = await finish(harness, 'killed');
  const problems = differences(never, killed);
  if (never.length !== STEPS + 1) problems.push(`the run never killed has ${never.length} records`);
  const numbers = never.reduce((sum, record) => sum + Object.keys(withoutTimes(record).metrics).length, 0);
  return {
    what: `${plan.length} kills, ${numbers} numbers over ${killed.length} records compared`,
    problems: problems.slice(0, 20),
  };
}

const parts = [
  'kills',
  'gpu',
  'disk',
  'quota',
  'eviction',
  'tabs',
  'sweep',
  'evaluation',
  'typed',
  'algorithms',
] as const;
type PartName = (typeof parts)[number];

const program = new Command('crash')
  .description('Kills Chromium in training, takes its storage away, and compares the runs with undisturbed ones.')
  .addArgument(new Argument('[parts...]', 'parts of the test; all without one').choices(parts))
  .option('--times <n>', 'tries of the parts gpu, quota and eviction', wholeFrom(1), 5)
  .option('--write', `write the counts of these parts into ${countsPage}`, false);

const wanted = (part: PartName) => !program.args.length || program.args.includes(part);

/** Prints the row of a counted part in docs/hardening.md, and with --write writes it there. */
function counted(outcome: Outcome, part: PartName): Result {
  const line = rowOf(outcome, `npm run test:crash -- ${part} --times ${outcome.tried}`);
  console.log(line);
  if (program.opts<{ write: boolean }>().write) writeRow(`npm run test:crash -- ${part}`, line);
  return { what: `${outcome.tried} times: ${part}`, problems: outcome.lost ? [`${outcome.lost} lost`] : [] };
}

async function main(): Promise<number> {
  program.parse();
  const { times } = program.opts<{ times: number }>();
  requireBrowser();
  const seed = Number(process.env.TABGYM_SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed} (TABGYM_SEED=${seed} repeats it)`);
  const root = await repositoryRoot();
  const server = await serve(root);
  const profile = mkdtempSync(join(tmpdir(), 'tabgym-crash-'));
  const micro = JSON.parse(readFileSync(join(root, 'experiments/micro.json'), 'utf8'));
  const harness: Harness = { profile, url: server.url, experiment: { ...micro, steps: STEPS } };
  try {
    const plain = wanted('kills') || wanted('tabs') || wanted('evaluation');
    const never = plain ? await finish(harness, 'never killed') : [];
    if (plain) console.log(`a run that is never killed is finished, at step ${never.at(-1)?.step}`);
    const results: Result[] = [];
    if (wanted('kills')) results.push(await tenKills(harness, never, deaths(random(seed))));
    if (wanted('gpu')) {
      results.push(counted(await killedGpus(harness, times), 'gpu'));
      results.push(await refusedGpu(harness));
    }
    if (wanted('disk')) results.push(await fullDisk(harness));
    if (wanted('quota')) results.push(counted(await fullQuotas(harness, times), 'quota'));
    if (wanted('eviction')) results.push(counted(await evictions(harness, times), 'eviction'));
    if (wanted('tabs')) results.push(await twoTabs(harness, never));
    if (wanted('sweep')) results.push(await killedSweep(harness));
    if (wanted('evaluation')) results.push(await killedEvaluation(harness, await idOf(harness, 'never killed')));
    if (wanted('typed')) results.push(await typedCase(harness, micro));
    if (wanted('algorithms')) results.push(...(await algorithmCases(harness, micro)));
    for (const { what, problems } of results) console.log(`${what}: ${problems.length ? problems.join('; ') : 'ok'}`);
    return results.every(({ problems }) => !problems.length) ? 0 : 1;
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
