/**
 * On-policy distillation (Agarwal et al. 2023, https://arxiv.org/abs/2306.13649, with the reverse KL and the student's
 * own episodes; https://thinkingmachines.ai/blog/on-policy-distillation/).
 *
 * The student plays, and a teacher gives the probability q of each token that the student chose with probability p. The
 * credit of a token is log q - log p, whose mean over the student's choices is minus the reverse KL. It may be mixed
 * with GRPO's comparison of returns. The objective is the clipped ratio.
 *
 * With another `divergence` than `sampled` the loss holds the divergence between the two distributions over all allowed
 * tokens at each token that the student chose, which the head computes with its exact gradient
 * (shaders/head_divergence_dlogits.wgsl). The credit is then the comparison of returns alone.
 *
 * The teacher is the world's oracle, smoothed over the valid actions (`episode/oracle-teacher.ts`), or another policy,
 * here or behind an API, which scores the episodes (`policy-teacher.ts`).
 */
import * as v from 'valibot';
import { choice, option, real, text, toggle } from '../../fields/fields.ts';
import { symbol } from '../common/formula.ts';
import { mean } from '../common/numbers.ts';
import { rowsOf } from '../common/token-rows.ts';
import { discountedReturns } from '../credit/tokens.ts';
import type { Algorithm, CreditInput } from './algorithm.ts';
import { advantageCard, clippedCard, policyCards } from './cards.ts';
import { corrected, groupCredit, policyGradient, policyNeeds } from './group-relative.ts';
import { withoutSignal } from './kl-reward.ts';
import { epsilonField, policyFields } from './pieces.ts';

/** Divergences between the student's and the teacher's distribution; `sampled`: one number for each chosen token. */
const divergences = ['sampled', 'reverse', 'forward', 'jensen-shannon'] as const;

const schema = v.strictObject({
  name: v.literal('distillation'),
  ...policyFields({ clip: [0.2, 0.2, null], aggregation: 'token-mean' }),
  ...epsilonField(1e-6),
  teacher: option(v.nullable(text(1, 255)), null, {
    label: 'Teacher',
    sentence:
      'Whose probabilities the policy learns: those of the oracle, of a shipped agent by its name, of a run or policy in a file, or of a model behind an API (MODEL@ADDRESS), with the same vocabulary.',
    teacher: true,
    level: 'basic',
    nullMeans: 'the oracle',
  }),
  divergence: option(choice(divergences), 'sampled', {
    label: 'Divergence',
    sentence:
      'Comparison with the teacher at each token that the policy chose: of the chosen token alone, or of the whole distributions over all allowed tokens.',
    choiceLabels: {
      sampled: 'Chosen token',
      reverse: 'Reverse KL',
      forward: 'Forward KL',
      'jensen-shannon': 'Jensen-Shannon',
    },
    level: 'basic',
  }),
  mixture: option(real(0.01, 0.99), 0.5, {
    label: 'Mixture',
    sentence:
      "The teacher's share in the mixture of the two distributions that the generalized Jensen-Shannon divergence compares with: near 0 it becomes like the forward KL, near 1 like the reverse one.",
    step: 0.1,
  }),
  smoothing: option(real(0.001, 1), 0.1, {
    label: 'Smoothing',
    sentence:
      "Share of the oracle's probability that is spread evenly over all valid actions; the rest is on the action that it advises.",
    step: 0.05,
    level: 'basic',
  }),
  teacherWeight: option(real(0, 100), 1, {
    label: 'Teacher weight',
    sentence:
      "Weight of the teacher's log-probability minus the policy's own in the credit of a token, or of the divergence in the loss.",
    step: 0.1,
    level: 'basic',
  }),
  rewardWeight: option(real(0, 100), 0, {
    label: 'Reward weight',
    sentence:
      'Weight of the comparison of returns in the group, as in GRPO, beside the teacher; 0: the reward is not used.',
    step: 0.1,
    level: 'basic',
  }),
  teacherDiscount: option(real(0, 1), 0, {
    label: 'Teacher discount',
    sentence:
      "Share of the next token's credit that is added to a token's own: at 0 each token is judged alone, at 1 with all tokens after it.",
    step: 0.05,
  }),
  centered: option(toggle(), false, {
    label: 'Centred credit',
    sentence: "Subtract the step's mean from the teacher's part of the credit.",
  }),
});

