/** Scores of all trained tokens of a step, as rows in the order of their trajectories. */
import type { Learner } from '../policy/policy.ts';
import type { TokenRows } from './common/token-rows.ts';
import { pack } from './episode/micro-batch.ts';
import type { Trajectory } from './episode/trajectory.ts';

export interface RowScores {
  logprob: Float64Array;
  value: Float64Array;
}

export async function scoreRows(
  policy: Pick<Learner, 'score' | 'capacity'>,
  trajectories: readonly Trajectory[],
  { offsets }: Pick<TokenRows, 'offsets'>,
  {
    onScored,
    ...options
  }: Parameters<Learner['score']>[1] & {
    /** Micro-batches scored so far, and their total. */
    onScored?: (done: number, total: number) => void;
  },
): Promise<RowScores> {
  const count = offsets[offsets.length - 1];
  const out: RowScores = { logprob: new Float64Array(count), value: new Float64Array(count) };
  const batches = [...pack(trajectories, policy.capacity)];
  for (const [done, { batch, trajectory, choice }] of batches.entries()) {
    onScored?.(done, batches.length);
    const { logprob, value } = await policy.score(batch, options);
    trajectory.forEach((index, row) => {
      const at = offsets[index] + choice[row];
      out.logprob[at] = logprob[row];
      if (value) out.value[at] = value[row];
    });
  }
  return out;
}
