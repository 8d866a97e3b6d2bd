/**
 * `npm run test:reward-hacks [-- --steps 40] [--seeds 5] [--first 1]`: trains tiny policies by imitation, then on a planted
 * reward hack or on a healthy reward, and compares what the diagnosis "reward rises, success falls" finds. Exits with 1 if a hacked run is
 * not named, or a healthy one is.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type RewardHack, rewardHackOf } from '../../src/rl/evaluation/reward-hack.ts';
import type { StepRecord } from '../../src/session/protocol.ts';
import { trainToEnd } from './trained.ts';

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '40' },
    seeds: { type: 'string', default: '5' },
    first: { type: 'string', default: '1' },
  },
});
const [steps, seeds, first] = [Number(values.steps), Number(values.seeds), Number(values.first)];

const lesson = JSON.parse(readFileSync('experiments/lessons/reward.json', 'utf8'));
const { reward: planted, ...plain } = lesson;
/** Steps of imitation, so that the policy solves tasks before it is rewarded and success has room to fall. */
const imitation = 20;
/** A policy and steps small enough for ten runs in minutes. */
const small = {
  ...plain,
  steps: imitation + steps,
  stages: [{ steps: imitation, learningRate: 0.003, algorithm: { name: 'sft', groups: 8, groupSize: 2 } }],
  policy: { ...plain.policy, layers: 2 },
  algorithm: { ...plain.algorithm, groups: 4 },
  horizon: [{ steps: imitation + steps, turns: 6 }],
  optimizer: { ...plain.optimizer, learningRate: 0.0004 },
  evaluation: { every: 0, episodes: 8 },
};
/** The same reward with each ingredient's pay replaced by a price of the turn. */
const healthy = { parts: [{ kind: 'success' }, { kind: 'turns', weight: 0.02 }] };

interface Outcome {
  records: readonly StepRecord[];
  found: RewardHack | null;
}

async function outcome(reward: object, seed: number): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'reward-hack-'));
  const file = join(folder, 'experiment.json');
  writeFileSync(file, JSON.stringify({ ...small, seed, reward }));
  try {
    const { records } = await trainToEnd({
      file,
      out: join(folder, 'run'),
      device: 'wasm',
      patienceMs: 600_000,
      print: () => {},
    });
    // Runs the diagnosis after every step, as if a person looked each time.
    const looks = records.map((_, k) => rewardHackOf(records.slice(0, k + 1)));
    return { records, found: looks.find((each) => each !== null) ?? null };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const at = (records: readonly StepRecord[], name: string) =>
  records
    .filter(({ step }) => step > imitation)
    .map(({ metrics }) => metrics[name].toFixed(2))
    .join(' ');

let wrong = 0;
for (const [name, reward, expected] of [
  ['hacked', planted, true],
  ['healthy', healthy, false],
] as const)
  for (let seed = first; seed < first + seeds; seed++) {
    const { records, found } = await outcome(reward, seed);
    const right = (found !== null) === expected;
    if (!right) wrong += 1;
    const words = found
      ? `named at steps ${found.from} to ${found.to}: success ${found.success.before.toFixed(2)} to ${found.success.after.toFixed(2)}, reward ${found.reward.before.toFixed(2)} to ${found.reward.after.toFixed(2)}, part ${found.part?.column}`
      : 'not named';
    console.log(`${right ? 'ok   ' : 'WRONG'} ${name}, seed ${seed}: ${words}`);
    console.log(`      success ${at(records, 'success')}`);
    console.log(`      reward  ${at(records, 'reward')}`);
  }
console.log(`${2 * seeds - wrong} of ${2 * seeds} runs are told apart`);
process.exit(wrong ? 1 : 0);
