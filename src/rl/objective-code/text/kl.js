/**
 * Estimates of KL(policy, reference) at one token, with their slopes (Schulman 2020,
 * http://joschu.net/blog/kl-approx.html).
 */
function klTerm(logprob, refLogprob, estimator) {
  const difference = logprob - refLogprob;
  switch (estimator) {
    case 'k1':
      return { value: difference, weight: 1 };
    case 'abs':
      return { value: Math.abs(difference), weight: Math.sign(difference) };
    case 'k2':
      return { value: 0.5 * difference * difference, weight: difference };
    case 'k3':
      return k3Term(-difference);
    case 'k1+':
      return { value: valueWithSlopeOf(difference, 0.5 * difference * difference), weight: difference };
    case 'k3+':
      return { value: valueWithSlopeOf(k3Term(-difference).value, 0.5 * difference * difference), weight: difference };
  }
}

/** exp(q) - 1 - q, clamped as verl does: beyond, it has no slope. */
function k3Term(argument) {
  const q = Math.min(Math.max(argument, -20), 20);
  const grown = Math.expm1(q);
  const value = grown - q;
  const flat = q !== argument || value > 10;
  return { value: Math.min(value, 10), weight: flat ? 0 : -grown };
}

/** Returns `value` with the slope of `other`. */
function valueWithSlopeOf(value, other) {
  return stopGradient(value) + (other - stopGradient(other));
}
