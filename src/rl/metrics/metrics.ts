/**
 * Every metric of a step: name, unit, one sentence. The page, docs/metrics.md and `--help` read them from here; a
 * record may hold no other name.
 */
import type { Ending } from '../episode/trajectory.ts';
import { worldOfMetric, worldSentence } from './by-world.ts';
import { agreementMetrics } from './game-metrics.ts';
import { gapSentence, gapTurns } from './gap.ts';

export type MetricUnit =
  | 'fraction'
  | 'score'
  | 'turns'
  | 'episodes'
  | 'groups'
  | 'tokens'
  | 'tokens/s'
  | 'nats'
  | 'ms'
  | 'count'
  | 'FLOP'
  | 'number';
export type MetricGroup = 'task' | 'endings' | 'policy' | 'update' | 'speed' | 'cost';

export interface Metric {
  name: string;
  unit: MetricUnit;
  group: MetricGroup;
  /** One sentence for a person. */
  sentence: string;
}

export const metricGroups: { [group in MetricGroup]: string } = {
  task: 'Performance on the task',
  endings: 'Endings of episodes',
  policy: 'State of the policy',
  update: 'Effect of the update',
  speed: 'Speed',
  cost: 'Cost',
};

const metric = (group: MetricGroup, name: string, unit: MetricUnit, sentence: string): Metric => ({
  name,
  unit,
  group,
  sentence,
});

/** Name of the metric that counts an ending, as a share of the step's episodes. */
export const endingMetric: { [ending in Ending]: string } = {
  success: 'endingSuccess',
  done: 'endingDone',
  horizon: 'endingHorizon',
  context: 'endingContext',
  'invalid-action': 'endingInvalidAction',
  'world-failure': 'endingWorldFailure',
};

