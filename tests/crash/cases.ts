// Runs whose step is more than a rollout and an update. Each is killed in the part that differs, and must end with the
// numbers of the same run without a kill.
import type { StepRecord } from '../../src/session/protocol.ts';
import { typedWorld, worldTemplates } from '../../src/worlds/registry.ts';
import { differences, finish, type Harness, liveAndDie } from './harness.ts';
import type { Death } from './page-events.ts';
import type { Result } from './tabs.ts';

interface Case {
  name: string;
  /** Changes to the micro experiment. */
  changes: { [field: string]: unknown };
  deaths: readonly Death[];
  /** True if the records of the run without a kill show the behaviour that the case is about. */
  happened(records: readonly StepRecord[]): boolean;
}

/** More steps than two lives reach. */
const STEPS = 40;

const shared = { groups: 2, groupSize: 4 };
const death = (kind: Death['kind'], after: number, ms = 0): Death => ({ kind, after, ms });
const anyOf = (metric: string, holds: (value: number) => boolean) => (records: readonly StepRecord[]) =>
  records.some(({ metrics }) => metric in metrics && holds(metrics[metric]));

const cases: readonly Case[] = [
  {
    name: 'a critic of its own, and an adaptive price of the KL',
    changes: {
      algorithm: {
        name: 'ppo',
        ...shared,
        minibatches: 2,
        innerEpochs: 2,
        critic: 'separate',
        klReward: { coefficient: 0.05, estimator: 'k1', target: 0.01, horizon: 100 },
      },
    },
    deaths: [death('commit', 3), death('updates', 2)],
    happened: anyOf('valueLoss', (loss) => loss > 0),
  },
  {
    name: 'stages: demonstrations, then a critic on the policy’s own trunk',
    changes: {
      stages: [{ steps: 3, algorithm: { name: 'sft', ...shared }, learningRate: 0.004 }],
      algorithm: { name: 'ppo', ...shared, critic: 'shared' },
    },
    // The first kill is inside the last commit of the first stage (the first commit is that of step 0), the second
    // while the second stage learns.
    deaths: [death('commit', 4), death('updates', 2)],
    happened: (records) =>
      anyOf('demonstrations', (count) => count > 0)(records) && anyOf('valueLoss', (loss) => loss > 0)(records),
  },
  {
    name: 'a refill',
    changes: { algorithm: { name: 'dapo', ...shared, mostWaves: 4 } },
    deaths: [death('refill', 1), death('refill', 2)],
    happened: anyOf('waves', (waves) => waves > 1),
  },
  {
    name: 'a round of AgentEvol',
    changes: { algorithm: { name: 'agentevol', ...shared, originals: 4, innerEpochs: 2 } },
    deaths: [death('updates', 2), death('random', 1, 200)],
    happened: anyOf('demonstrations', (count) => count > 0),
  },
  {
    name: 'goals: failed tasks and their parts again, kept successes mixed in and distilled',
    changes: {
      worlds: [{ name: 'textcraft', weight: 1, options: { depths: [1, 2], distractors: 1 } }],
      algorithm: { name: 'grpo', ...shared },
      goals: {
        rule: 'frontier',
        retryShare: 0.5,
        retryGap: 1,
        retryTurns: 1,
        familyWeight: 1,
        partsShare: 0.25,
        relabels: 4,
        skills: 4,
        keep: 8,
        keptShare: 0.5,
        distilEvery: 2,
        distilEpisodes: 4,
      },
    },
    deaths: [death('commit', 5), death('updates', 3), death('random', 2, 200)],
    happened: (records) =>
      anyOf('goalsReplayed', (count) => count > 0)(records) && anyOf('goalsDistilled', (count) => count > 0)(records),
  },
];

/** A typed world with a typed reward: both run in sandboxes of their own. */
async function typed(): Promise<Case> {
  const { vending } = await worldTemplates();
  const code = 'export function reward({ score, turns }) { return score - 0.01 * turns.length; }';
  return {
    name: 'a typed world with a typed reward',
    changes: {
      worlds: [{ name: typedWorld().name, weight: 1, options: { code: vending } }],
      reward: { parts: [{ kind: 'function', name: 'typed', code }] },
    },
    deaths: [death('commit', 3), death('updates', 2), death('random', 1, 300)],
    happened: anyOf('reward.typed', (value) => value < 0),
  };
}

/** Both runs live in the same profile, so both use the kernels measured there. */
async function one(harness: Harness, { name, changes, deaths, happened }: Case, micro: object): Promise<Result> {
  const own = { ...harness, experiment: { ...micro, steps: STEPS, ...changes } };
  const never = await finish(own, `${name}, never killed`);
  for (const [i, each] of deaths.entries())
    console.log(`${name}: ${i + 1}/${deaths.length} ${await liveAndDie(own, `${name}, killed`, each)}`);
  const problems = differences(never, await finish(own, `${name}, killed`));
  if (never.length !== STEPS + 1) problems.push(`the run never killed has ${never.length} records`);
  if (!happened(never)) problems.push('the run did not show the behaviour of this case');
  return { what: `${name}: ${deaths.length} kills`, problems: problems.slice(0, 5) };
}

export const typedCase = async (harness: Harness, micro: object): Promise<Result> => one(harness, await typed(), micro);

export async function algorithmCases(harness: Harness, micro: object): Promise<Result[]> {
  const results: Result[] = [];
  for (const each of cases) results.push(await one(harness, each, micro));
  return results;
}
