/** Minus the log-probability of each trained token, times its coefficient. */
export function objective({ count, logprob, coefficient }) {
  const loss = new Float64Array(count);
  const weight = new Float64Array(count);
  const policyLoss = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    loss[i] = -coefficient[i] * logprob[i];
    weight[i] = -coefficient[i];
    policyLoss[i] = -logprob[i];
  }
  return { loss, weight, aux: { policyLoss } };
}