export const metrics: readonly Metric[] = [
  metric('task', 'episodes', 'episodes', 'Episodes played in this step.'),
  metric(
    'task',
    'success',
    'fraction',
    'Share of this step’s episodes that reached the goal; those whose world failed, that ran out of room or that branch off another one are not counted.',
  ),
  metric(
    'task',
    'chance',
    'fraction',
    'Share that a uniformly random choice of valid actions reaches on the same tasks under the same horizon.',
  ),
  metric(
    'task',
    'oracle',
    'fraction',
    'Share that the world’s own oracle reaches on the same tasks under the same horizon.',
  ),
  metric('task', 'score', 'score', 'Mean score of the episodes as the world gives it: the reward of the last turn.'),
  metric(
    'task',
    'return',
    'score',
    "Mean return used in training: the reward, or the score where none is composed, adjusted by the experiment's rule for each ending.",
  ),
  metric(
    'task',
    'reward',
    'score',
    'Mean reward of the episodes before the rules for endings; recorded only where the experiment composes its reward.',
  ),
  metric('task', 'turns', 'turns', 'Mean number of turns an episode took.'),
  metric('task', 'horizon', 'turns', 'Mean number of turns an episode was allowed.'),
  metric('task', 'validActions', 'fraction', 'Share of actions that the world accepted.'),
  metric(
    'task',
    'repeatedTurns',
    'fraction',
    'Share of the turns that branched episodes repeated from others of their group; recorded only where episodes branch.',
  ),
  metric(
    'task',
    'replyTokens',
    'tokens',
    'Mean number of tokens that the policy wrote in a turn, its thought included.',
  ),
  metric(
    'task',
    'cutReplies',
    'fraction',
    'Share of turns of free text to which the end of the reply was added, mostly because it reached the limit of tokens.',
  ),
  metric('task', 'demonstrations', 'episodes', 'Episodes that the oracle played to be learnt from.'),
  metric(
    'task',
    'keptApartLoss',
    'nats',
    'Mean negative log-probability of the oracle’s play on the training goals that imitation stops on.',
  ),
  metric(
    'task',
    'imitationStopped',
    'fraction',
    'Equal to 1 once imitation has stopped early; its steps then change nothing.',
  ),
  metric(
    'task',
    'demonstrationsSkipped',
    'episodes',
    'Tasks without a demonstration by the oracle: it has no plan, or its plan is too long.',
  ),
  metric('endings', 'endingSuccess', 'fraction', 'Share of episodes that ended at the goal.'),
  metric('endings', 'endingDone', 'fraction', 'Share of episodes that the world ended short of the goal.'),
  metric('endings', 'endingHorizon', 'fraction', 'Share of episodes that ran out of turns.'),
  metric(
    'endings',
    'endingContext',
    'fraction',
    'Share of episodes whose next turn would not have fitted in the policy’s context.',
  ),
  metric('endings', 'endingInvalidAction', 'fraction', 'Share of episodes that a refused action ended.'),
  metric('endings', 'endingWorldFailure', 'fraction', 'Share of episodes in which the world itself failed.'),
  metric(
    'policy',
    'entropy',
    'nats',
    'Mean entropy of the choices at the sampling temperature, under the mask: how undecided the policy is.',
  ),
  metric(
    'policy',
    'kl',
    'nats',
    'Mean estimate of the divergence from the frozen reference policy; measured only where the experiment has a KL term.',
  ),
  metric(
    'policy',
    'policyShift',
    'nats',
    'Mean of old minus new log-probability: the distance of the updated policy from the one that sampled.',
  ),
  metric(
    'policy',
    'logprobGap',
    'nats',
    'Mean difference between the log-probability when sampled and when first recomputed for training; should be near 0, and hundredths where keys and values are kept in int8.',
  ),
  metric(
    'policy',
    'logprobGapMax',
    'nats',
    'Largest difference between the log-probability when sampled and when first recomputed for training.',
  ),
  metric(
    'update',
    'loss',
    'number',
    'Mean objective of the updates. It is minimised, but its value alone means little.',
  ),
  metric('update', 'policyLoss', 'number', 'Mean of the clipped policy term over the tokens, before aggregation.'),
  metric('update', 'gradNorm', 'number', 'Mean global norm of the gradient before it was clipped.'),
  metric(
    'update',
    'clipLowFraction',
    'fraction',
    'Share of tokens beyond the low clip: already less likely by the allowed amount.',
  ),
  metric(
    'update',
    'clipHighFraction',
    'fraction',
    'Share of tokens beyond the high clip: already more likely by the allowed amount.',
  ),
  metric(
    'update',
    'dualClipFraction',
    'fraction',
    'Share of tokens held by the dual clip: a bad action that became far more likely.',
  ),
  metric(
    'update',
    'groupsWithoutSignal',
    'fraction',
    'Share of groups whose returns are all equal: nothing to learn from them.',
  ),
  metric(
    'update',
    'signal',
    'number',
    'Squared length of the mean gradient over the variance of one group’s gradient, estimated without bias, so it can be negative: at 0.01 a step of 100 groups has as much signal as noise.',
  ),
  metric(
    'update',
    'signalGroups',
    'groups',
    'Groups that one step needs for its gradient to point the right way nine times in ten: to have a positive product with the mean gradient.',
  ),
  metric('update', 'gradientSquare', 'number', 'Estimate of the squared length of the mean gradient.'),
  metric(
    'update',
    'gradientVariance',
    'number',
    'Estimate of the variance of one group’s gradient, summed over all weights.',
  ),
  metric(
    'update',
    'gradientAlong',
    'number',
    'Estimate of the variance of one group’s gradient along the mean gradient, times its squared length.',
  ),
  metric('update', 'advantageMagnitude', 'number', 'Mean absolute advantage of the trajectories.'),
  metric('update', 'learningRate', 'number', 'Learning rate of this step, after warm-up and decay.'),
  metric('update', 'updates', 'count', 'Optimiser steps taken in this step.'),
  metric('update', 'chosenTokens', 'tokens', 'Tokens the policy chose among several: those the loss counts.'),
  metric('update', 'trainedEpisodes', 'episodes', 'Episodes that were kept to be made likelier.'),
  metric('update', 'pairs', 'count', 'Pairs of a better and a worse episode that were compared.'),
  metric('update', 'desirable', 'fraction', 'Share of the episodes that count as good.'),
  metric(
    'update',
    'preferenceAccuracy',
    'fraction',
    'Share of pairs whose better episode is already likelier than the worse, relative to the reference.',
  ),
  metric(
    'update',
    'preferenceMargin',
    'number',
    "Mean margin in log-probability of a pair's better episode over the worse, relative to the reference, times beta.",
  ),
  metric(
    'update',
    'ktoBaseline',
    'nats',
    'Increase in log-probability of other replies to the same prompts, the baseline for good and bad episodes.',
  ),
  metric(
    'update',
    'valueLoss',
    'number',
    'Mean loss of the critic: half the squared difference between predicted and actual return.',
  ),
  metric(
    'update',
    'explainedVariance',
    'number',
    "Share of the returns' variance that the critic predicted: 1 is all of it, 0 is no better than their mean.",
  ),
  metric('update', 'rewardKl', 'nats', 'Mean distance to the reference that was taken from the rewards.'),
  metric('update', 'klPrice', 'number', 'Coefficient of that distance in this step.'),
  metric('update', 'clipBoundLow', 'number', 'Low bound of the ratio that this step’s updates were clipped to.'),
  metric('update', 'clipBoundHigh', 'number', 'High bound of the ratio that this step’s updates were clipped to.'),
  metric('update', 'positiveShare', 'number', 'Share of the clipped update that came from good actions.'),
  metric('update', 'stepGroups', 'groups', 'Groups of turns of one task that were taken in the same observation.'),
  metric(
    'update',
    'stepCredit',
    'fraction',
    'Share of the turns that could be compared with another of the same observation.',
  ),
  metric(
    'update',
    'branchCredit',
    'fraction',
    'Share of the turns whose branch has another value than the state in which it was taken.',
  ),
  metric(
    'task',
    'exploitability',
    'score',
    'Mean payoff of a best response to the policy before this step’s update, over both seats; computed exactly. 0: an equilibrium.',
  ),
  metric(
    'task',
    'exploitabilityOfMean',
    'score',
    'Exploitability of the mean of the strategies of all steps, in which a step counts by its number; computed exactly.',
  ),
  ...agreementMetrics,
  metric('task', 'leagueRating', 'number', 'Elo rating of the policy among its earlier selves, 1,000 at the start.'),
  metric('task', 'leagueFirstRating', 'number', 'Elo rating of the earliest self that is kept.'),
  metric('task', 'leagueOwnRating', 'number', 'Elo rating of the world’s own player, 1,000 at the start.'),
  metric('task', 'leagueSelves', 'count', 'Number of earlier selves that are kept as opponents.'),
  metric(
    'policy',
    'taskInformation',
    'nats',
    'Mutual information between the task and the first action of an episode, estimated from counts: 0 where actions do not depend on the task.',
  ),
  metric(
    'policy',
    'teacherKl',
    'nats',
    "Distance of the policy from its teacher: the mean log-probability of the sampled tokens minus the teacher's, an estimate of the reverse KL.",
  ),
  metric('policy', 'teacherDivergence', 'nats', 'Divergence of the policy from its teacher over all allowed tokens.'),
  metric('update', 'waves', 'count', 'Number of rounds of tasks that the step played to find groups with signal.'),
  metric('update', 'droppedGroups', 'fraction', 'Share of the groups played that had no signal and were replaced.'),
  metric(
    'policy',
    'rolloutKl',
    'nats',
    'Mean of sampled minus recomputed log-probability: the difference between sampler and trainer.',
  ),
  metric('policy', 'rolloutDivergence', 'nats', 'The same distance by the k3 estimator, which is never negative.'),
  metric(
    'policy',
    'rolloutChiSquared',
    'number',
    'The same distance as a chi-squared divergence, which rare large gaps dominate.',
  ),
  metric('policy', 'importanceWeight', 'number', 'Mean importance weight of the tokens after truncation or masking.'),
  metric('policy', 'rejectedTokens', 'fraction', 'Share of the tokens that were left out as too far from the sampler.'),
  metric('task', 'goalsRepeated', 'fraction', 'Share of the step’s draws that repeated an earlier task.'),
  metric('task', 'goalsWaiting', 'count', 'Tasks failed by a whole group that wait to be tried again.'),
  metric('task', 'goalsSolvedLater', 'count', 'Failed tasks that were solved at a later try, since the run began.'),
  metric('task', 'goalsGivenUp', 'count', 'Failed tasks that were given up after their last try, since the run began.'),
  metric('task', 'goalsKept', 'count', 'Successful episodes that are kept.'),
  metric('task', 'goalsParts', 'count', 'Parts of failed tasks that wait to be practised.'),
  metric('task', 'goalsPartsSolved', 'count', 'Parts of failed tasks that were solved, since the run began.'),
  metric(
    'task',
    'goalsRelabelled',
    'episodes',
    'Failed episodes of the step that were kept as a success at a part of their task.',
  ),
  metric('task', 'goalsSkills', 'count', 'Skills that are kept.'),
  metric('task', 'goalsSkillTurns', 'fraction', 'Share of the step’s turns that took a skill.'),
  metric('task', 'goalsReplayed', 'count', 'Kept successes that joined the update of their tasks.'),
  metric('task', 'goalsReplayWeight', 'fraction', 'Mean share of these kept successes in the update of their tasks.'),
  metric('update', 'goalsDistilled', 'episodes', 'Episodes in this step’s update on kept successes alone.'),
  metric('update', 'goalsDistilLoss', 'number', 'Mean objective of the update on kept successes alone.'),
  metric('cost', 'judgeRequests', 'count', 'Requests sent to the judge of the reward.'),
  metric('cost', 'judgeKnown', 'count', 'Episodes whose score by the judge was known from an equal request.'),
  metric(
    'cost',
    'judgeUnread',
    'count',
    'Replies of the judge without a score; these episodes are left out of training.',
  ),
  metric('speed', 'stepMs', 'ms', 'Time of the whole step.'),
  metric('speed', 'rolloutMs', 'ms', 'Time spent playing the episodes.'),
  metric('speed', 'trainMs', 'ms', 'Time spent on the updates, the reference’s scores included.'),
  metric('speed', 'rolloutTokensPerSecond', 'tokens/s', 'Tokens prefilled and generated a second of rollout.'),
  metric('speed', 'generatedTokensPerSecond', 'tokens/s', 'Tokens generated a second of rollout.'),
  metric('speed', 'trainTokensPerSecond', 'tokens/s', 'Tokens trained a second of updating.'),
  metric('cost', 'tokensPrefilled', 'tokens', 'Tokens of prompts and observations the policy read during rollout.'),
  metric('cost', 'tokensGenerated', 'tokens', 'Tokens the policy sampled.'),
  metric('cost', 'tokensTrained', 'tokens', 'Tokens that went through forward and backward.'),
  metric('cost', 'prefillPerGenerated', 'number', 'Tokens read for each token sampled.'),
  metric('cost', 'dispatches', 'count', 'GPU dispatches.'),
  metric('cost', 'submissions', 'count', 'GPU submissions.'),
  metric('cost', 'readbacks', 'count', 'Times the page waited for numbers from the GPU.'),
  metric('cost', 'flops', 'FLOP', 'Floating-point operations, a multiply-add counted as two.'),
  metric('cost', 'buffersCreated', 'count', 'GPU buffers created during the step; must be 0.'),
];

