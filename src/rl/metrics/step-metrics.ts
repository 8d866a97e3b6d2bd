/** Metrics of a step, from its trajectories and from the policy's counters. Names and sentences are in metrics.ts. */
import type { Counters } from '../../policy/policy.ts';
import { mean } from '../common/numbers.ts';
import type { GroupSummary } from '../credit/groups.ts';
import { type Ending, TokenSource, type Trajectory } from '../episode/trajectory.ts';
import { isPlayed } from '../episode/unplayed.ts';
import { worldMetrics } from './by-world.ts';
import { actionMetric, endingMetric } from './metrics.ts';
import { actionShares, taskInformation } from './replies.ts';

type Values = { [metric: string]: number };

/** Rates and means leave out episodes that show nothing about the policy: a failed world, no room for a turn. */
export function rolloutMetrics(trajectories: readonly Trajectory[], summary: GroupSummary): Values {
  const played = trajectories.filter(isPlayed);
  const average = (read: (trajectory: Trajectory) => number) => mean(played.map(read));
  const turns = trajectories.flatMap((trajectory) => trajectory.turns);
  return {
    episodes: trajectories.length,
    ...outcomes(played),
    ...branchMetrics(trajectories),
    return: mean(Array.from(summary.returns).filter((value) => !Number.isNaN(value))),
    turns: average((trajectory) => trajectory.turns.length),
    horizon: average(({ horizon }) => horizon),
    validActions: mean(turns.map(({ valid }) => (valid ? 1 : 0))),
    groupsWithoutSignal: summary.withoutSignal / Math.max(summary.groups, 1),
    advantageMagnitude: average(({ advantage }) => Math.abs(advantage)),
    ...endingShares(trajectories),
    ...actionMetrics(played),
    ...worldMetrics(played),
    ...replyMetrics(played),
  };
}

/** Success and score; none without an episode that was played. An episode that begins in the middle of another one says nothing about the whole task. */
function outcomes(played: readonly Trajectory[]): Values {
  const whole = played.filter(({ branch }) => !branch);
  if (whole.length === 0) return {};
  return {
    success: mean(whole.map(({ success }) => (success ? 1 : 0))),
    score: mean(whole.map(({ score }) => score)),
  };
}

/** Share of the turns that branched episodes repeated; none without them. */
function branchMetrics(trajectories: readonly Trajectory[]): Values {
  if (!trajectories.some(({ branch }) => branch)) return {};
  const sum = (of: (trajectory: Trajectory) => number) => trajectories.reduce((all, each) => all + of(each), 0);
  return {
    repeatedTurns:
      sum(({ branch }) => branch?.turns ?? 0) /
      Math.max(
        1,
        sum(({ turns }) => turns.length),
      ),
  };
}

/** Length of the replies, and the share of free ones that did not end by themselves. */
function replyMetrics(played: readonly Trajectory[]): Values {
  const lengths = played.flatMap(({ turns, source }) =>
    turns.map(({ actionStart, actionEnd }) => policyTokens(source.subarray(actionStart, actionEnd))),
  );
  const free = played.filter(({ choices }) => choices === null);
  // The conversation adds the end of a turn to a reply that lacks it.
  const cut = free.flatMap(({ turns, source }) =>
    turns.map(({ actionEnd }) => (source[actionEnd - 1] === TokenSource.template ? 1 : 0)),
  );
  return {
    ...(lengths.length > 0 && { replyTokens: mean(lengths) }),
    ...(cut.length > 0 && { cutReplies: mean(cut) }),
  };
}

const policyTokens = (source: Uint8Array): number => source.filter((each) => each === TokenSource.policy).length;

function actionMetrics(played: readonly Trajectory[]): Values {
  const information = taskInformation(played);
  return {
    ...(Number.isNaN(information) ? {} : { taskInformation: information }),
    ...Object.fromEntries([...actionShares(played)].map(([kind, share]) => [actionMetric(kind), share])),
  };
}

function endingShares(trajectories: readonly Trajectory[]): Values {
  return Object.fromEntries(
    (Object.keys(endingMetric) as Ending[]).map((ending) => [
      endingMetric[ending],
      mean(trajectories.map((trajectory) => (trajectory.ending === ending ? 1 : 0))),
    ]),
  );
}

/** Costs, from the counters before the rollout, after it, and after the updates. */
export function costMetrics(
  before: Counters,
  played: Counters,
  after: Counters,
  times: { rolloutMs: number; trainMs: number },
): Values {
  const cost = (name: keyof Counters) => after[name] - before[name];
  const prefilled = played.tokensPrefilled - before.tokensPrefilled;
  const generated = played.tokensGenerated - before.tokensGenerated;
  const perSecond = (count: number, ms: number) => (1000 * count) / Math.max(ms, 1e-3);
  return {
    ...times,
    rolloutTokensPerSecond: perSecond(prefilled + generated, times.rolloutMs),
    generatedTokensPerSecond: perSecond(generated, times.rolloutMs),
    trainTokensPerSecond: perSecond(cost('tokensTrained'), times.trainMs),
    tokensPrefilled: prefilled,
    tokensGenerated: generated,
    tokensTrained: cost('tokensTrained'),
    prefillPerGenerated: prefilled / Math.max(generated, 1),
    dispatches: cost('dispatches'),
    submissions: cost('submissions'),
    readbacks: cost('readbacks'),
    flops: cost('flops'),
    buffersCreated: cost('buffersCreated'),
  };
}
