/** A fixture of a run whose goals a rule chooses: four families, stores of failed and kept tasks, and two skills. */
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import { goalMetric } from '../../rl/metrics/metrics.ts';
import type { StepRecord } from '../../session/protocol.ts';
import { mockRecords } from './mock-data.ts';

export const withGoals = (experiment: Experiment): Experiment =>
  parseExperiment({
    ...experiment,
    goals: { rule: 'frontier', retryShare: 0.25, keep: 64, partsShare: 0.25, relabels: 16, skills: 8 },
  });

/** Families of a step: depth 1 is learnt first, depth 3 is at the frontier, depth 4 has not been played. */
function goalsAt(step: number): { [metric: string]: number } {
  const learnt = 1 - Math.exp(-step / 20);
  const families = [
    { family: 'textcraft, depth 1', success: learnt, share: 0.4 - 0.35 * learnt },
    { family: 'textcraft, depth 2', success: 0.8 * learnt, share: 0.3 },
    { family: 'textcraft, depth 3', success: 0.4 * learnt, share: 0.25 + 0.3 * learnt },
    { family: 'textcraft, depth 4', success: Number.NaN, share: 0.05 },
  ];
  return Object.fromEntries(
    families.flatMap(({ family, success, share }) => [
      [goalMetric('share', family), share],
      [goalMetric('draws', family), Number.isNaN(success) ? 0 : Math.round(64 * share * step)],
      ...(Number.isNaN(success) ? [] : [[goalMetric('success', family), success]]),
    ]),
  );
}

export const goalRecords = (steps: number): StepRecord[] =>
  mockRecords(steps).map((record) => {
    if (record.step === 0) return record;
    const stores = { goalsWaiting: 3, goalsSolvedLater: 5, goalsGivenUp: 1, goalsKept: 40, goalsParts: 6 };
    const skills = {
      goalsSkills: 2,
      [goalMetric('skill', '* craft 1 stick')]: 12,
      [goalMetric('skill', '* get log')]: 30,
    };
    return {
      ...record,
      metrics: { ...record.metrics, ...goalsAt(record.step), ...stores, goalsPartsSolved: 9, ...skills },
    };
  });