const byName = new Map(metrics.map((entry) => [entry.name, entry]));

const partPrefix = 'reward.';

/** Name of the metric of a reward's part, by its column. */
export const partMetric = (column: string): string => `${partPrefix}${column}`;

/** Column of a part's metric; null: another metric. */
export const partColumn = (name: string): string | null =>
  name.startsWith(partPrefix) ? name.slice(partPrefix.length) : null;

/** Sentence of the metrics of all parts of a composed reward. */
export const partSentence = 'Mean value of this part of the reward, before its weight.';

const actionPrefix = 'actions.';
export const actionSentence =
  'Share of the turns with this kind of action: its first word, and its first two words where a first word has two to four second words.';

/** Name of the metric of a kind of action. */
export const actionMetric = (kind: string): string => `${actionPrefix}${kind}`;

/** Kind of action of a metric; null: another metric. */
export const actionKind = (name: string): string | null =>
  name.startsWith(actionPrefix) ? name.slice(actionPrefix.length) : null;

/** Metrics of a family of goals, where the experiment chooses them: unit and sentence. */
export const goalMetrics = {
  success: { unit: 'fraction', sentence: 'Success of this family of goals, with older steps counting less.' },
  share: { unit: 'fraction', sentence: 'Share of the step’s new draws that the rule gave this family of goals.' },
  draws: { unit: 'count', sentence: 'Draws of this family of goals since the run began.' },
  skill: { unit: 'count', sentence: 'Turns that took this skill since it was learnt.' },
} as const;

