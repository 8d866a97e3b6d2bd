/**
 * Objectives of preferences: sums over whole sequences of s = log(policy / reference), compared in pairs (DPO and its
 * relatives) or with a baseline (KTO). Every token of a sequence has the same weight.
 */

import { sigmoid, softplus } from '../../policy/elementary.ts';
import type { ObjectiveResult, ObjectiveRows, ObjectiveSpec } from '../../policy/policy.ts';
import { groupBy, mean } from '../common/numbers.ts';
import { emptyResult, lossAux } from './clipped.ts';

export const preferenceLosses = [
  'sigmoid',
  'ipo',
  'robust',
  'conservative',
  'hinge',
  'sigmoid_norm',
  'apo_zero',
  'apo_down',
  'nca_pair',
  'bco_pair',
] as const;
type PreferenceLoss = (typeof preferenceLosses)[number];

export interface PreferenceSettings {
  loss: PreferenceLoss;
  beta: number;
  /** Share e of pairs whose label is assumed wrong; read by `sigmoid`, `conservative` and `robust`. */
  labelSmoothing: number;
}

/** Score of a sequence: the sum of log(policy / reference) over its rows, and the number of rows. */
interface Score {
  sum: number;
  count: number;
}

/** Loss of a pair and its slopes by the sums of the chosen and of the rejected. */
interface PairTerm {
  loss: number;
  chosen: number;
  rejected: number;
}

/** -log sigmoid(x) and its slope. */
const minusLogSigmoid = (x: number) => ({ value: softplus(-x), slope: -sigmoid(-x) });
const sigmoidOf = (x: number) => ({ value: sigmoid(x), slope: sigmoid(x) * sigmoid(-x) });

type PairLoss = (chosen: Score, rejected: Score, settings: PreferenceSettings) => PairTerm;

/** Loss as a function of beta times the difference of the sums. */
const ofDifference =
  (loss: (x: number, settings: PreferenceSettings) => { value: number; slope: number }): PairLoss =>
  (chosen, rejected, settings) => {
    const { value, slope } = loss(settings.beta * (chosen.sum - rejected.sum), settings);
    return { loss: value, chosen: settings.beta * slope, rejected: -settings.beta * slope };
  };

/** Value and slope at both signs, weighted. */
function smoothed(x: number, right: number, wrong: number) {
  const [plus, minus] = [minusLogSigmoid(x), minusLogSigmoid(-x)];
  return { value: right * plus.value + wrong * minus.value, slope: right * plus.slope - wrong * minus.slope };
}

/** Loss as a function of each sum by itself: value and slope at beta times the sum. */
const ofSums =
  (
    chosenLoss: (x: number) => { value: number; slope: number },
    rejectedLoss: (x: number) => { value: number; slope: number },
  ): PairLoss =>
  (chosen, rejected, { beta }) => {
    const [c, r] = [chosenLoss(beta * chosen.sum), rejectedLoss(beta * rejected.sum)];
    return { loss: c.value + r.value, chosen: beta * c.slope, rejected: beta * r.slope };
  };

const minus = ({ value, slope }: { value: number; slope: number }) => ({ value: 1 - value, slope: -slope });
/** -log sigmoid(-x). */
const minusLogSigmoidOfMinus = (x: number) => {
  const { value, slope } = minusLogSigmoid(-x);
  return { value, slope: -slope };
};

/** Conservative DPO (Mitchell 2023, https://ericmitchell.ai/cdpo.pdf): -(1 - e) log sigmoid(x) - e log sigmoid(-x). */
const conservative = ofDifference((x, { labelSmoothing: e }) => smoothed(x, 1 - e, e));

const pairLosses: { readonly [loss in PreferenceLoss]: PairLoss } = {
  // DPO, Rafailov et al. 2023, https://arxiv.org/abs/2305.18290, equation 7. With label smoothing it is the
  // conservative form, as in AgentGym@3ef9235 agentenv/examples/dpo/dpo_trainer.py `dpo_loss`.
  sigmoid: conservative,
  // Azar et al. 2023, https://arxiv.org/abs/2310.12036, equation 17; TRL divides each sum by its tokens.
  ipo: (chosen, rejected, { beta }) => {
    const distance = chosen.sum / chosen.count - rejected.sum / rejected.count - 1 / (2 * beta);
    return {
      loss: distance * distance,
      chosen: (2 * distance) / chosen.count,
      rejected: (-2 * distance) / rejected.count,
    };
  },
  // Chowdhury et al. 2024, https://arxiv.org/abs/2403.00409.
  robust: ofDifference((x, { labelSmoothing: e }) => smoothed(x, (1 - e) / (1 - 2 * e), -e / (1 - 2 * e))),
  conservative,
  hinge: ofDifference((x) => ({ value: Math.max(0, 1 - x), slope: x < 1 ? -1 : 0 })),
  sigmoid_norm: (chosen, rejected, { beta }) => {
    const x = beta * (chosen.sum / chosen.count - rejected.sum / rejected.count);
    const { value, slope } = minusLogSigmoid(x);
    return { loss: value, chosen: (beta * slope) / chosen.count, rejected: (-beta * slope) / rejected.count };
  },
  // D'Oosterlinck et al. 2024, https://arxiv.org/abs/2408.06266.
  apo_zero: ofSums((x) => minus(sigmoidOf(x)), sigmoidOf),
  apo_down: (chosen, rejected, { beta }) => {
    const [own, difference] = [sigmoidOf(beta * chosen.sum), sigmoidOf(beta * (chosen.sum - rejected.sum))];
    return {
      loss: own.value + 1 - difference.value,
      chosen: beta * (own.slope - difference.slope),
      rejected: beta * difference.slope,
    };
  },
  nca_pair: ofSums(
    (x) => {
      const [plus, minusX] = [minusLogSigmoid(x), minusLogSigmoidOfMinus(x)];
      return { value: plus.value + 0.5 * minusX.value, slope: plus.slope + 0.5 * minusX.slope };
    },
    (x) => {
      const { value, slope } = minusLogSigmoidOfMinus(x);
      return { value: 0.5 * value, slope: 0.5 * slope };
    },
  ),
  bco_pair: ofSums(minusLogSigmoid, minusLogSigmoidOfMinus),
};