type Settings = v.InferOutput<typeof schema>;

/** Divergence in the loss, as an update's request names it; null: the credit holds the teacher's part. */
function betaOf({ divergence, mixture }: Settings): number | null {
  const betas = { sampled: null, reverse: 1, forward: 0, 'jensen-shannon': mixture };
  return betas[divergence];
}

const isTaught = ({ teacher }: CreditInput, i: number): boolean => !Number.isNaN(teacher?.[i] ?? Number.NaN);

/** (N) log q - log p of each row; 0 where the teacher has no opinion. */
function teacherGaps(input: CreditInput): Float64Array {
  const { rows, teacher, rollout } = input;
  return Float64Array.from({ length: rowsOf(rows) }, (_, i) =>
    isTaught(input, i) ? teacher![i] - (rollout?.[i] ?? 0) : 0,
  );
}

/** Credit of each row by the teacher alone, before its weight. */
function teacherCredit(input: CreditInput, gaps: Float64Array, settings: Settings): Float64Array {
  const credit = discountedReturns(gaps, input.rows, settings.teacherDiscount);
  if (!settings.centered) return credit;
  const center = mean(credit.filter((_, i) => isTaught(input, i)));
  return credit.map((value, i) => (isTaught(input, i) ? value - center : value));
}

const distillationCard = advantageCard(
  'distillation',
  "The teacher's log-probability q of the token minus the policy's own: positive where the teacher would choose it more often. Its mean over the policy's choices is minus the reverse KL.",
  ['log', symbol('q', undefined, { sub: 't' }), '−', 'log', symbol('p', 'token.probability', { sub: 't' })],
);

export const distillation = {
  name: 'distillation',
  label: 'On-policy distillation',
  sentence: "Plays itself, and raises each token's probability by how much more likely a teacher would choose it.",
  source: ['https://arxiv.org/abs/2306.13649'],
  schema,
  cards: (settings) => policyCards(distillationCard, clippedCard(settings)),
  ...policyGradient,
  needs: (settings) => ({
    ...policyNeeds(settings),
    teacher: {
      policy: settings.teacher,
      smoothing: settings.smoothing,
      ...(betaOf(settings) !== null && { distributions: true }),
    },
  }),
  objective: (settings) => {
    const own = policyGradient.objective(settings);
    const beta = betaOf(settings);
    return beta === null ? own : { ...own, divergence: { beta, weight: settings.teacherWeight } };
  },
  problems: (settings) => {
    if (settings.divergence === 'sampled') return [];
    const message = `belongs to the credit of the chosen token alone, and algorithm.divergence is "${settings.divergence}"`;
    return [
      ...(settings.teacherDiscount === 0 ? [] : [{ field: 'teacherDiscount', message: `${message}: set it to 0` }]),
      ...(settings.centered ? [{ field: 'centered', message: `${message}: set it to false` }] : []),
    ];
  },
  credit: (input, settings) => {
    const gaps = teacherGaps(input);
    const taught = teacherCredit(input, gaps, settings);
    const returns = groupCredit(input, { baseline: 'mean-std', epsilon: settings.advantageEpsilon }).advantages;
    const { rewardWeight } = settings;
    const teacherWeight = betaOf(settings) === null ? settings.teacherWeight : 0;
    const advantages = taught.map(
      (value, i) => teacherWeight * value + (rewardWeight > 0 ? rewardWeight * returns[i] : 0),
    );
    const columns = { teacherGap: gaps };
    const metrics = { teacherKl: -mean(gaps.filter((_, i) => isTaught(input, i))) };
    return corrected({ advantages, ...withoutSignal(input), columns, metrics }, input, settings.correction);
  },
} satisfies Algorithm<Settings>;
