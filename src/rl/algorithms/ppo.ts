/**
 * PPO with a critic: Proximal Policy Optimization (Schulman et al. 2017, https://arxiv.org/abs/1707.06347) with
 * generalised advantage estimation (https://arxiv.org/abs/1506.02438) over the chosen tokens.
 *
 * The critic is a value head with its own learning rate, on the policy's trunk (with or without its gradient, as in the
 * paper's equation 9) or on a second model that starts as a copy of the policy. Advantages are whitened over the step;
 * returns, the critic's targets, are not. With `turnGamma`, credit has two levels (RAGEN,
 * https://arxiv.org/abs/2504.20073): from turn to turn, then token by token inside each. The KL to the reference may be
 * in the reward, with a fixed or an adaptive coefficient.
 */
import * as v from 'valibot';
import { choice, option, real, toggle } from '../../fields/fields.ts';
import { type Card, symbol } from '../common/formula.ts';
import { onLastRow, rowsOf, type TokenRows } from '../common/token-rows.ts';
import { biLevelGae, gae, rewardedEnds, turnEnds } from '../credit/gae.ts';
import { explainedVariance, whiten } from '../credit/tokens.ts';
import { turnRewards } from '../credit/turns.ts';
import { clippedObjective } from '../objective/clipped.ts';
import { withCritic } from '../objective/values.ts';
import type { Algorithm, CreditInput } from './algorithm.ts';
import { advantageCard, clippedCard, policyCards } from './cards.ts';
import { corrected, policyGradient, policyNeeds, policyScalars } from './group-relative.ts';
import { rewardsWithKl, withoutSignal } from './kl-reward.ts';
import { gammaField, klRewardFields, policyFields } from './pieces.ts';

const {
  ratio: _ratio,
  surrogate: _surrogate,
  ...shared
} = policyFields({
  clip: [0.2, 0.2, null],
  aggregation: 'token-mean',
});

const schema = v.strictObject({
  name: v.literal('ppo'),
  ...shared,
  ...klRewardFields(0, 'k1'),
  ...gammaField(1),
  lambda: option(real(0, 1), 0.95, {
    label: 'Lambda',
    sentence:
      "Reach of a reward's credit beyond the critic's predictions: at 1 back to the start, at 0 a single token.",
    step: 0.01,
  }),
  turnGamma: option(v.nullable(real(0, 1)), null, {
    label: 'Turn discount',
    sentence: 'Discount of a reward one turn later, if credit is assigned turn by turn first.',
    step: 0.01,
    nullMeans: 'token by token only',
  }),
  turnEnds: option(choice(['turns', 'rewards']), 'turns', {
    label: 'End of a turn',
    sentence: 'Its last token, or, as in the original, only a token with a reward.',
    choiceLabels: { turns: 'Last token', rewards: 'At a reward' },
  }),
  turnRewards: option(toggle(), false, {
    label: 'Rewards by turn',
    sentence: "Assign each turn's reward to its last token, instead of the whole return to the episode's last token.",
  }),
  valueClip: option(real(0.01, 100), 0.5, {
    label: 'Value clip',
    sentence: "Bound on the change of the critic's prediction in one update.",
    step: 0.1,
  }),
  critic: option(choice(['head', 'shared', 'separate']), 'shared', {
    label: 'Critic',
    sentence:
      "Place of the critic: a head on the policy's hidden states, a head that also trains the shared layers, or a second model.",
    level: 'basic',
    choiceLabels: { head: 'Reads the policy', shared: 'Shares its layers', separate: 'Model of its own' },
  }),
  valueWeight: option(real(0, 10), 0.5, {
    label: 'Value weight',
    sentence: "Weight of the critic's loss, relative to the policy's, in shared layers.",
    step: 0.1,
  }),
  criticLearningRate: option(real(0, 1), 0.01, {
    label: 'Critic learning rate',
    sentence: 'Size of each update of the value head.',
    step: 0.001,
    level: 'basic',
  }),
});
type Settings = v.InferOutput<typeof schema>;

/** Columns and scalars of the clipped objective and of the critic's. */
const objective = {
  name: 'ppo',
  columns: [...clippedObjective.columns, 'oldValue', 'return', 'valueCoefficient'],
  scalars: [...clippedObjective.scalars, 'valueClip'],
  evaluate: withCritic(clippedObjective.evaluate),
};

/**
 * Rewards per row: the return on the last row, or each turn's reward on the last of its rows. The reward of a turn
 * without a choice goes to the next row.
 */
