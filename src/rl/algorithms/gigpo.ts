/**
 * GiGPO: Group-in-Group Policy Optimization (Feng et al. 2025, https://arxiv.org/abs/2505.10978).
 *
 * Two comparisons: the episode with its group (equation 4), and each step with the steps of the group taken in the same
 * observation, its anchor state, by their discounted returns (equations 6 and 7). A = A_episode + omega A_step
 * (equation 8). Versions of its code differ in whether an episode counts once in its group's mean or once per step;
 * both are here.
 */
import * as v from 'valibot';
import { choice, option, real, toggle } from '../../fields/fields.ts';
import { symbol } from '../common/formula.ts';
import { rowsOf } from '../common/token-rows.ts';
import {
  episodeAdvantages,
  type Steps,
  stepAdvantages,
  stepGroups,
  stepReturns,
  turnRewards,
} from '../credit/turns.ts';
import type { Algorithm, CreditInput } from './algorithm.ts';
import { advantageCard, clippedCard, policyCards } from './cards.ts';
import { corrected, counterpartName, policyGradient } from './group-relative.ts';
import { withoutSignal } from './kl-reward.ts';
import { epsilonField, gammaField, policyFields } from './pieces.ts';

const schema = v.strictObject({
  name: v.literal('gigpo'),
  ...policyFields({ clip: [0.2, 0.2, null], aggregation: 'token-mean' }),
  ...gammaField(0.95),
  ...epsilonField(1e-6),
  stepWeight: option(real(0, 10), 1, {
    label: 'Step weight',
    sentence: 'Weight of the comparison of single steps, relative to that of whole episodes.',
    step: 0.1,
    level: 'basic',
  }),
  divideByStd: option(toggle(), false, {
    label: 'Divide by the spread',
    sentence: 'Divide both comparisons by the spread of their group.',
  }),
  statistics: option(choice(['trajectories', 'steps']), 'trajectories', {
    label: 'Episodes count',
    sentence: 'Count of an episode in the mean of its group: once, or once for each of its steps.',
  }),
});
type Settings = v.InferOutput<typeof schema>;

/** Turns that were played, with the observation before each. */
function stepsOf({ trajectories }: Pick<CreditInput, 'trajectories'>, penalty: number): Steps & { starts: number[] } {
  const starts: number[] = [];
  const [row, observation, reward]: [number[], string[], number[]] = [[], [], []];
  trajectories.forEach((trajectory, b) => {
    starts.push(row.length);
    const rewards = turnRewards(trajectory, penalty);
    trajectory.turns.forEach((_, k) => {
      row.push(b);
      observation.push(k === 0 ? trajectory.prompt : trajectory.turns[k - 1].observation);
      reward.push(rewards[k]);
    });
  });
  return { row, observation, reward, starts };
}

/** Two advantages of each step, before they are weighted and added. */
export function stepCredit(
  steps: Steps,
  returns: ArrayLike<number>,
  groupOf: ArrayLike<number>,
  {
    gamma,
    divideByStd,
    advantageEpsilon,
    statistics,
  }: Pick<Settings, 'gamma' | 'divideByStd' | 'advantageEpsilon' | 'statistics'>,
) {
  const options = { over: statistics, divide: divideByStd, epsilon: advantageEpsilon };
  const groups = stepGroups(steps, groupOf);
  const discounted = stepReturns(steps, gamma);
  return {
    groups,
    returns: discounted,
    episode: episodeAdvantages(returns, groupOf, steps, options),
    step: stepAdvantages(discounted, groups, options),
  };
}

const gigpoCard = advantageCard(
  'group-in-group',
  'Two comparisons: the episode with its group, and each turn with the turns of the group that were taken in the same observation.',
  [symbol('A', undefined, { sup: 'E' }), '+', symbol('ω', 'setting.stepWeight'), symbol('A', undefined, { sup: 'S' })],
  [
    symbol('A', undefined, { sup: 'E' }),
    '∝',
    symbol('R', 'episode.return', { sub: 'i' }),
    '−',
    symbol('μ', 'group.mean'),
  ],
);
/** Difference from the counterparts in other trainers. */
const nearest = 'Single steps are not compared: every token has the credit of its whole episode.';

export const gigpo = {
  name: 'gigpo',
  label: 'GiGPO',
  sentence: 'GRPO, and beside it a comparison of single steps that were taken in the same observation.',
  source: ['https://arxiv.org/abs/2505.10978'],
  schema,
  cards: (settings) => policyCards(gigpoCard, clippedCard(settings)),
  ...policyGradient,
  credit: (input, settings) => {
    const { rows } = input;
    const steps = stepsOf(input, settings.endings.invalidAction.penalty);
    const credit = stepCredit(steps, input.returns, rows.group, settings);
    const joint = credit.episode.map((advantage, k) => advantage + settings.stepWeight * credit.step[k]);
    const advantages = new Float64Array(rowsOf(rows));
    steps.starts.forEach((start, b) => {
      // A dropped episode has return NaN and no credit.
      if (Number.isNaN(input.returns[b])) return;
      const { length } = input.trajectories[b].turns;
      // A thought that no turn followed, for want of room, has the credit of its episode alone.
      const creditOf = (turn: number) => (turn < length ? joint[start + turn] : (credit.episode[start] ?? 0));
      for (let i = rows.offsets[b]; i < rows.offsets[b + 1]; i++) advantages[i] = creditOf(rows.turn[i]);
    });
    const metrics = { stepGroups: new Set(credit.groups).size, stepCredit: share(credit.step) };
    return corrected({ advantages, ...withoutSignal(input), metrics }, input, settings.correction);
  },
  counterparts: {
    verl: { name: counterpartName, set: { 'algorithm.norm_adv_by_std_in_grpo': true }, differs: [nearest] },
    'agentgym-rl': { name: counterpartName, differs: [nearest] },
    trl: { name: counterpartName, set: { scale_rewards: 'group' }, differs: [nearest] },
  },
} satisfies Algorithm<Settings>;

/** Share of the steps with an advantage other than 0, whose return differs from others with the same observation. */
const share = (advantages: Float64Array) =>
  advantages.filter((value) => value !== 0).length / Math.max(1, advantages.length);
