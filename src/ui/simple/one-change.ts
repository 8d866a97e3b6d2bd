/** Experiments that differ from a given one in a single setting, for a second run to compare with the first. */
import { msg, str } from '@lit/localize';
import type { Experiment } from '../../experiment/experiment.ts';
import { writePath } from '../../experiment/paths.ts';
import { compact } from '../kit/format.ts';

export interface OneChange {
  /** The setting and its new value, for the button. */
  label: string;
  experiment: Experiment;
}

/** Three changes whose effects differ: one of the update, one of the group, one of chance alone. */
export function oneChanges(experiment: Experiment): OneChange[] {
  const rate = 3 * experiment.optimizer.learningRate;
  const tries = Math.max(2, experiment.algorithm.groupSize / 2);
  const change = (path: string, value: number, label: string) => ({
    label,
    experiment: writePath(experiment, path, value),
  });
  return [
    change(
      'optimizer.learningRate',
      rate,
      msg(str`Learning rate, the size of an update: three times as large (${compact(rate)})`),
    ),
    change(
      'algorithm.groupSize',
      tries,
      msg(str`Tries of each task, the size of a group: ${tries} instead of ${experiment.algorithm.groupSize}`),
    ),
    change('seed', experiment.seed + 1, msg('Seed: other random weights and tasks, everything else the same')),
  ];
}
