/** The mean over pairs: `preferred` is 1 in the better of a pair and 0 in the worse. */
export function objective(rows, settings) {
  const { count, preferred, pair } = rows;
  const out = {
    loss: new Float64Array(count),
    weight: new Float64Array(count),
    policyLoss: new Float64Array(count),
  };
  const pairs = new Map();
  for (const score of scoresOf(rows)) {
    const key = pair[score.members[0]];
    pairs.set(key, [...(pairs.get(key) ?? []), score]);
  }
  const metrics = { preferenceAccuracy: 0, preferenceMargin: 0 };
  for (const members of pairs.values()) {
    const chosen = members.find((score) => preferred[score.members[0]] > 0);
    const rejected = members.find((score) => !(preferred[score.members[0]] > 0));
    // A pair with one half has no loss.
    if (!chosen || !rejected) continue;
    const term = pairLosses[settings.preference](chosen, rejected, settings);
    put(out, chosen, term.loss / pairs.size, term.chosen / pairs.size);
    put(out, rejected, 0, term.rejected / pairs.size);
    const margin = settings.beta * (chosen.sum - rejected.sum);
    metrics.preferenceAccuracy += (margin > 0 ? 1 : 0) / pairs.size;
    metrics.preferenceMargin += margin / pairs.size;
  }
  return { loss: out.loss, weight: out.weight, aux: { policyLoss: out.policyLoss }, metrics };
}

/** A pair's loss, and its slope by the score of the chosen and of the rejected. */
const pairLosses = {
  // DPO, https://arxiv.org/abs/2305.18290, equation 7; conservative with label smoothing.
  sigmoid: ofDifference((x, { labelSmoothing: e }) => smoothed(x, 1 - e, e)),
  // https://arxiv.org/abs/2310.12036, equation 17; TRL divides each sum by its tokens.
  ipo: (chosen, rejected, { beta }) => {
    const distance = chosen.sum / chosen.count - rejected.sum / rejected.count - 1 / (2 * beta);
    return {
      loss: distance * distance,
      chosen: (2 * distance) / chosen.count,
      rejected: (-2 * distance) / rejected.count,
    };
  },
  // https://arxiv.org/abs/2403.00409.
  robust: ofDifference((x, { labelSmoothing: e }) => smoothed(x, (1 - e) / (1 - 2 * e), -e / (1 - 2 * e))),
  conservative: ofDifference((x, { labelSmoothing: e }) => smoothed(x, 1 - e, e)),
  hinge: ofDifference((x) => ({ value: Math.max(0, 1 - x), slope: x < 1 ? -1 : 0 })),
  sigmoid_norm: (chosen, rejected, { beta }) => {
    const { value, slope } = minusLogSigmoid(beta * (chosen.sum / chosen.count - rejected.sum / rejected.count));
    return { loss: value, chosen: (beta * slope) / chosen.count, rejected: (-beta * slope) / rejected.count };
  },
  // https://arxiv.org/abs/2408.06266.
  apo_zero: ofSums((x) => minus(sigmoidOf(x)), sigmoidOf),
  apo_down: (chosen, rejected, { beta }) => {
    const own = sigmoidOf(beta * chosen.sum);
    const difference = sigmoidOf(beta * (chosen.sum - rejected.sum));
    return {
      loss: own.value + 1 - difference.value,
      chosen: beta * (own.slope - difference.slope),
      rejected: beta * difference.slope,
    };
  },
  nca_pair: ofSums((x) => {
    const plus = minusLogSigmoid(x);
    const minusX = minusLogSigmoidOfMinus(x);
    return { value: plus.value + 0.5 * minusX.value, slope: plus.slope + 0.5 * minusX.slope };
  }, halfMinusLogSigmoidOfMinus),
  bco_pair: ofSums(minusLogSigmoid, minusLogSigmoidOfMinus),
};

/** Loss as a function of beta times the difference of the scores. */
function ofDifference(lossOf) {
  return (chosen, rejected, settings) => {
    const { value, slope } = lossOf(settings.beta * (chosen.sum - rejected.sum), settings);
    return { loss: value, chosen: settings.beta * slope, rejected: -settings.beta * slope };
  };
}

/** Loss as a function of beta times each score. */
function ofSums(chosenLoss, rejectedLoss) {
  return (chosen, rejected, { beta }) => {
    const c = chosenLoss(beta * chosen.sum);
    const r = rejectedLoss(beta * rejected.sum);
    return { loss: c.value + r.value, chosen: beta * c.slope, rejected: beta * r.slope };
  };
}

function minusLogSigmoid(x) {
  return { value: softplus(-x), slope: -sigmoid(-x) };
}

function minusLogSigmoidOfMinus(x) {
  const { value, slope } = minusLogSigmoid(-x);
  return { value, slope: -slope };
}

function halfMinusLogSigmoidOfMinus(x) {
  const { value, slope } = minusLogSigmoidOfMinus(x);
  return { value: 0.5 * value, slope: 0.5 * slope };
}

function sigmoidOf(x) {
  return { value: sigmoid(x), slope: sigmoid(x) * sigmoid(-x) };
}

function minus({ value, slope }) {
  return { value: 1 - value, slope: -slope };
}

/** Value and slope for the pair in both orders, weighted. */
function smoothed(x, right, wrong) {
  const plus = minusLogSigmoid(x);
  const minusX = minusLogSigmoid(-x);
  return { value: right * plus.value + wrong * minusX.value, slope: right * plus.slope - wrong * minusX.slope };
}