/** Rows of each sequence, with the sequence's sum. */
function scoresOf(rows: ObjectiveRows): Map<number, Score & { members: number[] }> {
  const bySequence = groupBy(
    Array.from({ length: rows.count }, (_, i) => i),
    (i) => rows.sequence[i],
  );
  return new Map(
    [...bySequence].map(([sequence, members]) => {
      const sum = members.reduce((total, i) => total + rows.logprob[i] - rows.columns.refLogprob[i], 0);
      return [sequence, { sum, count: members.length, members }];
    }),
  );
}

/** Writes a sequence's loss on its first row, and its slope on all of them. */
function put(out: ObjectiveResult, { members }: { members: readonly number[] }, loss: number, slope: number): void {
  out.loss[members[0]] += loss;
  for (const i of members) {
    out.weight[i] = slope;
    out.aux.policyLoss[i] = loss;
  }
}

/** Column `preferred`: 1 in the chosen of a pair, 0 in the rejected. The mean over pairs. */
export const preferenceObjective = (settings: PreferenceSettings): ObjectiveSpec => ({
  name: `preference-${settings.loss}`,
  columns: ['refLogprob', 'preferred'],
  scalars: [],
  aux: lossAux,
  batch: true,
  evaluate: (rows) => {
    const out = emptyResult(rows.count, lossAux);
    const scores = [...scoresOf(rows).values()];
    const pairs = [...groupBy(scores, ({ members }) => rows.pair[members[0]]).values()];
    const metrics = { preferenceAccuracy: 0, preferenceMargin: 0 };
    for (const members of pairs) {
      const isChosen = (score: (typeof scores)[number]) => rows.columns.preferred[score.members[0]] > 0;
      const [chosen, rejected] = [members.find(isChosen), members.find((each) => !isChosen(each))];
      // A pair with one half has no loss: the other half had nothing to score.
      if (!chosen || !rejected) continue;
      const term = pairLosses[settings.loss](chosen, rejected, settings);
      put(out, chosen, term.loss / pairs.length, term.chosen / pairs.length);
      put(out, rejected, 0, term.rejected / pairs.length);
      const margin = settings.beta * (chosen.sum - rejected.sum);
      metrics.preferenceAccuracy += (margin > 0 ? 1 : 0) / pairs.length;
      metrics.preferenceMargin += margin / pairs.length;
    }
    return { ...out, metrics };
  },
});

export interface KtoSettings {
  // not a kind: a loss
  loss: 'kto' | 'apo_zero_unpaired';
  beta: number;
  desirableWeight: number;
  undesirableWeight: number;
}

/** Label of a prompt with another trajectory's completion: only its sum counts, without gradient. */
export const MISMATCHED = -1;

/**
 * KTO (Ethayarajh et al. 2024, https://arxiv.org/abs/2402.01306, equation 8; TRL@f2cd577 kto_trainer.py). Column
 * `label`: 1 for desirable sequences, 0 for undesirable ones, -1 for mismatched completions, whose mean sum (at least
 * 0) is the baseline. The mean over sequences.
 */
export const ktoObjective = (settings: KtoSettings): ObjectiveSpec => ({
  name: settings.loss,
  columns: ['refLogprob', 'label'],
  scalars: [],
  aux: lossAux,
  batch: true,
  evaluate: (rows) => {
    const out = emptyResult(rows.count, lossAux);
    const all = [...scoresOf(rows).values()].map((score) => ({
      ...score,
      label: rows.columns.label[score.members[0]],
    }));
    const own = all.filter(({ label }) => label !== MISMATCHED);
    const mismatched = all.filter(({ label }) => label === MISMATCHED).map(({ sum }) => sum);
    // not a kind: a loss
    const kl = settings.loss === 'kto' ? Math.max(0, mean(mismatched)) : 0;
    const { beta } = settings;
    for (const score of own) {
      const sign = score.label > 0 ? 1 : -1;
      const weight = score.label > 0 ? settings.desirableWeight : settings.undesirableWeight;
      const { value, slope } = sigmoidOf(sign * beta * (score.sum - kl));
      put(out, score, (weight * (1 - value)) / own.length, (-weight * sign * beta * slope) / own.length);
    }
    return { ...out, metrics: { ktoBaseline: kl } };
  },
});
