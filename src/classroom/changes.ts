/** Differences between an assignment's experiment and a pupil's, and those that are not allowed. */
import type { Experiment } from '../experiment/experiment.ts';
import { type Difference, differences, readPath, same } from '../experiment/paths.ts';
import type { Assignment, Changeable } from './assignment.ts';
import { covers, descriptive, rulesOn } from './rules.ts';

export const changesOf = (from: Experiment, to: Experiment): Difference[] =>
  differences(from, to).filter(({ path }) => !descriptive.includes(path));

/** Reason why a changed value is outside of what is allowed; null: it is allowed. */
function outside({ path, least, most, oneOf }: Changeable, to: Experiment): string | null {
  const value = readPath(to, path);
  if (oneOf && !oneOf.some((each) => same(each, value)))
    return `must be one of ${oneOf.map((each) => JSON.stringify(each)).join(', ')}`;
  if (least !== undefined && !(typeof value === 'number' && value >= least)) return `must be at least ${least}`;
  if (most !== undefined && !(typeof value === 'number' && value <= most)) return `must be at most ${most}`;
  return null;
}

export interface RefusedChange extends Difference {
  reason: string;
}

/** Changes that the assignment does not allow. */
export function refusedChanges(assignment: Assignment, experiment: Experiment): RefusedChange[] {
  return changesOf(assignment.experiment, experiment).flatMap((change) => {
    const rules = rulesOn(assignment.mayChange, change.path);
    if (!rules.length) return [{ ...change, reason: 'is fixed in this assignment' }];
    // A part that was added or removed as a whole is allowed only if all of it may be changed.
    const wide = rules.filter(({ path }) => covers(path, change.path));
    if (!wide.length) return [{ ...change, reason: `is fixed as a whole; only ${rules[0].path} may be changed` }];
    const reasons = wide.map((rule) => outside(rule, experiment));
    return reasons.some((reason) => reason === null) ? [] : [{ ...change, reason: reasons[0]! }];
  });
}
