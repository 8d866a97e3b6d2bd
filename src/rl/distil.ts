/** Updates on kept successes alone, in AgentEvol's or DPO's form, with the run's learning rate of the step. */
import type { Learner } from '../policy/policy.ts';
import type { CreditInput } from './algorithms/algorithm.ts';
import { algorithmOf } from './algorithms/registry.ts';
import { assignCredit } from './assign-credit.ts';
import { distilAlgorithm } from './distil-algorithm.ts';
import type { Trajectory } from './episode/trajectory.ts';
import type { GoalsSettings } from './goals/registry.ts';
import type { Success } from './goals/successes.ts';
import type { StageSettings, TrainerSettings } from './settings.ts';
import { Updater } from './updater.ts';

/** Each success as a group, with its failed sibling where preferences are learnt; siblings without one are left out. */
function groupsOf(successes: readonly Success[], form: GoalsSettings['distilAs']): Trajectory[] {
  if (form !== 'preference') return successes.map(({ trajectory }, group) => ({ ...trajectory, group }));
  return successes.flatMap(({ trajectory, failed }, group) =>
    failed
      ? [
          { ...trajectory, group },
          { ...failed, group, member: 1 },
        ]
      : [],
  );
}

/** One update on these successes, and its metrics. */
export async function distil(
  policy: Learner,
  successes: readonly Success[],
  {
    goals,
    stage,
    learningRate,
    creditInput,
  }: {
    goals: GoalsSettings;
    stage: StageSettings;
    learningRate: number;
    creditInput(trajectories: readonly Trajectory[], settings: TrainerSettings): Promise<Partial<CreditInput>>;
  },
): Promise<{ [metric: string]: number }> {
  const algorithm = distilAlgorithm(goals);
  const trajectories = groupsOf(successes, goals.distilAs);
  if (!algorithm || trajectories.length === 0) return {};
  const settings = { ...stage, algorithm };
  const input = await creditInput(trajectories, settings);
  const training = assignCredit(trajectories, algorithmOf(algorithm), algorithm, input);
  const { loss = 0 } = await new Updater(policy, settings).update(training, learningRate);
  return { goalsDistilled: training.trajectories.length, goalsDistilLoss: loss };
}
