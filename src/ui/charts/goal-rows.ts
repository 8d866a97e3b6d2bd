/** Rows of the table of goals: each family with its success, the change of it, and its share of the draws. */
import type { Task } from '../../envs/env.ts';
import { goalMetric, goalMetricParts } from '../../rl/metrics/metrics.ts';
import { strataOf } from '../../rl/schedule/tasks.ts';
import type { StepRecord } from '../../session/protocol.ts';

/** Success from which a family counts as mastered, and below which it counts as out of reach. */
const mastered = 0.9;
const outOfReach = 0.1;

/** Steps back to which the newest success is compared. */
const lately = 10;

/** `new`: not played yet. `frontier`: succeeds sometimes, which is where there is most to learn. */
export type GoalState = 'new' | 'out-of-reach' | 'frontier' | 'mastered';

export interface GoalRow {
  family: string;
  /** Null: not played yet. */
  success: number | null;
  /** Difference to the success of some ten steps ago; null: not played then. */
  change: number | null;
  share: number;
  draws: number;
  state: GoalState;
}

const stateOf = (success: number | null): GoalState => {
  if (success === null) return 'new';
  return success >= mastered ? 'mastered' : success < outOfReach ? 'out-of-reach' : 'frontier';
};

/** Rows at the newest of the records that has goals, in the order of their names; none if the run has no rule. */
export function goalRows(records: readonly StepRecord[]): GoalRow[] {
  const at = records.findLastIndex(({ metrics }) => 'goalsWaiting' in metrics);
  if (at < 0) return [];
  const { step, metrics } = records[at];
  const before = records.findLast((each) => each.step <= step - lately)?.metrics ?? {};
  const families = Object.keys(metrics).flatMap((name) => {
    const parts = goalMetricParts(name);
    return parts?.what === 'share' ? [parts.family] : [];
  });
  const value = (from: StepRecord['metrics'], what: 'success' | 'share' | 'draws', family: string) => {
    const found = from[goalMetric(what, family)];
    return Number.isFinite(found) ? found : null;
  };
  return families
    .map((family) => {
      const success = value(metrics, 'success', family);
      const then = value(before, 'success', family);
      return {
        family,
        success,
        change: success === null || then === null ? null : success - then,
        share: value(metrics, 'share', family) ?? 0,
        draws: value(metrics, 'draws', family) ?? 0,
        state: stateOf(success),
      };
    })
    .sort((a, b) => a.family.localeCompare(b.family, 'en', { numeric: true }));
}

/** True if the task belongs to the family: its world, and the value of the property that the family is made by. */
export const isOfFamily = (task: Task, family: string): boolean =>
  [task.world, ...strataOf(task).map((each) => `${task.world}, ${each}`)].includes(
    family.replace(/ \((\d+|new)\)$/, ''),
  );
