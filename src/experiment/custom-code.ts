/** Custom code in an experiment. Its recipient must allow it before it runs. */
import type { Experiment } from './experiment.ts';

export interface CustomCode {
  /** Path of the field. */
  path: string;
  code: string;
}

/** Custom code in the order in which it runs. */
export function customCodeOf({ algorithm, stages = [] }: Pick<Experiment, 'algorithm' | 'stages'>): CustomCode[] {
  const all = [
    ...stages.map((stage, i) => ({ path: `stages.${i}.algorithm.objectiveCode`, code: stage.algorithm.objectiveCode })),
    { path: 'algorithm.objectiveCode', code: algorithm.objectiveCode },
  ];
  return all.flatMap(({ path, code }) => (code === undefined ? [] : [{ path, code }]));
}
