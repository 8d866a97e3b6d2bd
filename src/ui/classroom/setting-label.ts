/** Label of a setting or of a part of an experiment, by its path. */
import { msg } from '@lit/localize';
import type { Experiment } from '../../experiment/experiment.ts';
import { findKnob } from '../../experiment/knobs.ts';
import { knobLabel } from '../state/labels.ts';

export function settingLabel(path: string, experiment: Experiment): string {
  if (path === 'reward') return msg('The reward');
  const knob = findKnob(path, experiment);
  return knob ? knobLabel(knob) : path;
}
