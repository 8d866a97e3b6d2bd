/** Descriptions of an experiment for a newcomer: the size of its network, its updates and tries, its time. */
import { msg, str } from '@lit/localize';
import type { Experiment } from '../../experiment/experiment.ts';
import { findKnob } from '../../experiment/knobs.ts';
import type { Difference } from '../../experiment/paths.ts';
import { sweptDocuments } from '../../experiment/sweep.ts';
import { valueWords } from '../../experiment/variant-labels.ts';
import type { GpuReport } from '../../session/protocol.ts';
import { runCount, tryCount } from '../kit/counts.ts';
import { shortDuration } from '../kit/format.ts';
import { estimate } from './estimate.ts';
import { knobLabel, policyLabel } from './labels.ts';

/** Number of weights in the blocks of a policy; null if it does not state its sizes. Embeddings are left out. */
export function blockWeights({ policy }: Pick<Experiment, 'policy'>): number | null {
  if (!('layers' in policy) || !('intermediate' in policy) || !('kvHeads' in policy)) return null;
  const { layers, hidden, heads, kvHeads, headDim, intermediate } = policy;
  return layers * hidden * (2 * headDim * (heads + kvHeads) + 3 * intermediate);
}

/** The policy in words, for example "a 0.1-million-parameter network". */
export function networkText(experiment: Experiment): string {
  const weights = blockWeights(experiment);
  if (weights === null) return policyLabel(experiment.policy);
  const millions = weights / 1e6;
  const shown = millions < 10 ? Math.max(0.1, Math.round(millions * 10) / 10) : Math.round(millions);
  return msg(str`a ${shown}-million-parameter network`);
}

/** The length of a training, for example "460 updates, 96 tries each". */
export function amountText(experiment: Experiment): string {
  const { steps, algorithm } = experiment;
  const runs = sweptDocuments(experiment).length;
  const amount = msg(str`${steps} updates, ${tryCount(algorithm.groups * algorithm.groupSize)} each`);
  return runs > 1 ? msg(str`${runCount(runs)}, each ${amount}`) : amount;
}

/** The time of a training on this device. */
export function timeText(experiment: Experiment, gpu: GpuReport | null): string {
  const found = estimate(experiment, gpu);
  return found ? msg(str`about ${shortDuration(found.ms)}`) : msg('duration known after the first updates');
}

/** A changed setting, for example "Learning rate 0.001 → 0.003". */
export function changeText({ path, from, to }: Pick<Difference, 'path' | 'from' | 'to'>): string {
  // Seeds or variants beside each other; their numbers stand in the sweep's own lines.
  if (path === 'sweep') return to === undefined ? msg('one run instead of several') : msg('several runs side by side');
  const knob = findKnob(path);
  return `${knob ? knobLabel(knob) : path} ${valueWords(from, knob)} → ${valueWords(to, knob)}`;
}

/** A rate as a number of tries out of a hundred. */
export const ofHundred = (rate: number): number => Math.round(100 * rate);
