/** Parts of a composed reward for people: values of an episode, series of a run. */
import { msg } from '@lit/localize';
import { rewardOf } from '../../rl/episode/returns.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { partColumn, partMetric } from '../../rl/metrics/metrics.ts';
import type { StepRecord } from '../../session/protocol.ts';
import { type ChartSpec, charts, type Dash, type SeriesSpec } from './series.ts';

/** Reward of an episode; the score of one without a value. */
export function shownReward(trajectory: Pick<Trajectory, 'rewards' | 'score'>): number {
  const value = rewardOf(trajectory);
  return Number.isFinite(value) ? value : trajectory.score;
}

/** Values of an episode's parts; null: no value. An imported run may hold any JSON. */
export const partsOf = ({ rewards }: Pick<Trajectory, 'rewards'>): { column: string; value: number | null }[] =>
  Object.entries(rewards?.parts ?? {}).map(([column, value]) => ({
    column,
    value: Number.isFinite(value) ? value : null,
  }));

/** Columns of the parts that a run has recorded, in the order of the newest step. */
export function rewardColumns(records: readonly StepRecord[]): string[] {
  const newest = records.findLast(({ metrics }) => 'reward' in metrics);
  return Object.keys(newest?.metrics ?? {}).flatMap((name) => partColumn(name) ?? []);
}

const dashes: readonly Dash[] = ['dashed', 'dotted', 'solid'];

/** Chart of the reward and its parts. */
function rewardChart(columns: readonly string[]): ChartSpec {
  const parts = columns.map(
    (column, i): SeriesSpec => ({
      label: column,
      color: `--series-${2 + (i % 4)}`,
      dash: dashes[Math.floor(i / 4) % dashes.length],
      read: partMetric(column),
      smooth: true,
    }),
  );
  const whole: SeriesSpec = { label: msg('reward'), color: '--series-1', dash: 'solid', read: 'reward', smooth: true };
  return { id: 'reward', title: msg('Reward and its parts'), range: null, series: [whole, ...parts], points: [] };
}

/** The charts of a run: those of every run, and the reward's parts where the run composes its reward. */
export function chartsOf(columns: readonly string[], all: readonly ChartSpec[] = charts()): readonly ChartSpec[] {
  return columns.length ? all.toSpliced(2, 0, rewardChart(columns)) : all;
}
