/** Custom code in an experiment. Its recipient must allow it before it runs. */
import { partOf } from '../rl/rewards/registry.ts';
import { worldModule } from '../worlds/registry.ts';
import type { Experiment } from './experiment.ts';

export interface CustomCode {
  /** Path of the field. */
  path: string;
  code: string;
}

/** Custom code in the order in which it runs. */
export function customCodeOf(experiment: Pick<Experiment, 'algorithm' | 'stages' | 'reward' | 'worlds'>): CustomCode[] {
  const { algorithm, stages = [] } = experiment;
  const all = [
    ...worldCode(experiment),
    ...rewardCode(experiment),
    ...stages.map((stage, i) => ({ path: `stages.${i}.algorithm.objectiveCode`, code: stage.algorithm.objectiveCode })),
    { path: 'algorithm.objectiveCode', code: algorithm.objectiveCode },
  ];
  return all.flatMap(({ path, code }) => (code === undefined ? [] : [{ path, code }]));
}

/** Functions of a composed reward. */
const rewardCode = ({ reward }: Pick<Experiment, 'reward'>): CustomCode[] =>
  (reward?.parts ?? []).flatMap((part, i) => {
    const own = partOf(part).code?.(part);
    return own ? [{ path: `reward.parts.${i}.${own.field}`, code: own.code }] : [];
  });

/** Typed worlds. */
const worldCode = ({ worlds }: Pick<Experiment, 'worlds'>): CustomCode[] =>
  worlds.flatMap(({ name, options }, i) =>
    (worldModule(name).codeOptions ?? []).flatMap((option) =>
      typeof options[option] === 'string' ? [{ path: `worlds.${i}.options.${option}`, code: options[option] }] : [],
    ),
  );
