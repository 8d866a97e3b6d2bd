/**
 * Inputs of credit that need the policy before the update, its reference or a teacher: log-probabilities and values of
 * all trained tokens, in the order of their trajectories.
 */
import type { Learner } from '../policy/policy.ts';
import type { CreditInput, Needs } from './algorithms/algorithm.ts';
import { tokenRows } from './assign-credit.ts';
import { joinFloats } from './common/numbers.ts';
import { chosenPositions } from './episode/micro-batch.ts';
import { oracleLabels } from './episode/oracle-teacher.ts';
import type { Trajectory } from './episode/trajectory.ts';
import type { Evaluator } from './evaluator.ts';
import { policyLabels, policyLogprobs, type Teachers } from './policy-teacher.ts';
import { scoreRows } from './score-rows.ts';

/** The worlds in which the oracle plays, and the policies that teach. */
interface TeacherParts {
  evaluator: Pick<Evaluator, 'worlds' | 'conversation'>;
  teachers: Teachers;
}

function logprobsAt({ logprob }: Trajectory, positions: Int32Array): Float32Array {
  const out = new Float32Array(positions.length);
  for (let k = 0; k < positions.length; k++) out[k] = logprob[positions[k]];
  return out;
}

/** Writes the teacher's numbers into the trajectories that lack them. An oracle plays in the worlds. */
export async function teach(
  { evaluator, teachers }: TeacherParts,
  trajectories: readonly Trajectory[],
  { teacher }: Needs,
): Promise<void> {
  if (!teacher) return;
  const { policy, smoothing, distributions = false } = teacher;
  const untaught = trajectories.filter((each) => !each.teacher || (distributions && !each.distributions));
  if (untaught.length === 0) return;
  if (policy !== null && !distributions) {
    const logprobs = await policyLogprobs(teachers, policy, untaught);
    untaught.forEach((trajectory, i) => {
      trajectory.teacher = logprobs[i];
    });
    return;
  }
  const labels =
    policy === null
      ? await oracleLabels(evaluator, untaught, smoothing)
      : await policyLabels(teachers, policy, untaught);
  untaught.forEach((trajectory, i) => {
    trajectory.teacher = labels[i].logprobs;
    if (distributions) trajectory.distributions = labels[i].distributions;
  });
}

/** Further inputs that an algorithm needs for these trajectories. */
export async function creditInputOf(
  { policy, ...taught }: { policy: Pick<Learner, 'capacity' | 'score' | 'notes'> } & TeacherParts,
  trajectories: readonly Trajectory[],
  needs: Needs,
  options: { temperature: number; onScored?: (done: number, total: number) => void },
): Promise<Partial<CreditInput>> {
  const rows = tokenRows(trajectories);
  const rollout = joinFloats(trajectories.map((each) => logprobsAt(each, chosenPositions(each))));
  const input: Partial<CreditInput> = { rows, rollout, memory: Object.fromEntries(policy.notes) };
  await teach(taught, trajectories, needs);
  if (needs.teacher) input.teacher = joinFloats(trajectories.map(({ teacher }) => teacher ?? []));
  if (needs.old || needs.values) {
    const values = needs.values ?? false;
    const own = await scoreRows(policy, trajectories, rows, { ...options, weights: 'policy', values });
    if (needs.old) input.old = own.logprob;
    if (needs.values) input.values = own.value;
  }
  if (needs.referenceInCredit)
    input.reference = (await scoreRows(policy, trajectories, rows, { ...options, weights: 'reference' })).logprob;
  return input;
}
