/** The sequences in order: each with its rows and its score, the sum of log(policy / reference) over its rows. */
function scoresOf({ count, sequence, logprob, refLogprob }) {
  const scores = new Map();
  for (let i = 0; i < count; i++) {
    const score = scores.get(sequence[i]) ?? { sum: 0, count: 0, members: [] };
    // Term by term: the last bit of a sum depends on its order.
    score.sum = score.sum + logprob[i] - refLogprob[i];
    score.count += 1;
    score.members.push(i);
    scores.set(sequence[i], score);
  }
  return [...scores.values()];
}

function softplus(x) {
  return x > 0 ? x + Math.log(1 + Math.exp(-x)) : Math.log(1 + Math.exp(x));
}

function sigmoid(x) {
  return x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x));
}

/** A sequence's loss on its first row, and its slope on all of them. */
function put({ loss, weight, policyLoss }, { members }, value, slope) {
  loss[members[0]] += value;
  for (const i of members) {
    weight[i] = slope;
    policyLoss[i] = value;
  }
}
