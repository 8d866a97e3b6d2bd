/**
 * Groups of fields that algorithms share: play and minibatches, values of endings, clipping, aggregation. An algorithm
 * names the pieces it has and their defaults.
 */
import * as v from 'valibot';
import { choice, field, option, real, toggle, whole } from '../../fields/fields.ts';
import { type AggregationMode, aggregationModes } from '../common/aggregation.ts';
import { type KlEstimator, klEstimators } from '../objective/kl.ts';
import { type RatioLevel, ratioLevels, type SurrogateForm, surrogateForms } from '../objective/surrogate.ts';
import { aggregationLabels, klLabels, ratioLabels, surrogateLabels } from './choice-labels.ts';

/** Groups of episodes of one task, and the number of passes over them. */
export const groupFields = {
  groups: option(whole(1, 256), 8, {
    label: 'Groups',
    sentence: 'Tasks tried in each step: more makes each update steadier and slower.',
    unit: 'tasks',
    level: 'basic',
  }),
  groupSize: option(whole(2, 64), 8, {
    label: 'Group size',
    sentence: 'Episodes of the same task that are compared with each other.',
    unit: 'episodes',
    level: 'basic',
  }),
  minibatches: option(whole(1, 64), 1, {
    label: 'Minibatches',
    sentence: "Number of parts into which a step's episodes are split, each with its own optimiser step.",
  }),
  innerEpochs: option(whole(1, 16), 1, {
    label: 'Inner epochs',
    sentence: 'Number of times a step trains on the same episodes.',
  }),
};

const endings = v.strictObject({
  context: option(v.nullable(real(-10, 10)), null, {
    label: 'Return on overflow',
    sentence: 'Return of an episode that ran out of context.',
    step: 0.1,
    nullMeans: "the world's score",
  }),
  invalidAction: v.optional(
    v.strictObject({
      policy: field(choice(['continue', 'end']), {
        label: 'On an invalid action',
        sentence: 'If on, an action that the world refuses ends the episode.',
        choiceLabels: { continue: 'Go on', end: 'End the episode' },
      }),
      penalty: option(real(-10, 0), 0, {
        label: 'Invalid-action penalty',
        sentence: 'Added to the return of an episode for each action the world refused.',
        step: 0.05,
      }),
    }),
    { policy: 'continue', penalty: 0 },
  ),
  worldFailure: option(choice(['drop', 'zero']), 'drop', {
    label: 'On a world failure',
    sentence: 'Treatment of an episode whose world broke: left out, or counted as zero.',
    choiceLabels: { drop: 'Leave it out', zero: 'Count as zero' },
  }),
});

/** Value of each ending instead of the world's score; null: the score. */
export const endingFields = {
  endings: v.optional(endings, {
    context: null,
    invalidAction: { policy: 'continue', penalty: 0 },
    worldFailure: 'drop',
  }),
};

const clipLow = field(real(0, 1), {
  label: 'Clip low',
  sentence: 'Largest decrease of the probability ratio of an action before the gradient is cut.',
  step: 0.05,
  level: 'basic',
});
const clipHigh = field(real(0, 10), {
  label: 'Clip high',
  sentence:
    'Largest increase of the probability ratio of an action before the gradient is cut; a value above clip low favours rare actions.',
  step: 0.05,
  level: 'basic',
});

/** The clipped ratio. Defaults: low, high, dual clip. */
const clipFields = (low: number, high: number, dual: number | null) => ({
  clipLow: v.optional(clipLow, low),
  clipHigh: v.optional(clipHigh, high),
  dualClip: option(v.nullable(real(1, 100)), dual, {
    label: 'Dual clip',
    sentence: 'Bound on the loss of a bad action that became much more likely.',
    step: 0.5,
    nullMeans: 'no dual clip',
  }),
});

const klFields = (coefficient: number) => ({
  kl: v.optional(
    v.strictObject({
      coefficient: field(real(0, 10), {
        label: 'KL weight',
        sentence: 'Strength that holds the policy near the one it started from; 0 lets it go anywhere.',
        step: 0.001,
        level: 'basic',
      }),
      estimator: field(choice(klEstimators), {
        label: 'KL estimator',
        sentence: 'Estimate of the distance to the first policy from samples; k3 is unbiased and never negative.',
        choiceLabels: klLabels,
      }),
    }),
    { estimator: 'k3', coefficient },
  ),
});

const entropyFields = (coefficient: number) => ({
  entropy: option(real(-1, 1), coefficient, {
    label: 'Entropy bonus',
    sentence: 'Reward for staying undecided: a little keeps the policy exploring, a lot keeps it random.',
    step: 0.001,
    level: 'basic',
  }),
});

/** `divisor`: of seq-mean-token-sum-norm; null: the longest sequence. */
const aggregationFields = (mode: AggregationMode, divisor: number | null = null) => ({
  aggregation: option(choice(aggregationModes), mode, {
    label: 'Aggregation',
    sentence: 'Average of the token losses: every token counts the same, or every episode does.',
    choiceLabels: aggregationLabels,
  }),
  lossScaleFactor: option(v.nullable(real(1, 1e6)), divisor, {
    label: 'Loss divisor',
    sentence: 'Divisor of seq-mean-token-sum-norm.',
    step: 1,
    unit: 'tokens',
    nullMeans: 'the longest sequence',
  }),
});

