/**
 * DPO: Direct Preference Optimization (Rafailov et al. 2023, https://arxiv.org/abs/2305.18290, equation 7) and its
 * relatives, on pairs of episodes of the same task: raises the probability of the better one relative to the worse one,
 * measured against the reference.
 */
import * as v from 'valibot';
import { choice, option, real, whole } from '../../fields/fields.ts';
import { symbol } from '../common/formula.ts';
import { rowsOf } from '../common/token-rows.ts';
import type { Trajectory } from '../episode/trajectory.ts';
import { preferenceLosses, preferenceObjective } from '../objective/preferences.ts';
import type { Algorithm } from './algorithm.ts';
import { advantageCard, objectiveCard, playCards, updateCard } from './cards.ts';
import { byGroup } from './from-data.ts';
import { withoutSignal } from './kl-reward.ts';
import { endingFields, groupFields } from './pieces.ts';

export const beta = option(real(0.001, 100), 0.1, {
  label: 'Beta',
  sentence: 'Weight that holds the policy near the reference: a higher value learns less from each pair.',
  step: 0.05,
  level: 'basic',
});

const schema = v.strictObject({
  name: v.literal('dpo'),
  ...groupFields,
  preference: option(choice(preferenceLosses), 'sigmoid', {
    label: 'Preference loss',
    sentence: 'Loss that compares the two episodes of a pair.',
    level: 'basic',
  }),
  beta,
  labelSmoothing: option(real(0, 0.49), 0, {
    label: 'Wrong labels',
    sentence:
      'Share of pairs assumed to be the wrong way round. Above 0, sigmoid is conservative DPO; robust also uses it.',
    step: 0.05,
  }),
  pairsPerGroup: option(whole(1, 32), 2, {
    label: 'Pairs of a task',
    sentence: 'Number of pairs made of the episodes of one task, the best with the worst first.',
    unit: 'pairs',
  }),
  leastGap: option(real(0, 10), 0.1, {
    label: 'Least gap',
    sentence: 'Least difference in return between the two episodes of a pair.',
    step: 0.01,
  }),
  ...endingFields,
});

/** Pairs the best with the worst, the second best with the second worst, as long as they differ. */
function pairsOf(
  members: readonly { trajectory: Trajectory; value: number }[],
  most: number,
  leastGap: number,
): [Trajectory, Trajectory][] {
  const sorted = [...members].sort((a, b) => b.value - a.value || a.trajectory.member - b.trajectory.member);
  const count = Math.min(most, Math.floor(sorted.length / 2));
  const pairs = Array.from({ length: count }, (_, k) => [sorted[k], sorted[sorted.length - 1 - k]]);
  return pairs
    .filter(([good, bad]) => good.value - bad.value > 0 && good.value - bad.value >= leastGap)
    .map(([good, bad]) => [good.trajectory, bad.trajectory]);
}

/** Losses that read label smoothing. */
const smoothedLosses: readonly string[] = ['sigmoid', 'conservative', 'robust'];

const pairCard = advantageCard(
  'pair',
  'Two episodes of the same task form a pair: the better has label 1, the worse −1. An episode without a partner is not trained on.',
  ['±', '1'],
);

const preferenceCard = objectiveCard(
  'preference',
  'The better of a pair should become likelier than the worse, relative to the reference policy; a pair that is already far apart has a small gradient.',
  [
    'ℒ',
    '=',
    '−',
    'log',
    'σ',
    '(',
    symbol('β', 'setting.beta'),
    'log',
    {
      over: [symbol('π', undefined, { sub: 'θ' }), '(', symbol('y', undefined, { sup: '+' }), ')'],
      under: [symbol('π', undefined, { sub: 'ref' }), '(', symbol('y', undefined, { sup: '+' }), ')'],
    },
    '−',
    symbol('β', 'setting.beta'),
    'log',
    {
      over: [symbol('π', undefined, { sub: 'θ' }), '(', symbol('y', undefined, { sup: '−' }), ')'],
      under: [symbol('π', undefined, { sub: 'ref' }), '(', symbol('y', undefined, { sup: '−' }), ')'],
    },
    ')',
  ],
);

export const dpo = {
  name: 'dpo',
  label: 'DPO',
  sentence: 'Pairs of episodes of the same task: the better is made likelier than the worse.',
  source: ['https://arxiv.org/abs/2305.18290', 'https://arxiv.org/abs/2310.12036', 'https://arxiv.org/abs/2403.00409'],
  schema,
  cards: () => [...playCards, pairCard, preferenceCard, updateCard],
  needs: () => ({ reference: true, sequences: true, pairs: true, batch: true }),
  onBatch: { note: 'pairs' },
  credit: (input, { pairsPerGroup, leastGap }) => {
    const pairs = byGroup(input).flatMap((members) => pairsOf(members, pairsPerGroup, leastGap));
    const marks = new Map(
      pairs.flatMap(([good, bad], pair) => [
        [good, { pair, preferred: 1 }],
        [bad, { pair, preferred: 0 }],
      ]),
    );
    const advantages = new Float64Array(rowsOf(input.rows));
    input.trajectories.forEach((trajectory, b) => {
      const mark = marks.get(trajectory);
      if (mark) advantages.fill(mark.preferred ? 1 : -1, input.rows.offsets[b], input.rows.offsets[b + 1]);
    });
    const train = input.trajectories.filter((trajectory) => marks.has(trajectory));
    return { advantages, train, marks, ...withoutSignal(input), metrics: { pairs: pairs.length } };
  },
  objective: (settings) => ({
    spec: preferenceObjective({
      loss: settings.preference,
      beta: settings.beta,
      labelSmoothing: settings.labelSmoothing,
    }),
    scalars: [],
  }),
  problems: ({ preference, labelSmoothing }) =>
    labelSmoothing > 0 && !smoothedLosses.includes(preference)
      ? [
          {
            field: 'labelSmoothing',
            message: `must be 0 with the loss ${preference}, which does not use it (it is ${labelSmoothing}): set it to 0, or choose ${smoothedLosses.join(', ')}`,
          },
        ]
      : [],
  // The loss sums over whole sequences and reads no coefficient.
  aggregation: () => ({ mode: 'token-sum' }),
} satisfies Algorithm<v.InferOutput<typeof schema>>;
