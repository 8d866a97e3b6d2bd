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

/** One ratio per sequence: exp of the sum of new - old (TRL's RLOO), whose slope applies to every row. */
function ratiosOf(rows) {
  const of = sumsOfSequences(rows);
  return (i) => {
    const { sum, rows: n } = of(i);
    const ratio = Math.exp(Math.min(Math.max(sum, -20), 20));
    return { ratio, slope: (Math.abs(sum) > 20 ? 0 : ratio) * n };
  };
}
