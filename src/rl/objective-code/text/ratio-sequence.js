/** Sum and number of new - old over the rows of each sequence. */
function sumsOfSequences({ count, sequence, logprob, oldLogprob }) {
  const sums = new Map();
  for (let i = 0; i < count; i++) {
    const known = sums.get(sequence[i]) ?? { sum: 0, rows: 0 };
    known.sum += logprob[i] - oldLogprob[i];
    known.rows += 1;
    sums.set(sequence[i], known);
  }
  return (i) => sums.get(sequence[i]);
}

/**
 * One ratio per sequence: exp of the mean of new - old (GSPO, https://arxiv.org/abs/2507.18071, equation 7). The
 * coefficient contains the 1 / n of its slope.
 */
function ratiosOf(rows) {
  const of = sumsOfSequences(rows);
  return (i) => {
    const mean = of(i).sum / of(i).rows;
    const ratio = Math.exp(Math.min(mean, 10));
    return { ratio, slope: mean > 10 ? 0 : ratio };
  };
}
