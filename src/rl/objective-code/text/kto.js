/**
 * KTO (https://arxiv.org/abs/2402.01306, equation 8). `label`: 1 for desirable sequences, 0 for undesirable ones, -1
 * for other replies to the same prompts.
 */
export function objective(rows, settings) {
  const { count, label } = rows;
  const out = {
    loss: new Float64Array(count),
    weight: new Float64Array(count),
    policyLoss: new Float64Array(count),
  };
  const scores = scoresOf(rows).map((score) => ({ ...score, label: label[score.members[0]] }));
  const own = scores.filter((score) => score.label !== -1);
  const others = scores.filter((score) => score.label === -1).map((score) => score.sum);
  const baseline = settings.form === 'kto' ? stopGradient(Math.max(0, mean(others))) : 0;
  for (const score of own) {
    const sign = score.label > 0 ? 1 : -1;
    const weight = score.label > 0 ? settings.desirableWeight : settings.undesirableWeight;
    const x = sign * settings.beta * (score.sum - baseline);
    const slope = sigmoid(x) * sigmoid(-x);
    put(out, score, (weight * (1 - sigmoid(x))) / own.length, (-weight * sign * settings.beta * slope) / own.length);
  }
  return {
    loss: out.loss,
    weight: out.weight,
    aux: { policyLoss: out.policyLoss },
    metrics: { ktoBaseline: baseline },
  };
}

function mean(values) {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
