/** coefficient * (policy + KL weight * KL - entropy bonus * entropy), and its slopes. */
export function objective(rows, settings) {
  const { count, logprob, entropy, refLogprob, advantage, coefficient } = rows;
  const [loss, weight, entropyWeight, policyLoss, kl, flags, ratios] = columns(7, count);
  const ratioAt = ratiosOf(rows);
  const bounds = boundsOf(rows, settings);
  for (let i = 0; i < count; i++) {
    const ratio = ratioAt(i);
    const policy = policyTerm(ratio, logprob[i], advantage[i], bounds);
    const distance = klTerm(logprob[i], refLogprob[i], settings.kl.estimator);
    const sum = policy.loss + settings.kl.coefficient * distance.value - settings.entropy * entropy[i];
    loss[i] = coefficient[i] * sum;
    weight[i] = coefficient[i] * (policy.weight + settings.kl.coefficient * distance.weight);
    entropyWeight[i] = -coefficient[i] * settings.entropy;
    // Shown on the page and counted.
    policyLoss[i] = policy.loss;
    kl[i] = distance.value;
    flags[i] = policy.flags;
    ratios[i] = ratio.ratio;
  }
  return { loss, weight, entropyWeight, aux: { policyLoss, kl, flags, ratio: ratios }, metrics: bounds.metrics };
}

function columns(number, count) {
  return Array.from({ length: number }, () => new Float64Array(count));
}