export type GoalMetric = keyof typeof goalMetrics;

/** Name of a metric of a family of goals. */
export const goalMetric = (what: GoalMetric, family: string): string => `goals.${what}.${family}`;

/** Parts of the name of a family's metric; null: another metric. */
export function goalMetricParts(name: string): { what: GoalMetric; family: string } | null {
  const [, what, family] = /^goals\.(success|share|draws|skill)\.(.+)$/.exec(name) ?? [];
  return family === undefined ? null : { what: what as GoalMetric, family };
}

/** Sentences of the metrics whose names hold a column or a family, by what they measure. */
export const openMetricSentences: readonly (readonly [what: string, sentence: string])[] = [
  ['part', partSentence],
  ['action', actionSentence],
  ['gap', gapSentence],
  ['world', worldSentence],
  ...Object.entries(goalMetrics).map(([what, { sentence }]) => [`goal-${what}`, sentence] as const),
];

/** Unit and sentence of a metric whose name holds a column or a family; null: another metric. */
export function openMetric(name: string): { what: string; unit: MetricUnit; sentence: string } | null {
  if (partColumn(name) !== null) return { what: 'part', unit: 'score', sentence: partSentence };
  if (actionKind(name) !== null) return { what: 'action', unit: 'fraction', sentence: actionSentence };
  if (gapTurns(name) !== null) return { what: 'gap', unit: 'nats', sentence: gapSentence };
  if (worldOfMetric(name) !== null) return { what: 'world', unit: 'fraction', sentence: worldSentence };
  const goal = goalMetricParts(name);
  return goal && { what: `goal-${goal.what}`, ...goalMetrics[goal.what] };
}

export function metricNamed(name: string): Metric | undefined {
  const open = openMetric(name);
  if (open) return metric('task', name, open.unit, open.sentence);
  return byName.get(name);
}

/** True for metrics that differ between two runs with equal numbers. */
export function isTiming(name: string): boolean {
  const unit = byName.get(name)?.unit;
  return unit === 'ms' || unit === 'tokens/s';
}
