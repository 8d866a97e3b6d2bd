/** Ratio of token i's probability to its probability when sampled, with its slope (dratio / dlogprob). */
function ratiosOf({ logprob, oldLogprob }) {
  return (i) => {
    const difference = logprob[i] - oldLogprob[i];
    const ratio = Math.exp(Math.min(Math.max(difference, -20), 20));
    return { ratio, slope: Math.abs(difference) > 20 ? 0 : ratio };
  };
}
