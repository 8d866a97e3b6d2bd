/**
 * MT-GRPO: turn-level credit (Zeng et al. 2025, https://arxiv.org/abs/2505.11821;
 * SiliangZeng/Multi-Turn-RL-Agent@7dbdd08).
 *
 * `two-level`, as in its code: the reward of the first turn and the reward of the outcome, each compared within the
 * group. Tokens before the first result get A_outcome + c A_turn, later ones A_outcome; an episode without a result
 * gets the comparison of their sum. `turns`, the general form: the reward still to come from each turn on, compared
 * with the same turn of the group, beside the outcome. If each turn has a reward of its own, a turn discount below 1
 * keeps the luck of later turns out of its credit.
 */
import * as v from 'valibot';
import { choice, option, real } from '../../fields/fields.ts';
import { symbol } from '../common/formula.ts';
import { rowsOf, type TokenRows } from '../common/token-rows.ts';
import { groupAdvantages } from '../credit/groups.ts';
import { stepReturns, turnRewards } from '../credit/turns.ts';
import type { Algorithm, CreditInput } from './algorithm.ts';
import { advantageCard, clippedCard, policyCards } from './cards.ts';
import { corrected, counterpartName, policyGradient } from './group-relative.ts';
import { withoutSignal } from './kl-reward.ts';
import { policyFields } from './pieces.ts';

const schema = v.strictObject({
  name: v.literal('mt-grpo'),
  ...policyFields({ clip: [0.2, 0.2, null], aggregation: 'token-mean' }),
  turnWeight: option(real(0, 10), 1, {
    label: 'Turn weight',
    sentence: "Weight of a turn's own reward, relative to the episode's outcome.",
    step: 0.1,
    level: 'basic',
  }),
  turnDiscount: option(real(0, 1), 1, {
    label: 'Turn discount',
    sentence: "Weight of a reward one turn later in a turn's own credit.",
    step: 0.1,
  }),
  turnForm: option(choice(['turns', 'two-level']), 'turns', {
    label: 'Turns with credit',
    sentence: 'Turns with credit of their own: all, or only the first, in addition to the outcome.',
    choiceLabels: { turns: 'Each turn', 'two-level': 'Only the first' },
  }),
});

type Settings = v.InferOutput<typeof schema>;

/** TRL's epsilon, as in the original. */
const epsilon = 1e-4;
const compared = (values: ArrayLike<number>, groupOf: ArrayLike<number>) =>
  groupAdvantages(values, groupOf, { baseline: 'mean-std', epsilon }).advantages;

export interface TwoLevel {
  /** (B) */
  turn: ArrayLike<number>;
  outcome: ArrayLike<number>;
  /** (B) number of a sequence's rows before the first result; -1: no result. */
  rowsBefore: ArrayLike<number>;
}

/** Credit of the two-level form. */
export function twoLevelCredit({ turn, outcome, rowsBefore }: TwoLevel, rows: TokenRows, weight: number) {
  const both = Float64Array.from(turn, (value, b) => value + outcome[b]);
  const [turns, outcomes, combined] = [turn, outcome, both].map((values) => compared(values, rows.group));
  const advantages = new Float64Array(rowsOf(rows));
  for (let b = 0; b < turn.length; b++)
    for (let i = rows.offsets[b]; i < rows.offsets[b + 1]; i++) {
      const early = i - rows.offsets[b] < rowsBefore[b];
      advantages[i] = rowsBefore[b] < 0 ? combined[b] : outcomes[b] + (early ? weight * turns[b] : 0);
    }
  return { advantages, turns, outcomes, combined };
}

/** The first turn is good if the world accepted its action. The answer to that action is the first result. */
function firstTurns({ trajectories, returns, rows }: CreditInput): TwoLevel {
  const before = (b: number) => {
    let i = rows.offsets[b];
    while (i < rows.offsets[b + 1] && rows.turn[i] === 0) i++;
    return i - rows.offsets[b];
  };
  return {
    turn: trajectories.map(({ turns }, b) => (Number.isNaN(returns[b]) ? Number.NaN : turns[0]?.valid ? 1 : 0)),
    outcome: returns,
    rowsBefore: trajectories.map(({ turns }, b) => (turns.some(({ valid }) => valid) ? before(b) : -1)),
  };
}

/** Reward still to come from each turn on, compared with the same turn of the group. */
function turnCredit(
  input: CreditInput,
  { turnWeight: weight, turnDiscount, endings }: Pick<Settings, 'turnWeight' | 'turnDiscount' | 'endings'>,
): Float64Array {
  const { rows, trajectories, returns } = input;
  const steps = trajectories.flatMap((trajectory, b) =>
    turnRewards(trajectory, endings.invalidAction.penalty).map((reward, turn) => ({ b, turn, reward })),
  );
  const row = steps.map(({ b }) => b);
  const rest = stepReturns({ row, observation: [], reward: steps.map(({ reward }) => reward) }, turnDiscount);
  // One more than the turns: a thought that no turn followed, for want of room, has a turn of its own.
  const most = steps.reduce((longest, { turn }) => Math.max(longest, turn + 2), 1);
  const dropped = (b: number) => Number.isNaN(returns[b]);
  const own = compared(
    steps.map(({ b }, k) => (dropped(b) ? Number.NaN : rest[k])),
    steps.map(({ b, turn }) => rows.group[b] * most + turn),
  );
  const outcome = compared(returns, rows.group);
  const at = new Map(steps.map(({ b, turn }, k) => [b * most + turn, own[k]]));
  const advantages = new Float64Array(rowsOf(rows));
  trajectories.forEach((_, b) => {
    for (let i = rows.offsets[b]; i < rows.offsets[b + 1]; i++)
      advantages[i] = outcome[b] + weight * (at.get(b * most + rows.turn[i]) ?? 0);
  });
  return advantages;
}

const turnCard = advantageCard(
  'turns',
  'The outcome of the episode compared in its group, and each turn compared with the same turn of the others.',
  [
    symbol('A', 'episode.advantage', { sub: 'outcome' }),
    '+',
    symbol('c', 'setting.turnWeight'),
    symbol('A', undefined, { sub: 'turn' }),
  ],
);
/** Difference from the counterparts in other trainers. */
const nearest = 'Turns have no credit of their own: every token has the credit of its whole episode.';

export const mtGrpo = {
  name: 'mt-grpo',
  label: 'MT-GRPO',
  sentence: 'GRPO in which each turn has credit of its own beside the outcome of the episode.',
  source: ['https://arxiv.org/abs/2505.11821'],
  schema,
  cards: (settings) => policyCards(turnCard, clippedCard(settings)),
  ...policyGradient,
  credit: (input, settings) => {
    const advantages =
      settings.turnForm === 'turns'
        ? turnCredit(input, settings)
        : twoLevelCredit(firstTurns(input), input.rows, settings.turnWeight).advantages;
    return corrected({ advantages, ...withoutSignal(input) }, input, settings.correction);
  },
  counterparts: {
    verl: { name: counterpartName, set: { 'algorithm.norm_adv_by_std_in_grpo': true }, differs: [nearest] },
    'agentgym-rl': { name: counterpartName, differs: [nearest] },
    trl: { name: counterpartName, set: { scale_rewards: 'group' }, differs: [nearest] },
  },
} satisfies Algorithm<Settings>;
