/** Map of a run's goals and their timelines: numbers of each tile and each cell. Drawn by `goals.ts`. */
import { goalMetric, goalMetricParts } from '../../rl/metrics/metrics.ts';
import type { StepRecord } from '../../session/protocol.ts';
import type { GoalRow } from './goal-rows.ts';

/** Maximum number of cells of a timeline. */
const mostCells = 40;

/** A tile of the map: its side as a share of the largest tile's, so that its area goes by the draws. */
export interface GoalTile {
  family: string;
  success: number | null;
  draws: number;
  side: number;
}

export function goalTiles(rows: readonly GoalRow[]): GoalTile[] {
  const most = Math.max(1, ...rows.map(({ draws }) => draws));
  return rows.map(({ family, success, draws }) => ({ family, success, draws, side: Math.sqrt(draws / most) }));
}

/** A family's success and its share of the draws over some steps, at the last of them. */
export interface GoalCell {
  step: number;
  success: number | null;
  share: number;
}

/** Timeline of a family: the newest record of each of at most `mostCells` equal parts of the run. */
export function goalTimeline(records: readonly StepRecord[], family: string): GoalCell[] {
  const own = records.filter(({ metrics }) => goalMetric('share', family) in metrics);
  const each = Math.ceil(own.length / mostCells);
  const last = own.filter((_, i) => i % each === each - 1 || i === own.length - 1);
  return last.map(({ step, metrics }) => ({
    step,
    success: metrics[goalMetric('success', family)] ?? null,
    share: metrics[goalMetric('share', family)],
  }));
}

/** Skills and their uses at the newest record, the most used first. */
export function skillRows(records: readonly StepRecord[]): { skill: string; uses: number }[] {
  const newest = records.findLast(({ metrics }) => 'goalsSkills' in metrics);
  return Object.entries(newest?.metrics ?? {})
    .flatMap(([name, uses]) => {
      const parts = goalMetricParts(name);
      return parts?.what === 'skill' ? [{ skill: parts.family, uses }] : [];
    })
    .sort((a, b) => b.uses - a.uses);
}
