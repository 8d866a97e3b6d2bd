/**
 * Groups of fields that algorithms share: play and minibatches, values of endings, clipping, aggregation. An algorithm
 * names the pieces it has and their defaults.
 */
import * as v from 'valibot';
import { type AggregationMode, aggregationModes } from '../common/aggregation.ts';
import { type KlEstimator, klEstimators } from '../objective/kl.ts';
import { type RatioLevel, ratioLevels, type SurrogateForm, surrogateForms } from '../objective/surrogate.ts';
import { aggregationLabels, klLabels, ratioLabels, surrogateLabels } from './choice-labels.ts';
import { choice, integer, real, toggle } from './fields.ts';

/** Groups of episodes of one task, and the number of passes over them. */
export const groupFields = {
  groups: v.optional(
    integer(1, 256, 'Groups', 'Tasks tried in each step: more makes each update steadier and slower.', {
      unit: 'tasks',
      level: 'basic',
    }),
    8,
  ),
  groupSize: v.optional(
    integer(2, 64, 'Group size', 'Episodes of the same task that are compared with each other.', {
      unit: 'episodes',
      level: 'basic',
    }),
    8,
  ),
  minibatches: v.optional(
    integer(1, 64, 'Minibatches', 'Pieces the episodes of a step are cut into, with one optimiser step each.'),
    1,
  ),
  innerEpochs: v.optional(integer(1, 16, 'Inner epochs', 'How often each step trains on the same episodes.'), 1),
};

const endings = v.strictObject({
  context: v.optional(
    v.nullable(
      real(-10, 10, 'Return on overflow', 'What an episode that ran out of context is worth.', {
        step: 0.1,
        nullMeans: "the world's score",
      }),
    ),
    null,
  ),
  invalidAction: v.optional(
    v.strictObject({
      policy: choice(
        ['continue', 'end'],
        'On an invalid action',
        'Whether an action that the world refuses ends the episode.',
        { choiceLabels: { continue: 'Go on', end: 'End the episode' } },
      ),
      penalty: v.optional(
        real(-10, 0, 'Invalid-action penalty', 'Added to the return of an episode for each action the world refused.', {
          step: 0.05,
        }),
        0,
      ),
    }),
    { policy: 'continue', penalty: 0 },
  ),
  worldFailure: v.optional(
    choice(
      ['drop', 'zero'],
      'On a world failure',
      'Whether an episode whose world broke is left out or counts as zero.',
      { choiceLabels: { drop: 'Leave it out', zero: 'Count as zero' } },
    ),
    'drop',
  ),
});

/** Value of each ending instead of the world's score; null: the score. */
export const endingFields = {
  endings: v.optional(endings, {
    context: null,
    invalidAction: { policy: 'continue', penalty: 0 },
    worldFailure: 'drop',
  }),
};

export const clipLow = real(
  0,
  1,
  'Clip low',
  'How far an update may make an action less likely before the gradient is cut.',
  { step: 0.05, level: 'basic' },
);
export const clipHigh = real(
  0,
  10,
  'Clip high',
  'How far an update may make an action more likely before the gradient is cut; above clip low it favours rare finds.',
  { step: 0.05, level: 'basic' },
);

/** The clipped ratio. Defaults: low, high, dual clip. */
export const clipFields = (low: number, high: number, dual: number | null) => ({
  clipLow: v.optional(clipLow, low),
  clipHigh: v.optional(clipHigh, high),
  dualClip: v.optional(
    v.nullable(
      real(1, 100, 'Dual clip', 'Bound on the loss of a bad action that became much more likely.', {
        step: 0.5,
        nullMeans: 'no dual clip',
      }),
    ),
    dual,
  ),
});

export const klFields = (coefficient: number) => ({
  kl: v.optional(
    v.strictObject({
      coefficient: real(
        0,
        10,
        'KL weight',
        'How strongly the policy is held near the one it started from; 0 lets it go anywhere.',
        { step: 0.001, level: 'basic' },
      ),
      estimator: choice(
        klEstimators,
        'KL estimator',
        'How the distance to the first policy is estimated from samples; k3 is unbiased and never negative.',
        { choiceLabels: klLabels },
      ),
    }),
    { estimator: 'k3', coefficient },
  ),
});

export const entropyFields = (coefficient: number) => ({
  entropy: v.optional(
    real(
      -1,
      1,
      'Entropy bonus',
      'Reward for staying undecided: a little keeps the policy exploring, a lot keeps it random.',
      { step: 0.001, level: 'basic' },
    ),
    coefficient,
  ),
});