export const epsilonField = (epsilon: number) => ({
  advantageEpsilon: option(real(0, 1), epsilon, {
    label: 'Spread floor',
    sentence: 'Added to the standard deviation so that equal returns do not divide by zero.',
    step: 1e-6,
  }),
});

/** Kind of ratio and of clip. */
const ratioFields = (level: RatioLevel, form: SurrogateForm) => ({
  ratio: option(choice(ratioLevels), level, {
    label: 'Ratio',
    sentence: 'Unit of the probability ratio: each token, or the whole episode at once.',
    choiceLabels: ratioLabels,
  }),
  surrogate: option(choice(surrogateForms), form, {
    label: 'Clip form',
    sentence: 'Gradient of a token beyond the clip: none (clip), or a bounded one (cispo).',
    choiceLabels: surrogateLabels,
  }),
});

/** Correction for the gap between the sampling and the training policy. */
const correctionFields = {
  correction: v.optional(
    v.strictObject({
      weights: option(choice(['none', 'token', 'sequence']), 'none', {
        label: 'Importance weights',
        sentence:
          "Importance weights by the trained policy's probability of the sampled tokens: per token, or per episode.",
        choiceLabels: { none: 'None', token: 'Each token', sequence: 'Whole episode' },
      }),
      outside: option(choice(['truncate', 'mask']), 'truncate', {
        label: 'Weights out of bounds',
        sentence: 'Treatment of a weight beyond its bounds: cut to the bound, or set to zero.',
        choiceLabels: { truncate: 'Cut to bounds', mask: 'Become zero' },
      }),
      low: option(v.nullable(real(0, 1)), null, {
        label: 'Least weight',
        sentence: 'Lower bound of an importance weight.',
        step: 0.1,
        nullMeans: 'none',
      }),
      high: option(v.nullable(real(1, 100)), 2, {
        label: 'Maximum weight',
        sentence: 'Upper bound of an importance weight.',
        step: 0.5,
        nullMeans: 'none',
      }),
      normalize: option(toggle(), false, {
        label: 'Mean weight of one',
        sentence:
          'Divide importance weights by their mean, so that they change the shares of tokens in the update and not its size.',
      }),
    }),
    { weights: 'none', outside: 'truncate', low: null, high: 2, normalize: false },
  ),
};

/** PPO's classic form: the KL to the reference is subtracted from the reward of each token. */
export const klRewardFields = (coefficient: number, estimator: KlEstimator) => ({
  klReward: v.optional(
    v.strictObject({
      coefficient: field(real(0, 10), {
        label: 'KL price',
        sentence:
          'Price of the distance from the policy that the run started from, subtracted from the reward of each action.',
        step: 0.001,
        level: 'basic',
      }),
      estimator: field(choice(klEstimators), {
        label: 'KL price estimator',
        sentence: 'Estimator of the KL from the sampled tokens.',
        choiceLabels: klLabels,
      }),
      target: option(v.nullable(real(1e-6, 10)), null, {
        label: 'KL target',
        sentence: 'The price grows while the distance is above this and falls while it is below.',
        step: 0.01,
        nullMeans: 'fixed price',
      }),
      horizon: option(whole(1, 1_000_000), 10_000, {
        label: 'KL price memory',
        sentence: 'Episodes over which the price adapts: more adapts it more slowly.',
        unit: 'episodes',
      }),
    }),
    { coefficient, estimator, target: null, horizon: 10_000 },
  ),
});

export const gammaField = (gamma: number) => ({
  gamma: option(real(0, 1), gamma, {
    label: 'Discount',
    sentence: 'Weight of a reward one trained token later; at 1 all count the same.',
    step: 0.01,
  }),
});

/** Fields of most algorithms with a clipped ratio: everything but credit. */
export const policyFields = (defaults: {
  clip: readonly [low: number, high: number, dual: number | null];
  kl?: number;
  aggregation: AggregationMode;
  divisor?: number;
  ratio?: RatioLevel;
  surrogate?: SurrogateForm;
}) => ({
  ...groupFields,
  ...clipFields(...defaults.clip),
  ...ratioFields(defaults.ratio ?? 'token', defaults.surrogate ?? 'clip'),
  ...klFields(defaults.kl ?? 0),
  ...entropyFields(0),
  ...aggregationFields(defaults.aggregation, defaults.divisor ?? null),
  ...correctionFields,
  ...endingFields,
});

/** TRL's RLOO: the KL of a whole episode is subtracted from its return. */
export const klPerEpisode = option(real(0, 10), 0, {
  label: 'KL price of an episode',
  sentence: 'Price of the distance of a whole episode from the first policy, subtracted from its return.',
  step: 0.01,
});
