/**
 * Metrics that the page draws: names, charts, and the series of each chart. Labels and units are in the registry of
 * metrics (`rl/metrics/metrics.ts`).
 */
import { msg } from '@lit/localize';
import type { Evaluation, SplitEvaluation, StepRecord } from '../../session/protocol.ts';

/** Names of the metrics that the page uses by their meaning. */
export const metricNames = {
  success: 'success',
  chance: 'chance',
  oracle: 'oracle',
  score: 'score',
  turns: 'turns',
  entropy: 'entropy',
  kl: 'kl',
  noSignal: 'groupsWithoutSignal',
  gradNorm: 'gradNorm',
  signal: 'signal',
  signalGroups: 'signalGroups',
  clipLow: 'clipLowFraction',
  clipHigh: 'clipHighFraction',
  validActions: 'validActions',
  replyTokens: 'replyTokens',
  cutReplies: 'cutReplies',
  endingHorizon: 'endingHorizon',
  endingFailure: 'endingWorldFailure',
  logprobGap: 'logprobGap',
  taskInformation: 'taskInformation',
  rolloutSpeed: 'rolloutTokensPerSecond',
  trainSpeed: 'trainTokensPerSecond',
  stepMs: 'stepMs',
} as const;

export type Dash = 'solid' | 'dashed' | 'dotted';

export interface SeriesSpec {
  label: string;
  /** Colour token of kit/styles/tokens.css. */
  color: string;
  dash: Dash;
  /** Name of a metric, or a function of the record. */
  read: string | ((record: StepRecord) => number | null | undefined);
  /** If true, a smoothed line is drawn over the raw one. */
  smooth?: boolean;
  /** Scale of the series: the left one, or a second one on the right. */
  scale?: 'right';
  hidden?: boolean;
}

/** Point with an interval, drawn over the lines. */
interface PointSpec {
  label: string;
  color: string;
  shape: 'disc' | 'diamond';
  read(evaluation: Evaluation): { value: number; low: number; high: number };
}

export interface ChartSpec {
  id: string;
  title: string;
  /** Fixed range of the left scale, or null. */
  range: [number, number] | null;
  series: SeriesSpec[];
  points: PointSpec[];
}

const ratePoint = (split: (evaluation: Evaluation) => SplitEvaluation) => (evaluation: Evaluation) => {
  const { rate, low, high } = split(evaluation).policy;
  return { value: rate, low, high };
};

const m = metricNames;

const successChart = (): ChartSpec => ({
  id: 'success',
  title: msg('Success'),
  range: [0, 1],
  series: [
    { label: msg('training'), color: '--series-1', dash: 'solid', read: m.success, smooth: true },
    { label: msg('chance'), color: '--series-chance', dash: 'dashed', read: m.chance },
    { label: msg('oracle'), color: '--series-oracle', dash: 'dotted', read: m.oracle },
  ],
  points: [
    { label: msg('evaluated'), color: '--series-1', shape: 'disc', read: ratePoint((each) => each.train) },
    { label: msg('held-out'), color: '--series-2', shape: 'diamond', read: ratePoint((each) => each.test) },
  ],
});

const plain = (id: string, title: string, range: ChartSpec['range'], series: SeriesSpec[]): ChartSpec => ({
  id,
  title,
  range,
  series,
  points: [],
});

const signalChart = (): ChartSpec =>
  plain('gradient-signal', msg('Signal of the gradient'), null, [
    { label: msg('signal'), color: '--series-1', dash: 'solid', read: m.signal, smooth: true },
    {
      label: msg('groups to point right'),
      color: '--series-2',
      dash: 'dashed',
      read: m.signalGroups,
      smooth: true,
      scale: 'right',
    },
  ]);

/**
 * All charts, in the order of the page. A function, because its labels depend on the language. `signal`: with the chart
 * of a metric that only some runs measure.
 */
export const charts = (signal = false): ChartSpec[] => [
  successChart(),
  plain('score', msg('Score and turns'), null, [
    { label: msg('score'), color: '--series-1', dash: 'solid', read: m.score, smooth: true },
    { label: msg('turns'), color: '--series-3', dash: 'dashed', read: m.turns, smooth: true, scale: 'right' },
  ]),
  plain('entropy', msg('Entropy and KL'), null, [
    { label: msg('entropy'), color: '--series-1', dash: 'solid', read: m.entropy, smooth: true },
    { label: msg('KL'), color: '--series-2', dash: 'dashed', read: m.kl, smooth: true, scale: 'right' },
  ]),
  plain(
    'signal',
    msg('Groups without signal'),
    [0, 1],
    [
      { label: msg('no signal'), color: '--series-4', dash: 'solid', read: m.noSignal, smooth: true },
      { label: msg('valid actions'), color: '--series-3', dash: 'dashed', read: m.validActions, smooth: true },
      { label: msg('at the horizon'), color: '--series-5', dash: 'dotted', read: m.endingHorizon, smooth: true },
    ],
  ),
  plain('gradient', msg('Gradient and clipping'), null, [
    { label: msg('gradient norm'), color: '--series-1', dash: 'solid', read: m.gradNorm, smooth: true },
    { label: msg('clipped high'), color: '--series-2', dash: 'dashed', read: m.clipHigh, scale: 'right' },
    { label: msg('clipped low'), color: '--series-5', dash: 'dotted', read: m.clipLow, scale: 'right' },
  ]),
  plain('speed', msg('Tokens a second'), null, [
    { label: msg('rollout'), color: '--series-1', dash: 'solid', read: m.rolloutSpeed },
    { label: msg('training'), color: '--series-2', dash: 'dashed', read: m.trainSpeed },
  ]),
  ...(signal ? [signalChart()] : []),
];

/** True if a step measured the signal of its gradient. */
export const measuresSignal = (records: readonly StepRecord[]): boolean =>
  records.some(({ metrics }) => metrics[m.signal] !== undefined);

export const readSeries = (spec: SeriesSpec, record: StepRecord): number | null => {
  const value = typeof spec.read === 'string' ? record.metrics[spec.read] : spec.read(record);
  return value === undefined || value === null || !Number.isFinite(value) ? null : value;
};

/** Exponential mean that skips gaps and corrects the bias of its first values. */
export function smoothed(values: readonly (number | null)[], memory = 0.85): (number | null)[] {
  let sum = 0;
  let weight = 0;
  return values.map((value) => {
    if (value === null) return null;
    sum = memory * sum + (1 - memory) * value;
    weight = memory * weight + (1 - memory);
    return sum / weight;
  });
}