/** `divisor`: of seq-mean-token-sum-norm; null: the longest sequence. */
export const aggregationFields = (mode: AggregationMode, divisor: number | null = null) => ({
  aggregation: v.optional(
    choice(
      aggregationModes,
      'Aggregation',
      'How the losses of tokens become one number: a token or an episode may count the same.',
      { choiceLabels: aggregationLabels },
    ),
    mode,
  ),
  lossScaleFactor: v.optional(
    v.nullable(
      real(1, 1e6, 'Loss divisor', 'What seq-mean-token-sum-norm divides by.', {
        step: 1,
        unit: 'tokens',
        nullMeans: 'the longest sequence',
      }),
    ),
    divisor,
  ),
});

export const epsilonField = (epsilon: number) => ({
  advantageEpsilon: v.optional(
    real(0, 1, 'Spread floor', 'Added to the standard deviation so that equal returns do not divide by zero.', {
      step: 1e-6,
    }),
    epsilon,
  ),
});

/** Kind of ratio and of clip. */
export const ratioFields = (level: RatioLevel, form: SurrogateForm) => ({
  ratio: v.optional(
    choice(
      ratioLevels,
      'Ratio',
      'Whether how much likelier an action became is judged token by token, or once for the whole episode.',
      { choiceLabels: ratioLabels },
    ),
    level,
  ),
  surrogate: v.optional(
    choice(
      surrogateForms,
      'Clip form',
      'Whether a token beyond the clip loses its gradient (clip) or keeps a bounded one (cispo).',
      { choiceLabels: surrogateLabels },
    ),
    form,
  ),
});

/** Correction for the gap between the sampling and the training policy. */
export const correctionFields = {
  correction: v.optional(
    v.strictObject({
      weights: v.optional(
        choice(
          ['none', 'token', 'sequence'],
          'Importance weights',
          'Whether what was sampled counts by how likely the trained policy thinks it: token by token, or the whole episode.',
          { choiceLabels: { none: 'None', token: 'Each token', sequence: 'Whole episode' } },
        ),
        'none',
      ),
      outside: v.optional(
        choice(
          ['truncate', 'mask'],
          'Weights out of bounds',
          'Whether a weight beyond its bounds is cut to them, or becomes zero.',
          { choiceLabels: { truncate: 'Cut to bounds', mask: 'Become zero' } },
        ),
        'truncate',
      ),
      low: v.optional(
        v.nullable(
          real(0, 1, 'Least weight', 'Lower bound of an importance weight.', { step: 0.1, nullMeans: 'none' }),
        ),
        null,
      ),
      high: v.optional(
        v.nullable(
          real(1, 100, 'Most weight', 'Upper bound of an importance weight.', { step: 0.5, nullMeans: 'none' }),
        ),
        2,
      ),
      normalize: v.optional(
        toggle(
          'Mean weight of one',
          'Divide importance weights by their mean, so that they change shares and not the size.',
        ),
        false,
      ),
    }),
    { weights: 'none', outside: 'truncate', low: null, high: 2, normalize: false },
  ),
};

/** PPO's classic form: the KL to the reference is subtracted from the reward of each token. */
export const klRewardFields = (coefficient: number, estimator: KlEstimator) => ({
  klReward: v.optional(
    v.strictObject({
      coefficient: real(
        0,
        10,
        'KL price',
        'Taken from the reward of each action for its distance to the policy that the run started from.',
        { step: 0.001, level: 'basic' },
      ),
      estimator: choice(klEstimators, 'KL price estimator', 'How that distance is estimated from what was sampled.', {
        choiceLabels: klLabels,
      }),
      target: v.optional(
        v.nullable(
          real(1e-6, 10, 'KL target', 'The price grows while the distance is above this and falls while it is below.', {
            step: 0.01,
            nullMeans: 'fixed price',
          }),
        ),
        null,
      ),
      horizon: v.optional(
        integer(1, 1_000_000, 'KL price memory', 'Episodes over which the price adapts: more adapts it more slowly.', {
          unit: 'episodes',
        }),
        10_000,
      ),
    }),
    { coefficient, estimator, target: null, horizon: 10_000 },
  ),
});

export const gammaField = (gamma: number) => ({
  gamma: v.optional(
    real(0, 1, 'Discount', 'What a reward one trained token later is worth; 1 values all alike.', { step: 0.01 }),
    gamma,
  ),
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
export const klPerEpisode = v.optional(
  real(
    0,
    10,
    'KL price of an episode',
    'Taken from the return for the distance of the whole episode to the first policy.',
    {
      step: 0.01,
    },
  ),
  0,
);
