/**
 * BAPO: Balanced Policy Optimization with Adaptive Clipping (Xi et al. 2025, https://arxiv.org/abs/2510.18927): GRPO's
 * credit, and a clip whose bounds are searched anew for every update (`objective/bapo.ts`: Algorithm 1 and equation 8,
 * or the rule of its code).
 */
import * as v from 'valibot';
import { choice, option, real, toggle } from '../../fields/fields.ts';
import { symbol } from '../common/formula.ts';
import { bapoSurrogate } from '../objective/bapo.ts';
import { clippedColumns, clippedScalars, regularized } from '../objective/clipped.ts';
import type { Algorithm } from './algorithm.ts';
import { groupAdvantageCard, objectiveCard, policyCards } from './cards.ts';
import {
  corrected,
  counterpartName,
  groupCredit,
  policyNeeds,
  policyScalars,
  sharedAggregation,
} from './group-relative.ts';
import { epsilonField, policyFields } from './pieces.ts';

const {
  ratio: _ratio,
  surrogate: _surrogate,
  clipLow: _low,
  clipHigh: _high,
  ...shared
} = policyFields({
  clip: [0, 0, null],
  aggregation: 'token-mean',
});

const schema = v.strictObject({
  name: v.literal('bapo'),
  ...shared,
  ...epsilonField(1e-6),
  rule: option(choice(['paper', 'code']), 'paper', {
    label: 'Rule',
    sentence: "Search for the bounds: as in the paper, or as in the paper's code.",
  }),
  target: option(real(0, 10), 0.4, {
    label: 'Share of good actions',
    sentence: 'Share of the update that good actions should have; the bounds widen until they have it.',
    step: 0.05,
    level: 'basic',
  }),
  lowStart: option(real(0, 1), 0.6, {
    label: 'Low bound, first',
    sentence: 'Start of the low bound of the ratio.',
    step: 0.05,
  }),
  lowMost: option(real(0, 1), 0.9, {
    label: 'Low bound, last',
    sentence: 'Highest value of the low bound.',
    step: 0.05,
  }),
  lowStep: option(real(0.001, 1), 0.02, {
    label: 'Low bound, step',
    sentence: 'Step by which the low bound rises.',
    step: 0.01,
  }),
  highStart: option(real(1, 10), 1.2, {
    label: 'High bound, first',
    sentence: 'Start of the high bound of the ratio.',
    step: 0.1,
  }),
  highMost: option(real(1, 100), 3, {
    label: 'High bound, last',
    sentence: 'Highest value of the high bound.',
    step: 0.1,
  }),
  highStep: option(real(0.001, 10), 0.05, {
    label: 'High bound, step',
    sentence: 'Step by which the high bound rises.',
    step: 0.05,
  }),
  denominator: option(choice(['gross', 'net']), 'gross', {
    label: 'Share of what',
    sentence:
      'Total of good and bad actions that the share refers to: the sum of their sizes, or their sum with opposite signs, as equation 8 is printed.',
  }),
  weighted: option(toggle(), true, {
    label: 'Weigh by probability',
    sentence: 'Weight each action by its probability when sampled, as in equation 8.',
  }),
});

const ratio = symbol('ρ', 'token.ratio', { sub: 't' });
const advantage = symbol('A', 'token.advantage');

const bapoCard = (terms: { kl: { coefficient: number }; entropy: number }) =>
  objectiveCard(
    'adaptive-clip',
    'A clipped ratio. Its bounds are searched anew for every update, until the good actions have their share of it.',
    [
      'ℒ',
      '=',
      '−',
      'min',
      '(',
      ratio,
      advantage,
      ',',
      'clip',
      '(',
      ratio,
      ',',
      symbol('c', 'metric.clipBoundLow', { sub: 'low' }),
      ',',
      symbol('c', 'metric.clipBoundHigh', { sub: 'high' }),
      ')',
      advantage,
      ')',
      ...(terms.kl.coefficient ? ['+', symbol('β', 'setting.kl.coefficient'), symbol('KL', 'metric.kl')] : []),
      ...(terms.entropy ? ['−', symbol('c', 'setting.entropy'), symbol('H', 'metric.entropy')] : []),
    ],
  );
/** Difference from the counterparts in other trainers. */
const nearest = 'The bounds of the clip are fixed: they are not searched for every update.';

export const bapo = {
  name: 'bapo',
  label: 'BAPO',
  sentence: 'GRPO whose clip is widened, update by update, until the good actions have their share.',
  source: ['https://arxiv.org/abs/2510.18927'],
  baseline: 'mean-std',
  schema,
  cards: ({ kl, entropy }) => policyCards(groupAdvantageCard('mean-std'), bapoCard({ kl, entropy })),
  needs: (settings) => ({ ...policyNeeds({ ...settings, ratio: 'token' }), batch: true }),
  credit: (input, { advantageEpsilon, correction }) =>
    corrected(groupCredit(input, { baseline: 'mean-std', epsilon: advantageEpsilon }), input, correction),
  objective: (settings) => ({
    spec: {
      name: 'bapo',
      columns: clippedColumns,
      scalars: clippedScalars,
      batch: true,
      evaluate: regularized(bapoSurrogate(settings)),
    },
    scalars: policyScalars({ ...settings, clipLow: 0, clipHigh: 0 }),
  }),
  aggregation: sharedAggregation,
  counterparts: {
    verl: { name: counterpartName, set: { 'algorithm.norm_adv_by_std_in_grpo': true }, differs: [nearest] },
    'agentgym-rl': { name: counterpartName, differs: [nearest] },
    trl: { name: counterpartName, set: { scale_rewards: 'group' }, differs: [nearest] },
  },
} satisfies Algorithm<v.InferOutput<typeof schema>>;
