/**
 * The clipped ratio as a weight of the log-probability, so that every token keeps its gradient (CISPO,
 * https://arxiv.org/abs/2506.13585).
 */
function policyTerm({ ratio }, logprob, advantage, { low, high }) {
  const weight = -Math.min(Math.max(ratio, low), high) * advantage;
  // Counted as: 1 clipped low, 2 clipped high.
  const flags = ratio < low ? 1 : ratio > high ? 2 : 0;
  return { loss: stopGradient(weight) * logprob, weight, flags };
}
