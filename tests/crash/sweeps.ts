// Kills in the middle of a sweep and of an evaluation: both resume and end with the same results as without a kill.
import { readFileSync } from 'node:fs';
import type { StepRecord } from '../../src/session/protocol.ts';
import { born, differences, type Harness } from './harness.ts';
import type {} from './page.ts';
import { sleep } from './page-events.ts';
import type { Result } from './tabs.ts';

const document = () => {
  const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
  const variants = [
    { name: 'a', changes: {} },
    { name: 'b', changes: { 'optimizer.learningRate': 0.01 } },
  ];
  return { ...micro, steps: 4, sweep: { seeds: [1, 2], variants } };
};

/** Trains a sweep to its end and reads the records of its runs. */
async function finishSweep(harness: Harness, name: string): Promise<StepRecord[][]> {
  const { life } = await born(harness);
  try {
    const id = await life.page.evaluate(([n, d]) => window.crash.sweep(n as string, d), [name, document()] as const);
    await life.page.evaluate((sweep) => window.crash.trainSweep(sweep), id);
    return await life.page.evaluate((sweep) => window.crash.sweepRecords(sweep), id);
  } finally {
    await life.kill();
  }
}

/**
 * Kills the browser after `after` steps of all runs together, in a run that is unfinished while others are further
 * behind.
 */
async function killSweep(harness: Harness, name: string, after: number, ms: number): Promise<void> {
  const { life, events } = await born(harness);
  try {
    const reached = events.until(/^step [1-9]/, after);
    const id = await life.page.evaluate(([n, d]) => window.crash.sweep(n as string, d), [name, document()] as const);
    life.page.evaluate((sweep) => window.crash.trainSweep(sweep), id).catch(() => {});
    await reached;
    await sleep(ms);
  } finally {
    await life.kill();
  }
}

/** Three kills: in the first round, between two rounds, near the end. */
export async function killedSweep(harness: Harness): Promise<Result> {
  const never = await finishSweep(harness, 'sweep never killed');
  for (const [after, ms] of [
    [2, 30],
    [4, 200],
    [5, 0],
  ])
    await killSweep(harness, 'sweep killed', after, ms);
  const killed = await finishSweep(harness, 'sweep killed');
  const problems = never.flatMap((records, i) =>
    differences(records, killed[i]).map((problem) => `run ${i}: ${problem}`),
  );
  if (never.length !== 4 || killed.length !== 4) problems.push(`${never.length} runs against ${killed.length}`);
  if (never.some((records) => records.at(-1)?.step !== 4)) problems.push('the sweep never killed did not end');
  return { what: `3 kills of a sweep of ${never.length} runs`, problems: problems.slice(0, 10) };
}

const request = {
  suite: 'textcraft-test',
  samples: 4,
  greedy: false,
  temperature: 1,
  seed: 3,
  turns: [5],
  promptTokens: 640,
  completionTokens: 384,
};

async function evaluated(harness: Harness, run: string): Promise<string> {
  const { life } = await born(harness);
  try {
    return await life.page.evaluate(([id, suite]) => window.crash.evaluate(id as string, suite), [
      run,
      request,
    ] as const);
  } finally {
    await life.kill();
  }
}

/** Evaluates the policy of a trained run on a suite twice, the second time with a kill after the first piece. */
export async function killedEvaluation(harness: Harness, run: string): Promise<Result> {
  const problems: string[] = [];
  const never = await evaluated(harness, run);
  const { life, events } = await born(harness);
  try {
    // A piece is 200 episodes: the second piece has begun.
    const reached = events.until(/^evaluation 2[1-9]\d/);
    life.page
      .evaluate(([id, suite]) => window.crash.evaluate(id as string, suite), [run, request] as const)
      .catch(() => {});
    await reached;
  } finally {
    await life.kill();
  }
  const again = await born(harness);
  const cut = await again.life.page
    .evaluate((id) => window.crash.cutEvaluation(id), run)
    .finally(() => again.life.kill());
  if (cut !== 50) problems.push(`${cut} items were kept, not 50`);
  const killed = await evaluated(harness, run);
  if (killed !== never) problems.push(`the reports differ: ${never.length} and ${killed.length} characters`);
  return { what: 'a kill in the middle of an evaluation of 100 items', problems };
}