function rewardsOf({ rows, returns, trajectories }: CreditInput, settings: Settings): Float64Array {
  const total = onLastRow(
    Float64Array.from(returns, (value) => (Number.isNaN(value) ? 0 : value)),
    rows,
  );
  if (!settings.turnRewards) return total;
  const out = new Float64Array(rowsOf(rows));
  trajectories.forEach((trajectory, b) => {
    const [start, end] = [rows.offsets[b], rows.offsets[b + 1]];
    if (start === end || Number.isNaN(returns[b])) return;
    let waiting = 0;
    turnRewards(trajectory, settings.endings.invalidAction.penalty).forEach((reward, turn) => {
      waiting += reward;
      const last = lastRowOf(rows, b, turn);
      if (last < 0) return;
      out[last] += waiting;
      waiting = 0;
    });
    // Part of the return that no turn's reward explains: the value of the ending.
    const given = out.subarray(start, end).reduce((sum, value) => sum + value, 0);
    out[end - 1] += returns[b] - given;
  });
  return out;
}

function lastRowOf({ offsets, turn }: TokenRows, b: number, wanted: number): number {
  for (let i = offsets[b + 1] - 1; i >= offsets[b]; i--) if (turn[i] === wanted) return i;
  return -1;
}

/** Advantages before whitening, and the critic's targets. */
export function estimate(
  rewards: Float64Array,
  values: ArrayLike<number>,
  rows: TokenRows,
  { gamma, lambda, turnGamma, turnEnds: rule }: Pick<Settings, 'gamma' | 'lambda' | 'turnGamma' | 'turnEnds'>,
) {
  if (turnGamma === null) return gae(rewards, values, rows, { gamma, lambda });
  const ends = rule === 'turns' ? turnEnds(rows) : rewardedEnds(rewards, rows);
  return biLevelGae(rewards, values, rows, { gamma, lambda, turnGamma, ends });
}

const criticCard: Card = {
  id: 'critic',
  part: 'group',
  title: 'Critic',
  sentence: 'A value head predicts the remaining return before each token; it is trained on the actual returns.',
  formula: [
    symbol('V', 'token.oldValue', { sub: 't', words: "the critic's prediction before this token" }),
    '→',
    symbol('G', 'token.return', { sub: 't', words: 'the actual return: the target of the critic' }),
  ],
};

const gaeCard = advantageCard(
  'gae',
  "Rewards minus the critic's predictions, summed over the following tokens and discounted by gamma times lambda.",
  [
    { big: '∑', below: 'l' },
    {
      power: ['(', symbol('γ', 'setting.gamma'), symbol('λ', 'setting.lambda'), ')'],
      to: 'l',
    },
    symbol('δ', undefined, { sub: 't+l' }),
  ],
  [
    symbol('δ', undefined, { sub: 't' }),
    '=',
    symbol('r', 'token.reward', { sub: 't', words: 'reward on this token' }),
    '+',
    symbol('γ', 'setting.gamma'),
    symbol('V', undefined, { sub: 't+1' }),
    '−',
    symbol('V', 'token.oldValue', { sub: 't', words: "the critic's prediction before this token" }),
  ],
);

export const ppo = {
  name: 'ppo',
  label: 'PPO',
  sentence: 'A critic predicts the remaining return; credit is the actual return minus the prediction.',
  source: ['https://arxiv.org/abs/1707.06347', 'https://arxiv.org/abs/1506.02438'],
  schema,
  cards: (settings) => [...policyCards(gaeCard, clippedCard(settings), [criticCard])],
  ...policyGradient,
  needs: (settings) => ({
    ...policyNeeds({ ...settings, ratio: 'token' }),
    referenceInCredit: settings.klReward.coefficient !== 0,
    values: true,
  }),
  credit: (input, settings) => {
    const { rewards, ...kept } = rewardsWithKl(input, rewardsOf(input, settings), settings.klReward);
    const values = input.values ?? new Float64Array(rowsOf(input.rows));
    const { advantages, returns } = estimate(rewards, values, input.rows, settings);
    const explained = explainedVariance(returns, values);
    const metrics = { ...kept.metrics, ...(Number.isNaN(explained) ? {} : { explainedVariance: explained }) };
    const credit = { advantages: whiten(advantages), columns: { oldValue: values, return: returns, reward: rewards } };
    return corrected({ ...credit, ...withoutSignal(input), ...kept, metrics }, input, settings.correction);
  },
  objective: (settings) => ({ spec: objective, scalars: [...policyScalars(settings), settings.valueClip] }),
  critic: ({ critic, criticLearningRate, valueWeight }) => ({
    kind: critic,
    learningRate: criticLearningRate,
    trunkWeight: valueWeight,
  }),
  counterparts: {
    verl: { name: 'gae', differs: ['The critic is always a model of its own, which begins as the policy.'] },
    'agentgym-rl': {
      name: 'gae',
      differs: [
        'The reward lies on a token that is not trained, and this estimator then drops it: use GRPO there.',
        'The critic is always a model of its own, which begins as the policy.',
      ],
    },
  },
} satisfies Algorithm<Settings>;
