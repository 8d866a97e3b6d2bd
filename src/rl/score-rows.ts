/** Scores of all trained tokens of a step, as rows in the order of their trajectories. */
import type { Capacity, Learner, PackedBatch, Scores } from '../policy/policy.ts';
import type { TokenRows } from './common/token-rows.ts';
import { pack } from './episode/micro-batch.ts';
import type { Trajectory } from './episode/trajectory.ts';

export interface RowScores {
  logprob: Float64Array;
  /** Nats, of the distribution that each token was drawn from; 0 where the scorer gives none. */
  entropy: Float64Array;
  value: Float64Array;
}

type ScoreOptions = Parameters<Learner['score']>[1];

/** A policy that scores: a learner, or a teacher. */
interface Scorer {
  readonly capacity: Capacity;
  score(
    batch: PackedBatch,
    options: ScoreOptions,
  ): Promise<Pick<Scores, 'logprob' | 'value'> & Partial<Pick<Scores, 'entropy'>>>;
}

export async function scoreRows(
  policy: Scorer,
  trajectories: readonly Trajectory[],
  { offsets }: Pick<TokenRows, 'offsets'>,
  {
    onScored,
    ...options
  }: ScoreOptions & {
    /** Micro-batches scored so far, and their total. */
    onScored?: (done: number, total: number) => void;
  },
): Promise<RowScores> {
  const count = offsets[offsets.length - 1];
  const out: RowScores = {
    logprob: new Float64Array(count),
    entropy: new Float64Array(count),
    value: new Float64Array(count),
  };
  const batches = [...pack(trajectories, policy.capacity)];
  for (const [done, { batch, trajectory, choice }] of batches.entries()) {
    onScored?.(done, batches.length);
    const { logprob, entropy, value } = await policy.score(batch, options);
    trajectory.forEach((index, row) => {
      const at = offsets[index] + choice[row];
      out.logprob[at] = logprob[row];
      if (entropy) out.entropy[at] = entropy[row];
      if (value) out.value[at] = value[row];
    });
  }
  return out;
}
