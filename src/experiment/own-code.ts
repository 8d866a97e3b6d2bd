/** Code that an experiment carries: whoever received it is asked before it runs. */
import type { Experiment } from './experiment.ts';

export interface CarriedCode {
  /** Of the field. */
  path: string;
  code: string;
}

/** In the order in which it runs. */
export function carriedCode({ algorithm, stages = [] }: Pick<Experiment, 'algorithm' | 'stages'>): CarriedCode[] {
  const all = [
    ...stages.map((stage, i) => ({ path: `stages.${i}.algorithm.objectiveCode`, code: stage.algorithm.objectiveCode })),
    { path: 'algorithm.objectiveCode', code: algorithm.objectiveCode },
  ];
  return all.flatMap(({ path, code }) => (code === undefined ? [] : [{ path, code }]));
}
